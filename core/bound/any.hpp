// The list of all bounds. A new bound is a new file and an entry here.
#pragma once

#include <optional>
#include <variant>

#include "confidence.hpp"
#include "confidence_practical.hpp"
#include "custom.hpp"
#include "delta_method.hpp"
#include "empirical_bernstein.hpp"
#include "hoeffding.hpp"
#include "mcdiarmid.hpp"
#include "normal.hpp"

namespace riparian {

using AnyBound = std::variant<Hoeffding, McDiarmid, Confidence, ConfidencePractical, Normal,
                              DeltaMethod, EmpiricalBernstein, CustomBound>;

[[nodiscard]] inline double half_width(const AnyBound& bound, const Evidence& e) {
    return std::visit([&](const auto& b) { return b.half_width(e); }, bound);
}

// Whether the bound needs the variance of the gap. If so, its half-width is known only after the
// gains.
[[nodiscard]] inline bool needs_variance(const AnyBound& bound) noexcept {
    return std::visit(
        []<class B>(const B&) {
            if constexpr (NeedsVariance<B>) return true;
            return false;
        },
        bound);
}

// How the variance of the gap is computed for a bound that needs it.
[[nodiscard]] inline Pairing pairing_of(const AnyBound& bound) noexcept {
    return std::visit(
        [](const auto& b) {
            if constexpr (requires { b.pairing; }) return b.pairing;
            return Pairing::independent;
        },
        bound);
}

// What a leaf has to measure for this bound, if anything.
[[nodiscard]] inline std::optional<PairedGap> make_paired_gap(const AnyBound& bound) {
    return std::visit(
        [](const auto& b) -> std::optional<PairedGap> {
            if constexpr (requires { b.make_paired_gap(); }) return b.make_paired_gap();
            return std::nullopt;
        },
        bound);
}

}  // namespace riparian
