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
