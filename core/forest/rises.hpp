// When the errors of a tree rise.
#pragma once

#include <variant>

#include "../drift/any.hpp"

namespace riparian {

// Updates a detector with one more prediction. Returns whether it now detects more errors; a
// detector that knows the direction of a change ignores a fall.
[[nodiscard]] inline bool rises(AnyDetector& detector, bool wrong) {
    if (update(detector, wrong ? 1.0 : 0.0) != Signal::drift) return false;
    return std::visit(
        [](const auto& d) {
            if constexpr (requires { d.shift(); }) return d.shift() > 0.0;
            else return true;
        },
        detector);
}

}  // namespace riparian
