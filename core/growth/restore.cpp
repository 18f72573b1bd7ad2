// Restores a tree from arrays: its nodes, the state of its leaves, and its certificates. Arrays from
// outside are validated here, by the adaptations and in snapshot_rules.cpp, and nowhere else.
#include <algorithm>
#include <cmath>
#include <string>

#include "files.hpp"
#include "snapshot_rules.hpp"

namespace riparian {
namespace {

constexpr double largest = largest_value;

void restore_nodes(Growth& growth, const Snapshot& s) {
    GrowthState& state = growth.state;
    Leaves& leaves = state.leaves;
    Nodes& nodes = state.nodes;
    const std::size_t n_classes = state.known.n_classes;
    // The root exists already, as an active leaf. It is opened again below if it is a leaf in the file.
    leaves.deactivate(0);
    leaves.clear();
    std::size_t n_records = 0;
    demand(s.role.empty() || s.role[0] == 0, "the root is an alternate or option");
    demand(s.parent[0] == none && s.branch[0] == 0, "the root has a parent");
    for (std::size_t i = 0; i < s.test.size(); ++i) {
        const Where where = at_row("test", i);
        if (i > 0) {
            const std::int32_t parent = s.parent[i];
            demand(parent >= 0 && static_cast<std::size_t>(parent) < i,
                   where + "no parent before it");
            const Node above = nodes.at(parent);
            demand(above.test != Test::leaf, where + "its parent is a leaf");
            const std::int32_t branch = s.branch[i];
            const auto role = static_cast<Role>(s.role.empty() ? 0 : s.role[i]);
            const std::int32_t id = growth.add_node(parent, branch, role);
            if (role != Role::child) {
                state.hooks->restore_link(id, where.text());
            } else if (above.test == Test::every_value) {
                demand(branch >= 0 && branch < state.known.categories[nodes.slot(above)],
                       where + "no such category");
                Branches& branches = nodes.branches(above);
                demand(branches.find(branch) == none, where + "a second child for one category");
                branches.add(branch, id);
            } else {
                demand(above.place == none ? branch == 0 : (branch == 1 && id == above.place + 1),
                       where + "children out of order");
                if (above.place == none) nodes.at(parent).place = id;
            }
        }
        Node& node = nodes[i];
        double* const counts = leaves.counts(static_cast<std::int32_t>(i));
        std::copy_n(s.counts.data() + i * n_classes, n_classes, counts);
        std::copy_n(s.inherited.data() + i * n_classes, n_classes,
                    counts + leaves.shape().class_stride);
        if (s.test[i] == 0) {
            demand(s.feature[i] == none && s.category[i] == none && s.heavy[i] == none &&
                       s.threshold[i] == 0.0,
                   where + "a leaf with a test");
            growth.open_leaf(static_cast<std::int32_t>(i), leaves.size(),
                             s.inactive[n_records++] != 1);
            continue;
        }
        if (state.hooks->traits().keeps) {
            const std::size_t place = leaves.size();
            growth.open_leaf(static_cast<std::int32_t>(i), place, s.inactive[n_records++] != 1);
            state.hooks->keep_record(static_cast<std::int32_t>(i), place);
        }
        demand(
            possible(s, nodes.features(), s.test[i], s.feature[i], s.threshold[i], s.category[i]),
            where + "an impossible test");
        node.test = static_cast<Test>(s.test[i]);
        node.feature = s.feature[i];
        node.category = s.category[i];
        node.heavy = s.heavy[i];
        node.place = none;  // until its first child comes
        if (node.test == Test::every_value) nodes.add_branches(static_cast<std::int32_t>(i));
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (node.test == Test::leaf) continue;
        const Where where = at_row("heavy", i);
        demand(node.heavy > static_cast<std::int32_t>(i) &&
                   static_cast<std::size_t>(node.heavy) < nodes.size() &&
                   nodes.at(node.heavy).parent == static_cast<std::int32_t>(i) &&
                   nodes.at(node.heavy).role == Role::child,
               where + "not a child");
        if (node.test == Test::every_value) continue;
        const auto second = static_cast<std::size_t>(node.place) + 1;
        demand(node.place != none && second < nodes.size() &&
                   nodes[second].parent == static_cast<std::int32_t>(i) &&
                   nodes[second].role == Role::child,
               where + "a test without its second child");
        nodes.set_gate(static_cast<std::int32_t>(i), s.threshold[i]);
    }
    state.n_leaves = nodes.predicting_leaves();
}

void restore_memory(GrowthState& state, const Snapshot& s) {
    const Leaves& leaves = state.leaves;
    if (state.settings.short_memory) {
        state.estimates.resize(state.nodes.size() * leaves.shape().class_stride, 0.0);
    }
    for (std::size_t i = 0; i < s.estimated.size(); ++i) {
        const std::size_t node = i / state.known.n_classes, k = i % state.known.n_classes;
        state.estimates[node * leaves.shape().class_stride + k] = s.estimated[i];
    }
    const std::size_t numeric = leaves.shape().numeric, categorical = leaves.shape().categorical;
    AlignedDoubles x(leaves.shape().stride, 0.0);
    for (std::size_t i = 0; i < s.memory_labels.size(); ++i) {
        const Where where = at_row("memory_labels", i);
        std::copy_n(s.memory_values.data() + i * numeric, numeric, x.data());
        const std::int32_t label = s.memory_labels[i];
        const double w = s.memory_weights[i];
        const Row row{x.data(), s.memory_codes.data() + i * categorical,
                      std::any_of(x.begin(), x.end(), [](double v) { return v != v; })};
        demand_example(state, row, label, w, where);
        state.memory.keep(row, static_cast<std::size_t>(label), w, state.nodes.leaf_of(row));
    }
}

void restore_certificates(GrowthState& state, const Snapshot& s) {
    Nodes& nodes = state.nodes;
    std::vector<bool> listed(nodes.size(), false);
    state.spent = s.spent[0];
    state.passes = s.passes[0];
    std::size_t next = 0;
    for (std::size_t i = 0; i < s.split_node.size(); ++i) {
        const Where where = at_row("split_node", i);
        const auto add_rival = [&](std::int32_t feature, std::uint8_t test, double threshold,
                                   std::int32_t category, double gain) {
            state.certificates.add_rival(
                demand_rival(state, s, test, feature, threshold, category, gain, where));
        };
        const std::int32_t id = s.split_node[i];
        demand(id >= 0 && static_cast<std::size_t>(id) < nodes.size() &&
                   nodes.at(id).test != Test::leaf && !listed[static_cast<std::size_t>(id)],
               where + "not a split, or listed twice");
        listed[static_cast<std::size_t>(id)] = true;
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
                          s.split_pass[i],
                          s.split_evidence.empty() ? 0.0F
                                                   : static_cast<float>(s.split_evidence[i])};
        demand_split(state, split, nodes.at(id).test, where);
        demand(split.verdict != Verdict::seeded || id == 0 || state.hooks->traits().replaces ||
                   listed[static_cast<std::size_t>(nodes.at(id).parent)],
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
        state.certificates.add(split);
    }
}

}  // namespace

void restore(Growth& growth, const Snapshot& s, const Sizes& z) {
    GrowthState& state = growth.state;
    const Settings& settings = state.settings;
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
    // LeafExtras allocate memory for each feature, so the file must have numbers for it first.
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
    growth.add_features(kinds);
    if (z.n_classes > 0) growth.add_class(z.n_classes - 1);
    state.seen = s.seen[0];
    std::copy(s.met.begin(), s.met.end(), state.known.features.begin());
    state.known.n_features = static_cast<std::size_t>(std::count(s.met.begin(), s.met.end(), 1));
    std::copy(s.categories.begin(), s.categories.end(), state.known.categories.begin());
    const Charge charge(state.structure);
    restore_nodes(growth, s);
    if (draws) state.draws = s.draws[0];
    restore_leaves(growth, s);
    restore_certificates(state, s);
    restore_memory(state, s);
}

void restore_limit(Growth& growth, const Snapshot& s, std::size_t max_bytes) {
    GrowthState& state = growth.state;
    growth.room.limit().restore(s.ranked_at[0], s.least_promise[0]);
    state.settings.max_bytes = max_bytes;
    for (const NodeRecord& leaf : state.leaves) {
        demand(state.limited() || leaf.statistics.is_open() ||
                   !state.hooks->uses_statistics(leaf.node),
               "inactive without max_bytes: a node that still uses its statistics");
    }
}

void demand_example(const GrowthState& state, const Row& row, std::int32_t label, double w,
                    const Where& where) {
    for (std::size_t f = 0; f < state.leaves.shape().numeric; ++f) {
        demand(row.x[f] != row.x[f] || std::abs(row.x[f]) <= largest,
               where + "a value is out of range");
    }
    for (std::size_t c = 0; c < state.leaves.shape().categorical; ++c) {
        demand(row.codes[c] >= missing_code && row.codes[c] < state.known.categories[c],
               where + "no such category");
    }
    demand(label >= 0 && static_cast<std::size_t>(label) < state.known.n_classes,
           where + "no such class");
    demand(w > 0.0 && w <= heaviest, where + "not a weight");
}

Rival demand_rival(const GrowthState& state, const Snapshot& s, std::uint8_t test,
                   std::int32_t feature, double threshold, std::int32_t category, double gain,
                   const Where& where) {
    const Features& features = state.nodes.features();
    demand(possible(s, features, test, feature, threshold, category) && std::abs(gain) <= 1e300,
           where + "an impossible runner-up");
    return {threshold, gain, feature, category, test};
}

void demand_split(const GrowthState& state, const Split& split, Test test, const Where& where) {
    const bool alone = split.null_second && split.rivals == 0;
    demand(split.verdict > Verdict::wait && split.verdict <= Verdict::round &&
               (split.verdict != Verdict::forced ||
                (state.settings.missing_second == MissingSecond::minus_infinity && alone)),
           where + "no reason");
    demand(!decided_by_race(split.verdict) ||
               std::holds_alternative<Race>(make_state(state.settings.bound)),
           where + "a race without bets");
    demand(split.verdict != Verdict::round || splits_at_each_check(state.settings.bound),
           where + "a round with a bound");
    demand(split.verdict != Verdict::seeded ||
               (test != Test::every_value && split.seen == 0 && split.epsilon == 0.0 &&
                split.delta == 0.0 && alone),
           where + "not a split of a batch tree");
    demand(split.pass >= 1 && split.pass <= state.passes, where + "not in the order of passes");
    demand(split.criterion <= (state.settings.second_impurity ? 1 : 0), where + "no criterion");
    demand(split.seen <= state.seen, where + "not in the order of time");
    demand(split.n > 0.0 && split.n <= heaviest, where + "no examples");
    for (const double x :
         {split.gain_range, split.epsilon, split.gain, static_cast<double>(split.log_evidence)}) {
        demand(std::abs(x) <= 1e300, where + "not a number");
    }
    demand(split.delta >= 0.0 && split.delta <= 1.0 && split.spent >= 0.0 &&
               split.spent <= heaviest,
           where + "no delta");
    demand(split.rivals < Ranking::most, where + "too many rivals");
}

}  // namespace riparian
