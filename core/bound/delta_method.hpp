#pragma once

#include "bound.hpp"
#include "paired_gap.hpp"
#include "quantile.hpp"

namespace riparian {

// The normal test of NIP-N [jin2003]. A gain is asymptotically normal, and so is the gap between
// two gains. The delta method (influence.hpp) estimates the variance s^2 / n of the gap:
//
//     epsilon = z sqrt(s^2 / n)
//
// Below 100 examples the approximation is too poor, and the half-width is infinite.
struct DeltaMethod {
    static constexpr std::string_view name = "delta-method";
    static constexpr bool needs_variance = true;
    static constexpr double fewest = 100.0;
    static constexpr std::string_view about =
        "A normal approximation that estimates the variance of the gap (NIP-N).";
    static constexpr std::array<std::string_view, 4> serves = {"entropy", "gini",
                                                               "misclassification", "accuracy"};
    static constexpr std::string_view promise =
        "For large n a check is wrong with a probability near {delta}. This is a normal approximation, "
        "not a bound; it is unreliable for rare classes and for gains near 0.";
    static constexpr double most_delta = 0.5;
    static constexpr std::array certain_only = {is("pairing", "paired")};
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"),
             "a window must forget examples, and the covariance of two gains cannot",
             is("pairing", "paired")},
        Rule{is_not("adaptation", "reevaluation", "options"),
             "only the two best cuts of a leaf are measured in pairs", is("pairing", "paired")},
    };

    Pairing pairing = Pairing::independent;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("pairing", self.pairing, OneOf("independent", "conservative", "paired"),
              "How the variance of the gap is computed from the variances of the two gains.");
    }

    // With `paired`, every leaf measures the gap.
    using PerLeaf = PairedGap;
    [[nodiscard]] bool wants_rows() const noexcept { return pairing == Pairing::paired; }
    [[nodiscard]] std::string_view why_unmergeable() const noexcept {
        return wants_rows() ? "what it keeps at leaves depends on the order of the rows" : "";
    }

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        // An unknown variance is NaN; then nothing is known about the gap.
        if (e.n < fewest || !(e.variance >= 0.0)) return std::numeric_limits<double>::infinity();
        const double width = upper_quantile(e.delta) * std::sqrt(e.variance / e.n);
        return width > 0.0 ? width : 0.0;
    }

    bool operator==(const DeltaMethod&) const = default;
};

static_assert(Bound<DeltaMethod>);

}  // namespace riparian
