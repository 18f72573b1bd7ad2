// How mixed a class distribution is.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "measure.hpp"

namespace riparian {

// Impurities come as masses, weight times impurity, because the gain of a cut is
// then (mass of the whole - masses of the branches) / weight at the leaf, with no
// division a branch. `Real` is a double or several of them side by side; a policy
// uses arithmetic, select() and xlog2x() only, so it serves both.
template <class I>
concept Impurity = std::regular<I> && requires(const I i, const double* counts) {
    { I::name } -> std::convertible_to<std::string_view>;
    { I::measure } -> std::convertible_to<Measure>;
    { i.gain_range(std::size_t{2}) } -> std::same_as<double>;
};

// Of a cut in two: with chi-square between classes and branches at most the first, or
// p (1 - p) at most the second, p being the share of a branch, its gain cannot exceed
// the one that was asked about. A policy that knows such limits has
// `Ceiling ceiling(double gain)`; most checks then end without a single exact gain.
struct Ceiling {
    double chi_square;
    double spread;
};

// The masses of the two branches of a numeric cut together. A policy may have a
// cheaper way than one after the other: most of a check is spent here.
template <class I, class Real>
inline __attribute__((always_inline)) Real mass_of_both(const I& impurity, const Real* left,
                                                        const Real* right, std::size_t classes,
                                                        Real n_left, Real n_right) {
    if constexpr (requires { impurity.mass_of_both(left, right, classes, n_left, n_right); }) {
        return impurity.mass_of_both(left, right, classes, n_left, n_right);
    } else {
        return impurity.mass(left, classes, n_left) + impurity.mass(right, classes, n_right);
    }
}

}  // namespace riparian
