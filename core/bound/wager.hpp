// Bets that a leader loses less than a rival, and what they have won for certain.
//
// The leader f predicts each row before it counts it, and loses l. A rival g predicts q in a branch,
// whatever q is best there, and loses u(q). With a bet 0 <= lambda < 1 that was fixed before the
// row,
//
//     W(q) = product over rows of 1 + lambda (u(q) - c),     c = l - tolerance
//
// is a supermartingale for the true q if g loses at most c on average, and so is less than 1/alpha
// at all times, except with probability alpha [ville1939]. The true q is unknown: what counts is
// the infimum over q, or anything below it. docs/certainty.md has the proofs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace riparian::wager {

// With two classes, and with labels, no bet is larger than this. With more classes smaller bets keep
// the infimum sharp.
inline constexpr double most = 0.75;
inline constexpr double most_of_many = 0.5;

// Before its first row a bet counts the gap of the estimated gains as this many rows.
inline constexpr double rows_before = 8.0;

// A lower bound of ln(1 + lambda (u - c)) for all u in [0, 1], which is exact at `at`, the loss of the
// rival's own forecast:
//
//     ln(1 + lambda (at - c)) + m (u - at) - b (u - at)^2
//     m = lambda / (1 + lambda (at - c)),  b = m^2 (1/2 + lambda at / (3 (1 - lambda c)))
//
// It is Fan's inequality [fan2015] moved from 0 to `at`.
struct Parabola {
    double slope;      // of u: m + 2 b at
    double curvature;  // of -u^2: b
    double constant;   // -m at - b at^2, without the logarithm
};

// `least` is 1 - lambda c.
[[nodiscard]] inline Parabola below_logarithm(double lambda, double at, double least) noexcept {
    const double factor = least + lambda * at;
    const double inverse = 1.0 / (least * factor);  // one division for both
    const double m = lambda * least * inverse;
    const double b = m * m * (0.5 + lambda * at * factor * inverse * (1.0 / 3.0));
    return {m + 2.0 * b * at, b, -at * (m + b * at)};
}

// The bet on a difference with this mean and this mean square, raised by the tolerance if the mean
// itself does not exceed it [waudbysmith2024].
[[nodiscard]] inline double bet(double mean, double square, double tolerance,
                                double largest) noexcept {
    const double shift = mean > tolerance ? 0.0 : tolerance;
    const double target = mean + shift;
    if (!(target > 0.0)) return 0.0;
    return std::min(largest, target / (square + shift * (2.0 * mean + shift)));
}

// A lower bound of the minimum over the simplex of
//
//     F(q) = sum over classes y of slope[y] u_y(q) - curvature[y] u_y(q)^2
//     u_y(q) = |q - e_y|^2 / 2
//
// for any number of classes, those not seen yet included. With two classes it is the minimum. `q` has
// room for as many numbers.
[[nodiscard]] double least_brier(const double* slope, const double* curvature, std::size_t classes,
                                 double* q) noexcept;

// F at the forecasts that would be best without the curvature. It is above the minimum, and costs less.
[[nodiscard]] double some_brier(const double* slope, const double* curvature,
                                std::size_t classes) noexcept;

// The minimum over labels of the sum of `change` of the label; `change` is what a row of a class adds
// if it is predicted correctly, and at most 0.
[[nodiscard]] inline double least_label(const double* change, std::size_t classes) noexcept {
    return std::min(0.0, *std::min_element(change, change + classes));
}

}  // namespace riparian::wager
