// One value on each axis: all that tells one streaming tree from another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "../bound/any.hpp"
#include "../cuts/any.hpp"
#include "../impurity/any.hpp"
#include "../leaf/any.hpp"
#include "../random/subspace.hpp"
#include "../statistics/hits.hpp"
#include "adaptation.hpp"

namespace riparian {

// What a leaf remembers of numeric features, besides Gaussians.
enum class Values : std::uint8_t {
    gaussian,    // nothing
    exhaustive,  // every value
    intervals,   // interval counts, exact where a cut may be the best
};

enum class RunnerUp : std::uint8_t {
    attribute,  // the best cut of another attribute
    cut,        // the best of all other cuts
    nothing,    // the null cut, whatever else there is [manapragada2018]
};

// What the best cut is compared with where it has no rival.
enum class MissingSecond : std::uint8_t {
    zero,            // the null cut
    minus_infinity,  // nothing: it has won
};

// What a new leaf does with the class weights that its parent's split estimated.
enum class InheritCounts : std::uint8_t {
    none,     // nothing: an empty leaf answers like its parent
    predict,  // answers with them, besides its own
    count,    // and takes them for examples seen, as MOA does: n in the bound is larger
};

struct Settings {
    AnyImpurity impurity;
    // Of a hybrid: asked where the first waits.
    std::optional<AnyImpurity> second_impurity;
    Judging judging;
    AnyBound bound;
    AnyCuts cuts;
    CategoricalCuts categorical_cuts = CategoricalCuts::multiway;
    Values values = Values::gaussian;
    std::size_t n_intervals = 100;
    Variance variance = Variance::sample;
    AnyLeaf leaf;
    StepSizes idbd;
    AnyAdaptation adaptation;

    double grace_period = 200;
    bool adaptive_grace = false;  // longer, while no gap as it is could decide
    double delta = 1e-7;
    bool spend_delta = false;  // delta / (j (j + 1)) at the j-th check of a leaf
    double tau = 0.05;
    int epsilons = 1;
    RunnerUp runner_up = RunnerUp::attribute;
    MissingSecond missing_second = MissingSecond::zero;
    InheritCounts inherit_counts = InheritCounts::predict;
    bool drop_poor_features = false;     // at a leaf: behind the best by more than the bound
    Subspace leaf_features;              // what a leaf tracks of them
    std::size_t short_memory = 0;        // examples; 0: none
    bool short_memory_in_bound = false;  // what is recalled counts in n
    bool short_memory_elsewhere = false; // a forest holds the examples for its trees
    double min_gain = 1e-9;
    double min_branch_fraction = 0.01;
    bool clip_to_range = true;
    std::size_t max_depth = SIZE_MAX;
    std::size_t max_leaves = SIZE_MAX;
    std::size_t max_bytes = SIZE_MAX;
    // One of many trees: what can be derived is not kept, and of the cuts that lost the runner-up.
    bool lean = false;

    // Whether a leaf may track fewer features than there are.
    [[nodiscard]] bool selects() const noexcept {
        return drop_poor_features || leaf_features.draws();
    }
    [[nodiscard]] bool judges() const noexcept {
        return judging.evaluator != Evaluator::resubstitution;
    }
    [[nodiscard]] bool pairs() const noexcept {
        const auto* const method = std::get_if<DeltaMethod>(&bound);
        return method && method->pairing == Pairing::paired;
    }
    // Whether the tree may change what it has grown.
    [[nodiscard]] bool adapts() const noexcept { return adaptation.index() != 0; }
    // Whether inner nodes keep statistics.
    [[nodiscard]] bool keeps() const noexcept {
        return std::visit([](const auto& a) { return a.keeps; }, adaptation);
    }
    // Whether a row may be answered by several leaves.
    [[nodiscard]] bool has_options() const noexcept {
        return std::holds_alternative<Options>(adaptation);
    }
    // Whether subtrees that do not answer may grow beside a node.
    [[nodiscard]] bool has_alternates() const noexcept {
        return std::holds_alternative<Alternates>(adaptation) ||
               std::holds_alternative<Window>(adaptation);
    }
    // Whether old examples are forgotten.
    [[nodiscard]] bool forgets() const noexcept {
        return std::holds_alternative<Window>(adaptation);
    }
    // How many replaced subtrees are kept.
    [[nodiscard]] std::size_t archive_size() const noexcept {
        const auto* const how = std::get_if<Window>(&adaptation);
        return how ? how->archive_size : 0;
    }
    // Whether leaves keep more than Gaussians and counts.
    [[nodiscard]] bool watches() const noexcept {
        return judges() || pairs() || values != Values::gaussian;
    }
};

}  // namespace riparian
