#pragma once

#include "cuts.hpp"

namespace riparian {

// Equally spaced points between the smallest and the largest value seen at the leaf [mirkhan2021,
// sec. 3.3]:
//
//     t_i = min + (max - min) i / (b + 1),    i = 1..b
struct Bins {
    static constexpr std::string_view name = "bins";
    static constexpr std::string_view about =
        "Equally spaced thresholds between the smallest and the largest value at the leaf.";

    std::size_t count = 10;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("count", self.count, Range{1.0, 10000.0}, "Number of equally spaced thresholds.");
    }

    [[nodiscard]] std::size_t candidates(std::size_t) const noexcept { return count; }

    void thresholds(const NumericView& view, double* out) const noexcept {
        for (std::size_t i = 0; i < count; ++i, out += view.stride) {
            const double share = static_cast<double>(i + 1) / static_cast<double>(count + 1);
            for (std::size_t f = 0; f < view.stride; ++f) {
                const double t = view.low[f] + (view.high[f] - view.low[f]) * share;
                const bool inside = view.low[f] < t && t < view.high[f] && f < view.n_features;
                out[f] = inside ? t : std::numeric_limits<double>::quiet_NaN();
            }
        }
    }

    bool operator==(const Bins&) const = default;
};

static_assert(Cuts<Bins>);

}  // namespace riparian
