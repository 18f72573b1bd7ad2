#pragma once

#include <cstdint>

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

enum class ConfidenceForm : std::uint8_t { printed, derived, literal };

// The practical rule of C-Tree [derosa2015, eq. 8]:
//
//     epsilon = c sqrt(ln(m^2 h^2 t d) / m),    times ln m for entropy
//
// The root has h = 1. In the printed form d counts the class as well, as in the released code; in the
// literal form it counts the features only, as the paper defines it.
// Deriving the rule from eq. 7 with delta = 1/t gives ln((h + 1)(h + 2) d m t^2) instead, where the
// root has h = 0. This is the derived form.
struct ConfidencePractical {
    static constexpr std::string_view name = "confidence-practical";
    static constexpr std::string_view about =
        "C-Tree's practical rule (equation 8), which has a factor c instead of delta.";
    static constexpr std::array<std::string_view, 3> serves = {"entropy", "gini", "kearns-mansour"};
    static constexpr std::string_view promise =
        "Equation 8 has the shape of a confidence interval, but c is a tuned factor and not derived "
        "from a delta, so no error probability is known.";
    static constexpr std::string_view spending = "nothing";

    double c = 1.0;
    ConfidenceForm form = ConfidenceForm::printed;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("c", self.c, Range{0.0, 1e6},
              "Factor of the half-width. Smaller values split sooner.");
        visit(
            "form", self.form, OneOf("printed", "derived", "literal"),
            "Logarithm in equation 8: as printed in the paper, with d of the released code, which "
            "counts the class as a feature; as derived from equation 7; or with d as the paper "
            "defines it.");
    }

    // Equation 8 has no delta.
    [[nodiscard]] static double spent(const Evidence&) noexcept { return 0.0; }

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        const double h = e.depth + 1.0;
        const double d = e.features + (form == ConfidenceForm::printed ? 1.0 : 0.0);
        const double argument = form == ConfidenceForm::derived
                                    ? h * (h + 1.0) * d * e.n * (e.seen * e.seen)
                                    : e.n * e.n * (h * h) * e.seen * d;
        if (!(argument > 1.0)) return std::numeric_limits<double>::infinity();
        const double width = c * std::sqrt(ln(argument) / e.n);
        if (e.measure != Measure::entropy) return width;
        return e.n > 1.0 ? width * ln(e.n) : std::numeric_limits<double>::infinity();
    }

    bool operator==(const ConfidencePractical&) const = default;
};

static_assert(Bound<ConfidencePractical>);

}  // namespace riparian
