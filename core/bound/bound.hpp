// How far an estimated gain may be from the true one.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

#include "../impurity/measure.hpp"
#include "../policy.hpp"

namespace riparian {

// What a leaf knows when it asks a bound for its half-width.
struct Evidence {
    double n;           // weight of the examples seen, > 0
    double gain_range;  // R: the largest minus the smallest gain possible
    double delta;       // accepted probability of a wrong decision, in (0, 1)
    Measure measure = Measure::entropy;
    double classes = 2;   // classes seen at the leaf
    double depth = 0;     // depth of the leaf; the root has 0
    double seen = 1;      // examples learned by the tree
    double features = 1;  // features that have had a value so far
    // Per-example variance of the gap between the two best gains. Only set for bounds that need it.
    double variance = std::numeric_limits<double>::quiet_NaN();
    // Of a bound that tests by itself: the logarithms of its evidence and of what it needs.
    double log_evidence = std::numeric_limits<double>::quiet_NaN();
    double log_threshold = std::numeric_limits<double>::quiet_NaN();
};

// How the variance of the gap is computed from the variances of the two gains.
enum class Pairing : std::uint8_t {
    independent,   // s^2 = s1^2 + s2^2
    conservative,  // s = s1 + s2
    paired,        // measured on the examples themselves
};

// The variance of the gap. NaN for `paired`, which must be measured on the examples.
[[nodiscard]] inline double variance_of_gap(Pairing pairing, double first, double second) noexcept {
    if (pairing == Pairing::independent) return first + second;
    if (pairing == Pairing::paired) return std::numeric_limits<double>::quiet_NaN();
    const double sum = std::sqrt(first) + std::sqrt(second);
    return sum * sum;
}

// A bound gives the half-width of the confidence interval of a gain, or it decides by a test of its
// own, from what leaves keep for it. It is a plain value with the name that users write. In addition
// to the declarations of every policy (policy.hpp), a bound may declare:
//
//     serves              the impurities that it was derived for; all if absent
//     promise             the text of guarantee(); {delta} and {gain} stand for the tree's own
//     theorem, premises   the theorem that the promise rests on, and what it asks of the tree
//     promises            texts before it that depend on a parameter of the bound (Promise)
//     promise_for_means   the text if the gain is a mean over single examples
//     spending            what delta covers: "check" (one check, the default), "tree" (all checks
//                         of the tree), "promise" (as the promise says) or "nothing" (the bound
//                         has no delta)
//     most_delta          delta must be below this
//     needs_variance      whether it uses the variance of the gap. A field `pairing` chooses how the
//                         variance is computed; without it the two gains count as independent
//     splits_at_each_check  whether a check that finds a gain always splits
//     PerLeaf             what leaves keep for it and update with every row (race.hpp,
//                         paired_gap.hpp). With wants_rows() this depends on its parameters
template <class B>
concept HasHalfWidth = requires(const B b, const Evidence e) {
    { b.half_width(e) } -> std::same_as<double>;
};

template <class B>
concept Bound =
    std::regular<B> && (HasHalfWidth<B> || requires { typename B::PerLeaf; }) && requires {
        { B::name } -> std::convertible_to<std::string_view>;
    };

template <class B>
concept NeedsVariance = B::needs_variance;

}  // namespace riparian
