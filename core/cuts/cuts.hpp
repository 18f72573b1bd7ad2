// Which tests are candidates at a leaf.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "../policy.hpp"
#include "../simd/kernels.hpp"

namespace riparian {

// Weight, mean and variance of one feature in one class at a leaf.
struct Moments {
    double weight;
    double mean;
    double variance;
};

// The numeric features of one leaf, as a cut rule reads them.
struct NumericView {
    const GaussianClass* classes;
    std::size_t n_classes;
    std::size_t n_features;
    std::size_t stride;
    const double* low;   // [stride]: smallest value of all classes
    const double* high;  // [stride]: largest value of all classes
    Variance convention = Variance::sample;

    [[nodiscard]] Moments moments(std::size_t k, std::size_t f) const noexcept {
        const GaussianClass& c = classes[k];
        const double weight = c.known ? c.known[f] : c.weight;
        const double squared = c.planes[squares * n_features + f];
        double variance = weight > 1.0 ? squared / (weight - 1.0) : 0.0;
        if (convention == Variance::population) {
            variance = weight > 0.0 ? squared / weight : 0.0;
            variance = variance > least_population_variance ? variance : least_population_variance;
        }
        return {weight, c.planes[mean * n_features + f], variance};
    }
};

// A cut rule gives thresholds for all numeric features at once, as [candidate][stride]. They ascend
// for each feature and are NaN if a feature has fewer candidates.
template <class C>
concept Cuts = std::regular<C> && requires(const C c, const NumericView& view, double* out) {
    { C::name } -> std::convertible_to<std::string_view>;
    { c.candidates(std::size_t{2}) } noexcept -> std::same_as<std::size_t>;
    { c.thresholds(view, out) };
};

// A rule may propose more thresholds for the winning feature when a split is made.
template <class C>
concept Refines = requires(const C c, const NumericView& view, std::size_t f) {
    { c.refined(view, f) } -> std::same_as<std::vector<double>>;
};

// Cuts of a categorical feature.
enum class CategoricalCuts : std::uint8_t {
    multiway,          // one branch per category; the path cannot test the feature again
    one_against_rest,  // one category against all others
    both,
};

}  // namespace riparian
