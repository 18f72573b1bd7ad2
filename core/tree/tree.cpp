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

Tree::~Tree() = default;

// ---- memory that is set aside ----

std::size_t Tree::most_of_rows(std::size_t rows) const noexcept { return growth_.most_of_rows(rows); }

std::size_t Tree::most_of_features(const std::vector<Kind>& kinds) const noexcept {
    return growth_.most_of_features(kinds);
}

std::size_t Tree::most_of_classes(std::size_t count) const noexcept {
    return growth_.most_of_classes(count);
}

std::size_t Tree::reserve_bytes() noexcept {
    if (reserve_for_ != growth_.held_bytes()) {
        reserve_for_ = growth_.held_bytes();
        row_bytes_ = growth_.most_of_rows(1);
    }
    return row_bytes_;
}

// ---- the schema ----

void Tree::add_features(const std::vector<Kind>& kinds) {
    const Section section(reserve_, growth_.most_of_features(kinds));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    growth_.add_features(kinds);
    unfinished_ = false;
}

void Tree::declare_classes(std::size_t count) {
    const Section section(reserve_, growth_.most_of_classes(count));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    if (count > growth_.n_classes()) growth_.add_class(count - 1);
    unfinished_ = false;
}

void Tree::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    growth_.add_to_structure(bytes);
}

void Tree::expect_classes(const std::vector<std::uint32_t>& bytes) { growth_.expect_classes(bytes); }

void Tree::expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes) {
    growth_.expect_categories(feature, bytes);
}

void Tree::expect_nothing(std::size_t) noexcept { growth_.expect_nothing(); }

void Tree::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    const Costs& costs = growth_.costs();
    if (costs.classes == classes &&
        std::equal(matrix, matrix + classes * classes, costs.entries.get())) {
        return;  // as every batch brings them
    }
    const Section section(reserve_, growth_.most_of_rows(1));
    growth_.set_costs(matrix, classes);
}

void Tree::seed(const Seed& s) {
    const auto lock = turnstile_.writing();
    growth_.seed(s);
}

void Tree::begin_pass() {
    const auto lock = turnstile_.writing();
    growth_.begin_pass();
}

// ---- the limit of memory ----

void Tree::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    growth_.set_max_bytes(limit);
}

bool Tree::fits_in(std::size_t limit) const {
    const auto lock = turnstile_.reading();
    return growth_.may_shrink_to(limit);
}

std::size_t Tree::needed_bytes(std::size_t classes) const {
    const auto lock = turnstile_.reading();
    return growth_.needed(0, classes);
}

std::size_t Tree::least_bytes() const {
    const auto lock = turnstile_.reading();
    return growth_.least_bytes();
}

bool Tree::surely_fits(std::size_t names, std::size_t numbers) const {
    const auto lock = turnstile_.reading();
    return growth_.surely_fits(names, numbers);
}

}  // namespace riparian
