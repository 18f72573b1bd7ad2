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

    [[nodiscard]] double gain_range(std::size_t) const noexcept { return 1.0; }

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
