// Which tests are candidates at a leaf.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "../simd/kernels.hpp"

namespace riparian {

// The numeric features of one leaf, as a cut rule sees them.
struct NumericView {
    const GaussianClass* classes;
    std::size_t n_classes;
    std::size_t n_features;
    std::size_t stride;
    const double* low;   // [stride]: over all classes
    const double* high;  // likewise
};

// Thresholds for all numeric features at once: [candidate][stride], ascending a
// feature; NaN where a feature has no such candidate.
template <class C>
concept Cuts = std::regular<C> && requires(const C c, const NumericView& view, double* out) {
    { C::name } -> std::convertible_to<std::string_view>;
    { c.candidates(std::size_t{2}) } noexcept -> std::same_as<std::size_t>;
    { c.thresholds(view, out) } noexcept;
};

// Cuts of a categorical feature.
enum class CategoricalCuts : std::uint8_t {
    multiway,          // one branch a value; the feature is then used up on the path
    one_against_rest,  // one value against all others
    both,
};

}  // namespace riparian
