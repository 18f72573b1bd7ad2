#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "cuts.hpp"

namespace riparian {

// Whether a class has only its smallest value a and its largest value b in a feature. With weight W,
// mean m and centred sum of squares S,
//
//     sum of w (x - a) (b - x) = W (m - a) (b - m) - S
//
// No term is negative, so the sum is 0 only if every value is a or b. Rounding leaves a rest; the
// sum counts as 0 below 1e-9 W (b - a)^2. A value near the middle is then noticed unless its share
// of the weight is below 4e-9.
[[nodiscard]] inline bool has_two_values(double weight, double mean, double squares, double low,
                                         double high) noexcept {
    const double range = high - low;
    const double between = weight * (mean - low) * (high - mean) - squares;
    return std::fabs(between) <= 1e-9 * weight * range * range || range == 0.0;
}

// The midpoint between the two values of a feature next to a threshold, if the leaf knows all values:
// if each class has at most two. All examples of the leaf stay on their sides. A column of zeros and
// ones is split at 0.5 and not at the bin that won.
[[nodiscard]] inline std::optional<double> midpoint_at(const NumericView& view, std::size_t f,
                                                       double threshold) noexcept {
    double below = -std::numeric_limits<double>::infinity();
    double above = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < view.n_classes; ++k) {
        const GaussianClass& c = view.classes[k];
        const auto plane = [&](std::size_t number) {
            return c.planes[number * view.n_features + f];
        };
        const double weight = c.known ? c.known[f] : c.weight;
        if (!(weight > 0.0)) continue;
        if (!has_two_values(weight, plane(mean), plane(squares), plane(low), plane(high))) {
            return std::nullopt;
        }
        for (const double x : {plane(low), plane(high)}) {
            if (x <= threshold) {
                below = x > below ? x : below;
            } else {
                above = x < above ? x : above;
            }
        }
    }
    const double middle = below + (above - below) / 2.0;
    // Also false where one side has no value.
    if (!(below <= middle && middle < above)) return std::nullopt;
    return middle;
}

}  // namespace riparian
