#include "ensemble.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "../data/limits.hpp"
#include "../demand.hpp"
#include "../growth/snapshot.hpp"

namespace riparian {

template <class Job>
void Ensemble::within_limit(Job&& job) {
    try {
        job();
    } catch (const ForestTooLow&) {
        throw;
    } catch (const LimitTooLow& of_a_tree) {
        const auto lock = turnstile_.reading();
        throw ForestTooLow(max_bytes_, std::max(needed(), limit_for(of_a_tree.needed)));
    }
}

// ---- the schema ----

void Ensemble::add_features(const std::vector<Kind>& kinds) {
    within_limit([&] {
        std::size_t bytes = most_of_rows(1) + 1024 * kinds.size();
        for (const auto& tree : trees()) bytes += tree->memory().most_of_features(kinds);
        const Section section(reserve_, bytes);
        const auto lock = turnstile_.writing();
        unfinished_ = true;
        for (const Kind kind : kinds) {
            schema_.kinds.push_back(kind);
            if (kind == Kind::categorical) schema_.categories.push_back(0);
        }
        give_features(kinds);
        unfinished_ = false;
    });
    rows_left_ = 0;
}

void Ensemble::declare_classes(std::size_t count) {
    within_limit([&] {
        std::size_t bytes = most_of_rows(1) + 1024 * count;
        for (const auto& tree : trees()) bytes += tree->memory().most_of_classes(count);
        const Section section(reserve_, bytes);
        const auto lock = turnstile_.writing();
        unfinished_ = true;
        schema_.declared = std::max(schema_.declared, count);
        schema_.classes = std::max(schema_.classes, count);
        give_classes(count);
        unfinished_ = false;
    });
    rows_left_ = 0;
}

void Ensemble::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    names_ += bytes;
    demand_room();
}

void Ensemble::expect_classes(const std::vector<std::uint32_t>& bytes) {
    const auto lock = turnstile_.writing();
    coming_ = bytes.size();
    expected_ = schema_.classes + coming_;
    names_ = std::accumulate(bytes.begin(), bytes.end(), names_);
    demand_room();
}

void Ensemble::expect_nothing(std::size_t bytes) noexcept {
    const auto lock = turnstile_.writing();
    names_ -= bytes;
    coming_ = 0;
    expected_ = 0;
}

void Ensemble::expect_categories(std::size_t, const std::vector<std::uint32_t>& bytes) {
    add_names(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}));
}

void Ensemble::watch(std::size_t feature, bool on) {
    const auto lock = turnstile_.writing();
    schema_.watched.resize(schema_.kinds.size(), 0);
    schema_.watched.at(feature) = on ? 1 : 0;
    each_tree_with(feature, [&](Tree& tree, std::size_t place) { tree.watch(place, on); });
}

void Ensemble::leave_out(std::size_t feature, std::size_t names) {
    const Section section(reserve_, most_of_rows(1));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    schema_.watched.resize(schema_.kinds.size(), 0);
    schema_.watched.at(feature) = 1;
    each_tree_with(feature, [](Tree& tree, std::size_t place) { tree.leave_out(place, 0); });
    names_ -= names;
    unfinished_ = false;
}

void Ensemble::each_tree_with(std::size_t feature,
                              const std::function<void(Tree&, std::size_t)>& call) const {
    for (const auto& tree : trees()) call(*tree, feature);
}

void Ensemble::watch_in(Tree& tree) const {
    for (std::size_t f = 0; f < schema_.watched.size(); ++f) {
        if (schema_.watched[f]) tree.watch(f, true);
    }
}

void Ensemble::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    costs_ = Costs{std::move(entries), classes, classes};
}

void Ensemble::note_category(std::size_t categorical, std::int32_t code) noexcept {
    if (code < 0) return;
    std::uint32_t& known = schema_.categories[categorical];
    known = std::max(known, static_cast<std::uint32_t>(code) + 1);
}

// ---- memory ----

bool Ensemble::has_room(std::size_t limit) const noexcept { return names_ <= limit / names_share; }

bool Ensemble::surely_fits(std::size_t names, std::size_t numbers) const {
    if (!limited()) return true;
    const auto lock = turnstile_.reading();
    return numbers == 0 && names_ + names <= max_bytes_ / names_share;
}

void Ensemble::demand_room() const {
    if (limited() && !has_room(max_bytes_)) throw ForestTooLow(max_bytes_, needed());
}

void Ensemble::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    if (limit != SIZE_MAX) {
        const std::size_t each = bytes_of_a_tree(limit);
        const auto fits = [&](const std::shared_ptr<Tree>& tree) {
            return tree->memory().fits_in(each);
        };
        const auto all = trees();
        if (!has_room(limit) || !std::all_of(all.begin(), all.end(), fits)) {
            throw ForestTooLow(limit, needed());
        }
    }
    give_limit(limit);
    max_bytes_ = limit;
}

std::size_t Ensemble::least_bytes() const {
    const auto lock = turnstile_.reading();
    return needed();
}

// Each tree gets as much as the largest one, or a new one, needs.
std::size_t Ensemble::needed() const {
    const std::size_t classes = classes_of_a_tree();
    std::size_t each = 0;
    for (TreeSettings& settings : settings_of_trees()) {
        settings.max_bytes = std::size_t{1} << 60;
        Tree fresh(settings);
        fresh.add_features(schema_.kinds);
        each = std::max({each, fresh.least_bytes(), fresh.memory().needed(classes)});
    }
    for (const auto& tree : trees()) each = std::max(each, tree->memory().needed(classes));
    return limit_for(each);
}

std::size_t Ensemble::with_names(std::size_t left) const noexcept {
    return std::max(left / (names_share - 1) * names_share + 2 * names_share, names_ * names_share);
}

// ---- memory that is set aside ----

std::size_t Ensemble::most_of_rows(std::size_t rows) const {
    std::size_t bytes = 256 * 1024 + 64 * rows;
    for (const auto& tree : trees()) bytes += tree->memory().most_of_rows(rows);
    return bytes;
}

// Computed for more rows than requested, so that it is not computed for every row.
std::size_t Ensemble::set_aside(std::size_t rows) {
    constexpr std::size_t at_once = 512;
    if (rows > rows_left_ || reserve_.used()) {
        for (rows_left_ = std::max(rows, at_once);; rows_left_ /= 2) {
            try {
                reserve_.hold(most_of_rows(rows_left_));
                break;
            } catch (const std::bad_alloc&) {
                if (rows_left_ <= 1) {
                    rows_left_ = 0;
                    throw;
                }
            }
        }
        rows = std::min(rows, rows_left_);
    }
    rows_left_ -= rows;
    return rows;
}

// ---- learning ----

void Ensemble::learn(const Batch& batch, const std::int32_t* y, const double* w, Stop* stop) {
    within_limit([&] { run(batch, y, w, nullptr, stop); });
}

void Ensemble::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                           const Predictions& predictions, Stop* stop) {
    within_limit([&] { run(batch, y, w, &predictions, stop); });
}

// ---- facts ----

Facts Ensemble::facts() const {
    const auto lock = turnstile_.reading();
    return {schema_.kinds.size(), schema_.classes, seen_};
}

std::size_t Ensemble::n_categories(std::size_t feature) const {
    const auto lock = turnstile_.reading();
    if (schema_.kinds.at(feature) == Kind::numeric) return 0;
    const auto before =
        std::count(schema_.kinds.begin(),
                   schema_.kinds.begin() + static_cast<std::ptrdiff_t>(feature), Kind::categorical);
    return schema_.categories[static_cast<std::size_t>(before)];
}

std::vector<std::uint32_t> Ensemble::all_features() const {
    std::vector<std::uint32_t> all(schema_.kinds.size());
    for (std::size_t f = 0; f < all.size(); ++f) all[f] = static_cast<std::uint32_t>(f);
    return all;
}

// ---- files ----

void Ensemble::save(SchemaSnapshot& s) const {
    s.seen = {seen_};
    s.classes = {static_cast<std::uint32_t>(schema_.classes)};
    s.declared = {static_cast<std::uint32_t>(schema_.declared)};
    for (const Kind kind : schema_.kinds) s.kinds.push_back(kind == Kind::categorical ? 1 : 0);
    s.categories = schema_.categories;
}

void Ensemble::restore_schema(const SchemaSnapshot& s) {
    demand_size(s.seen, 1, "seen");
    demand(s.seen[0] <= most_seen, "seen is too large");
    demand_size(s.classes, 1, "classes");
    demand_size(s.declared, 1, "declared");
    demand(s.classes[0] <= max_classes && s.declared[0] <= s.classes[0], "classes is too large");
    demand(s.kinds.size() <= max_features, "kinds has too many features");
    std::vector<Kind> kinds;
    std::size_t categorical = 0;
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "kinds holds an unknown kind");
        kinds.push_back(kind ? Kind::categorical : Kind::numeric);
        categorical += kind;
    }
    demand_size(s.categories, categorical, "categories");
    for (const std::uint32_t c : s.categories)
        demand(c <= max_categories, "categories is too large");
    add_features(kinds);
    declare_classes(s.declared[0]);
    schema_.categories = s.categories;
    schema_.classes = s.classes[0];
    seen_ = s.seen[0];
}

std::shared_ptr<Tree> Ensemble::restore_tree(const TreeSettings& settings, const Snapshot& s,
                                             const std::vector<std::uint32_t>& features) const {
    std::vector<std::uint32_t> slots;  // [feature]: its place among the categorical ones
    for (const Kind kind : schema_.kinds) {
        slots.push_back((slots.empty() ? 0 : slots.back()) + (kind == Kind::categorical ? 1 : 0));
    }
    std::vector<std::uint8_t> kinds;
    std::vector<std::uint32_t> known;
    for (const std::uint32_t f : features) {
        kinds.push_back(schema_.kinds[f] == Kind::categorical ? 1 : 0);
        if (kinds.back()) known.push_back(schema_.categories[slots[f] - 1]);
    }
    demand(s.kinds == kinds, "a tree of other features");
    std::shared_ptr<Tree> tree = Tree::restore(settings, s);
    demand(tree->facts().n_classes <= schema_.classes,
           "a tree that has seen more classes than its forest");
    for (std::size_t c = 0; c < known.size(); ++c) {
        demand(s.categories[c] <= known[c],
               "a tree that has seen a category which its forest has not");
    }
    return tree;
}

}  // namespace riparian
