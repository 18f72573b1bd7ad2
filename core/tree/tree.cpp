#include "tree.hpp"

#include <algorithm>
#include <utility>

namespace riparian {

// Exactly as many while they are few, then a quarter more at a time.
std::size_t room_for_classes(std::size_t count) noexcept {
    std::size_t room = std::max<std::size_t>(2, std::min<std::size_t>(count, 16));
    while (room < count) room += room / 4;
    return room;
}

static_assert(sizeof(Tree) <= Tree::object_bytes);

Tree::Tree(const Settings& settings)
    : settings_(settings), memory_(settings.short_memory_elsewhere ? 0 : settings.short_memory) {
    const Charge charge(structure_);
    structure_.held = taken(object_bytes);
    Shape shape;
    if (needs_derived(settings.leaf)) {
        shape.derived = settings.lean ? Derived::found_when_asked : Derived::kept;
    }
    shape.class_stride = room_for_classes(0);
    leaves_.set_shape(shape);
    if (const auto* const how = std::get_if<Window>(&settings.adaptation)) {
        window_ = how->size;
        fits_ = window_fits(settings.max_bytes, 0, 0, 0);
    }
    plain_ = !LeafExtras::wanted(settings) && !keeps_state(settings.leaf) && !settings.selects() &&
             !settings.adaptive_grace && !settings.short_memory;
    fit(scratch_, settings_.leaf, shape, false);
    open_leaf(add_node(none, 0), 0);
    n_leaves_ = 1;
    if (settings.adapts()) open_lists();
    settle();
}

Tree::~Tree() = default;

// ---- memory that is set aside ----

// Whatever lists grow, the old and the new ones are there together: as much again as is held, twice
// for what is derived from them. A check may split the leaf, into a leaf for each category.
std::size_t Tree::most_of_rows(std::size_t rows) const noexcept {
    constexpr std::size_t small_things = 128 * 1024, a_leaf = 1024, a_feature = 256;
    std::size_t branches = 2;
    for (const std::int32_t n : categories_) {
        branches = std::max(branches, static_cast<std::size_t>(n) + 2);
    }
    const auto checks = 1 + static_cast<std::size_t>(static_cast<double>(rows) / settings_.grace_period);
    const std::size_t leaf = a_leaf + LeafStatistics::bytes(shape(), std::max<std::size_t>(n_classes_, 2), 0);
    return 2 * held_bytes() + small_things + a_feature * features().size() + checks * branches * leaf;
}

// Every node that has statistics is copied to its new width.
std::size_t Tree::most_of_features(const std::vector<Kind>& kinds) const noexcept {
    Shape to = shape();
    for (const Kind kind : kinds) ++(kind == Kind::numeric ? to.numeric : to.categorical);
    to.stride = (to.numeric + 3) / 4 * 4;
    const std::size_t leaf = LeafStatistics::bytes(to, std::max<std::size_t>(n_classes_, 2), 0);
    return 4 * held_bytes() + most_of_rows(1) + 1024 * kinds.size() + (2 * leaves_.size() + 4) * leaf;
}

// Everything that has a place for each class is copied.
std::size_t Tree::most_of_classes(std::size_t count) const noexcept {
    constexpr std::size_t of_a_node = 6 * sizeof(double), of_a_leaf = 4 * sizeof(double);
    const std::size_t places = of_a_node * nodes_.capacity() + of_a_leaf * leaves_.size();
    return 4 * held_bytes() + most_of_rows(1) + room_for_classes(count) * (places + 1024);
}

std::size_t Tree::reserve_bytes() noexcept {
    if (reserve_for_ != held_bytes()) {
        reserve_for_ = held_bytes();
        row_bytes_ = most_of_rows(1);
    }
    return row_bytes_;
}

// ---- the schema ----

void Tree::add_features(const std::vector<Kind>& kinds) {
    const Section section(reserve_, most_of_features(kinds));
    const auto lock = turnstile_.writing();
    const Charge charge(structure_);
    constexpr std::size_t most_a_feature = 128;  // and the copies when lists grow
    const auto numeric =
        static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), Kind::numeric));
    const std::size_t categorical = kinds.size() - numeric;
    demand_structure((features().size() + kinds.size()) * most_a_feature +
                     memory_.growth(numeric, categorical));
    unfinished_ = true;
    if (settings_.forgets()) make_room_for_wider(numeric, categorical);
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
    unfinished_ = false;
}

void Tree::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    add_to_structure(bytes);
}

void Tree::expect_classes(const std::vector<std::uint32_t>& bytes) { class_names_.expect(bytes); }

void Tree::expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes) {
    const std::size_t slot = features().at(feature).slot;
    if (category_names_.size() <= slot) category_names_.resize(slot + 1);
    category_names_[slot].expect(bytes);
}

void Tree::expect_nothing(std::size_t) noexcept {
    class_names_.clear();
    for (ExpectedNames& names : category_names_) names.clear();
}

// The classes up to this one are known.
void Tree::add_class(std::size_t y) {
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

void Tree::add_category(std::size_t slot, std::int32_t code) {
    const auto fresh = static_cast<std::size_t>(code + 1 - categories_[slot]);
    categories_[slot] = code + 1;
    if (slot < category_names_.size()) add_to_structure(category_names_[slot].arrive(fresh));
}

void Tree::declare_classes(std::size_t count) {
    const Section section(reserve_, most_of_classes(count));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    if (count > n_classes_) add_class(count - 1);
    unfinished_ = false;
}

void Tree::reshape(const Shape& to) {
    if (to.class_stride != shape().class_stride) {
        demand_structure(bytes_of_classes(to.class_stride), to.class_stride);
    }
    const Shape from = shape();
    leaves_.set_shape(to);
    fit(scratch_, settings_.leaf, to, costs_.classes > 0);
    if (settings_.has_options()) {
        reached_.one = Held<double>(scratch_.scores.size(), 0.0);
        reached_.all = Held<double>(scratch_.scores.size(), 0.0);
    }
    memory_.reshape(to);
    if (settings_.forgets()) examples_.reshape(to);
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

void Tree::widen_estimates(std::size_t from) {
    const std::size_t to = shape().class_stride, n = estimates_.size() / from;
    Held<double> wider;
    wider.reserve(nodes_.capacity() * to);
    wider.resize(n * to, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        std::copy_n(estimates_.data() + row * from, from, wider.data() + row * to);
    }
    estimates_ = std::move(wider);
}

void Tree::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    if (costs_.classes == classes &&
        std::equal(matrix, matrix + classes * classes, costs_.entries.get())) {
        return;  // as every batch brings them
    }
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    const Section section(reserve_, most_of_rows(1));
    costs_ = Costs{std::move(entries), classes, classes};
    {
        const Charge charge(structure_);
        fit(scratch_, settings_.leaf, shape(), true);
    }
    if (auto* const loss = std::get_if<Loss>(&settings_.impurity)) {
        loss->costs = costs_;
        settings_.judging.costs = costs_;
        allow_labels();
    }
}

// A class that is still to come in a batch is not yet a label: batches make no difference.
void Tree::allow_labels() noexcept {
    auto* const loss = std::get_if<Loss>(&settings_.impurity);
    if (!loss) return;
    loss->costs.labels = std::min(loss->costs.classes, n_classes_);
    settings_.judging.costs.labels = std::min(settings_.judging.costs.classes, n_classes_);
    for (std::size_t place = 0; place < leaves_.size(); ++place) {
        if (LeafExtras* const extras = leaves_.extras(place)) extras->change_labels(settings_);
    }
}

}  // namespace riparian
