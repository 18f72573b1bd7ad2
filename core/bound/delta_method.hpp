#pragma once

#include <optional>

#include "bound.hpp"
#include "paired_gap.hpp"
#include "quantile.hpp"

namespace riparian {

// The normal test of NIP-N [jin2003]: a gain is asymptotically normal, and so is the
// difference of two with variance s^2 / n by the delta method (influence.hpp):
//
//     epsilon = z sqrt(s^2 / n)
//
// Not to be trusted below 100 examples.
struct DeltaMethod {
    static constexpr std::string_view name = "delta-method";
    static constexpr bool needs_variance = true;
    static constexpr double fewest = 100.0;
    static constexpr std::string_view about =
        "The normal approximation with an estimated variance (NIP-N).";
    static constexpr std::array<std::string_view, 4> serves = {"entropy", "gini",
                                                               "misclassification", "accuracy"};
    static constexpr std::string_view promise =
        "For large n a check errs with a probability near {delta}: a normal approximation, not a "
        "bound, and not to be trusted for rare classes or gains near 0.";
    static constexpr double most_delta = 0.5;
    static constexpr std::array certain_only = {is("pairing", "paired")};
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"),
             "the covariance of two gains cannot forget an example", is("pairing", "paired")},
        Rule{is_not("adaptation", "reevaluation", "options"),
             "only the two best cuts of a leaf are followed in pairs", is("pairing", "paired")},
    };

    Pairing pairing = Pairing::independent;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("pairing", self.pairing, OneOf("independent", "conservative", "paired"),
              "How the variances of two gains make that of their difference.");
    }

    // Pairs are measured at every leaf.
    [[nodiscard]] std::optional<PairedGap> make_paired_gap() const {
        return pairing == Pairing::paired ? std::optional<PairedGap>(PairedGap{}) : std::nullopt;
    }

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        // A variance that is not known, NaN, is no evidence either.
        if (e.n < fewest || !(e.variance >= 0.0)) return std::numeric_limits<double>::infinity();
        const double width = upper_quantile(e.delta) * std::sqrt(e.variance / e.n);
        return width > 0.0 ? width : 0.0;
    }

    bool operator==(const DeltaMethod&) const = default;
};

static_assert(Bound<DeltaMethod>);

}  // namespace riparian
