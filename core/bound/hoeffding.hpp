#pragma once

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

// Hoeffding's bound as VFDT uses it [domingos2000, sec. 2]:
//
//     epsilon = sqrt(R^2 ln(1/delta) / (2n))
//
// It holds for means of independent observations. Information gain is not one.
struct Hoeffding {
    static constexpr std::string_view name = "hoeffding";
    static constexpr std::string_view about =
        "Hoeffding's bound, for means of independent terms; serves every impurity.";
    static constexpr std::string_view promise =
        "Hoeffding's bound promises nothing for this tree: {gain} gain is not a mean of independent "
        "observations (Matuszyk et al. 2013, De Rosa and Cesa-Bianchi 2015)";
    static constexpr std::string_view promise_for_means =
        "The gain is a mean over single examples, as Hoeffding's bound asks for";

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        return e.gain_range * std::sqrt(ln(1.0 / e.delta) / (2.0 * e.n));
    }

    bool operator==(const Hoeffding&) const = default;
};

static_assert(Bound<Hoeffding>);

}  // namespace riparian
