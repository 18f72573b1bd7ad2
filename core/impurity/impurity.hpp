// How mixed a class distribution is.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "../policy.hpp"
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

// A rough look at a cut in two knows the share q of each class at or below it, and the
// entropy of q and 1 - q in bits, each off by at most this. A policy whose gain can be told
// from them has
//
//     template <class Real> struct Rough {
//         static constexpr double error;                   // of gain(), at most
//         void add(Real weight, Real q, Real entropy);     // a class; weights sum to 1
//         Real gain(Real p) const;                         // p: the share of all, in [0, 1]
//     };
//
// Most checks then end without a single exact gain.
inline constexpr double rough_share_error = 1.74e-4;
inline constexpr double rough_entropy_error = 1.69e-3;

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
