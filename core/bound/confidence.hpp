#pragma once

#include <algorithm>
#include <array>

#include "../simd/scalar.hpp"
#include "bound.hpp"

namespace riparian {

// The confidence intervals of C-Tree [derosa2015, theorems 1-3 inside eq. 7]. With
//
//     delta' = delta / ((h + 1)(h + 2) t d m)
//
// the half-widths are
//
//     entropy:         (ln m) sqrt((2/m) ln(4/delta')) + 2/m    in half-nats
//     Gini:            sqrt((8/m) ln(2/delta')) + 4 sqrt(1/m)
//     Kearns-Mansour:  4 sqrt((1/m) ln(8/delta'))
//
// where the leaf has seen m examples, the tree t, there are d features and the leaf has depth h.
// They bound the distance from the true value, including bias, for all tests, times and depths at
// once. Entropy gains are in bits here; one bit is 2 / ln 2 half-nats. Remark 1 takes delta = 1/t.
struct Confidence {
    static constexpr std::string_view name = "confidence";
    static constexpr std::string_view about =
        "C-Tree's confidence intervals (equation 7), which hold for all cuts, times and depths of a "
        "tree.";
    static constexpr std::array<std::string_view, 3> serves = {"entropy", "gini", "kearns-mansour"};
    static constexpr std::string_view promise =
        "The probability that an example passes through a split that is worse than the best one by "
        "more than tau is at most {delta}. This is proved for independent examples of weight 1, two "
        "classes and tests with two branches (De Rosa and Cesa-Bianchi, theorem 4).";
    static constexpr std::string_view theorem = "Theorem 4 of De Rosa and Cesa-Bianchi";
    static constexpr std::array premises = {
        Rule{is("bound__one_over_t", "False"),
             "delta is 1/t at every check, which bounds the number of such examples by a logarithm "
             "of their total (remark 1)"},
        Rule{is("epsilons", "2"),
             "the gap is compared with one half-width, and two intervals may then still overlap"},
        Rule{is("runner_up", "cut"),
             "a split is compared with cuts of other features only, not with every other cut"},
        Rule{is("statistics", "exhaustive"),
             "gains of numeric features are estimated from summaries, not from counts of the "
             "examples"},
        Rule{is("categorical_cuts", "one-against-rest"),
             "cuts of categorical features may have more than two branches"},
        Rule{is("min_branch_fraction", "0", "0.0"), "cuts with a small branch do not compete"},
        Rule{is_not("inherit_counts", "count"), "m counts examples that the leaf has not seen"},
        Rule{is("short_memory", "0"), "a leaf learns examples that its parent has split on"},
        Rule{is("leaf_features", "None"), "a leaf tracks a part of the features"},
        Rule{is("drop_poor_features", "False"), "features are dropped before the split"},
        Rule{is("adaptation", "none"), "splits are replaced by a rule of their own"},
        Rule{is("max_bytes", "None"), "a memory limit takes statistics away from leaves"},
    };
    static constexpr std::string_view spending = "tree";

    bool one_over_t = false;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("one_over_t", self.one_over_t, TrueOrFalse{},
              "Use 1/t as delta, where t examples were learned, as remark 1 of the paper does.");
    }

    // Delta, or 1/t.
    [[nodiscard]] double accepted(const Evidence& e) const noexcept {
        return one_over_t ? 1.0 / std::max(1.0, e.seen) : e.delta;
    }
    // The part of delta that one check uses up.
    [[nodiscard]] double spent(const Evidence& e) const noexcept { return accepted(e) * share(e); }
    // The fraction of delta that one check may use, for all of its d m tests together.
    [[nodiscard]] static double share(const Evidence& e) noexcept {
        return 1.0 / ((e.depth + 1.0) * (e.depth + 2.0) * e.seen);
    }

    // The half-widths of theorems 1 to 3 for one test. `log_inverse` is ln(1/delta').
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
        const double log_inverse = ln(e.features * e.n) - ln(share(e)) - ln(accepted(e));
        // With less than one example delta' can be 1 or more; then nothing is known.
        if (!(log_inverse > 0.0)) return std::numeric_limits<double>::infinity();
        const double width = interval(e.measure, e.n, log_inverse);
        return e.measure == Measure::entropy ? width * (2.0 / ln(2.0)) : width;
    }

    bool operator==(const Confidence&) const = default;
};

static_assert(Bound<Confidence>);

}  // namespace riparian
