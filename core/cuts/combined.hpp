#pragma once

#include "bins.hpp"
#include "roots.hpp"

namespace riparian {

// Bins and intersections together [mirkhan2021, sec. 3.3].
struct Combined {
    static constexpr std::string_view name = "combined";
    Bins bins;
    EqualVariance equal_variance = EqualVariance::linear;

    [[nodiscard]] std::size_t candidates(std::size_t classes) const noexcept {
        return bins.candidates(classes) + most_crossings(classes);
    }

    void thresholds(const NumericView& view, double* out) const {
        bins.thresholds(view, out);
        all_crossings(view, equal_variance, out + bins.count * view.stride);
        kernels().sort_thresholds(out, candidates(view.n_classes), view.stride);
    }

    bool operator==(const Combined&) const = default;
};

static_assert(Cuts<Combined>);

}  // namespace riparian
