// How the statistics of leaves begin, and what becomes of them when the schema grows.
#include <algorithm>

#include "growth.hpp"

namespace riparian {

void Growth::activate(std::size_t place) {
    leaves_.forget(place);
    open_statistics(place);
}

void Growth::open_statistics(std::size_t place) {
    leaves_.open_statistics(settings_, place, n_classes_, seen_ + 1, [&] {
        if (settings_.leaf_features.draws()) draw_features(place);
    });
}

void Growth::draw_features(std::size_t place) {
    Draw draw{draws_++};
    std::vector<std::uint8_t> settled(features().size(), 0);
    for (std::int32_t i = leaves_[place].node; nodes_.above(i) != none; i = nodes_.above(i)) {
        const Node& test = at(nodes_.above(i));
        const bool equal = test.test == Test::one_value && at(i).branch == 0;
        if (test.test == Test::every_value || equal) settled[static_cast<std::size_t>(test.feature)] = 1;
    }
    const auto out = left_out(
        settings_.leaf_features, draw, features().size(),
        [&](std::size_t f) { return known_[f] != 0; }, [&](std::size_t f) { return settled[f] != 0; });
    auto tracked = std::make_unique<TrackedFeatures>(features(), shape(), out);
    tracked->draw = draw;
    leaves_.set_tracked_features(place, std::move(tracked));
}

// A root that was opened before there was a value has to draw from those of the first row.
void Growth::draw_first() {
    const Charge charge(leaves_.account());
    for (std::size_t place = 0; place < leaves_.size(); ++place) {
        NodeRecord& leaf = leaves_[place];
        if (!leaf.statistics.is_open()) continue;
        const Shape before = leaves_.shape(place);
        try {
            draw_features(place);
            leaf.statistics.reshape(before, leaves_.shape(place), leaves_.own_counts(leaf));
            if (LeafExtras* const extras = leaves_.extras(place)) extras->fit(settings_, leaves_.shape(place));
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
}

// A leaf begins with what the predictor of its parent has learned.
void Growth::inherit(std::size_t place, const PredictorState& of_parent) {
    if (!leaves_.state(place)) return;
    const Charge charge(leaves_.account());
    try {
        leaves_.state(place)->inherit(shape(), of_parent);
    } catch (const OverLimit&) {
        leaves_.deactivate(place);
    }
}

void Growth::learn_inactive(std::size_t place, double w) {
    NodeRecord& leaf = leaves_[place];
    const double weight = leaf.weight + w;
    const bool due = weight - leaf.checked >= settings_.grace_period;
    // The first row tells as well: a tree that was saved and loaded knows no node that rests.
    if ((due || leaf.weight == 0.0) && !hooks_->uses_statistics(leaf.node)) {
        at(leaf.node).rests = true;
        leaf.weight = leaf.checked = 0.0;
        return;
    }
    leaf.weight = weight;
    if (!due) return;
    leaf.checked = leaf.weight;
    if (limit_.too_soon(seen_, leaves_.size())) return;
    if (limit_.promising(usage(), promise(leaf.node))) rank(0, none);
}

void Growth::reshape_leaves(const Shape& from) {
    const Shape& to = shape();
    if (limited() && leaves_.n_active()) {
        const std::size_t classes = std::max<std::size_t>(n_classes_, 1);
        const std::size_t before = LeafStatistics::bytes(from, classes, 0);
        const std::size_t after = LeafStatistics::bytes(to, classes, 0);
        make_room_for(leaves_.n_active() * minus(after, before) + after, none);
    }
    // In the order of ids, which a saved tree has too.
    for (std::int32_t i = 0; static_cast<std::size_t>(i) < nodes_.size(); ++i) {
        if (record(i) == none) continue;
        const auto place = static_cast<std::size_t>(record(i));
        NodeRecord& leaf = leaves_[place];
        if (!leaf.statistics.is_open()) continue;
        const Charge charge(leaves_.account());
        try {
            if (leaf.recent) {
                set_room(leaf.recent->counts, to.class_stride);
                leaf.recent->counts.resize(to.class_stride, 0.0);
            }
            TrackedFeatures* const kept = leaves_.tracked_features(place);
            const Shape before = kept ? kept->shape() : from;
            if (kept) kept->grow(features(), to, settings_.leaf_features);
            leaf.statistics.reshape(before, leaves_.shape(place), leaves_.own_counts(leaf));
            if (LeafExtras* const extras = leaves_.extras(place)) extras->fit(settings_, leaves_.shape(place));
            if (PredictorState* const state = leaves_.state(place)) state->reshape(from, to);
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
}

}  // namespace riparian
