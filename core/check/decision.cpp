#include "decision.hpp"

#include <cmath>
#include <limits>

namespace riparian {

Evidence make_evidence(const Settings& settings, const AnyImpurity& impurity, double n,
                       std::size_t classes, double number) {
    Evidence e{n, gain_range(impurity, classes), settings.delta};
    if (settings.spend_delta) e.delta /= number * (number + 1.0);
    e.measure = measure(impurity);
    e.classes = static_cast<double>(classes);
    return e;
}

double weight_to_decide(const Settings& settings, const Decision& d) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (d.best.feature == none || !(d.best.gain + d.gain_error > settings.min_gain))
        return infinity;
    const double now = d.evidence.n;
    const auto decides = [&](double n) {
        Evidence e = later(d.evidence, n - now);
        e.n = n;  // not rounded
        const double epsilon = half_width(settings.bound, e);
        return d.gap() > settings.epsilons * epsilon || epsilon < settings.tau;
    };
    if (decides(now)) return now;
    // Whole numbers from here on; past 2^53 not all of them exist.
    double low = std::floor(now);
    double high = std::max(1.0, low + 1.0);
    while (!decides(high)) {
        low = high;
        high *= 2.0;
        if (high > 0x1p53) return infinity;
    }
    while (low + 1.0 < high) {
        const double middle = std::floor(0.5 * (low + high));
        (decides(middle) ? high : low) = middle;
    }
    return high;
}

double delta_of_check(const Settings& settings, const Evidence& e) noexcept {
    return std::visit(
        [&](const auto& bound) {
            if constexpr (requires { bound.spent(e); }) return bound.spent(e);
            else return e.delta;
        },
        settings.bound);
}

}  // namespace riparian
