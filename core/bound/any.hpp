// The list of all bounds. A new bound is a new file and an entry here.
#pragma once

#include <limits>
#include <variant>

#include "betting.hpp"
#include "confidence.hpp"
#include "confidence_practical.hpp"
#include "custom.hpp"
#include "delta_method.hpp"
#include "empirical_bernstein.hpp"
#include "hoeffding.hpp"
#include "mcdiarmid.hpp"
#include "none.hpp"
#include "normal.hpp"

namespace riparian {

using AnyBound = std::variant<Hoeffding, McDiarmid, Confidence, ConfidencePractical, Normal,
                              DeltaMethod, EmpiricalBernstein, Betting, NoBound, CustomBound>;

// Infinity if the bound has no half-width.
[[nodiscard]] inline double half_width(const AnyBound& bound, const Evidence& e) {
    return std::visit(
        [&]<class B>(const B& b) {
            if constexpr (HasHalfWidth<B>) return b.half_width(e);
            else return std::numeric_limits<double>::infinity();
        },
        bound);
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

// Whether every check that finds a gain splits.
[[nodiscard]] inline bool splits_at_each_check(const AnyBound& bound) noexcept {
    return std::visit(
        []<class B>(const B&) {
            if constexpr (requires { B::splits_at_each_check; }) return B::splits_at_each_check;
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

// What a leaf keeps for its bound, if anything.
using BoundState = std::variant<std::monostate, PairedGap, Race>;

[[nodiscard]] inline BoundState make_state(const AnyBound& bound) {
    return std::visit(
        []<class B>(const B& b) -> BoundState {
            if constexpr (requires { b.wants_rows(); }) {
                if (!b.wants_rows()) return {};
            }
            if constexpr (requires { typename B::PerLeaf; }) return typename B::PerLeaf{};
            else return {};
        },
        bound);
}

}  // namespace riparian
