#pragma once

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

// The empirical Bernstein bound [maurer2009, theorem 4] for the gap between two gains. The gap has
// the range 2R and the per-example variance s^2:
//
//     epsilon = sqrt(2 s^2 ln(2/delta) / n) + 7 (2R) ln(2/delta) / (3 (n - 1))
//
// It is narrow if the two best cuts agree about most single examples.
struct EmpiricalBernstein {
    static constexpr std::string_view name = "empirical-bernstein";
    static constexpr std::string_view about =
        "The empirical Bernstein bound, which is narrow when the gap of the two best gains varies "
        "little.";
    static constexpr bool needs_variance = true;
    static constexpr std::array<std::string_view, 4> serves = {"entropy", "gini",
                                                               "misclassification", "accuracy"};
    static constexpr std::string_view promise =
        "The empirical Bernstein bound covers means of independent terms. A gain is such a mean only "
        "to first order, so delta is a parameter here and not an error probability.";

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        // An unknown variance is NaN; then nothing is known about the gap.
        if (!(e.n > 1.0) || !(e.variance >= 0.0)) return std::numeric_limits<double>::infinity();
        const double log_inverse = ln(2.0 / e.delta);
        return std::sqrt(2.0 * e.variance * log_inverse / e.n) +
               14.0 * e.gain_range * log_inverse / (3.0 * (e.n - 1.0));
    }

    bool operator==(const EmpiricalBernstein&) const = default;
};

static_assert(Bound<EmpiricalBernstein>);

}  // namespace riparian
