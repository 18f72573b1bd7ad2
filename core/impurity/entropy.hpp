#pragma once

#include <cmath>

#include "../simd/scalar.hpp"
#include "impurity.hpp"

namespace riparian {

// Entropy in bits [quinlan1986]:
//
//     g = -sum p_k log2 p_k,    N g = N log2 N - sum n_k log2 n_k
//
// Its gain, the information gain, lies between 0 and log2 K.
struct Entropy {
    static constexpr std::string_view name = "entropy";
    static constexpr Measure measure = Measure::entropy;

    [[nodiscard]] double gain_range(std::size_t classes) const noexcept {
        return log2(static_cast<double>(classes < 2 ? 2 : classes));
    }

    // I <= log2(1 + chi-square) by Jensen's inequality, and I <= H(p) <= 2 sqrt(p (1 - p)).
    [[nodiscard]] Ceiling ceiling(double gain) const noexcept {
        return {std::exp2(gain) - 1.0, 0.25 * gain * gain};
    }

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass(const Real* counts, std::size_t classes,
                                                           Real total) const {
        Real sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) sum += xlog2x(counts[k]);
        return xlog2x(total) - sum;
    }

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass_of_both(const Real* left,
                                                                   const Real* right,
                                                                   std::size_t classes,
                                                                   Real n_left,
                                                                   Real n_right) const {
        Real sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) sum += xlog2x(left[k], right[k]);
        return xlog2x(n_left, n_right) - sum;
    }

    bool operator==(const Entropy&) const = default;
};

static_assert(Impurity<Entropy>);

}  // namespace riparian
