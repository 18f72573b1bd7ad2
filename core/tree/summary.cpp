// Summaries of a tree: how they are made, merged, and absorbed.
#include "summary.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <variant>

#include "../data/limits.hpp"
#include "../demand.hpp"
#include "../growth/files.hpp"
#include "../growth/snapshot_rules.hpp"

namespace riparian {
namespace {

// A summary never checks a leaf, and another tree predicts its rows: all that it keeps at leaves is
// statistics.
TreeSettings settings_of_summary(TreeSettings settings) {
    settings.grace_period = std::numeric_limits<double>::infinity();
    settings.adaptive_grace = false;
    settings.leaf = Majority{};
    settings.bound = Hoeffding{};
    return settings;
}

// Where the nodes of a summary are in another tree of the same nodes, which may have other branches of
// every_value tests.
struct Matching {
    std::vector<std::int32_t> places;  // [node there]: the node here
    std::vector<std::pair<std::int32_t, std::int32_t>>
        branches;  // (node here, category) to be added
};

Matching match(const Nodes& here, const Nodes& there, const Relabelling& to) {
    constexpr const char* wrong = "the summary is not one of this tree";
    Matching found;
    found.places.assign(there.size(), none);
    found.places[0] = 0;
    const auto place_of = [&](std::int32_t id) -> std::int32_t& {
        return found.places[static_cast<std::size_t>(id)];
    };
    for (std::size_t i = 0; i < there.size(); ++i) {
        const auto id = static_cast<std::int32_t>(i);
        const Node& node = there[i];
        if (i > 0) {
            const Node& above = there.at(node.parent);
            const std::int32_t parent = place_of(node.parent);
            demand(parent != none && node.role == Role::child, wrong);
            if (above.test == Test::every_value) {
                const auto category = static_cast<std::int32_t>(
                    to.category(there.slot(above), static_cast<std::size_t>(node.branch)));
                const std::int32_t child = here.branches(here.at(parent)).find(category);
                if (child == none) found.branches.emplace_back(parent, category);
                place_of(id) = child;
            } else {
                place_of(id) = here.at(parent).place + node.branch;
            }
        }
        if (place_of(id) == none) {
            demand(node.test == Test::leaf, wrong);
            continue;
        }
        const Node& same = here.at(place_of(id));
        demand(same.test == node.test, wrong);
        if (node.test == Test::leaf) continue;
        const std::size_t slot = there.slot(node);
        const bool numeric = node.test == Test::threshold;
        demand(here.slot(same) == (numeric ? to.numeric : to.categorical)[slot] &&
                   here.threshold(place_of(id)) == there.threshold(id) &&
                   (node.test != Test::one_value ||
                    same.category == static_cast<std::int32_t>(to.category(
                                         slot, static_cast<std::size_t>(node.category)))),
               wrong);
    }
    std::sort(found.branches.begin(), found.branches.end());
    return found;
}

void demand_codes(const GrowthState& here, const GrowthState& there, const Relabelling& to) {
    const Shape& shape = here.leaves.shape();
    const auto injective = [](std::vector<std::uint32_t> codes, std::size_t below) {
        std::sort(codes.begin(), codes.end());
        return std::adjacent_find(codes.begin(), codes.end()) == codes.end() &&
               (codes.empty() || codes.back() < below);
    };
    demand(to.numeric.size() == there.leaves.shape().numeric &&
               to.categorical.size() == there.leaves.shape().categorical &&
               to.categories.size() == to.categorical.size() &&
               to.classes.size() == there.known.n_classes && injective(to.numeric, shape.numeric) &&
               injective(to.categorical, shape.categorical) && injective(to.classes, max_classes),
           "the codes of a summary do not fit");
    for (std::size_t c = 0; c < to.categories.size(); ++c) {
        demand(to.categories[c].size() == static_cast<std::size_t>(there.known.categories[c]) &&
                   injective(to.categories[c], max_categories),
               "the categories of a summary do not fit");
    }
}

// Adds what a summary has learned to the leaves of a tree, or of another summary.
void add(Growth& growth, const GrowthState& from, const Relabelling& codes) {
    GrowthState& to = growth.state;
    demand_codes(to, from, codes);
    Matching matching = match(to.nodes, from.nodes, codes);
    std::size_t classes = to.known.n_classes;
    for (const std::uint32_t k : codes.classes) classes = std::max<std::size_t>(classes, k + 1);
    if (classes > to.known.n_classes) growth.add_class(classes - 1);
    for (std::size_t c = 0; c < codes.categories.size(); ++c) {
        for (const std::uint32_t v : codes.categories[c]) {
            const auto code = static_cast<std::int32_t>(v);
            const std::size_t slot = codes.categorical[c];
            if (code >= to.known.categories[slot]) growth.add_category(slot, code);
        }
    }
    for (const auto& [node, category] : matching.branches) growth.add_branch(node, category);
    if (!matching.branches.empty()) matching = match(to.nodes, from.nodes, codes);
    for (std::size_t f = 0; f < from.nodes.features().size(); ++f) {
        if (!from.known.features[f]) continue;
        const Feature& there = from.nodes.features()[f];
        const std::size_t slot =
            (there.kind == Kind::numeric ? codes.numeric : codes.categorical)[there.slot];
        const Features& all = to.nodes.features();
        const auto here = static_cast<std::size_t>(
            std::find_if(all.begin(), all.end(),
                         [&](const Feature& g) { return g.kind == there.kind && g.slot == slot; }) -
            all.begin());
        if (to.known.features[here]) continue;
        to.known.features[here] = 1;
        ++to.known.n_features;
    }
    const Charge charge(to.leaves.account());
    const Shape &here = to.leaves.shape(), &there = from.leaves.shape();
    const bool same = codes.changes_nothing();
    std::vector<double> relabelled(here.class_stride);
    for (const NodeRecord& other : from.leaves) {
        const std::int32_t node = matching.places[static_cast<std::size_t>(other.node)];
        const auto place = static_cast<std::size_t>(to.nodes.at(node).place);
        NodeRecord& leaf = to.leaves[place];
        double* const counts = to.leaves.own_counts(leaf);
        const double* const others = from.leaves.own_counts(other);
        if (same || !(other.weight > 0.0)) {
            leaf.statistics.merge(here, counts, other.statistics, there, others);
        } else {
            demand(!other.statistics.sparse(), "the codes of sparse rows cannot be changed");
            const LeafStatistics moved =
                codes.relabelled(other.statistics, there, others, here, relabelled.data());
            leaf.statistics.merge(here, counts, moved, here, relabelled.data());
        }
        leaf.weight += other.weight;
        const auto known = static_cast<std::ptrdiff_t>(to.known.n_classes);
        leaf.classes = static_cast<std::int32_t>(
            std::count_if(counts, counts + known, [](double n) { return n > 0.0; }));
        for (std::size_t i = 0; i < leaf.numbers.size(); ++i) leaf.numbers[i] += other.numbers[i];
        const LeafExtras* const extras = from.leaves.extras(from.leaves.place_of(other));
        if (!extras) continue;
        std::visit(
            [&]<class P>(P& kept) {
                if constexpr (requires(const P more) { kept.merge(more, codes); }) {
                    kept.merge(std::get<P>(extras->values), codes);
                }
            },
            to.leaves.extras(place)->values);
    }
    to.seen += from.seen;
}

// A summary has no certificates. Its file needs one for each split to pass the rules of a tree.
Snapshot with_splits(Snapshot s) {
    demand(s.split_node.empty() && s.rivals.empty(), "a summary with certificates");
    for (std::size_t i = 0; i < s.test.size(); ++i) {
        if (s.test[i] != 0) s.split_node.push_back(static_cast<std::int32_t>(i));
    }
    const std::size_t n = s.split_node.size();
    s.split_seen.assign(n, 0);
    s.split_verdict.assign(n, static_cast<std::uint8_t>(Verdict::bound));
    s.split_n.assign(n, 1.0);
    for (auto* const zeros :
         {&s.split_gain_range, &s.split_epsilon, &s.split_gain, &s.second_threshold, &s.second_gain,
          &s.split_delta, &s.split_spent}) {
        zeros->assign(n, 0.0);
    }
    s.second_feature.assign(n, none);
    s.second_category.assign(n, none);
    s.second_test.assign(n, 0);
    s.split_criterion.assign(n, 0);
    s.rivals.assign(n, 0);
    s.split_pass.assign(n, 1);
    return s;
}

void without_splits(Snapshot& s) {
    const auto clear = [](auto&... arrays) { (arrays.clear(), ...); };
    clear(s.split_node, s.split_seen, s.split_verdict, s.split_n, s.split_gain_range,
          s.split_epsilon, s.split_gain, s.second_feature, s.second_category, s.second_test,
          s.second_threshold, s.second_gain, s.split_delta, s.split_spent, s.split_criterion,
          s.rivals, s.rival_feature, s.rival_category, s.rival_test, s.rival_threshold,
          s.rival_gain, s.split_pass);
}

// As after the first row of a new tree. `extras`: what the statistics keep at an empty leaf.
Snapshot emptied(Snapshot s, const std::vector<double>& extras) {
    const std::size_t leaves = s.weight.size();
    const auto zero = [](auto&... arrays) { (std::fill(arrays.begin(), arrays.end(), 0), ...); };
    const auto clear = [](auto&... arrays) { (arrays.clear(), ...); };
    s.seen = {0};
    s.spent = {0.0};
    s.passes = {1};
    s.ranked_at = {0};
    s.least_promise = {0.0};
    zero(s.counts, s.inherited, s.weight, s.inherited_weight, s.checked, s.right_majority,
         s.right_bayes, s.values, s.table_gaps, s.checks);
    s.inactive.assign(leaves, 0);
    clear(s.gaps, s.gaussian, s.known, s.cells, s.table_known, s.recent, s.extras_sizes, s.extras,
          s.right_idbd, s.unit_sizes, s.units, s.delay, s.check_n, s.check_numbers, s.check_cuts,
          s.sparse, s.sparse_sizes, s.sparse_rows, s.sparse_features, s.sparse_classes,
          s.sparse_pair_rows, s.sparse_moments, s.split_evidence);
    if (!extras.empty()) {
        s.extras_sizes.assign(leaves, extras.size());
        for (std::size_t i = 0; i < leaves; ++i) {
            s.extras.insert(s.extras.end(), extras.begin(), extras.end());
        }
    }
    without_splits(s);
    return s;
}

}  // namespace

std::string why_unmergeable(const TreeSettings& settings) {
    std::string why;
    const auto refuse = [&](bool holds, const std::string& what, std::string_view reason) {
        if (holds && why.empty()) why = what + ": " + std::string(reason);
    };
    const auto policy = [&](const char* axis, const auto& chosen) {
        std::visit(
            [&]<class P>(const P& p) {
                const std::string_view reason = riparian::why_unmergeable(p);
                const std::string_view name = P::name.empty() ? "several" : P::name;
                refuse(!reason.empty(), std::string(axis) + "='" + std::string(name) + "'", reason);
            },
            chosen);
    };
    policy("adaptation", settings.adaptation);
    policy("leaf", settings.leaf);
    policy("bound", settings.bound);
    policy("statistics", settings.statistics);
    refuse(settings.judging.counts_hits(), "impurity__evaluator",
           "examples are predicted by what earlier ones had determined");
    refuse(settings.short_memory > 0, "short_memory", "the remembered examples have one order");
    refuse(settings.leaf_features.draws(), "leaf_features",
           "leaves of two workers would track other features");
    refuse(settings.drop_poor_features, "drop_poor_features",
           "leaves of two workers would track other features");
    refuse(settings.max_leaves != SIZE_MAX, "max_leaves", "two workers cannot share the last leaf");
    refuse(settings.max_bytes != SIZE_MAX, "max_bytes", "two workers cannot share the last leaf");
    return why;
}

// ---- trees without locks ----

Summary::Grove::Grove(const TreeSettings& settings)
    : growth(settings, 0),
      adaptation(std::visit([&](const auto& a) { return a.begin(growth); }, settings.adaptation)) {
    growth.begin(*adaptation);
}

Summary::Grove::Grove(const TreeSettings& settings, const Snapshot& s) : Grove(settings) {
    const Sizes sizes = check_sizes(adaptation->traits(), s);
    adaptation->check_sizes(s, sizes);
    riparian::restore(growth, s, sizes);
    restore_limit(growth, s, settings.max_bytes);
}

std::vector<double> Summary::Grove::extras_of_an_empty_leaf(const TreeSettings& settings,
                                                            const Snapshot& s) {
    Grove empty(settings);
    std::vector<Kind> kinds;
    for (const std::uint8_t kind : s.kinds) kinds.push_back(static_cast<Kind>(kind));
    empty.growth.add_features(kinds);
    const LeafExtras* const extras = empty.growth.state.leaves.extras(0);
    return extras ? extras->save(0) : std::vector<double>{};
}

// ---- summaries ----

Summary::Beginning::Beginning(const TreeSettings& settings_, Snapshot tree_)
    : settings(settings_),
      tree(std::move(tree_)),
      empty(with_splits(
          emptied(tree, Grove::extras_of_an_empty_leaf(settings_of_summary(settings), tree)))) {}

// Rows bring features, and branches for their categories.
bool Summary::Beginning::is(const Grove& grove) const noexcept {
    const Nodes& nodes = grove.growth.state.nodes;
    return nodes.size() == tree.test.size() && nodes.features().size() == tree.kinds.size();
}

Summary::Summary(const TreeSettings& settings, Snapshot tree)
    : Summary(std::make_shared<const Beginning>(settings, std::move(tree)), nullptr) {}

Summary::Summary(std::shared_ptr<const Beginning> beginning, std::shared_ptr<Grove> judge)
    : beginning_(std::move(beginning)),
      judge_(judge ? std::move(judge)
                   : std::make_shared<Grove>(beginning_->settings, beginning_->tree)),
      own_(settings_of_summary(beginning_->settings), beginning_->empty) {
    own_.growth.state.certificates = {};
}

std::unique_ptr<Summary> Summary::another() const {
    if (!beginning_) throw std::logic_error("a restored summary has no tree");
    return std::unique_ptr<Summary>(
        new Summary(beginning_, beginning_->is(*judge_) ? judge_ : nullptr));
}

Summary::Summary(const TreeSettings& settings, const Snapshot& saved, Saved)
    : own_(settings_of_summary(settings), with_splits(saved)) {
    own_.growth.state.certificates = {};
}

std::unique_ptr<Summary> Summary::restore(const TreeSettings& settings, const Snapshot& s) {
    return std::unique_ptr<Summary>(new Summary(settings, s, Saved{}));
}

Snapshot Summary::snapshot() const {
    Snapshot s;
    save(own_.growth, s);
    return s;
}

void Summary::add_features(const std::vector<Kind>& kinds) {
    own_.growth.add_features(kinds);
    if (judge_) judge_->growth.add_features(kinds);
}

void Summary::declare_classes(std::size_t count) {
    if (count > own_.growth.state.known.n_classes) own_.growth.add_class(count - 1);
}

void Summary::set_costs(const double* matrix, std::size_t classes) {
    if (judge_) judge_->growth.set_costs(matrix, classes);
}

Facts Summary::facts() const noexcept {
    const GrowthState& state = own_.growth.state;
    return {state.nodes.features().size(), state.known.n_classes, state.seen};
}

std::size_t Summary::n_categories(std::size_t feature) const {
    const GrowthState& state = own_.growth.state;
    const Feature& f = state.nodes.features().at(feature);
    return f.kind == Kind::categorical ? static_cast<std::size_t>(state.known.categories[f.slot])
                                       : 0;
}

void Summary::merge(const Summary& other, const Relabelling& codes) {
    add(own_.growth, other.own_.growth.state, codes);
}

void Summary::grow(Growth& growth) const {
    const GrowthState& from = own_.growth.state;
    GrowthState& state = growth.state;
    const std::size_t known = state.nodes.features().size();
    std::vector<Kind> kinds;
    for (const Feature& feature : from.nodes.features()) kinds.push_back(feature.kind);
    demand(kinds.size() >= known, "the summary is not one of this tree");
    kinds.erase(kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(known));
    if (!kinds.empty()) growth.add_features(kinds);
    Relabelling same = Relabelling::none_of(from.leaves.shape(), from.known.n_classes);
    for (std::size_t c = 0; c < same.categories.size(); ++c) {
        same.categories[c].resize(static_cast<std::size_t>(from.known.categories[c]));
        std::iota(same.categories[c].begin(), same.categories[c].end(), 0U);
    }
    add(growth, from, same);
    const Charge charge(state.leaves.account());
    Checks& checks = growth.checks;
    const std::size_t n = state.nodes.size();
    for (std::size_t i = 0; i < n; ++i) {
        if (state.nodes[i].test != Test::leaf) continue;
        const auto place = static_cast<std::size_t>(state.nodes[i].place);
        NodeRecord& leaf = state.leaves[place];
        if (leaf.weight - leaf.checked < checks.delay(place) || leaf.classes < 2 ||
            !checks.may_split(leaf)) {
            continue;
        }
        leaf.checked = leaf.weight;
        const Decision decision = checks.check(place);
        if (decision.verdict != Verdict::wait) growth.split(place, decision);
        if (state.nodes[i].test == Test::leaf) checks.note(place, decision);
        if (decision.verdict == Verdict::wait && state.leaves.any_extras()) {
            checks.after_waiting(place, decision);
        }
    }
}

}  // namespace riparian
