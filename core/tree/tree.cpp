#include "tree.hpp"

#include <algorithm>
#include <utility>

namespace riparian {

static_assert(sizeof(Tree) <= Tree::object_bytes);

Tree::Tree(const TreeSettings& settings)
    : growth_(settings, object_bytes),
      chosen_(settings.adaptation),
      adaptation_(std::visit([&](const auto& a) { return a.begin(growth_); }, chosen_)) {
    growth_.begin(*adaptation_);
}

// ---- memory that is set aside ----

std::size_t TreeMemory::most_of_rows(std::size_t rows) const noexcept {
    return tree_.growth_.room.most_of_rows(rows);
}

std::size_t TreeMemory::most_of_features(const std::vector<Kind>& kinds) const noexcept {
    return tree_.growth_.room.most_of_features(kinds);
}

std::size_t TreeMemory::most_of_classes(std::size_t count) const noexcept {
    return tree_.growth_.room.most_of_classes(count);
}

std::size_t Tree::reserve_bytes() noexcept {
    if (reserve_for_ != growth_.state.held_bytes()) {
        reserve_for_ = growth_.state.held_bytes();
        row_bytes_ = growth_.room.most_of_rows(1);
    }
    return row_bytes_;
}

// ---- the schema ----

void Tree::add_features(const std::vector<Kind>& kinds) {
    const Section section(reserve_, growth_.room.most_of_features(kinds));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    growth_.add_features(kinds);
    unfinished_ = false;
}

void Tree::declare_classes(std::size_t count) {
    const Section section(reserve_, growth_.room.most_of_classes(count));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    if (count > growth_.state.known.n_classes) growth_.add_class(count - 1);
    unfinished_ = false;
}

void Tree::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    growth_.room.add_to_structure(bytes);
}

void Tree::expect_classes(const std::vector<std::uint32_t>& bytes) {
    growth_.state.known.class_names.expect(bytes);
}

void Tree::expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes) {
    const std::size_t slot = growth_.state.nodes.features().at(feature).slot;
    growth_.state.known.expect_categories(slot, bytes);
}

void Tree::expect_nothing(std::size_t) noexcept { growth_.state.known.expect_nothing(); }

void Tree::watch(std::size_t feature, bool on) {
    const auto lock = turnstile_.writing();
    growth_.state.known.watch(growth_.state.nodes.features().at(feature).slot, on);
}

void Tree::leave_out(std::size_t feature, std::size_t names) {
    const Section section(reserve_, growth_.room.most_of_rows(1));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    growth_.leave_out(feature, names);
    unfinished_ = false;
}

void Tree::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    const Costs& costs = growth_.state.costs;
    if (costs.classes == classes &&
        std::equal(matrix, matrix + classes * classes, costs.entries.get())) {
        return;  // the usual case
    }
    const Section section(reserve_, growth_.room.most_of_rows(1));
    growth_.set_costs(matrix, classes);
}

void Tree::seed(const Seed& s) {
    const auto lock = turnstile_.writing();
    growth_.seed(s);
}

void Tree::begin_pass() {
    const auto lock = turnstile_.writing();
    std::uint32_t& passes = growth_.state.passes;
    if (passes != UINT32_MAX) ++passes;
}

// ---- the memory limit ----

void Tree::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    growth_.room.set_max_bytes(limit);
}

bool TreeMemory::fits_in(std::size_t limit) const {
    const auto lock = tree_.turnstile_.reading();
    return tree_.growth_.room.may_shrink_to(limit);
}

std::size_t TreeMemory::needed(std::size_t classes) const {
    const auto lock = tree_.turnstile_.reading();
    return tree_.growth_.room.needed(0, classes);
}

std::size_t Tree::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return growth_.state.held_bytes();
}

std::size_t Tree::least_bytes() const {
    const auto lock = turnstile_.reading();
    return growth_.room.least_bytes();
}

bool Tree::surely_fits(std::size_t names, std::size_t numbers) const {
    const auto lock = turnstile_.reading();
    return growth_.room.surely_fits(names, numbers);
}

}  // namespace riparian
