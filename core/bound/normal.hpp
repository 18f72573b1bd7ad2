#pragma once

#include "bound.hpp"
#include "quantile.hpp"

namespace riparian {

// Half-widths by the normal approximation, where z is the 1 - delta quantile:
//
//     misclassification:  z sqrt(1 / (2n))                        [rutkowski2015]
//     Gini (dsCART):      z sqrt(2 Q / n), Q = 5 K^2 - 8 K + 4    [rutkowski2014]
struct Normal {
    static constexpr std::string_view name = "normal";
    static constexpr std::string_view about =
        "A normal approximation that assumes the largest possible variance.";
    static constexpr std::array<std::string_view, 4> serves = {"misclassification", "accuracy",
                                                               "gini", "hybrid"};
    static constexpr std::string_view promise =
        "For large n a check is wrong with a probability near {delta}. This is a normal approximation, "
        "not a bound; it is unreliable for rare classes and for gains near 0.";
    static constexpr double most_delta = 0.5;

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        const double z = upper_quantile(e.delta);
        if (e.measure != Measure::gini) return z * std::sqrt(1.0 / (2.0 * e.n));
        const double k = e.classes < 2.0 ? 2.0 : e.classes;
        return z * std::sqrt(2.0 * (5.0 * k * k - 8.0 * k + 4.0) / e.n);
    }

    bool operator==(const Normal&) const = default;
};

static_assert(Bound<Normal>);

}  // namespace riparian
