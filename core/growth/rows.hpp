// What every row passes, in line: where it belongs, what its leaf predicts, how it counts there.
#pragma once

#include <algorithm>

#include "growth.hpp"

namespace riparian {

inline std::int32_t Growth::route_learning(std::int32_t start, const Row& row) {
    return at(start).test == Test::leaf ? start : route_on(start, row);
}

[[gnu::always_inline]] inline LeafView Growth::view(std::int32_t node) const noexcept {
    const bool is_leaf = at(node).test == Test::leaf;
    const std::size_t place = is_leaf ? static_cast<std::size_t>(at(node).place) : 0;
    const NodeRecord& leaf = leaves_[place];
    return {plain_ ? shape() : leaves_.shape(place),
            leaf.statistics,
            is_leaf ? leaves_.own_counts(leaf) : leaves_.counts(node),
            leaves_.weights(node),
            leaves_.weights(at(node).parent),
            categories_.data(),
            n_classes_,
            leaf.numbers,
            plain_ ? nullptr : leaves_.state(place)};
}

[[gnu::always_inline]] inline Growth::LeafAndRow Growth::leaf_and_row(std::int32_t node, const Row& row,
                                                                      Asking& scratch) const {
    LeafAndRow seen{view(node), row};
    const TrackedFeatures* const kept = plain_ || at(node).test != Test::leaf
                                 ? nullptr
                                 : leaves_.tracked_features(static_cast<std::size_t>(at(node).place));
    if (kept) scratch.gathered.gather(seen.row, seen.leaf.categories, *kept, features());
    return seen;
}

template <class Policy>
void Growth::predict(const Policy& policy, std::int32_t start, const Row& row, Asking& scratch,
                     const Answers& answers, std::size_t i) const {
    const std::int32_t node = nodes_.route(start, row);
    LeafAndRow seen = leaf_and_row(node, row, scratch);
    LeafView& leaf = seen.leaf;
    const bool is_leaf = at(node).test == Test::leaf;
    // Classes that came after the call are not part of the prediction.
    if (answers.probabilities) leaf.n_classes = std::min(leaf.n_classes, answers.width);
    double* shares = nullptr;
    if (answers.probabilities) {
        shares = answers.probabilities + i * answers.width;
        std::fill_n(shares, answers.width, 0.0);
    } else if (costs_.classes) {
        shares = scratch.shares.data();
    }
    if (shares && is_leaf) {
        policy.probabilities(leaf, seen.row, scratch, shares);
    } else if (shares) {
        Majority{}.probabilities(leaf, row, scratch, shares);
    }
    if (!answers.classes) return;
    if (costs_.classes) {
        answers.classes[i] = seen_ ? costs_.cheapest(shares, leaf.n_classes) : no_answer;
    } else {
        answers.classes[i] = is_leaf ? policy.answer(leaf, seen.row, scratch) : Majority::class_of(leaf);
    }
}

// What an active leaf makes of an example, but for checks.
template <bool plain>
[[gnu::always_inline]] inline void Growth::count(std::size_t place, const Row& row, std::size_t y,
                                                 double w, const Prepared& found) {
    NodeRecord& leaf = leaves_[place];
    double* counts = leaves_.counts(leaf.node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if constexpr (plain) {
        if (before == 0.0) ++leaf.classes;
        counts[y] += w;
        leaf.weight += w;
        leaf.statistics.learn(shape(), row, y, w, before, counts);
        return;
    }
    LeafExtras* const extras = leaves_.extras(place);
    if (extras) {
        extras->judge(settings_, shape(), leaf.statistics, row, y, w, counts, n_classes_);
    }
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    if (const TrackedFeatures* const kept = leaves_.tracked_features(place)) {
        const Row tracked = found.row ? *found.row : gathered_.of(row, *kept, features());
        leaf.statistics.learn(kept->shape(), tracked, y, w, before, counts, found.range);
        if (extras) extras->learn(kept->shape(), row, tracked, y, w);
        return;
    }
    leaf.statistics.learn(shape(), row, y, w, before, counts, found.range);
    if (PredictorState* const state = leaves_.state(place)) {
        state->learn(shape(), row, y, w, n_classes_, scratch_);
    }
    if (extras) {
        extras->learn(shape(), row, row, y, w);
        if (extras->wants_cuts(settings_, leaf.weight)) fix_cuts(place);
    }
}

[[gnu::always_inline]] inline void Growth::arrive_here(const Row& row, std::size_t y) {
    ++seen_;
    if (n_known_ < features().size()) note_known(row);
    if (y >= n_classes_) add_class(y);
    if (brings_category(row.codes, categories_.data(), shape().categorical)) [[unlikely]] {
        add_categories(row);
    }
}

template <bool plain>
[[gnu::always_inline]] inline void Growth::learn(std::int32_t id, const Row& row, std::size_t y,
                                                 double w, Prepared found) {
    const std::size_t met = n_known_, classes = n_classes_;
    arrive_here(row, y);
    if (n_known_ != met || n_classes_ != classes) found = {};  // it may be another leaf now
    if (!plain && memory_.keeps()) {
        const Charge charge(structure_);
        if (memory_.keep(row, y, w, id)) settle();
    }
    const auto place = static_cast<std::size_t>(at(id).place);
    if (plain || !limited()) {  // every leaf is active
        count<plain>(place, row, y, w, found);
        check_if_due<plain>(place);
    } else {
        learn_limited(place, row, y, w);
    }
}

template <bool plain>
[[gnu::always_inline]] inline void Growth::check_if_due(std::size_t place) {
    NodeRecord& leaf = leaves_[place];
    const double grace = plain ? settings_.grace_period : delay(place);
    if (leaf.weight - leaf.checked >= grace && leaf.classes >= 2 && may_split(leaf)) {
        leaf.checked = leaf.weight;
        check(place);
    }
}

// The mean of the class probabilities of all ends; `predict` gives those of one.
template <class Predict>
void Growth::vote(Ends& found, Predict&& predict) const {
    std::fill(found.all.begin(), found.all.end(), 0.0);
    for (const std::int32_t node : found.nodes) {
        predict(node, found.one.data());
        for (std::size_t k = 0; k < n_classes_; ++k) found.all[k] += found.one[k];
    }
    const auto n = static_cast<double>(found.nodes.size());
    for (std::size_t k = 0; k < n_classes_; ++k) found.all[k] /= n;
}

template <class Policy>
void Growth::predict(const Policy& policy, Ends& found, const Row& row, Asking& scratch,
                     const Answers& answers, std::size_t i) const {
    if (found.nodes.size() == 1) {
        predict(policy, found.nodes[0], row, scratch, answers, i);
        return;
    }
    found.fit(scratch.scores.size());
    vote(found, [&](std::int32_t node, double* shares) {
        const LeafAndRow seen = leaf_and_row(node, row, scratch);
        if (at(node).test == Test::leaf) {
            policy.probabilities(seen.leaf, seen.row, scratch, shares);
        } else {
            Majority{}.probabilities(seen.leaf, row, scratch, shares);
        }
    });
    const double* const all = found.all.data();
    if (answers.probabilities) {
        double* const shares = answers.probabilities + i * answers.width;
        std::fill_n(shares, answers.width, 0.0);
        std::copy_n(all, std::min(n_classes_, answers.width), shares);
    }
    if (!answers.classes) return;
    answers.classes[i] = costs_.classes
                             ? costs_.cheapest(all, n_classes_)
                             : static_cast<std::int32_t>(std::max_element(all, all + n_classes_) - all);
}

}  // namespace riparian
