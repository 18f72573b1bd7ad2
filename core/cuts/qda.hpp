#pragma once

#include <algorithm>
#include <cmath>

#include "roots.hpp"

namespace riparian {

// One cut per feature: the root of quadratic discriminant analysis that is closer to the two class
// means by |d - m1| + |d - m2| [gamarodrigues]. If both are equally close, the one between the
// means is used, then the smaller one. With more than two classes, the two of largest weight are
// used.
struct Qda {
    static constexpr std::string_view name = "qda";
    static constexpr std::string_view type_name = "QDA";
    static constexpr std::string_view about =
        "One cut per feature: the root of quadratic discriminant analysis near the class means.";
    static constexpr std::array rules = {
        Rule{is("statistics", "gaussian"), "other statistics use the observed values as cuts"},
    };

    [[nodiscard]] std::size_t candidates(std::size_t) const noexcept { return 1; }

    void thresholds(const NumericView& view, double* out) const {
        for (std::size_t f = 0; f < view.stride; ++f) {
            out[f] = f < view.n_features ? root(view, f) : std::numeric_limits<double>::quiet_NaN();
        }
    }

    bool operator==(const Qda&) const = default;

private:
    [[nodiscard]] double root(const NumericView& view, std::size_t f) const {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        if (view.n_classes < 2) return nan;
        Moments a = view.moments(0, f);
        Moments b = view.moments(1, f);
        bool in_order = true;  // the class code of a is below that of b
        for (std::size_t k = 2; k < view.n_classes; ++k) {
            const Moments c = view.moments(k, f);
            const bool a_stays = a.weight > b.weight || (a.weight == b.weight && in_order);
            if (!(c.weight > (a_stays ? b.weight : a.weight))) continue;
            (a_stays ? b : a) = c;
            in_order = a_stays;
        }
        const Roots roots = crossings(a, b, EqualVariance::linear);
        const auto distance = [&](double d) {
            return std::fabs(d - a.mean) + std::fabs(d - b.mean);
        };
        const auto between = [&](double d) {
            return std::min(a.mean, b.mean) <= d && d <= std::max(a.mean, b.mean);
        };
        double best = nan;
        for (int r = 0; r < roots.count; ++r) {
            const double d = roots.x[static_cast<std::size_t>(r)];
            if (!(view.low[f] < d && d < view.high[f])) continue;
            if (best != best || distance(d) < distance(best) ||
                (distance(d) == distance(best) && between(d) && !between(best))) {
                best = d;
            }
        }
        return best;
    }
};

static_assert(Cuts<Qda>);

}  // namespace riparian
