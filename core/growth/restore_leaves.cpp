// Restores the state of the leaves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "../data/limits.hpp"
#include "files.hpp"
#include "snapshot_rules.hpp"
#include "sparse_files.hpp"

namespace riparian {
namespace {

void restore_selection(GrowthState& state, std::size_t place, const Snapshot& s) {
    Leaves& leaves = state.leaves;
    const std::size_t n = state.nodes.features().size();
    const std::uint8_t* const dropped = s.dropped.data() + place * n;
    const Held<bool> poor(dropped, dropped + n);
    const auto count = static_cast<std::size_t>(std::count(poor.begin(), poor.end(), true));
    const bool draws = state.settings.leaf_features.draws();
    if (draws ? s.inactive[place] == 1 : count == 0) return;
    demand(draws || n - count >= 2, at_row("dropped", place) + "fewer than two features are left");
    leaves.set_tracked_features(
        place, std::make_unique<TrackedFeatures>(state.nodes.features(), leaves.shape()));
    leaves.tracked_features(place)->drop(poor, state.nodes.features());
    if (!draws) return;
    leaves.tracked_features(place)->draw = {s.draw_number[place], s.draw_share[place]};
    demand(s.draw_number[place] < state.draws && s.draw_share[place] >= 0.0 &&
               s.draw_share[place] <= 1.0,
           at_row("draw_number", place) + "no such draw");
}

void restore_extras(GrowthState& state, const Snapshot& s) {
    Leaves& leaves = state.leaves;
    demand_size(s.extras_sizes, leaves.any_extras() ? leaves.size() : 0, "watch_sizes");
    NumberReader numbers(s.extras, "watch");
    for (std::size_t i = 0; i < s.extras_sizes.size(); ++i) {
        const std::size_t n = s.extras_sizes[i];
        if (!leaves.extras(i)) {
            demand(n == 0, "watch_sizes: an inactive leaf");
            continue;
        }
        leaves.extras(i)->restore(state.settings, leaves.shape(i), state.nodes.features(),
                                  leaves.own_counts(leaves[i]), state.known.n_classes,
                                  leaves[i].weight, numbers.read(n), n);
        if (const auto* const race = std::get_if<Race>(&leaves.extras(i)->bound)) {
            for (std::size_t c = 0; c + 1 < race->size(); ++c) {
                const Candidate cut = race->contender(c);
                demand(possible(s, state.nodes.features(), static_cast<std::uint8_t>(cut.test),
                                cut.feature, cut.threshold, cut.category),
                       "race: an impossible cut");
            }
        }
    }
    numbers.demand_end();
}

void restore_states(GrowthState& state, const Snapshot& s) {
    Leaves& leaves = state.leaves;
    NumberReader numbers(s.units, "units");
    for (std::size_t i = 0; i < s.unit_sizes.size(); ++i) {
        const std::size_t n = s.unit_sizes[i];
        const double weight = leaves[i].weight;
        PredictorState* const predictor = leaves.state(i);
        if (!predictor) {
            demand(n == 0 && s.right_idbd[i] == 0.0, at_row("unit_sizes", i) + "an inactive leaf");
            continue;
        }
        demand(s.right_idbd[i] <= weight || nearly(s.right_idbd[i], weight),
               at_row("right_idbd", i) + "more right than seen");
        predictor->restore(leaves.shape(), state.known.categories.data(), state.known.n_classes,
                           weight, numbers.read(n), n);
        predictor->right = s.right_idbd[i];
    }
    numbers.demand_end();
}

// Whether a check could have ranked this cut: a cut, or none with a gain that stands for none.
bool possible_cut(const Snapshot& s, const Features& features, const std::int32_t* cut,
                  double place) {
    if (cut[0] == none) return cut[1] == 0 && place == 0.0;
    if (cut[1] < 0 || cut[1] > 3) return false;
    const bool one = static_cast<Test>(cut[1]) == Test::one_value;
    if (one && !(place >= 0.0 && place < max_categories)) return false;
    return possible(s, features, static_cast<std::uint8_t>(cut[1]), cut[0], one ? 0.0 : place,
                    one ? static_cast<std::int32_t>(place) : none);
}

void restore_checks(GrowthState& state, const Snapshot& s) {
    Leaves& leaves = state.leaves;
    if (s.check_n.empty()) {
        demand(s.check_numbers.empty() && s.check_cuts.empty(), "check_n ends too early");
        return;
    }
    demand_size(s.check_n, leaves.size(), "check_n");
    const auto checked = leaves.size() - static_cast<std::size_t>(
                                             std::count(s.check_n.begin(), s.check_n.end(), 0.0));
    demand_size(s.check_numbers, checked * LastCheck::numbers_each, "check_numbers");
    demand_size(s.check_cuts, checked * LastCheck::cuts_each, "check_cuts");
    const Features& features = state.nodes.features();
    const double* numbers = s.check_numbers.data();
    const std::int32_t* cuts = s.check_cuts.data();
    const auto number = [](double x) { return std::abs(x) <= std::numeric_limits<float>::max(); };
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (s.check_n[i] == 0.0) continue;
        NodeRecord& leaf = leaves[i];
        const Where where = at_row("check_n", i);
        demand(s.check_n[i] > 0.0 && s.check_n[i] <= heaviest, where + "not a weight");
        demand(leaf.statistics.is_open() && state.nodes.at(leaf.node).test == Test::leaf,
               where + "not a leaf that was checked");
        const bool second_of_one = numbers[1] != numbers[1] && cuts[5] == 1 && cuts[2] >= 0 &&
                                   cuts[2] == cuts[0] && cuts[1] == cuts[3] &&
                                   static_cast<Test>(cuts[3]) == Test::threshold;
        demand(possible_cut(s, features, cuts, numbers[0]) &&
                   (second_of_one || possible_cut(s, features, cuts + 2, numbers[1])),
               where + "an impossible cut");
        constexpr double infinity = std::numeric_limits<double>::infinity();
        demand(number(numbers[2]) &&
                   (number(numbers[3]) || (cuts[2] == none && numbers[3] == -infinity)) &&
                   numbers[4] >= 0.0 && (numbers[5] == -1.0 || numbers[5] >= 0.0),
               where + "not a gain, epsilon or variance");
        demand(cuts[4] >= 0 && cuts[4] <= (state.settings.second_impurity ? 1 : 0) &&
                   cuts[5] >= 0 && cuts[5] <= 1,
               where + "no criterion");
        leaf.last = std::make_unique<LastCheck>(s.check_n[i], numbers, cuts);
        numbers += LastCheck::numbers_each;
        cuts += LastCheck::cuts_each;
    }
}

}  // namespace

void restore_leaves(Growth& growth, const Snapshot& s) {
    GrowthState& state = growth.state;
    Leaves& leaves = state.leaves;
    const std::size_t n_classes = state.known.n_classes;
    NumberReader gaussian(s.gaussian, "gaussian"), known(s.known, "known"), cells(s.cells, "cells"),
        table_known(s.table_known, "table_known");
    NumberReader recent(s.recent, "recent");
    SparseLeavesReader sparse(s, leaves.size(), n_classes);
    std::size_t gap = 0, tables = 0;
    const Charge charge(leaves.account());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        NodeRecord& leaf = leaves[i];
        const double* counts = leaves.counts(leaf.node);
        const Where where = at_row("leaf", i);
        leaf.recent.reset();
        if (s.inactive[i] == 2) {
            const double* const since = recent.read(n_classes);
            leaf.recent = std::make_unique<Recent>();
            leaf.recent->counts.assign(leaves.shape().class_stride, 0.0);
            std::copy_n(since, n_classes, leaf.recent->counts.data());
            bool earlier = false;
            for (std::size_t k = 0; k < n_classes; ++k) {
                demand(since[k] <= counts[k] || nearly(since[k], counts[k]),
                       where + "more since it started over than in all");
                earlier |= counts[k] > 0.0;
            }
            demand(earlier || state.hooks->traits().forgets,
                   where + "starts over without an example");
            counts = leaf.recent->counts.data();
        }
        if (state.settings.selects()) restore_selection(state, i, s);
        const Shape& shape = leaves.shape(i);
        const std::size_t n = shape.numeric;
        leaf.weight = s.weight[i];
        leaf.inherited = s.inherited_weight[i];
        leaf.checked = s.checked[i];
        // Races are numbered by checks from here on, and their number must not overflow.
        demand(s.checks[i] <= 0x7fffffffU, where + "an impossible number of checks");
        leaf.checks = s.checks[i];
        leaf.numbers = {s.right_majority[i], s.right_bayes[i]};
        const bool active = s.inactive[i] != 1;
        double total = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            total += counts[k];
            leaf.classes += active && counts[k] > 0.0;
        }
        demand(nearly(total, leaf.weight) ||
                   (!active && (leaf.weight <= total || state.hooks->traits().forgets)),
               where + "its weight is not that of its classes");
        demand(leaf.checked <= leaf.weight, where + "checked after its last example");
        demand(!state.settings.short_memory || s.recalled[i] <= leaf.checked,
               where + "recalled after its last check");
        const double most = *std::max_element(leaf.numbers.begin(), leaf.numbers.end());
        demand(most <= leaf.weight || nearly(most, leaf.weight), where + "more right than seen");
        const std::uint32_t* const numbers_of_values = s.values.data() + tables;
        if (!active) {
            for (std::size_t c = 0; c < leaves.shape().categorical; ++c) {
                demand(numbers_of_values[c] == 0 && s.table_gaps[tables + c] == 0,
                       where + "an inactive leaf with statistics");
            }
            tables += leaves.shape().categorical;
            continue;
        }
        if (sparse.is_sparse(i)) {
            demand(!leaves.tracked_features(i), where + "sparse statistics of some features");
            sparse.restore(leaf.statistics, shape, counts, where);
            continue;
        }
        std::vector<const double*> all_cells;
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            const std::size_t values = numbers_of_values[c];
            const TrackedFeatures* const kept = leaves.tracked_features(i);
            const std::size_t slot = kept ? kept->slot_of(c, state.nodes.features()) : c;
            demand(values <= static_cast<std::size_t>(state.known.categories[slot]) &&
                       s.table_gaps[tables + c] <= 1,
                   where + "no such category");
            const double* const from = cells.read(values * n_classes);
            // Without this rule a file could make the tree allocate memory for categories without data.
            const double* const end = from + values * n_classes;
            demand(values == 0 ||
                       std::any_of(end - n_classes, end, [](double x) { return x > 0.0; }),
                   where + "a count table with an empty last row");
            all_cells.push_back(from);
        }
        leaf.statistics.open(shape, counts, numbers_of_values);
        for (std::size_t k = 0; k < n_classes && n; ++k) {
            if (!(counts[k] > 0.0)) continue;
            demand(gap < s.gaps.size() && s.gaps[gap] <= 1, "gaps does not fit the classes seen");
            const double* const from = gaussian.read(class_planes * n);
            const double* const weights = s.gaps[gap++] ? known.read(n) : nullptr;
            check_planes(from, weights, counts[k], n, where);
            std::copy_n(from, class_planes * n, leaf.statistics.classes()[k]);
            if (weights) std::copy_n(weights, n, leaf.statistics.open_known_numbers(shape, k));
        }
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            const std::size_t values = numbers_of_values[c];
            const double* const from = all_cells[c];
            const std::size_t start = leaf.statistics.starts(shape)[c];
            const double* weights = counts;
            if (s.table_gaps[tables + c]) {
                double* const to = leaf.statistics.open_known_categories(shape, c);
                weights = std::copy_n(table_known.read(n_classes), n_classes, to) - n_classes;
            }
            for (std::size_t k = 0; k < n_classes; ++k) {
                double sum = 0.0;
                for (std::size_t v = 0; v < values; ++v) {
                    sum += from[v * n_classes + k];
                    if (!leaf.statistics.classes()[k]) continue;
                    leaf.statistics.cells(shape, k)[start + v] = from[v * n_classes + k];
                }
                demand(nearly(sum, weights[k]) &&
                           (weights[k] <= counts[k] || nearly(weights[k], counts[k])),
                       where + "its categories do not add up");
            }
        }
        tables += shape.categorical;
        if (shape.derives()) leaf.statistics.find_bayes(shape, counts);
    }
    for (std::size_t i = 0; i < s.delay.size(); ++i) leaves.set_delay(i, s.delay[i]);
    for (std::size_t i = 0; i < s.recalled.size(); ++i) leaves.set_recalled(i, s.recalled[i]);
    restore_extras(state, s);
    restore_states(state, s);
    restore_checks(state, s);
    sparse.demand_end();
    demand(gap == s.gaps.size(), "gaps does not fit the classes seen");
    gaussian.demand_end();
    known.demand_end();
    cells.demand_end();
    table_known.demand_end();
}

}  // namespace riparian
