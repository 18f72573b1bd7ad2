// Whether a leaf should be split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/batch.hpp"
#include "../simd/aligned.hpp"
#include "../settings.hpp"
#include "decision.hpp"
#include "leaf_extras.hpp"
#include "tracked_features.hpp"

namespace riparian {

// A leaf with what a check needs to know of its tree.
struct LeafCase {
    const Settings& settings;
    const Shape& shape;
    const Features& features;
    const LeafStatistics& statistics;
    const double* counts;
    double weight;                     // seen at the leaf
    double n;                          // the same as the bound counts it
    std::size_t n_classes;             // known to the tree
    std::size_t classes_here;          // seen at the leaf: the gain ranges over these
    const Held<bool>& used_up;         // [categorical slot]: by a multiway test above
    double depth = 0;
    double seen = 1;               // examples learned by the tree
    double number = 1;             // of this check at the leaf, from 1
    double known_features = 1;     // that had a value so far
    double horizon = 0;            // weight until the next check at the latest; 0: no matter
    // What policies keep at the leaf; null: nothing.
    const AnyLeafValues* values = nullptr;  // numeric cuts are those that it offers
    const Hits* hits = nullptr;             // all gains are those of its hits
    const PairedGap* pair = nullptr;        // the variance of the gap is measured there
    const TrackedFeatures* kept = nullptr;  // where the leaf does not track all features

    void set_extras(const LeafExtras& extras) noexcept {
        if (offers_cuts(settings.statistics)) values = &extras.values;
        hits = extras.hits ? &*extras.hits : nullptr;
        pair = extras.pair ? &*extras.pair : nullptr;
    }
};

// Room for what it refers to.
struct CaseRoom {
    Held<bool> used_up;
    Features features;  // of a leaf that does not track all of them
};

// What a check of an inner node finds.
struct Review {
    Decision decision;     // as that of a leaf: what it would do now
    Candidate own;         // the best cut of the feature that it tests; none: there is none
    double now = 0.0;      // the gain of the test as it is
    bool improves = false; // the best cut is another threshold of the same feature, and gains more
};

// Evaluates candidates; keeps its room between checks.
class Checker {
public:
    // The verdict with all its evidence.
    [[nodiscard]] Decision decide(const LeafCase&);
    // The same verdict, but what waits may come without its cuts, and what splits has
    // the cut that is to be made.
    [[nodiscard]] Decision check(const LeafCase&);
    // The case is an inner node with this test.
    [[nodiscard]] Review review(const LeafCase&, const Candidate& test);
    // Whether a cut of another feature is ahead of all tests that a node has; the best of
    // them is the second.
    [[nodiscard]] Decision option(const LeafCase&, const std::vector<Candidate>& tests);
    // The gain of a test with these class weights in its branches, [class][branches + 3].
    [[nodiscard]] double gain_of_branches(const LeafCase&, const std::vector<double>& table);
    // Weight until the next check of a leaf with this decision: until the bound could be met
    // at the gap as it is, or the tie; a grace period at least, the horizon at most.
    [[nodiscard]] double delay(const LeafCase&, const Decision&);
    // The class weights of each branch of a candidate, [branch][class_stride];
    // every_value has a branch for each category up to the last one seen.
    [[nodiscard]] std::vector<double> branches(const LeafCase&, const Candidate&);
    // After a decision that waits, where the settings ask for it: which of the leaf's
    // features are behind the best by more than the bound allows, the best two excepted.
    [[nodiscard]] const Held<bool>& poor() const noexcept { return poor_; }
    // What is known before any gain.
    [[nodiscard]] static Evidence evidence(const LeafCase&, const AnyImpurity&);

    // For each numeric feature its best cut from the Gaussians, NaN: none; and the class
    // weights beside it, [numeric][2][class_stride].
    void best_thresholds(const LeafCase&, std::vector<double>& thresholds,
                         std::vector<double>& sides);

    // The gain of a cut with these class weights beside it, where the value of so much weight is
    // known; not of a function of the user.
    [[nodiscard]] double gain_of_sides(const LeafCase&, const double* left, const double* right,
                                       double known);

private:
    Decision decide_by(const LeafCase&, const AnyImpurity&);
    Decision conclude(const LeafCase&, const AnyImpurity&);
    double gap_variance(const LeafCase&, Measure, const Decision&);
    void refine(const LeafCase&, Decision&);
    void find_poor(const LeafCase&, const Decision&);
    void offer(const Candidate&) noexcept;
    double gain_of_threshold(const LeafCase&, const Candidate&);
    std::vector<double> table(const LeafCase&, const Candidate&);

    // Candidates from Gaussians and counts.
    NumericCheck numeric_check(const LeafCase&);
    NumericCheck numeric_cuts(const LeafCase&);
    void numeric(const LeafCase&, const AnyImpurity&);
    void rank_numeric(const LeafCase&, std::size_t feature);
    void categories(const LeafCase&, const AnyImpurity&);
    void rank_categorical(const LeafCase&, const AnyImpurity&, std::size_t feature);

    // Candidates from what policies keep at a leaf (rank_extras.cpp).
    void rank_values(const LeafCase&, const AnyImpurity&, std::size_t feature);
    void rank_hits(const LeafCase&);
    // Candidates by a function of the user (rank_by_function.cpp).
    void rank_by_function(const LeafCase&, const ImpurityFunction&);
    void list_candidates(const LeafCase&);

    // A rough look at a leaf (screen.cpp).
    bool surely_waits(const LeafCase&, double threshold);

    Ranking ranking_;
    Held<double> tops_;  // [feature]: its best gain, where features may be dropped
    Held<bool> poor_;
    Candidate tested_, own_;  // of a review
    const std::vector<Candidate>* tests_ = nullptr;  // of a node that may get an option
    Held<GaussianClass> classes_;
    Held<std::size_t> codes_;
    Held<double> low_, high_, thresholds_, gains_;
    HeldDoubles scratch_;
    // Of all categories of a leaf, as its cells lie; and of each categorical feature.
    Held<double> mass_, rest_, weight_, whole_;
    Held<const double*> cells_;
    Held<double> known_;
    // Candidates of a function or of kept values, with their class weights.
    Held<Candidate> listed_;
    Held<double> tables_;
    std::size_t branches_ = 2;
    Held<double> most_, least_, second_;  // limits of gains, of a rough look
};

}  // namespace riparian
