#pragma once

#include "impurity.hpp"

namespace riparian {

// Gini index [breiman1984]:
//
//     g = 1 - sum p_k^2,    N g = N - (sum n_k^2) / N
//
// The gain range is 1, as in VFML and MOA; 1 - 1/K would be tight.
struct Gini {
    static constexpr std::string_view name = "gini";
    static constexpr std::string_view about = "The Gini index.";
    static constexpr Measure measure = Measure::gini;

    [[nodiscard]] double gain_range(std::size_t) const noexcept { return 1.0; }

    // Let pi_k be the share of class k and q_k the part of it in the branch. The gain is
    //
    //     sum (pi_k q_k)^2 / p + sum (pi_k (1 - q_k))^2 / (1 - p) - sum pi_k^2
    //
    // and its derivative by q_k lies between -3 pi_k and 3 pi_k.
    template <class Real>
    struct Rough {
        static constexpr double error = 3.1 * rough_share_error;
        Real all = 0.0, once = 0.0, twice = 0.0;  // sums of (pi_k)^2 times 1, q_k and q_k^2

        __attribute__((always_inline)) void add(Real weight, Real q, Real) {
            const Real square = weight * weight;
            all += square;
            once += square * q;
            twice += (square * q) * q;
        }
        [[nodiscard]] __attribute__((always_inline)) Real gain(Real p) const {
            const Real rest = Real(1.0) - p;
            const Real right = all - once - once + twice;
            return select(p > 0.0, twice / p, Real(0.0)) +
                   select(rest > 0.0, right / rest, Real(0.0)) - all;
        }
    };

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass(const Real* counts, std::size_t classes,
                                                           Real total) const {
        Real sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) sum += counts[k] * counts[k];
        return total - select(total > 0.0, sum / total, Real(0.0));
    }

    bool operator==(const Gini&) const = default;
};

static_assert(Impurity<Gini>);

}  // namespace riparian
