#pragma once

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
    static constexpr std::string_view about = "Shannon entropy, in bits.";
    static constexpr Measure measure = Measure::entropy;

    [[nodiscard]] double gain_range(std::size_t classes) const noexcept {
        return log2(static_cast<double>(classes < 2 ? 2 : classes));
    }

    // The gain is I(class; branch) = H(p) - sum pi_k H(q_k), where pi_k is the share of class k and
    // q_k the part of it in the branch. H is concave and 0 at 0, so if p is off by e, H(p) is off
    // by at most H(e). H(rough_share_error) is 2.43e-3, and rough_entropy() is off by at most
    // 1.03e-4.
    template <class Real>
    struct Rough {
        static constexpr double error = rough_entropy_error + 2.43e-3 + 1.03e-4;
        Real inside = 0.0;

        __attribute__((always_inline)) void add(Real weight, Real, Real entropy) {
            inside += weight * entropy;
        }
        [[nodiscard]] __attribute__((always_inline)) Real gain(Real p) const {
            return rough_entropy(p) - inside;
        }
    };

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
                                                                   std::size_t classes, Real n_left,
                                                                   Real n_right) const {
        Real sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) sum += xlog2x(left[k], right[k]);
        return xlog2x(n_left, n_right) - sum;
    }

    bool operator==(const Entropy&) const = default;
};

static_assert(Impurity<Entropy>);

}  // namespace riparian
