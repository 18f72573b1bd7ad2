// A feature of the tree: its kind, and its index among the features of that kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../memory/account.hpp"

namespace riparian {

enum class Kind : std::uint8_t { numeric, categorical };

struct Feature {
    Kind kind;
    std::size_t slot;
};

using Features = Held<Feature>;

}  // namespace riparian
