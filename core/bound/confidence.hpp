#pragma once

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

// Confidence intervals of C-Tree [derosa2015, theorems 1-3 inside eq. 7]: with
//
//     delta' = delta / ((h + 1)(h + 2) t d m)
//
//     entropy:         (ln m) sqrt((2/m) ln(4/delta')) + 2/m    in half-nats
//     Gini:            sqrt((8/m) ln(2/delta')) + 4 sqrt(1/m)
//     Kearns-Mansour:  4 sqrt((1/m) ln(8/delta'))
//
// m examples at the leaf, t in the tree, d features, h the depth. They bound the
// distance from the true value, bias included, for all tests, times and depths at
// once. Entropy gains are in bits here: 2 / ln 2 half-nats make a bit.
struct Confidence {
    static constexpr std::string_view name = "confidence";
    static constexpr std::string_view about =
        "C-Tree's intervals (equation 7), for all cuts, times and depths of a tree.";
    static constexpr std::array<std::string_view, 3> serves = {"entropy", "gini", "kearns-mansour"};
    static constexpr std::string_view promise =
        "At most {delta} of all examples pass a split that is worse than another by more than tau, "
        "if examples are independent, there are two classes and tests have two branches; nothing "
        "is proved for more (De Rosa and Cesa-Bianchi, theorem 4).";
    static constexpr std::string_view spending = "tree";

    // The delta that one check uses up.
    [[nodiscard]] static double spent(const Evidence& e) noexcept { return e.delta * share(e); }
    // The share of delta that one check may use; over d m tests.
    [[nodiscard]] static double share(const Evidence& e) noexcept {
        return 1.0 / ((e.depth + 1.0) * (e.depth + 2.0) * e.seen);
    }

    // The theorems themselves, for one test: ln(1/delta') is handed in.
    [[nodiscard]] static double interval(Measure measure, double m, double log_inverse) noexcept {
        if (measure == Measure::gini) {
            return std::sqrt(8.0 / m * (ln(2.0) + log_inverse)) + 4.0 * std::sqrt(1.0 / m);
        }
        if (measure == Measure::kearns_mansour) {
            return 4.0 * std::sqrt(1.0 / m * (ln(8.0) + log_inverse));
        }
        if (!(m > 1.0)) return std::numeric_limits<double>::infinity();
        return ln(m) * std::sqrt(2.0 / m * (ln(4.0) + log_inverse)) + 2.0 / m;
    }

    [[nodiscard]] double half_width(const Evidence& e) const noexcept {
        const double log_inverse = ln(e.features * e.n) - ln(share(e)) - ln(e.delta);
        // A share of 1 or more, of less than one example, promises nothing.
        if (!(log_inverse > 0.0)) return std::numeric_limits<double>::infinity();
        const double width = interval(e.measure, e.n, log_inverse);
        return e.measure == Measure::entropy ? width * (2.0 / ln(2.0)) : width;
    }

    bool operator==(const Confidence&) const = default;
};

static_assert(Bound<Confidence>);

}  // namespace riparian
