#pragma once

#include <algorithm>
#include <cmath>

#include "roots.hpp"

namespace riparian {

// One cut a feature: the root of quadratic discriminant analysis that lies closer to
// the two class means, |d - m1| + |d - m2| [gamarodrigues]. Where the sums agree, the one
// between the means, then the smaller. Of more than two classes the heaviest two.
struct Qda {
    static constexpr std::string_view name = "qda";
    static constexpr std::string_view type_name = "QDA";
    static constexpr std::string_view about =
        "One root of quadratic discriminant analysis per feature.";
    static constexpr std::array rules = {
        Rule{is("statistics", "gaussian"), "with other statistics the cuts are the values themselves"},
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
        bool in_order = true;  // a's code is below b's
        for (std::size_t k = 2; k < view.n_classes; ++k) {
            const Moments c = view.moments(k, f);
            const bool a_stays = a.weight > b.weight || (a.weight == b.weight && in_order);
            if (!(c.weight > (a_stays ? b.weight : a.weight))) continue;
            (a_stays ? b : a) = c;
            in_order = a_stays;
        }
        const Roots roots = crossings(a, b, EqualVariance::linear);
        const auto distance = [&](double d) { return std::fabs(d - a.mean) + std::fabs(d - b.mean); };
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
