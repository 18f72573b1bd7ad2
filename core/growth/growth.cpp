// How a tree begins, and how it grows with its schema.
#include "growth.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "statistics.hpp"

namespace riparian {

GrowthState::GrowthState(const Settings& given)
    : settings(given),
      memory(given.short_memory_elsewhere ? 0 : given.short_memory),
      plain(!LeafExtras::wanted(given) && !keeps_state(given.leaf) && !given.selects() &&
            !given.adaptive_grace && !given.short_memory) {}

const double* GrowthState::estimated(std::int32_t node) const noexcept {
    const std::size_t stride = leaves.shape().class_stride;
    const std::size_t first = static_cast<std::size_t>(node) * stride;
    return first < estimates.size() ? estimates.data() + first : leaves.counts(node) + stride;
}

Growth::Growth(const Settings& settings, std::size_t object_bytes)
    : state(settings), room(state), checks(state), predictor(state) {
    const Charge charge(state.structure);
    state.structure.held = taken(object_bytes);
    Shape shape;
    if (needs_derived(settings.leaf)) {
        shape.derived = settings.lean ? Derived::found_when_asked : Derived::kept;
    }
    shape.class_stride = room_for_classes(0);
    state.leaves.set_shape(shape);
    riparian::fit(state.scratch, settings.leaf, shape, false);
}

void Growth::begin(GrowthHooks& hooks) {
    const Charge charge(state.structure);
    state.hooks = &hooks;
    open_leaf(add_node(none, 0), 0);
    state.n_leaves = 1;
    room.settle();
}

void Growth::add_features(const std::vector<Kind>& kinds) {
    Known& known = state.known;
    const Charge charge(state.structure);
    constexpr std::size_t most_a_feature = 128;  // including the copies of growing lists
    const auto numeric =
        static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), Kind::numeric));
    const std::size_t categorical = kinds.size() - numeric;
    room.demand_structure((state.nodes.features().size() + kinds.size()) * most_a_feature +
                          state.memory.growth(numeric, categorical));
    state.hooks->widen(numeric, categorical);
    Shape to = state.leaves.shape();
    std::vector<Feature> fresh;
    for (const Kind kind : kinds) {
        std::size_t& count = kind == Kind::numeric ? to.numeric : to.categorical;
        fresh.push_back({kind, count++});
    }
    state.nodes.add_features(fresh);
    make_room(known.features, kinds.size());
    known.features.resize(state.nodes.features().size(), 0);
    to.stride = (to.numeric + 3) / 4 * 4;
    make_room(known.categories, to.categorical - state.leaves.shape().categorical);
    known.categories.resize(to.categorical, 0);
    if (!known.watched.empty()) known.watched.resize(to.categorical, false);
    reshape(to);
}

void Growth::leave_out(std::size_t feature, std::size_t names) {
    const std::size_t slot = state.nodes.features()[feature].slot;
    state.known.watch(slot, true);
    leave_out_of_statistics(state, feature);
    const Charge charge(state.structure);
    state.structure.held -= names;
    room.settle();
}

void Growth::add_class(std::size_t y) {
    const Charge charge(state.structure);
    if (y >= state.leaves.shape().class_stride) {
        Shape to = state.leaves.shape();
        to.class_stride = room_for_classes(y + 1);
        reshape(to);
    }
    const std::size_t names = state.known.class_names.arrive(y + 1 - state.known.n_classes);
    state.known.n_classes = y + 1;
    allow_labels();
    room.add_to_structure(names);
}

void Growth::add_category(std::size_t slot, std::int32_t code) {
    Known& known = state.known;
    const auto fresh = static_cast<std::size_t>(code + 1 - known.categories[slot]);
    known.categories[slot] = code + 1;
    if (slot >= known.category_names.size()) return;
    room.add_to_structure(known.category_names[slot].arrive(fresh));
}

void Growth::reshape(const Shape& to) {
    if (to.class_stride != state.leaves.shape().class_stride) {
        room.demand_structure(room.bytes_of_classes(to.class_stride), to.class_stride);
    }
    const Shape from = state.leaves.shape();
    state.leaves.set_shape(to);
    riparian::fit(state.scratch, state.settings.leaf, to, state.costs.classes > 0);
    state.memory.reshape(to);
    state.hooks->reshape(to);
    if (state.settings.selects()) {
        state.gathered.fit(to);
        state.scratch.gathered.fit(to);
    }
    if (to.class_stride != from.class_stride) {
        state.leaves.widen_counts(from.class_stride, state.nodes.capacity());
        if (state.settings.short_memory) widen_estimates(from.class_stride);
    }
    room.settle();
    reshape_statistics(state, room, from);
    room.settle();
}

void Growth::widen_estimates(std::size_t from) {
    const std::size_t to = state.leaves.shape().class_stride, n = state.estimates.size() / from;
    Held<double> wider;
    wider.reserve(state.nodes.capacity() * to);
    wider.resize(n * to, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        std::copy_n(state.estimates.data() + row * from, from, wider.data() + row * to);
    }
    state.estimates = std::move(wider);
}

void Growth::set_costs(const double* matrix, std::size_t classes) {
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    state.costs = Costs{std::move(entries), classes, classes};
    {
        const Charge charge(state.structure);
        riparian::fit(state.scratch, state.settings.leaf, state.leaves.shape(), true);
    }
    if (Costs* const counted = costs_in(state.settings.impurity)) {
        *counted = state.costs;
        state.settings.judging.costs = state.costs;
        allow_labels();
    }
}

// A class is a label from its first row on, even if the batch announced it earlier. The model then
// does not depend on batch sizes.
void Growth::allow_labels() noexcept {
    Leaves& leaves = state.leaves;
    Costs* const counted = costs_in(state.settings.impurity);
    if (!counted) return;
    for (Costs* const costs : {counted, &state.settings.judging.costs}) {
        costs->labels = std::min(costs->classes, state.known.n_classes);
    }
    for (std::size_t place = 0; place < leaves.size(); ++place) {
        if (LeafExtras* const extras = leaves.extras(place)) extras->change_labels(state.settings);
    }
}

}  // namespace riparian
