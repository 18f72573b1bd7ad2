#pragma once

#include <algorithm>

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
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        const std::size_t rows = candidates(view.n_classes);
        bins.thresholds(view, out);
        std::fill(out + bins.count * view.stride, out + rows * view.stride, nan);
        std::vector<double> found;
        for (std::size_t f = 0; f < view.n_features; ++f) {
            all_crossings(view, f, equal_variance, found);
            for (std::size_t i = 0; i < bins.count; ++i) {
                const double t = out[i * view.stride + f];
                if (t == t) found.push_back(t);
            }
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            for (std::size_t i = 0; i < rows; ++i) {
                out[i * view.stride + f] = i < found.size() ? found[i] : nan;
            }
        }
    }

    bool operator==(const Combined&) const = default;
};

static_assert(Cuts<Combined>);

}  // namespace riparian
