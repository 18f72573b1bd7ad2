// How a tree grows: one value for each axis except adaptation, and the parameters that belong to no
// policy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bound/any.hpp"
#include "cuts/any.hpp"
#include "impurity/any.hpp"
#include "impurity/hits.hpp"
#include "leaf/any.hpp"
#include "policy.hpp"
#include "random/subspace.hpp"
#include "statistics/any.hpp"

namespace riparian {

enum class RunnerUp : std::uint8_t {
    feature,  // the best cut of another feature
    cut,      // the best of all other cuts
    nothing,  // the null cut, even if other cuts are better [manapragada2018]
};

// What the best cut is compared with if there is no other cut.
enum class MissingSecond : std::uint8_t {
    zero,            // the null cut
    minus_infinity,  // nothing: it wins
};

// What a new leaf does with the class weights that were estimated when its parent was split.
enum class InheritCounts : std::uint8_t {
    none,     // ignores them; an empty leaf predicts like its parent
    predict,  // adds them to its own counts when it predicts
    count,    // also counts them as examples seen, as MOA does, which makes n in the bound larger
};

struct Settings {
    static constexpr std::array certain_only = {is_not("leaf_features", "None"),
                                                is_not("short_memory", "0")};
    static constexpr std::array sparse_rules = {
        Rule{is("short_memory", "0"), "remembered examples store every value"},
        Rule{is("drop_poor_features", "False"), "a leaf compares the gains of all features"},
    };
    static constexpr std::array rules = {
        Rule{is("leaf", "majority"), "other leaf predictors use all features",
             is("drop_poor_features", "True")},
        Rule{is("drop_poor_features", "False"),
             "leaf_features and drop_poor_features cannot be combined",
             is_not("leaf_features", "None")},
        Rule{is("adaptation", "none", "alternates"),
             "inner nodes compare the gains of all features", is_not("leaf_features", "None")},
        Rule{is("adaptation", "none"),
             "the examples remembered for a leaf are invalid once its subtree is replaced",
             is_not("short_memory", "0")},
        Rule{is("missing_second", "zero"), "the best cut is then compared with not splitting",
             is("runner_up", "none")},
        Rule{is("drop_poor_features", "False"), "a dropped feature may become the best one later",
             is("adaptation", "reevaluation", "options")},
    };

    AnyImpurity impurity;
    // The second impurity of a hybrid. It is used when the first one decides to wait.
    std::shared_ptr<const AnyImpurity> second_impurity;
    Judging judging;
    AnyBound bound;
    AnyCuts cuts;
    AnyStatistics statistics;
    AnyLeaf leaf;
    Subspace leaf_features;        // which features a leaf tracks
    std::size_t short_memory = 0;  // examples that are remembered for new leaves; 0 means none

    double grace_period = 200;
    double delta = 1e-7;
    double tau = 0.05;
    double min_gain = 1e-9;
    double min_branch_fraction = 0.01;
    std::size_t max_depth = SIZE_MAX;
    std::size_t max_leaves = SIZE_MAX;
    std::size_t max_bytes = SIZE_MAX;
    int epsilons = 1;

    CategoricalCuts categorical_cuts = CategoricalCuts::multiway;
    Variance variance = Variance::sample;
    RunnerUp runner_up = RunnerUp::feature;
    MissingSecond missing_second = MissingSecond::zero;
    InheritCounts inherit_counts = InheritCounts::predict;
    bool adaptive_grace = false;  // wait longer if the present gap could not decide earlier
    bool spend_delta = false;     // use delta / (j (j + 1)) at the j-th check of a leaf
    // at a leaf, drop those behind the best by more than the bound
    bool drop_poor_features = false;
    bool short_memory_in_bound = false;   // whether the remembered examples count in n
    bool short_memory_elsewhere = false;  // a forest stores the examples for all its trees
    bool clip_to_range = true;
    // For one of many trees: keep nothing that can be derived, and of the cuts that lost only the
    // runner-up.
    bool lean = false;

    // The parameters of a tree that belong to no policy.
    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("variance", self.variance, OneOf("sample", "population"),
              "Which variance of a class is used at a check.");
        visit("categorical_cuts", self.categorical_cuts,
              OneOf("multiway", "one-against-rest", "both"),
              "Cuts of categorical features: a branch per category, one category against the rest, "
              "or both.");
        visit("grace_period", self.grace_period, Range{0.0, 9007199254740992.0},
              "Weight of the examples between two checks of a leaf.");
        visit("adaptive_grace", self.adaptive_grace, TrueOrFalse{},
              "Postpone the next check of a leaf until its bound could be met.");
        visit("delta", self.delta, Probability{},
              "Accepted probability of a wrong decision in one check.");
        visit("spend_delta", self.spend_delta, TrueOrFalse{},
              "Share delta among all checks of a leaf.");
        visit("tau", self.tau, Range{0.0, 1e6},
              "Tie threshold: split anyway once the bound is below it; 0 turns ties off.");
        visit("epsilons", self.epsilons, Range{1.0, 2.0},
              "How many bounds the gap must exceed: 1 or 2.");
        visit("runner_up", self.runner_up, OneOf("feature", "cut", "none"),
              "What the best cut must beat: the best cut of another feature, any other cut, or "
              "only not splitting.");
        visit(
            "missing_second", self.missing_second, OneOf("zero", "-inf"),
            "What the best cut is compared with if there is no other: not splitting, or nothing.");
        visit("inherit_counts", self.inherit_counts, OneOf("none", "predict", "count"),
              "What a new leaf does with the class weights of its parent's split.");
        visit("drop_poor_features", self.drop_poor_features, TrueOrFalse{},
              "Stop tracking features that are behind the best one at a leaf.");
        visit("short_memory", self.short_memory, Range{0.0, 16777216.0},
              "How many of the most recent examples are replayed into new leaves.");
        visit("short_memory_in_bound", self.short_memory_in_bound, TrueOrFalse{},
              "Whether the replayed examples count in the bound.");
        visit("min_gain", self.min_gain, Range{0.0, 1e6}, "Gains up to this value count as zero.");
        visit("min_branch_fraction", self.min_branch_fraction, Range{0.0, 0.5},
              "At least two branches of a cut must hold more than this share of the weight.");
        visit("clip_to_range", self.clip_to_range, TrueOrFalse{},
              "Assume no weight of a class outside the range of the values it was seen with.");
        visit("max_depth", self.max_depth, LimitOrNone{0.0, 2147483648.0},
              "Largest depth of the tree.");
        visit("max_leaves", self.max_leaves, LimitOrNone{1.0, 2147483648.0},
              "Largest number of leaves.");
    }

    // Sets the impurity that a user chose. A hybrid consists of two impurities.
    void choose(const ImpurityChoice& choice) {
        std::visit(
            [&]<class I>(const I& i) {
                if constexpr (std::is_same_v<I, Hybrid>) {
                    impurity = Misclassification{i.legacy_gain};
                    second_impurity = std::make_shared<const AnyImpurity>(Gini{});
                } else {
                    impurity = i;
                }
            },
            choice);
        static_cast<Judged&>(judging) = judged_by(impurity);
        // A legacy gain differs from 0 by rounding, and the trees of the released code split on
        // that.
        const auto* const error = std::get_if<Misclassification>(&impurity);
        if (error && error->legacy_gain) min_gain = 0.0;
    }
    void choose(const std::vector<AnyLeaf>& leaves) { leaf = best_of(leaves).value(); }

    // Whether a leaf may track only some of the features.
    [[nodiscard]] bool selects() const noexcept {
        return drop_poor_features || leaf_features.draws();
    }
};

}  // namespace riparian
