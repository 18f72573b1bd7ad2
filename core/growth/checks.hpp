// The checks of a tree: what a leaf decides, what that costs, and the record of a split.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "../check/check.hpp"
#include "state.hpp"

namespace riparian {

class Checks {
public:
    explicit Checks(GrowthState& state) noexcept : state_(state) {}

    // Weight from one check of a leaf to the next.
    [[nodiscard]] double delay(std::size_t place) const noexcept {
        return state_.leaves.delay(place, state_.settings.grace_period);
    }
    // Whether the limits of depth and number of leaves allow a split.
    [[nodiscard]] bool may_split(const NodeRecord&) const noexcept;
    // What a check needs to know of a node. It refers to the room.
    [[nodiscard]] LeafCase leaf_case(const NodeRecord&, CaseRoom&, const Settings&) const;
    [[nodiscard]] LeafCase leaf_case(const NodeRecord& leaf, CaseRoom& room) const {
        return leaf_case(leaf, room, state_.settings);
    }

    // Checks a node that keeps statistics, and counts the check.
    [[nodiscard]] Decision decide(std::size_t place);
    // The same for a leaf that is due; with an adaptive grace period it also sets the next check.
    [[nodiscard]] Decision check(std::size_t place);
    // Calls check(Checker&, const LeafCase&) for a node, for checks of another kind.
    template <class Check>
    auto run(std::size_t place, const Settings& settings, Check&& check) {
        const Charge charge(state_.working);
        return check(checker_, leaf_case(state_.leaves[place], room_, settings));
    }
    // One more check of a node, with the delta that it spends.
    void count(std::size_t place, const Settings&, const Evidence&) noexcept;
    // The class weights of the branches of a cut, [branch][class_stride].
    [[nodiscard]] std::vector<double> branches(std::size_t place, const Candidate& cut);
    // Records the split of a node.
    void certify(std::int32_t node, const Decision&);

    // Keeps the evidence of a check at its leaf, which did not split.
    void note(std::size_t place, const Decision&);
    // The decision of the last check of a leaf, with the evidence for later checks.
    [[nodiscard]] Decision last_decision(const NodeRecord&) const;
    // After a check that waits: passes the decision to what policies keep at the leaf.
    void after_waiting(std::size_t place, const Decision&);
    // The features that the last check found poor, [feature of the leaf].
    [[nodiscard]] const Held<bool>& poor() const noexcept { return checker_.poor(); }
    // Fixes the cuts that policies ask for at a leaf, once it has seen its first examples.
    void fix_cuts(std::size_t place);
    // Frees the working memory of the last check.
    void release() noexcept;
    // The same, but only if it takes as much memory as a leaf.
    void release_if_large() noexcept;

private:
    // Adds the zeros of a leaf with sparse rows. Returns the features that have other values.
    const TrackedFeatures* unfold(const NodeRecord&, CaseRoom&) const;

    GrowthState& state_;
    Checker checker_;
    CaseRoom room_;
};

}  // namespace riparian
