// The check of a leaf: evidence in, decision out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../data/batch.hpp"
#include "../simd/aligned.hpp"
#include "../settings.hpp"
#include "decision.hpp"
#include "leaf_extras.hpp"
#include "tracked_features.hpp"

namespace riparian {

// A leaf, and what a check needs to know of its tree. It refers to both and lasts for one check.
struct LeafCase {
    const Settings& settings;
    const Shape& shape;
    const Features& features;
    const LeafStatistics& statistics;
    const double* counts;
    double weight;              // seen at the leaf
    double n;                   // that weight as the bound counts it
    std::size_t n_classes;      // known to the tree
    std::size_t classes_here;   // seen at the leaf: the gain ranges over these
    const Held<bool>& used_up;  // [categorical slot]: by a multiway test above
    double depth = 0;
    double node = 0;            // its id
    double seen = 1;            // examples learned by the tree
    double number = 1;          // which check of the leaf it is, from 1
    double known_features = 1;  // features that had a value so far
    double horizon = 0;         // most weight until the next check; 0: it does not matter
    // What policies keep at the leaf; null: nothing.
    const AnyLeafValues* values = nullptr;  // they offer the numeric cuts
    const Hits* hits = nullptr;             // they give all gains
    const PairedGap* pair = nullptr;        // it measures the variance of the gap
    const Race* race = nullptr;             // it decides
    const TrackedFeatures* kept = nullptr;  // where the leaf does not track all features
    // [categorical slot]: it may be an identifier, and no cut of it is offered; null: none is watched.
    const std::vector<bool>* watched = nullptr;

    [[nodiscard]] bool is_watched(std::size_t slot) const { return watched && (*watched)[slot]; }
    void set_extras(const LeafExtras& extras) noexcept {
        if (offers_cuts(settings.statistics)) values = &extras.values;
        hits = extras.hits ? &*extras.hits : nullptr;
        pair = std::get_if<PairedGap>(&extras.bound);
        race = std::get_if<Race>(&extras.bound);
    }
};

// Room for what a LeafCase refers to.
struct CaseRoom {
    Held<bool> used_up;
    std::vector<bool> watched;
    Features features;  // of a leaf that does not track all of them
    // Of a leaf with sparse rows: the features that were not 0 everywhere, and their statistics.
    std::unique_ptr<TrackedFeatures> touched;
    LeafStatistics unfolded;
};

// The result of a check of an inner node.
struct Review {
    Decision decision;      // what a leaf with these statistics would do now
    Candidate own;          // the best cut of the feature that it tests; none: there is none
    double now = 0.0;       // the gain of the test as it is
    bool improves = false;  // the best cut is another threshold of the same feature, and gains more
};

// Evaluates the candidates of a leaf. It keeps its room between checks, and nothing else.
class Checker {
public:
    // The verdict with all its evidence. Changes nothing.
    [[nodiscard]] Decision decide(const LeafCase&);
    // The same verdict, faster: a decision that waits may have rough gains, without a ranking, and a
    // decision to split has the cut that is to be made.
    [[nodiscard]] Decision check(const LeafCase&);
    // Checks an inner node that has this test.
    [[nodiscard]] Review review(const LeafCase&, const Candidate& test);
    // Whether a cut of another feature is ahead of all tests that a node has. The best of those tests is
    // the second.
    [[nodiscard]] Decision option(const LeafCase&, const std::vector<Candidate>& tests);
    // The gain of a test with these class weights in its branches, [class][branches + 3].
    [[nodiscard]] double gain_of_branches(const LeafCase&, const std::vector<double>& table);
    // Weight until the next check of a leaf with this decision: until the bound, or the tie, could decide
    // at the present gap. At least a grace period, at most the horizon.
    [[nodiscard]] double delay(const LeafCase&, const Decision&);
    // The class weights of each branch of a candidate, [branch][class_stride];
    // every_value has a branch for each category up to the last one seen.
    [[nodiscard]] std::vector<double> branches(const LeafCase&, const Candidate&);
    // After a decision that waits, with drop_poor_features: the features of the leaf that are behind the
    // best one by more than the bound. The best two are never among them.
    [[nodiscard]] const Held<bool>& poor() const noexcept { return poor_; }
    // Where races decide, the best cut of each feature of the leaf by its statistics, if the check
    // computed gains.
    [[nodiscard]] const Held<Candidate>& nominees() const noexcept { return nominees_; }
    // The evidence that is known before any gain.
    [[nodiscard]] static Evidence evidence(const LeafCase&, const AnyImpurity&);

    // The best cut of each numeric feature from the Gaussians, NaN: none; and the class weights on its two
    // sides, [numeric][2][class_stride].
    void best_thresholds(const LeafCase&, std::vector<double>& thresholds,
                         std::vector<double>& sides);

    // The gain of a cut with these class weights on its two sides; `known`: the weight whose value is
    // known. Not for an impurity that is a function of the user.
    [[nodiscard]] double gain_of_sides(const LeafCase&, const double* left, const double* right,
                                       double known);

private:
    Decision decide_by(const LeafCase&, const AnyImpurity&);
    void rank(const LeafCase&, const AnyImpurity&);
    // The decision of a race (race_rounds.cpp), with all contenders or, if it waits, only the closest two.
    Decision decide_by_race(const LeafCase&, bool all);
    Decision conclude(const LeafCase&, const AnyImpurity&);
    double gap_variance(const LeafCase&, Measure, const Decision&);
    void refine(const LeafCase&, Decision&);
    void refine_nominees(const LeafCase&);
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

    // Candidates from the state that policies keep at a leaf (rank_extras.cpp).
    void rank_values(const LeafCase&, const AnyImpurity&, std::size_t feature);
    void rank_hits(const LeafCase&);
    // Candidates by a function of the user (rank_by_function.cpp).
    void rank_by_function(const LeafCase&, const ImpurityFunction&);
    void list_candidates(const LeafCase&);

    // Whether rough limits of the gains show that the leaf waits (screen.cpp). Then the decision gets
    // the two best cuts as they were estimated.
    bool surely_waits(const LeafCase&, double threshold, Decision&);
    void estimate_best_cuts(const LeafCase&, std::size_t numeric, Decision&) const;

    Ranking ranking_;
    Held<double> tops_;  // [feature]: its best gain, where features may be dropped
    Held<bool> poor_;
    Held<Candidate> nominees_;                       // [feature]
    Candidate tested_, own_;                         // of a review
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
    Held<double> most_, least_, second_;  // rough limits of gains
    Held<double> leads_;                  // the threshold of the largest of them
};

}  // namespace riparian
