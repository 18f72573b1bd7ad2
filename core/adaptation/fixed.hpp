#pragma once

#include <memory>
#include <string_view>

#include "../policy.hpp"

namespace riparian {

class Adaptation;
class RowLearner;

// No adaptation: the tree only grows.
struct Fixed {
    static constexpr std::string_view name = "none";
    static constexpr std::string_view type_name = "Fixed";
    static constexpr std::string_view about = "The tree grows and does not follow change.";

    [[nodiscard]] std::unique_ptr<Adaptation> begin(RowLearner&) const;
};

}  // namespace riparian
