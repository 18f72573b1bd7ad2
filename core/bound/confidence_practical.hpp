#pragma once

#include <cstdint>

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

enum class ConfidenceForm : std::uint8_t { printed, derived };

// C-Tree's rule in practice [derosa2015, eq. 8]:
//
//     epsilon = c sqrt(ln(m^2 h^2 t d) / m),    times ln m for entropy
//
// with the root at h = 1 and the class counted in d, as the released code has it.
// From eq. 7 with delta = 1/t follows ln((h + 1)(h + 2) d m t^2) instead, the root at
// h = 0: the derived form.
struct ConfidencePractical {
    static constexpr std::string_view name = "confidence-practical";
    static constexpr std::string_view about =
        "C-Tree's rule in practice (equation 8): a factor stands where delta was.";
    static constexpr std::array<std::string_view, 3> serves = {"entropy", "gini", "kearns-mansour"};
    static constexpr std::string_view promise =
        "Equation 8 has the shape of a confidence interval, but its factor c is tuned and no delta "
        "stands behind it: it promises nothing.";
    static constexpr std::string_view spending = "nothing";

    double c = 1.0;
    ConfidenceForm form = ConfidenceForm::printed;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("c", self.c, Range{0.0, 1e6}, "Factor of the interval. Smaller values split sooner.");
        visit("form", self.form, OneOf("printed", "derived"),
              "Logarithm of equation 8: as printed, or as it follows from equation 7.");
    }

    // Equation 8 has no delta.
    [[nodiscard]] static double spent(const Evidence&) noexcept { return 0.0; }

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        const double h = e.depth + 1.0;
        const double argument =
            form == ConfidenceForm::printed
                ? e.n * e.n * (h * h) * e.seen * (e.features + 1.0)
                : h * (h + 1.0) * e.features * e.n * (e.seen * e.seen);
        if (!(argument > 1.0)) return std::numeric_limits<double>::infinity();
        const double width = c * std::sqrt(ln(argument) / e.n);
        if (e.measure != Measure::entropy) return width;
        return e.n > 1.0 ? width * ln(e.n) : std::numeric_limits<double>::infinity();
    }

    bool operator==(const ConfidencePractical&) const = default;
};

static_assert(Bound<ConfidencePractical>);

}  // namespace riparian
