// Taking a weight away from a sum that it is part of.
#pragma once

#include <stdexcept>

namespace riparian {

// What is within rounding of nothing is nothing; less than nothing is a mistake, and never
// clipped.
inline double without(double sum, double part) {
    const double left = sum - part;
    if (left > 1e-12 * sum) return left;
    if (left < -1e-9 * sum) throw std::invalid_argument("more weight is taken away than there is");
    return 0.0;
}

}  // namespace riparian
