#include "statistics.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "room.hpp"

namespace riparian {
namespace {

void draw_features(GrowthState& state, std::size_t place) {
    const Nodes& nodes = state.nodes;
    Draw draw{state.draws++};
    std::vector<std::uint8_t> settled(nodes.features().size(), 0);
    for (std::int32_t i = state.leaves[place].node; nodes.above(i) != none; i = nodes.above(i)) {
        const Node& test = nodes.at(nodes.above(i));
        const bool equal = test.test == Test::one_value && nodes.at(i).branch == 0;
        if (test.test == Test::every_value || equal)
            settled[static_cast<std::size_t>(test.feature)] = 1;
    }
    const auto out = left_out(
        state.settings.leaf_features, draw, nodes.features().size(),
        [&](std::size_t f) { return state.known.features[f] != 0; },
        [&](std::size_t f) { return settled[f] != 0; });
    auto tracked = std::make_unique<TrackedFeatures>(nodes.features(), state.leaves.shape(), out);
    tracked->draw = draw;
    state.leaves.set_tracked_features(place, std::move(tracked));
}

}  // namespace

void activate(GrowthState& state, std::size_t place) {
    state.leaves.forget(place);
    open_statistics(state, place);
}

void open_statistics(GrowthState& state, std::size_t place) {
    state.leaves.open_statistics(state.settings, place, state.known.n_classes, state.seen + 1, [&] {
        if (state.settings.leaf_features.draws()) draw_features(state, place);
    });
}

void draw_first(GrowthState& state) {
    Leaves& leaves = state.leaves;
    const Charge charge(leaves.account());
    for (std::size_t place = 0; place < leaves.size(); ++place) {
        NodeRecord& leaf = leaves[place];
        if (!leaf.statistics.is_open()) continue;
        const Shape before = leaves.shape(place);
        try {
            draw_features(state, place);
            leaf.statistics.reshape(before, leaves.shape(place), leaves.own_counts(leaf));
            if (LeafExtras* const extras = leaves.extras(place)) {
                extras->fit(state.settings, leaves.shape(place));
            }
        } catch (const OverLimit&) {
            leaves.deactivate(place);
        }
    }
}

void inherit(GrowthState& state, std::size_t place, const PredictorState& of_parent) {
    Leaves& leaves = state.leaves;
    if (!leaves.state(place)) return;
    const Charge charge(leaves.account());
    try {
        leaves.state(place)->inherit(leaves.shape(), of_parent);
    } catch (const OverLimit&) {
        leaves.deactivate(place);
    }
}

void reshape_statistics(GrowthState& state, Room& room, const Shape& from) {
    Leaves& leaves = state.leaves;
    const Shape& to = leaves.shape();
    if (state.limited() && leaves.n_active()) {
        const std::size_t classes = std::max<std::size_t>(state.known.n_classes, 1);
        const std::size_t before = LeafStatistics::bytes(from, classes, 0);
        const std::size_t after = LeafStatistics::bytes(to, classes, 0);
        room.make_room_for(leaves.n_active() * minus(after, before) + after, none);
    }
    // In the order of ids, which is the same after saving and loading.
    for (std::int32_t i = 0; static_cast<std::size_t>(i) < state.nodes.size(); ++i) {
        if (state.record(i) == none) continue;
        const auto place = static_cast<std::size_t>(state.record(i));
        NodeRecord& leaf = leaves[place];
        if (!leaf.statistics.is_open()) continue;
        const Charge charge(leaves.account());
        try {
            if (leaf.recent) {
                set_room(leaf.recent->counts, to.class_stride);
                leaf.recent->counts.resize(to.class_stride, 0.0);
            }
            TrackedFeatures* const kept = leaves.tracked_features(place);
            const Shape before = kept ? kept->shape() : from;
            if (kept) kept->grow(state.nodes.features(), to, state.settings.leaf_features);
            leaf.statistics.reshape(before, leaves.shape(place), leaves.own_counts(leaf));
            if (LeafExtras* const extras = leaves.extras(place)) {
                extras->fit(state.settings, leaves.shape(place));
            }
            if (PredictorState* const predictor = leaves.state(place)) predictor->reshape(from, to);
        } catch (const OverLimit&) {
            leaves.deactivate(place);
        }
    }
}

void leave_out_of_statistics(GrowthState& state, std::size_t feature) {
    Leaves& leaves = state.leaves;
    for (std::int32_t i = 0; static_cast<std::size_t>(i) < state.nodes.size(); ++i) {
        if (state.record(i) == none) continue;
        const auto place = static_cast<std::size_t>(state.record(i));
        NodeRecord& leaf = leaves[place];
        if (!leaf.statistics.is_open()) continue;
        const TrackedFeatures* const kept = leaves.tracked_features(place);
        std::size_t slot = state.nodes.features()[feature].slot;
        const Charge charge(leaves.account());
        try {
            // The units of a predictor are for all features of the tree.
            if (PredictorState* const predictor = leaves.state(place)) {
                predictor->leave_out(leaves.shape(), slot);
            }
            if (kept) {
                const std::int32_t own = kept->place_of(static_cast<std::int32_t>(feature));
                if (own == none) continue;
                Features listed;
                kept->list(state.nodes.features(), listed);
                slot = listed[static_cast<std::size_t>(own)].slot;
            }
            leaf.statistics.leave_out(leaves.shape(place), slot, leaves.own_counts(leaf));
        } catch (const OverLimit&) {
            leaves.deactivate(place);
        }
    }
}

void drop_features(GrowthState& state, Room& room, std::size_t place, const Held<bool>& poor) {
    Leaves& leaves = state.leaves;
    if (std::find(poor.begin(), poor.end(), true) == poor.end()) return;
    // The old and the new statistics exist together for a moment.
    room.make_room_for(leaves.bytes_of_a_leaf(), leaves[place].node);
    const Charge charge(leaves.account());
    const Shape from = leaves.shape(place);
    if (!leaves.tracked_features(place)) {
        leaves.set_tracked_features(
            place, std::make_unique<TrackedFeatures>(state.nodes.features(), leaves.shape()));
    }
    const TrackedFeatures::Left left =
        leaves.tracked_features(place)->drop(poor, state.nodes.features());
    NodeRecord& leaf = leaves[place];
    leaf.statistics.keep(from, leaves.shape(place), left.numeric, left.categorical);
    if (LeafExtras* const extras = leaves.extras(place)) extras->keep(left.numeric);
}

}  // namespace riparian
