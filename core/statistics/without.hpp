// Subtracts a weight from a sum that contains it.
#pragma once

#include <stdexcept>

namespace riparian {

// A result within rounding of 0 becomes 0. A negative result is an error and never clipped.
inline double without(double sum, double part) {
    const double left = sum - part;
    if (left > 1e-12 * sum) return left;
    if (left < -1e-9 * sum) throw std::invalid_argument("more weight is subtracted than there is");
    return 0.0;
}

}  // namespace riparian
