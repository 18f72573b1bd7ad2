#pragma once

#include "../simd/scalar.hpp"
#include "hoeffding.hpp"

namespace riparian {

// McDiarmid's bound [rutkowski2013]:
//
//     information gain: C(K, n) sqrt(ln(1/delta) / (2n)),
//                       C = 6 (K log2(e n) + log2(2n)) + 2 log2 K
//     Gini gain:        8 sqrt(ln(1/delta) / (2n))
//
// It bounds the distance of a gain from its own mean, not from the true gain, and it is so wide
// that trees with it hardly split. A hybrid also uses it with misclassification, whose gain is a
// mean of terms in [0, 1]; there Hoeffding's bound is used.
struct McDiarmid {
    static constexpr std::string_view name = "mcdiarmid";
    static constexpr std::string_view type_name = "McDiarmid";
    static constexpr std::string_view about =
        "McDiarmid's bound for entropy and Gini. It is very wide.";
    static constexpr std::array<std::string_view, 3> serves = {"entropy", "gini", "hybrid"};
    static constexpr std::string_view promise =
        "With probability 1 - {delta} a gain is within epsilon of its own mean. The distance of that "
        "mean from the true gain is not covered, and neither are repeated checks.";

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        if (e.n < 1.0) return std::numeric_limits<double>::infinity();
        const double root = std::sqrt(ln(1.0 / e.delta) / (2.0 * e.n));
        if (e.measure == Measure::gini) return 8.0 * root;
        if (e.measure == Measure::misclassification) return Hoeffding{}.half_width(e);
        constexpr double log2_e = 1.4426950408889634;
        const double k = e.classes < 2.0 ? 2.0 : e.classes;
        const double constant = 6.0 * (k * (log2_e + log2(e.n)) + 1.0 + log2(e.n)) + 2.0 * log2(k);
        return constant * root;
    }

    bool operator==(const McDiarmid&) const = default;
};

static_assert(Bound<McDiarmid>);

}  // namespace riparian
