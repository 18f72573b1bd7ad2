// How a tree begins, and what becomes of it when its schema grows.
#include "growth.hpp"

#include <algorithm>
#include <utility>

namespace riparian {

// Exactly as many while they are few, then a quarter more at a time.
std::size_t room_for_classes(std::size_t count) noexcept {
    std::size_t room = std::max<std::size_t>(2, std::min<std::size_t>(count, 16));
    while (room < count) room += room / 4;
    return room;
}

Growth::Growth(const Settings& settings, std::size_t object_bytes)
    : settings_(settings), memory_(settings.short_memory_elsewhere ? 0 : settings.short_memory) {
    const Charge charge(structure_);
    structure_.held = taken(object_bytes);
    Shape shape;
    if (needs_derived(settings.leaf)) {
        shape.derived = settings.lean ? Derived::found_when_asked : Derived::kept;
    }
    shape.class_stride = room_for_classes(0);
    leaves_.set_shape(shape);
    plain_ = !LeafExtras::wanted(settings) && !keeps_state(settings.leaf) && !settings.selects() &&
             !settings.adaptive_grace && !settings.short_memory;
    riparian::fit(scratch_, settings_.leaf, shape, false);
}

void Growth::begin(GrowthHooks& hooks) {
    const Charge charge(structure_);
    hooks_ = &hooks;
    open_leaf(add_node(none, 0), 0);
    n_leaves_ = 1;
    settle();
}

void Growth::add_features(const std::vector<Kind>& kinds) {
    const Charge charge(structure_);
    constexpr std::size_t most_a_feature = 128;  // and the copies when lists grow
    const auto numeric =
        static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), Kind::numeric));
    const std::size_t categorical = kinds.size() - numeric;
    demand_structure((features().size() + kinds.size()) * most_a_feature +
                     memory_.growth(numeric, categorical));
    hooks_->widen(numeric, categorical);
    Shape to = shape();
    std::vector<Feature> fresh;
    for (const Kind kind : kinds) {
        std::size_t& count = kind == Kind::numeric ? to.numeric : to.categorical;
        fresh.push_back({kind, count++});
    }
    nodes_.add_features(fresh);
    make_room(known_, kinds.size());
    known_.resize(features().size(), 0);
    to.stride = (to.numeric + 3) / 4 * 4;
    make_room(categories_, to.categorical - shape().categorical);
    categories_.resize(to.categorical, 0);
    reshape(to);
}

void Growth::expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes) {
    const std::size_t slot = features().at(feature).slot;
    if (category_names_.size() <= slot) category_names_.resize(slot + 1);
    category_names_[slot].expect(bytes);
}

void Growth::expect_nothing() noexcept {
    class_names_.clear();
    for (ExpectedNames& names : category_names_) names.clear();
}

// The classes up to this one are known.
void Growth::add_class(std::size_t y) {
    const Charge charge(structure_);
    if (y >= shape().class_stride) {
        Shape to = shape();
        to.class_stride = room_for_classes(y + 1);
        reshape(to);
    }
    const std::size_t names = class_names_.arrive(y + 1 - n_classes_);
    n_classes_ = y + 1;
    allow_labels();
    add_to_structure(names);
}

void Growth::add_category(std::size_t slot, std::int32_t code) {
    const auto fresh = static_cast<std::size_t>(code + 1 - categories_[slot]);
    categories_[slot] = code + 1;
    if (slot < category_names_.size()) add_to_structure(category_names_[slot].arrive(fresh));
}

void Growth::reshape(const Shape& to) {
    if (to.class_stride != shape().class_stride) {
        demand_structure(bytes_of_classes(to.class_stride), to.class_stride);
    }
    const Shape from = shape();
    leaves_.set_shape(to);
    riparian::fit(scratch_, settings_.leaf, to, costs_.classes > 0);
    memory_.reshape(to);
    hooks_->reshape(to);
    if (settings_.selects()) {
        gathered_.fit(to);
        scratch_.gathered.fit(to);
    }
    if (to.class_stride != from.class_stride) {
        leaves_.widen_counts(from.class_stride, nodes_.capacity());
        if (settings_.short_memory) widen_estimates(from.class_stride);
    }
    settle();
    reshape_leaves(from);
    settle();
}

void Growth::widen_estimates(std::size_t from) {
    const std::size_t to = shape().class_stride, n = estimates_.size() / from;
    Held<double> wider;
    wider.reserve(nodes_.capacity() * to);
    wider.resize(n * to, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        std::copy_n(estimates_.data() + row * from, from, wider.data() + row * to);
    }
    estimates_ = std::move(wider);
}

void Growth::set_costs(const double* matrix, std::size_t classes) {
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    costs_ = Costs{std::move(entries), classes, classes};
    {
        const Charge charge(structure_);
        riparian::fit(scratch_, settings_.leaf, shape(), true);
    }
    if (auto* const loss = std::get_if<Loss>(&settings_.impurity)) {
        loss->costs = costs_;
        settings_.judging.costs = costs_;
        allow_labels();
    }
}

// A class that is still to come in a batch is not yet a label: batches make no difference.
void Growth::allow_labels() noexcept {
    auto* const loss = std::get_if<Loss>(&settings_.impurity);
    if (!loss) return;
    loss->costs.labels = std::min(loss->costs.classes, n_classes_);
    settings_.judging.costs.labels = std::min(settings_.judging.costs.classes, n_classes_);
    for (std::size_t place = 0; place < leaves_.size(); ++place) {
        if (LeafExtras* const extras = leaves_.extras(place)) extras->change_labels(settings_);
    }
}

void Growth::begin_pass() noexcept {
    if (passes_ != UINT32_MAX) ++passes_;
}

const double* Growth::estimated(std::int32_t node) const noexcept {
    const std::size_t first = static_cast<std::size_t>(node) * shape().class_stride;
    return first < estimates_.size() ? estimates_.data() + first
                                     : leaves_.counts(node) + shape().class_stride;
}

}  // namespace riparian
