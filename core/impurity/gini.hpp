#pragma once

#include "impurity.hpp"

namespace riparian {

// Gini index [breiman1984]:
//
//     g = 1 - sum p_k^2,    N g = N - (sum n_k^2) / N
//
// The gain range is 1, as VFML and MOA take it; 1 - 1/K would be tight.
struct Gini {
    static constexpr std::string_view name = "gini";
    static constexpr Measure measure = Measure::gini;

    [[nodiscard]] double gain_range(std::size_t) const noexcept { return 1.0; }

    // With pi_k the share of class k and q_k its part in the branch, the gain is
    // sum pi_k^2 (q_k - p)^2 / (p (1 - p)) <= chi-square, and <= 2 min(p, 1 - p).
    [[nodiscard]] Ceiling ceiling(double gain) const noexcept { return {gain, 0.25 * gain}; }

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
