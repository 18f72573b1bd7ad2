// A growth that learns examples at its nodes: certain rows, and examples with uncertain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "../data/uncertain.hpp"
#include "../data/weight_steps.hpp"
#include "growth.hpp"

namespace riparian {

// What a prediction has prepared for the leaf that is to learn the row.
struct Prepared {
    const Row* row = nullptr;  // as the leaf tracks it
    double* range = nullptr;   // the leaf's planes, where it keeps none
};

// The order in which an adaptation uses these is its own. An example has to arrive at the tree before
// it is learned anywhere; it is observed at a leaf before that leaf learns it.
class RowLearner : public Growth {
public:
    using Growth::Growth;

    // ---- the way to a leaf ----

    // From a node down to a leaf. A category without a branch gets one.
    std::int32_t route(std::int32_t start, const Row& row) {
        return state.nodes.at(start).test == Test::leaf ? start : route_on(start, row);
    }
    // Registers the classes, categories and features of an example that are new to the tree.
    void arrive(const Row&, std::size_t y);
    void arrive(const Spread&, std::size_t y);

    // ---- predictions before a leaf learns ----

    // Whether leaf predictors note how good their predictions are.
    [[nodiscard]] bool observes() const noexcept;
    // Predicts as the leaf does, and notes which of its predictors were right.
    std::int32_t observe(std::int32_t leaf, const Row&, std::size_t y, double w);
    std::int32_t observe(Ends&, const Row&, std::size_t y, double w);
    void observe(std::int32_t leaf, Spread&, std::size_t y, double w);
    // The same after the leaf has learned a share of an example with a weight w above 1. A weight of 3
    // stands for three examples; when the second and third arrive, the leaf has learned the first.
    void observe_again(std::int32_t leaf, Spread&, std::size_t y, double share, double w);
    // The numbers that the leaf predictor keeps in the record of a leaf.
    [[nodiscard]] LeafNumbers& numbers(std::int32_t leaf) noexcept {
        return state.leaves[static_cast<std::size_t>(state.nodes.at(leaf).place)].numbers;
    }

    // ---- learning ----

    // A row at its leaf, with what it brings to the whole tree. `plain`: see GrowthState.
    template <bool plain>
    void learn(std::int32_t leaf, const Row&, std::size_t y, double w, Prepared = {});
    // A row that has arrived, at its leaf; it is also observed again.
    void learn_at(std::int32_t leaf, const Row&, std::size_t y, double w);
    // A row that has arrived, at an inner node that keeps statistics; false: the node is inactive.
    bool learn_inside(std::int32_t node, const Row&, std::size_t y, double w);
    // An example that has arrived, at a leaf or such an inner node; false: the node is inactive.
    bool learn_parts(std::int32_t node, Spread&, std::size_t y, double w);
    // A row that the node has learned before, after all that the node keeps was cleared.
    void relearn(std::int32_t node, const Row&, std::size_t y, double w);

    // What a share of an example weighs: in steps where examples are forgotten.
    [[nodiscard]] double part_of(double share, double w) const noexcept {
        return state.hooks->traits().forgets ? in_steps(share * w) : share * w;
    }
    // Calls learn(row, weight) for rows with certain values that stand for the example.
    template <class Learn>
    void each_part(Spread&, double w, Learn&&) const;

    // ---- short memory ----

    // Where the examples of a short memory are that the tree does not hold itself: calls its argument
    // for those that the tree has learned among the last ones, from the oldest on.
    using Recaller = std::function<void(const Row&, std::size_t y, double w)>;
    using Elsewhere = std::function<void(const Recaller&)>;
    void recall_from(Elsewhere held) { elsewhere_ = std::move(held); }

private:
    std::int32_t route_on(std::int32_t start, const Row&);
    void arrive_inline(const Row&, std::size_t y);
    void note_known(const Row&);
    void add_categories(const Row&);

    // What an active leaf keeps of a row, without the check.
    template <bool plain>
    void count(std::int32_t node, std::size_t place, const Row&, std::size_t y, double w,
               const Prepared& = {});
    void count_inside(std::size_t place, const Row&, std::size_t y, double w);
    // The same below a memory limit; false: the node is inactive afterwards, and its class counts
    // include the row.
    bool count_limited(std::size_t place, const Row&, std::size_t y, double w);
    void learn_limited(std::size_t place, const Row&, std::size_t y, double w);
    void learn_inactive(std::size_t place, double w);
    template <bool plain>
    void check_if_due(std::size_t place);
    void check(std::size_t place);
    // Keeps the evidence of a check at its leaf. Below a memory limit there may be no room for it.
    void note(std::size_t place, const Decision&);
    void recall(std::int32_t node);
    void recall(std::int32_t child, const Row&, std::size_t y, double w);

    Elsewhere elsewhere_;
};

template <class Learn>
void RowLearner::each_part(Spread& spread, double w, Learn&& learn) const {
    if (!state.hooks->traits().forgets) {
        spread.each_part([&](const Row& part, double share) { learn(part, w * share); });
        return;
    }
    SharesInSteps shares(w);
    spread.each_part([&](const Row& part, double share) {
        if (const double weight = shares.next(share); weight > 0.0) learn(part, weight);
    });
}

}  // namespace riparian
