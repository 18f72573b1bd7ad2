// The one list of bounds. A new one is a file and a place here.
#pragma once

#include <variant>

#include "hoeffding.hpp"

namespace riparian {

using AnyBound = std::variant<Hoeffding>;

[[nodiscard]] inline double half_width(const AnyBound& bound, const Evidence& e) noexcept {
    return std::visit([&](const auto& b) { return b.half_width(e); }, bound);
}

}  // namespace riparian
