#pragma once

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

// Hoeffding's bound as VFDT uses it [domingos2000, sec. 2]:
//
//     epsilon = sqrt(R^2 ln(1/delta) / (2n))
//
// It holds for means of independent observations, and information gain is not one. With it, delta
// is a parameter and not an error probability.
struct Hoeffding {
    static constexpr std::string_view name = "hoeffding";
    static constexpr std::string_view about =
        "Hoeffding's bound, derived for means of independent observations; used with every impurity.";
    static constexpr std::string_view promise =
        "Hoeffding's inequality covers means of independent observations; {gain} gain is not one, so "
        "delta is a parameter here and not an error probability (Matuszyk et al. 2013, De Rosa and "
        "Cesa-Bianchi 2015)";
    static constexpr std::string_view promise_for_means =
        "The gain is a mean over single examples, which Hoeffding's bound covers";

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        return e.gain_range * std::sqrt(ln(1.0 / e.delta) / (2.0 * e.n));
    }

    bool operator==(const Hoeffding&) const = default;
};

static_assert(Bound<Hoeffding>);

}  // namespace riparian
