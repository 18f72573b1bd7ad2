#pragma once

#include <cstdint>

#include "../simd/scalar.hpp"
#include "bound.hpp"
#include "race.hpp"

namespace riparian {

// How the leaves of a tree share delta. The root has depth 0, and leaves are numbered from 1 in the
// order in which they were made.
enum class Budget : std::uint8_t {
    path,  // delta / ((h + 1) (h + 2)) at depth h
    tree,  // delta / (i (i + 1)) for leaf i
    leaf,  // delta at every leaf
};

// Splits by betting: no half-width, but evidence that grows row by row and may be checked at any time
// (race.hpp, wager.hpp, docs/certainty.md). The share of a leaf is divided among its races: race j gets
// 1 / (j (j + 1)) of it.
struct Betting {
    static constexpr std::string_view name = "betting";
    static constexpr std::string_view about =
        "Bets on each row that one cut is better than the others. The evidence holds at every "
        "moment, for any schedule of checks.";
    static constexpr std::string_view unmergeable =
        "what it keeps at leaves depends on the order of the rows";
    static constexpr std::array<std::string_view, 2> serves = {"gini", "accuracy"};
    static constexpr std::string_view spending = "promise";
    static constexpr std::array certain_only = {is("bound", name)};
    static constexpr std::array sparse_rules = {
        Rule{is("bound", "hoeffding", "confidence-practical"),
             "a race reads a value of each feature"},
    };
    static constexpr std::array promises = {
        Promise{
            is("budget", "path"),
            "With probability at least 1 - {delta}, a new example passes no split that is not what its "
            "certificate says."},
        Promise{
            is("budget", "tree"),
            "With probability at least 1 - {delta}, every split of the tree is what its certificate "
            "says."},
        Promise{
            is("budget", "leaf"),
            "A leaf makes a split that is not what its certificate says with probability at most "
            "{delta}; nothing follows for the tree as a whole."},
    };
    static constexpr std::string_view promise =
        "A certificate says that the cut has a larger {gain} gain than not splitting, and also a larger "
        "gain than every other nominated cut (\"better\") or one that is less than tau below it "
        "(\"within\"). This holds for any schedule of checks, if the rows that reach a leaf are independent "
        "and equally distributed. It is about the nominated cuts, one per feature, and not about the best "
        "of all conceivable thresholds. Each row counts once, whatever its weight.";
    static constexpr std::array rules = {
        Rule{is("impurity__evaluator", "resubstitution"), "betting judges predictions itself"},
        Rule{is("spend_delta", "False"), "betting shares delta among leaves and races itself"},
        Rule{is("adaptive_grace", "False"), "the rows that a race needs cannot be foreseen"},
        Rule{is("epsilons", "1"), "betting has no epsilon"},
        Rule{is("runner_up", "feature"), "the leader must beat a cut of every other feature"},
        Rule{is("missing_second", "zero"), "a split must be better than not splitting"},
        Rule{is("drop_poor_features", "False"), "betting has no epsilon"},
        Rule{is("short_memory", "0"),
             "rows that chose a split say nothing new at the leaves below it"},
        Rule{is("adaptation", "none", "alternates"),
             "the evidence of a race cannot be forgotten, and inner nodes run no races"},
        Rule{is("adaptation", "none"), "replaced subtrees use up more of delta than their share",
             is_not("budget", "leaf")},
    };

    Budget budget = Budget::path;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit(
            "budget", self.budget, OneOf("path", "tree", "leaf"),
            "How the leaves share delta: for each path from the root, for the whole tree, or not.");
    }

    using PerLeaf = Race;

    // 1 over the share of a leaf. `node` is the id of its node.
    [[nodiscard]] double divisor(double depth, double node) const noexcept {
        if (budget == Budget::path) return (depth + 1.0) * (depth + 2.0);
        if (budget == Budget::tree) return (node + 1.0) * (node + 2.0);
        return 1.0;
    }
    // What is at stake in race `number` of a leaf.
    [[nodiscard]] Stakes stakes(double delta, double depth, double node,
                                std::uint32_t number) const noexcept {
        const auto j = static_cast<double>(number);
        const double parts = divisor(depth, node) * j * (j + 1.0);
        Stakes s;
        s.number = number;
        s.alpha = delta / parts;
        s.log_threshold = ln(parts) - ln(delta);
        return s;
    }

    bool operator==(const Betting&) const = default;
};

static_assert(Bound<Betting>);

}  // namespace riparian
