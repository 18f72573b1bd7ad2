// Putting a tree together from arrays: its nodes, what leaves keep, and its certificates. Whether
// arrays from outside mean a tree is decided here, by the adaptations and in snapshot_rules.cpp, and
// nowhere else.
#include <algorithm>
#include <cmath>
#include <string>

#include "snapshot_rules.hpp"
#include "growth.hpp"

namespace riparian {
namespace {

constexpr double largest = largest_value;

}  // namespace

void Growth::restore(const Snapshot& s, const Sizes& z) {
    const Settings& settings = settings_;
    demand_size(s.delay, settings.adaptive_grace ? z.n_leaves : 0, "delay");
    demand_size(s.recalled, settings.short_memory ? z.n_leaves : 0, "recalled");
    demand_size(s.estimated, settings.short_memory ? s.inherited.size() : 0, "estimated");
    const std::size_t stored = s.memory_labels.size();
    demand(stored <= (settings.short_memory_elsewhere ? 0 : settings.short_memory) &&
               stored <= s.seen[0],
           "memory_labels has more examples than the short memory");
    demand_size(s.memory_values, stored * z.n_numeric, "memory_values");
    demand_size(s.memory_codes, stored * z.n_categorical, "memory_codes");
    demand_size(s.memory_weights, stored, "memory_weights");
    const bool draws = settings.leaf_features.draws();
    demand_size(s.draws, draws ? 1 : 0, "draws");
    demand_size(s.draw_number, draws ? z.n_leaves : 0, "draw_number");
    demand_size(s.draw_share, draws ? z.n_leaves : 0, "draw_share");
    demand_size(s.dropped, settings.selects() ? z.n_leaves * s.kinds.size() : 0, "dropped");
    // A leaf that keeps more has room for each feature: not before there are numbers for it.
    const auto n_inactive =
        static_cast<std::size_t>(std::count(s.inactive.begin(), s.inactive.end(), std::uint8_t{1}));
    for (std::size_t i = 0; i < s.dropped.size(); ++i) {
        demand(s.dropped[i] == 0 || s.inactive[i / s.kinds.size()] != 1,
               "inactive does not go with dropped");
    }
    const std::size_t n_active = z.n_leaves - n_inactive;
    demand(LeafExtras::least_numbers(settings, n_active * s.kinds.size(),
                                     z.numeric - n_inactive * z.n_numeric) <= s.extras.size(),
           "watch ends too early");
    const std::size_t with_state = keeps_state(settings.leaf) ? z.n_leaves : 0;
    demand_size(s.right_idbd, with_state, "right_idbd");
    demand_size(s.unit_sizes, with_state, "unit_sizes");
    std::vector<Kind> kinds;
    for (const std::uint8_t kind : s.kinds) kinds.push_back(static_cast<Kind>(kind));
    add_features(kinds);
    if (z.n_classes > 0) add_class(z.n_classes - 1);
    seen_ = s.seen[0];
    std::copy(s.met.begin(), s.met.end(), known_.begin());
    n_known_ = static_cast<std::size_t>(std::count(s.met.begin(), s.met.end(), 1));
    std::copy(s.categories.begin(), s.categories.end(), categories_.begin());
    const Charge charge(structure_);
    restore_nodes(s);
    if (draws) draws_ = s.draws[0];
    restore_leaves(s);
    restore_certificates(s);
    restore_memory(s);
}

void Growth::restore_limit(const Snapshot& s, std::size_t max_bytes) {
    limit_.restore(s.ranked_at[0], s.least_promise[0]);
    settings_.max_bytes = max_bytes;
    for (const NodeRecord& leaf : leaves_) {
        demand(limited() || leaf.statistics.is_open() || !hooks_->uses_statistics(leaf.node),
               "inactive without max_bytes: a node that still uses its statistics");
    }
}

void Growth::restore_nodes(const Snapshot& s) {
    const std::size_t n_classes = n_classes_;
    // The root exists already; it becomes a leaf again only if it is one.
    leaves_.deactivate(0);
    leaves_.clear();
    std::size_t n_records = 0;
    demand(s.role.empty() || s.role[0] == 0, "the root stands beside a node");
    demand(s.parent[0] == none && s.branch[0] == 0, "the root has a parent");
    for (std::size_t i = 0; i < s.test.size(); ++i) {
        const std::string where = at_row("test", i);
        if (i > 0) {
            const std::int32_t parent = s.parent[i];
            demand(parent >= 0 && static_cast<std::size_t>(parent) < i, where + "no parent before it");
            const Node above = at(parent);
            demand(above.test != Test::leaf, where + "its parent is a leaf");
            const std::int32_t branch = s.branch[i];
            const auto role = static_cast<Role>(s.role.empty() ? 0 : s.role[i]);
            const std::int32_t id = add_node(parent, branch, role);
            if (role != Role::child) {
                hooks_->restore_link(id, where);
            } else if (above.test == Test::every_value) {
                demand(branch >= 0 && branch < categories_[nodes_.slot(above)],
                       where + "no such category");
                Branches& branches = nodes_.branches(above);
                demand(branches.find(branch) == none, where + "a second child for one category");
                branches.add(branch, id);
            } else {
                demand(above.place == none ? branch == 0 : (branch == 1 && id == above.place + 1),
                       where + "children out of order");
                if (above.place == none) at(parent).place = id;
            }
        }
        Node& node = nodes_[i];
        double* const counts = leaves_.counts(static_cast<std::int32_t>(i));
        std::copy_n(s.counts.data() + i * n_classes, n_classes, counts);
        std::copy_n(s.inherited.data() + i * n_classes, n_classes, counts + leaves_.shape().class_stride);
        if (s.test[i] == 0) {
            demand(s.feature[i] == none && s.category[i] == none && s.heavy[i] == none &&
                       s.threshold[i] == 0.0,
                   where + "a leaf with a test");
            open_leaf(static_cast<std::int32_t>(i), leaves_.size(), s.inactive[n_records++] != 1);
            continue;
        }
        if (hooks_->traits().keeps) {
            const std::size_t place = leaves_.size();
            open_leaf(static_cast<std::int32_t>(i), place, s.inactive[n_records++] != 1);
            hooks_->keep_record(static_cast<std::int32_t>(i), place);
        }
        demand(possible(s, features(), s.test[i], s.feature[i], s.threshold[i], s.category[i]),
               where + "an impossible test");
        node.test = static_cast<Test>(s.test[i]);
        node.feature = s.feature[i];
        node.category = s.category[i];
        node.heavy = s.heavy[i];
        node.place = none;  // until its first child comes
        if (node.test == Test::every_value) nodes_.add_branches(static_cast<std::int32_t>(i));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.test == Test::leaf) continue;
        const std::string where = at_row("heavy", i);
        demand(node.heavy > static_cast<std::int32_t>(i) &&
                   static_cast<std::size_t>(node.heavy) < nodes_.size() &&
                   at(node.heavy).parent == static_cast<std::int32_t>(i) &&
                   at(node.heavy).role == Role::child,
               where + "not a child");
        if (node.test == Test::every_value) continue;
        const auto second = static_cast<std::size_t>(node.place) + 1;
        demand(node.place != none && second < nodes_.size() &&
                   nodes_[second].parent == static_cast<std::int32_t>(i) &&
                   nodes_[second].role == Role::child,
               where + "a test without its second child");
        nodes_.set_gate(static_cast<std::int32_t>(i), s.threshold[i]);
    }
    count_leaves();
}

void Growth::restore_kept(std::size_t place, const Snapshot& s) {
    const std::size_t n = features().size();
    const std::uint8_t* const dropped = s.dropped.data() + place * n;
    const Held<bool> poor(dropped, dropped + n);
    const auto count = static_cast<std::size_t>(std::count(poor.begin(), poor.end(), true));
    const bool draws = settings_.leaf_features.draws();
    if (draws ? s.inactive[place] == 1 : count == 0) return;
    demand(draws || n - count >= 2, at_row("dropped", place) + "fewer than two features are left");
    leaves_.set_tracked_features(place,
                                 std::make_unique<TrackedFeatures>(features(), leaves_.shape()));
    leaves_.tracked_features(place)->drop(poor, features());
    if (!draws) return;
    leaves_.tracked_features(place)->draw = {s.draw_number[place], s.draw_share[place]};
    demand(s.draw_number[place] < draws_ && s.draw_share[place] >= 0.0 && s.draw_share[place] <= 1.0,
           at_row("draw_number", place) + "no such draw");
}

void Growth::restore_leaves(const Snapshot& s) {
    const std::size_t n_classes = n_classes_;
    NumberReader gaussian(s.gaussian, "gaussian"), known(s.known, "known"), cells(s.cells, "cells"),
        table_known(s.table_known, "table_known");
    NumberReader recent(s.recent, "recent");
    std::size_t gap = 0, tables = 0;
    const Charge charge(leaves_.account());
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        NodeRecord& leaf = leaves_[i];
        const double* counts = leaves_.counts(leaf.node);
        const std::string where = at_row("leaf", i);
        leaf.recent.reset();
        if (s.inactive[i] == 2) {
            const double* const since = recent.take(n_classes);
            leaf.recent = std::make_unique<Recent>();
            leaf.recent->counts.assign(leaves_.shape().class_stride, 0.0);
            std::copy_n(since, n_classes, leaf.recent->counts.data());
            bool earlier = false;
            for (std::size_t k = 0; k < n_classes; ++k) {
                demand(since[k] <= counts[k] || nearly(since[k], counts[k]),
                       where + "more since it began anew than in all");
                earlier |= counts[k] > 0.0;
            }
            demand(earlier || hooks_->traits().forgets, where + "begins anew without an example");
            counts = leaf.recent->counts.data();
        }
        if (settings_.selects()) restore_kept(i, s);
        const Shape& shape = leaves_.shape(i);
        const std::size_t n = shape.numeric;
        leaf.weight = s.weight[i];
        leaf.inherited = s.inherited_weight[i];
        leaf.checked = s.checked[i];
        leaf.checks = s.checks[i];
        leaf.numbers = {s.right_majority[i], s.right_bayes[i]};
        const bool active = s.inactive[i] != 1;
        double total = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            total += counts[k];
            leaf.classes += active && counts[k] > 0.0;
        }
        demand(nearly(total, leaf.weight) ||
                   (!active && (leaf.weight <= total || hooks_->traits().forgets)),
               where + "its weight is not that of its classes");
        demand(leaf.checked <= leaf.weight, where + "checked after its last example");
        demand(!settings_.short_memory || s.recalled[i] <= leaf.checked,
               where + "recalled after its last check");
        const double most = *std::max_element(leaf.numbers.begin(), leaf.numbers.end());
        demand(most <= leaf.weight || nearly(most, leaf.weight), where + "more right than seen");
        const std::uint32_t* const numbers_of_values = s.values.data() + tables;
        if (!active) {
            for (std::size_t c = 0; c < leaves_.shape().categorical; ++c) {
                demand(numbers_of_values[c] == 0 && s.table_gaps[tables + c] == 0,
                       where + "an inactive leaf with statistics");
            }
            tables += leaves_.shape().categorical;
            continue;
        }
        std::vector<const double*> all_cells;
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            const std::size_t values = numbers_of_values[c];
            const TrackedFeatures* const kept = leaves_.tracked_features(i);
            const std::size_t slot = kept ? kept->slot_of(c, features()) : c;
            demand(values <= static_cast<std::size_t>(categories_[slot]) &&
                       s.table_gaps[tables + c] <= 1,
                   where + "no such category");
            const double* const from = cells.take(values * n_classes);
            // Also keeps a file from asking for room that it has no numbers for.
            const double* const end = from + values * n_classes;
            demand(values == 0 || std::any_of(end - n_classes, end, [](double x) { return x > 0.0; }),
                   where + "a count table with an empty last row");
            all_cells.push_back(from);
        }
        leaf.statistics.open(shape, counts, numbers_of_values);
        for (std::size_t k = 0; k < n_classes && n; ++k) {
            if (!(counts[k] > 0.0)) continue;
            demand(gap < s.gaps.size() && s.gaps[gap] <= 1, "gaps does not fit the classes seen");
            const double* const from = gaussian.take(class_planes * n);
            const double* const weights = s.gaps[gap++] ? known.take(n) : nullptr;
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
                weights = std::copy_n(table_known.take(n_classes), n_classes, to) - n_classes;
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
    for (std::size_t i = 0; i < s.delay.size(); ++i) leaves_.set_delay(i, s.delay[i]);
    for (std::size_t i = 0; i < s.recalled.size(); ++i) leaves_.set_recalled(i, s.recalled[i]);
    restore_extras(s);
    restore_states(s);
    demand(gap == s.gaps.size(), "gaps does not fit the classes seen");
    gaussian.demand_end();
    known.demand_end();
    cells.demand_end();
    table_known.demand_end();
}

void Growth::restore_extras(const Snapshot& s) {
    demand_size(s.extras_sizes, leaves_.any_extras() ? leaves_.size() : 0, "watch_sizes");
    NumberReader numbers(s.extras, "watch");
    for (std::size_t i = 0; i < s.extras_sizes.size(); ++i) {
        const std::size_t n = s.extras_sizes[i];
        if (!leaves_.extras(i)) {
            demand(n == 0, "watch_sizes: an inactive leaf");
            continue;
        }
        leaves_.extras(i)->restore(settings_, leaves_.shape(i), features(),
                                   leaves_.own_counts(leaves_[i]), n_classes_, leaves_[i].weight,
                                   numbers.take(n), n);
    }
    numbers.demand_end();
}

void Growth::restore_states(const Snapshot& s) {
    NumberReader numbers(s.units, "units");
    for (std::size_t i = 0; i < s.unit_sizes.size(); ++i) {
        const std::size_t n = s.unit_sizes[i];
        const double weight = leaves_[i].weight;
        PredictorState* const state = leaves_.state(i);
        if (!state) {
            demand(n == 0 && s.right_idbd[i] == 0.0, at_row("unit_sizes", i) + "an inactive leaf");
            continue;
        }
        demand(s.right_idbd[i] <= weight || nearly(s.right_idbd[i], weight),
               at_row("right_idbd", i) + "more right than seen");
        state->restore(leaves_.shape(), categories_.data(), n_classes_, weight, numbers.take(n), n);
        state->right = s.right_idbd[i];
    }
    numbers.demand_end();
}

// One that was learned before.
void Growth::demand_example(const Row& row, std::int32_t label, double w,
                          const std::string& where) const {
    for (std::size_t f = 0; f < leaves_.shape().numeric; ++f) {
        demand(row.x[f] != row.x[f] || std::abs(row.x[f]) <= largest,
               where + "a value is out of range");
    }
    for (std::size_t c = 0; c < leaves_.shape().categorical; ++c) {
        demand(row.codes[c] >= missing_code && row.codes[c] < categories_[c],
               where + "no such category");
    }
    demand(label >= 0 && static_cast<std::size_t>(label) < n_classes_, where + "no such class");
    demand(w > 0.0 && w <= heaviest, where + "not a weight");
}

void Growth::restore_memory(const Snapshot& s) {
    if (settings_.short_memory) {
        estimates_.resize(nodes_.size() * leaves_.shape().class_stride, 0.0);
    }
    for (std::size_t i = 0; i < s.estimated.size(); ++i) {
        estimates_[i / n_classes_ * leaves_.shape().class_stride + i % n_classes_] = s.estimated[i];
    }
    const std::size_t numeric = leaves_.shape().numeric, categorical = leaves_.shape().categorical;
    AlignedDoubles x(leaves_.shape().stride, 0.0);
    for (std::size_t i = 0; i < s.memory_labels.size(); ++i) {
        const std::string where = at_row("memory_labels", i);
        std::copy_n(s.memory_values.data() + i * numeric, numeric, x.data());
        const std::int32_t label = s.memory_labels[i];
        const double w = s.memory_weights[i];
        const Row row{x.data(), s.memory_codes.data() + i * categorical,
                      std::any_of(x.begin(), x.end(), [](double v) { return v != v; })};
        demand_example(row, label, w, where);
        memory_.keep(row, static_cast<std::size_t>(label), w, nodes_.leaf_of(row));
    }
}

Rival Growth::demand_rival(const Snapshot& s, std::uint8_t test, std::int32_t feature, double threshold,
                         std::int32_t category, double gain, const std::string& where) const {
    demand(possible(s, features(), test, feature, threshold, category) && std::abs(gain) <= 1e300,
           where + "an impossible runner-up");
    return {threshold, gain, feature, category, test};
}

void Growth::demand_split(const Split& split, Test test, const std::string& where) const {
    const bool alone = split.null_second && split.rivals == 0;
    demand(split.verdict > Verdict::wait && split.verdict <= Verdict::seeded &&
               (split.verdict != Verdict::forced ||
                (settings_.missing_second == MissingSecond::minus_infinity && alone)),
           where + "no reason");
    demand(split.verdict != Verdict::seeded ||
               (test == Test::threshold && split.seen == 0 && split.epsilon == 0.0 &&
                split.delta == 0.0 && alone),
           where + "not a split of a batch tree");
    demand(split.pass >= 1 && split.pass <= passes_, where + "not in the order of passes");
    demand(split.criterion <= (settings_.second_impurity ? 1 : 0), where + "no criterion");
    demand(split.seen <= seen_, where + "not in the order of time");
    demand(split.n > 0.0 && split.n <= heaviest, where + "no examples");
    for (const double x : {split.gain_range, split.epsilon, split.gain}) {
        demand(std::abs(x) <= 1e300, where + "not a number");
    }
    demand(split.delta >= 0.0 && split.delta <= 1.0 && split.spent >= 0.0 && split.spent <= heaviest,
           where + "no delta");
    demand(split.rivals < Ranking::most, where + "too many rivals");
}

void Growth::restore_certificates(const Snapshot& s) {
    std::vector<bool> told(nodes_.size(), false);
    spent_ = s.spent[0];
    passes_ = s.passes[0];
    std::size_t next = 0;
    for (std::size_t i = 0; i < s.split_node.size(); ++i) {
        const std::string where = at_row("split_node", i);
        const auto add_rival = [&](std::int32_t feature, std::uint8_t test, double threshold,
                                   std::int32_t category, double gain) {
            certificates_.add_rival(
                demand_rival(s, test, feature, threshold, category, gain, where));
        };
        const std::int32_t id = s.split_node[i];
        demand(id >= 0 && static_cast<std::size_t>(id) < nodes_.size() &&
                   at(id).test != Test::leaf && !told[static_cast<std::size_t>(id)],
               where + "not a split, or told twice");
        told[static_cast<std::size_t>(id)] = true;
        const bool null_second = s.second_feature[i] == none;
        const std::size_t n_rivals = s.rivals[i] + (null_second ? 0U : 1U);
        demand(n_rivals < Ranking::most, where + "too many rivals");
        const Split split{s.split_seen[i],
                          s.split_n[i],
                          s.split_gain_range[i],
                          s.split_epsilon[i],
                          s.split_delta[i],
                          s.split_spent[i],
                          s.split_gain[i],
                          id,
                          static_cast<Verdict>(s.split_verdict[i]),
                          s.split_criterion[i],
                          static_cast<std::uint8_t>(n_rivals),
                          null_second,
                          s.split_pass[i]};
        demand_split(split, at(id).test, where);
        demand(split.verdict != Verdict::seeded || id == 0 || hooks_->traits().replaces ||
                   told[static_cast<std::size_t>(at(id).parent)],
               where + "not a split of a batch tree");
        demand(i == 0 || s.split_pass[i - 1] <= split.pass, where + "not in the order of passes");
        demand(i == 0 || s.split_seen[i - 1] <= split.seen, where + "not in the order of time");
        if (null_second) {
            demand(s.second_test[i] == 0 && s.second_category[i] == none &&
                       s.second_threshold[i] == 0.0 && s.second_gain[i] == 0.0,
                   where + "an impossible runner-up");
        } else {
            add_rival(s.second_feature[i], s.second_test[i], s.second_threshold[i],
                      s.second_category[i], s.second_gain[i]);
        }
        for (std::size_t r = 0; r < s.rivals[i]; ++r, ++next) {
            add_rival(s.rival_feature[next], s.rival_test[next], s.rival_threshold[next],
                      s.rival_category[next], s.rival_gain[next]);
        }
        certificates_.add(split);
    }
}

}  // namespace riparian
