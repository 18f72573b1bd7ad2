// The inline part of learning a row: what is new to the tree, the update of the leaf, and whether the
// leaf is due for a check.
#pragma once

#include <algorithm>

#include "row_learner.hpp"

namespace riparian {

template <bool plain>
[[gnu::always_inline]] inline void RowLearner::count(std::int32_t node, std::size_t place,
                                                     const Row& row, std::size_t y, double w,
                                                     const Prepared& found) {
    Leaves& leaves = state.leaves;
    NodeRecord& leaf = leaves[place];
    double* counts = leaves.counts(node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if constexpr (plain) {
        if (before == 0.0) ++leaf.classes;
        counts[y] += w;
        leaf.weight += w;
        leaf.statistics.learn(leaves.shape(), row, y, w, before, counts);
        return;
    }
    LeafExtras* const extras = leaves.extras(place);
    if (extras) {
        extras->judge(state.settings, leaves.shape(), leaf.statistics, row, y, w, counts,
                      state.known.n_classes);
    }
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    if (const TrackedFeatures* const kept = leaves.tracked_features(place)) {
        const Row tracked =
            found.row ? *found.row : state.gathered.of(row, *kept, state.nodes.features());
        leaf.statistics.learn(kept->shape(), tracked, y, w, before, counts, found.range);
        if (extras) extras->learn(kept->shape(), row, tracked, y, w);
        return;
    }
    leaf.statistics.learn(leaves.shape(), row, y, w, before, counts, found.range);
    if (PredictorState* const predictor = leaves.state(place)) {
        predictor->learn(leaves.shape(), row, y, w, state.known.n_classes, state.scratch);
    }
    if (extras) {
        extras->learn(leaves.shape(), row, row, y, w);
        if (extras->wants_cuts(state.settings, leaf.weight)) checks.fix_cuts(place);
    }
}

[[gnu::always_inline]] inline void RowLearner::arrive_inline(const Row& row, std::size_t y) {
    Known& known = state.known;
    ++state.seen;
    if (known.n_features < state.nodes.features().size()) note_known(row);
    if (y >= known.n_classes) add_class(y);
    if (brings_category(row.codes, known.categories.data(), state.leaves.shape().categorical))
        [[unlikely]] {
        add_categories(row);
    }
}

template <bool plain>
[[gnu::always_inline]] inline void RowLearner::learn(std::int32_t id, const Row& row, std::size_t y,
                                                     double w, Prepared found) {
    const Known& known = state.known;
    const std::size_t features = known.n_features, classes = known.n_classes;
    arrive_inline(row, y);
    // The layout of the leaf may have changed.
    if (known.n_features != features || known.n_classes != classes) found = {};
    if (!plain && state.memory.keeps()) {
        const Charge charge(state.structure);
        if (state.memory.keep(row, y, w, id)) room.settle();
    }
    const auto place = static_cast<std::size_t>(state.nodes.at(id).place);
    if (plain || !state.limited()) {  // every leaf is active
        count<plain>(id, place, row, y, w, found);
        check_if_due<plain>(place);
    } else {
        learn_limited(place, row, y, w);
    }
}

template <bool plain>
[[gnu::always_inline]] inline void RowLearner::check_if_due(std::size_t place) {
    NodeRecord& leaf = state.leaves[place];
    const double grace = plain ? state.settings.grace_period : checks.delay(place);
    if (leaf.weight - leaf.checked >= grace && leaf.classes >= 2 && checks.may_split(leaf)) {
        leaf.checked = leaf.weight;
        check(place);
    }
}

}  // namespace riparian
