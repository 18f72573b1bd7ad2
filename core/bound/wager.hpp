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
