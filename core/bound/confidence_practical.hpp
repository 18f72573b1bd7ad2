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
    double c = 1.0;
    ConfidenceForm form = ConfidenceForm::printed;

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
