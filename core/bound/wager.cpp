#include "wager.hpp"

#include <cmath>
#include <limits>

namespace riparian::wager {
namespace {

// The minimum for two classes, where q is one number and F a polynomial of degree 4 in it:
//
//     F(q) = slope[0] q^2 - curvature[0] q^4 + slope[1] (1 - q)^2 - curvature[1] (1 - q)^4
//
// F'' is a parabola that opens downwards. F is convex between its zeros, where the derivative has at most
// one zero, and concave elsewhere, where the minimum is at an end.
double least_of_two(const double* slope, const double* curvature) noexcept {
    const auto value = [&](double q) {
        const double u = q * q, w = (1.0 - q) * (1.0 - q);
        return (slope[0] - curvature[0] * u) * u + (slope[1] - curvature[1] * w) * w;
    };
    const auto rises = [&](double q) {
        const double u = q * q, w = (1.0 - q) * (1.0 - q);
        return (slope[0] - 2.0 * curvature[0] * u) * q >
               (slope[1] - 2.0 * curvature[1] * w) * (1.0 - q);
    };
    double best = std::min(value(0.0), value(1.0));
    // F''(q) / 2 = slopes - 6 curvature[0] q^2 - 6 curvature[1] (1 - q)^2
    const double a = 6.0 * (curvature[0] + curvature[1]), half = 6.0 * curvature[1];
    const double c = half - (slope[0] + slope[1]);
    double low = 0.0, high = 1.0;
    if (a > 0.0) {
        const double square = half * half - a * c;
        if (!(square > 0.0)) return best;  // concave everywhere
        const double root = std::sqrt(square);
        low = std::clamp((half - root) / a, 0.0, 1.0);
        high = std::clamp((half + root) / a, 0.0, 1.0);
    }
    best = std::min({best, value(low), value(high)});
    if (rises(low) || !rises(high)) return best;
    // Newton's method, and a bisection where a step leaves the interval. F is convex in between, so it is
    // above its tangent: what the tangent lacks at the ends bounds the error.
    double q = slope[1] / (slope[0] + slope[1]);
    for (int i = 0; i < 60; ++i) {
        if (!(q > low && q < high)) q = 0.5 * (low + high);
        const double u = q * q, w = (1.0 - q) * (1.0 - q);
        const double first = 2.0 * ((slope[0] - 2.0 * curvature[0] * u) * q -
                                    (slope[1] - 2.0 * curvature[1] * w) * (1.0 - q));
        const double second =
            2.0 * (slope[0] + slope[1]) - 12.0 * (curvature[0] * u + curvature[1] * w);
        const double lacks = std::fabs(first) * (first > 0.0 ? q - low : high - q);
        if (lacks < 1e-10 || i == 59) return std::min(best, value(q) - lacks);
        (first > 0.0 ? high : low) = q;
        q -= second > 0.0 ? first / second : 0.0;
    }
    return best;
}

// u^2 <= u on [0, 1], so F(q) >= L(q), the sum of (slope - curvature) u_y(q), whose minimum is known.
double rough_brier(const double* slope, const double* curvature, std::size_t classes) noexcept {
    double chords = 0.0, squares = 0.0, largest = 0.0;
    for (std::size_t y = 0; y < classes; ++y) {
        const double chord = slope[y] - curvature[y];
        chords += chord;
        squares += chord * chord;
        largest = std::max(largest, chord);
    }
    // L is a parabola over the plane of the simplex if it rises, and else least at a corner.
    return chords > 0.0 ? 0.5 * (chords - squares / chords) : chords - largest;
}

}  // namespace

double some_brier(const double* slope, const double* curvature, std::size_t classes) noexcept {
    double slopes = 0.0, squares = 0.0;
    for (std::size_t y = 0; y < classes; ++y) {
        slopes += slope[y];
        squares += slope[y] * slope[y];
    }
    if (!(slopes > 0.0)) return 0.0;
    const double inverse = 1.0 / slopes;
    const double half = 0.5 + 0.5 * squares * inverse * inverse;
    double value = 0.0;
    for (std::size_t y = 0; y < classes; ++y) {
        const double u = half - slope[y] * inverse;
        value += (slope[y] - curvature[y] * u) * u;
    }
    return value;
}

// Three lower bounds, of which the first always holds, and the others together:
//
//  - the rough one, by L.
//  - Where 6 sum of curvature[y] u_y(q) <= sum of slope, a convex set, F is convex, so it is above its
//    tangent at any q of the set.
//  - Elsewhere F(q) >= L(q) >= r T with T = sum of curvature[y] u_y(q) and r = min of
//    slope / curvature - 1, where T is between (sum of slope) / 6 and the sum of curvature.
double least_brier(const double* slope, const double* curvature, std::size_t classes,
                   double* q) noexcept {
    double slopes = 0.0, curvatures = 0.0;
    double ratio = std::numeric_limits<double>::infinity();
    for (std::size_t y = 0; y < classes; ++y) {
        slopes += slope[y];
        curvatures += curvature[y];
        if (curvature[y] > 0.0) ratio = std::min(ratio, slope[y] / curvature[y] - 1.0);
    }
    if (!(slopes > 0.0)) return 0.0;
    if (classes == 2) return least_of_two(slope, curvature);
    double best = rough_brier(slope, curvature, classes);
    const double elsewhere = ratio >= 0.0 ? ratio * slopes / 6.0 : ratio * curvatures;
    for (std::size_t y = 0; y < classes; ++y) q[y] = slope[y] / slopes;
    constexpr int rounds = 40;
    constexpr double near = 1e-3;  // of a nat: closer is not worth the time
    for (int round = 0; round < rounds; ++round) {
        double half = 0.5;  // u_y = half - q_y with half = (1 + |q|^2) / 2
        for (std::size_t y = 0; y < classes; ++y) half += 0.5 * q[y] * q[y];
        double value = 0.0, curved = 0.0, pull = 0.0;
        for (std::size_t y = 0; y < classes; ++y) {
            const double u = half - q[y];
            value += (slope[y] - curvature[y] * u) * u;
            curved += curvature[y] * u;
            pull += slope[y] - 2.0 * curvature[y] * u;
        }
        if (6.0 * curved > slopes || !(pull > 0.0)) break;
        // The gradient is pull q_y - (slope[y] - 2 curvature[y] u_y). A class that was not seen has 0.
        double along = 0.0, lowest = 0.0, sum = 0.0;
        for (std::size_t y = 0; y < classes; ++y) {
            const double weight = slope[y] - 2.0 * curvature[y] * (half - q[y]);
            const double gradient = pull * q[y] - weight;
            along += gradient * q[y];
            lowest = std::min(lowest, gradient);
            q[y] = std::max(0.0, weight);
            sum += q[y];
        }
        const double gap = along - lowest;  // F(q) - gap is below the tangent on the simplex
        best = std::max(best, std::min(value - gap, elsewhere));
        if (gap < near || !(sum > 0.0)) break;
        for (std::size_t y = 0; y < classes; ++y) q[y] /= sum;
    }
    return best;
}

}  // namespace riparian::wager
