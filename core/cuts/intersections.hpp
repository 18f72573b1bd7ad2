#pragma once

#include <algorithm>

#include "roots.hpp"

namespace riparian {

// Where the weighted normal densities of two classes meet [mirkhan2021, sec. 3.2]. For
// misclassification the best cut is among them, if any cut gains at all and class
// weights come from the whole distribution (clip_to_range off).
struct Intersections {
    static constexpr std::string_view name = "intersections";
    EqualVariance equal_variance = EqualVariance::linear;

    [[nodiscard]] std::size_t candidates(std::size_t classes) const noexcept {
        return most_crossings(classes);
    }

    void thresholds(const NumericView& view, double* out) const {
        const std::size_t rows = candidates(view.n_classes);
        std::fill_n(out, rows * view.stride, std::numeric_limits<double>::quiet_NaN());
        std::vector<double> found;
        for (std::size_t f = 0; f < view.n_features; ++f) {
            all_crossings(view, f, equal_variance, found);
            for (std::size_t i = 0; i < found.size(); ++i) out[i * view.stride + f] = found[i];
        }
    }

    bool operator==(const Intersections&) const = default;
};

static_assert(Cuts<Intersections>);

}  // namespace riparian
