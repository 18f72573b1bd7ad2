// How far a gain may be off.
#pragma once

#include <cmath>
#include <concepts>
#include <string_view>

namespace riparian {

// What a leaf knows when it asks how far a gain may be off.
struct Evidence {
    double n;           // weight of the examples seen, > 0
    double gain_range;  // R: the largest minus the smallest gain possible
    double delta;       // accepted probability of a wrong decision, in (0, 1)
};

// The half-width of the confidence interval of a gain. A bound is a plain
// value under the name that users write; equal bounds give equal answers.
template <class B>
concept Bound = std::regular<B> && requires(const B b, const Evidence e) {
    { B::name } -> std::convertible_to<std::string_view>;
    { b.half_width(e) } noexcept -> std::same_as<double>;
};

}  // namespace riparian
