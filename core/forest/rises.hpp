// When the errors of a tree rise.
#pragma once

#include <variant>

#include "../drift/any.hpp"

namespace riparian {

// Tells a detector of one more answer, and asks whether errors rose.
[[nodiscard]] inline bool rises(AnyDetector& detector, bool wrong) {
    if (update(detector, wrong ? 1.0 : 0.0) != Signal::drift) return false;
    const auto* const adwin = std::get_if<Adwin>(&detector);
    return !adwin || adwin->shift() > 0.0;
}

}  // namespace riparian
