// How mixed a class distribution is.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

namespace riparian {

// Impurities come as masses, weight times impurity, because the gain of a cut is
// then (mass of the whole - masses of the branches) / weight at the leaf, with no
// division a branch. `Real` is a double or several of them side by side; a policy
// uses arithmetic, select() and xlog2x() only, so it serves both.
template <class I>
concept Impurity = std::regular<I> && requires(const I i, const double* counts) {
    { I::name } -> std::convertible_to<std::string_view>;
    { i.gain_range(std::size_t{2}) } noexcept -> std::same_as<double>;
};

}  // namespace riparian
