// How mixed a class distribution is.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "../policy.hpp"
#include "measure.hpp"

namespace riparian {

// An impurity is computed as a mass, which is weight times impurity. The gain of a cut is then
// (mass of the whole - masses of the branches) / weight of the leaf, without a division per branch.
// `Real` is a double or a vector of doubles. A policy uses only arithmetic, select() and xlog2x(),
// so the same code works for both.
template <class I>
concept Impurity = std::regular<I> && requires(const I i, const double* counts) {
    { I::name } -> std::convertible_to<std::string_view>;
    { I::measure } -> std::convertible_to<Measure>;
    { i.gain_range(std::size_t{2}) } -> std::same_as<double>;
};

// Before exact gains are computed, a rough estimate of a binary cut uses the share q of each class
// at or below the threshold and the entropy of q and 1 - q in bits. Each is off by at most these
// errors. A policy whose gain can be estimated from them has
//
//     template <class Real> struct Rough {
//         static constexpr double error;                   // largest error of gain()
//         void add(Real weight, Real q, Real entropy);     // one class; the weights sum to 1
//         Real gain(Real p) const;                         // p: the share of all, in [0, 1]
//     };
//
// Most checks then end without computing one exact gain.
inline constexpr double rough_share_error = 1.74e-4;
inline constexpr double rough_entropy_error = 1.69e-3;

// The masses of both branches of a numeric cut, added. A policy may compute them together faster
// than one after the other. Most of the time of a check is spent here.
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
