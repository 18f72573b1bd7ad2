// How far a gain may be off.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>

#include "../impurity/measure.hpp"

namespace riparian {

// What a leaf knows when it asks how far a gain may be off.
struct Evidence {
    double n;           // weight of the examples seen, > 0
    double gain_range;  // R: the largest minus the smallest gain possible
    double delta;       // accepted probability of a wrong decision, in (0, 1)
    Measure measure = Measure::entropy;
    double classes = 2;   // seen at the leaf
    double depth = 0;     // of the leaf; the root has 0
    double seen = 1;      // examples learned by the tree
    double features = 1;  // that had a value so far
    // Of the difference between the two best gains, an example; asked for by bounds
    // with `needs_variance`.
    double variance = std::numeric_limits<double>::quiet_NaN();
};

// The half-width of the confidence interval of a gain. A bound is a plain
// value under the name that users write; equal bounds give equal answers.
template <class B>
concept Bound = std::regular<B> && requires(const B b, const Evidence e) {
    { B::name } -> std::convertible_to<std::string_view>;
    { b.half_width(e) } -> std::same_as<double>;
};

template <class B>
concept NeedsVariance = B::needs_variance;

}  // namespace riparian
