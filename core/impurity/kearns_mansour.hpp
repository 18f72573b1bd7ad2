#pragma once

#include <cmath>

#include "impurity.hpp"

namespace riparian {

// Kearns and Mansour's index [kearns1996]:
//
//     g = (1/2) sum sqrt(p_k (1 - p_k)),    N g = (1/2) sum sqrt(n_k (N - n_k))
//
// For two classes it is sqrt(p (1 - p)). The sum over more classes is our extension; its range is
// sqrt(K - 1) / 2.
struct KearnsMansour {
    static constexpr std::string_view name = "kearns-mansour";
    static constexpr std::string_view about = "The index of Kearns and Mansour.";
    static constexpr Measure measure = Measure::kearns_mansour;

    [[nodiscard]] double gain_range(std::size_t classes) const noexcept {
        return 0.5 * std::sqrt(static_cast<double>(classes < 2 ? 1 : classes - 1));
    }

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass(const Real* counts, std::size_t classes,
                                                           Real total) const {
        Real sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) {
            const Real product = counts[k] * (total - counts[k]);
            sum += sqrt(select(product > 0.0, product, Real(0.0)));
        }
        return sum * 0.5;
    }

    bool operator==(const KearnsMansour&) const = default;
};

static_assert(Impurity<KearnsMansour>);

}  // namespace riparian
