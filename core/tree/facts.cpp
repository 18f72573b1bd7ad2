// What a tree reports: sizes, certificates, changes, the state of its leaves.
#include <algorithm>
#include <limits>
#include <numeric>

#include "../adaptation/history.hpp"
#include "tree.hpp"

namespace riparian {
namespace {

// Fills in what a stored split says. `best` is its cut.
void fill_in(const Split& s, const Candidate& best, const Rival* rivals, Certificate& c) {
    c.seen = s.seen;
    c.spent = s.spent;
    c.pass = s.pass;
    Decision& d = c.decision;
    d.verdict = s.verdict;
    d.criterion = s.criterion;
    d.best = best;
    d.ranking.clear(RunnerUp::cut);
    d.ranking.offer(d.best);
    for (std::uint8_t i = 0; i < s.rivals; ++i) {
        const Rival& rival = rivals[i];
        d.ranking.append({rival.feature, static_cast<Test>(rival.test), rival.threshold,
                          rival.category, rival.gain});
    }
    if (!s.null_second) {
        d.second = d.ranking[1];
    } else if (s.verdict == Verdict::forced) {
        d.second.gain = -std::numeric_limits<double>::infinity();
    }
    d.evidence = {s.n, s.gain_range, s.delta};
    if (decided_by_race(s.verdict)) {
        d.evidence.log_evidence = static_cast<double>(s.log_evidence);
    }
    d.epsilon = s.epsilon;
}

}  // namespace

TreeFacts Tree::facts() const {
    const auto lock = turnstile_.reading();
    const GrowthState& state = growth_.state;
    return {{state.nodes.features().size(), state.known.n_classes, state.seen},
            state.n_leaves,
            state.passes,
            state.spent,
            adaptation_->change_totals()};
}

TreeSize Tree::size() const {
    const auto lock = turnstile_.reading();
    const Nodes& nodes = growth_.state.nodes;
    const Leaves& leaves = growth_.state.leaves;
    if (!replaces()) return {nodes.size(), nodes.depth(), leaves.n_active()};
    const auto numbers = nodes.numbers();
    TreeSize size;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (numbers[i] == none) continue;
        ++size.n_nodes;
        size.depth = std::max(size.depth, static_cast<std::size_t>(nodes[i].depth));
        if (nodes[i].test != Test::leaf) continue;
        size.n_active_leaves +=
            leaves[static_cast<std::size_t>(nodes[i].place)].statistics.is_open();
    }
    return size;
}

std::size_t Tree::n_categories(std::size_t feature) const {
    const auto lock = turnstile_.reading();
    const GrowthState& state = growth_.state;
    const Feature& f = state.nodes.features().at(feature);
    return f.kind == Kind::categorical ? static_cast<std::size_t>(state.known.categories[f.slot])
                                       : 0;
}

std::vector<Certificate> Tree::certificates(std::optional<std::uint64_t> since) const {
    const auto lock = turnstile_.reading();
    const GrowthState& state = growth_.state;
    const Nodes& nodes = state.nodes;
    std::vector<Certificate> out;
    const auto numbers = nodes.numbers();
    // [node]: the place of its certificate in the result.
    std::vector<std::int32_t> places(nodes.size(), none);
    const Rival* rivals = state.certificates.rivals().data();
    for (const Split& s : state.certificates.splits()) {
        const Node& node = nodes.at(s.node);
        Certificate c;
        c.node = numbers[static_cast<std::size_t>(s.node)];
        // A seeded split was made before the first example.
        if (c.node == none || (since && s.seen <= *since)) {
            rivals += s.rivals;
            continue;
        }
        c.depth = node.depth;
        fill_in(s, {node.feature, node.test, nodes.threshold(s.node), node.category, s.gain},
                rivals, c);
        rivals += s.rivals;
        places[static_cast<std::size_t>(s.node)] = static_cast<std::int32_t>(out.size());
        out.push_back(std::move(c));
    }
    for (std::size_t i = 1; i < nodes.size() && !out.empty(); ++i) {
        const Node& node = nodes[i];
        const std::int32_t place = places[static_cast<std::size_t>(node.parent)];
        if (place == none || node.role != Role::child) continue;
        const double* const weights = state.estimated(static_cast<std::int32_t>(i));
        auto& branches = out[static_cast<std::size_t>(place)].branches;
        branches.emplace_back(weights, weights + state.known.n_classes);
    }
    return out;
}

std::vector<Certificate> Tree::former_certificates(std::optional<std::uint64_t> since) const {
    const auto lock = turnstile_.reading();
    std::vector<Certificate> out;
    const History* const history = adaptation_->history();
    if (!history) return out;
    for (const FormerSplit& f : history->splits()) {
        const Split& s = f.split;
        if (since && s.seen <= *since) continue;
        Certificate c;
        c.node = none;
        c.depth = f.depth;
        c.until = f.until;
        fill_in(s, {f.cut.feature, f.cut.test, f.cut.threshold, f.cut.category, s.gain}, &f.second,
                c);
        out.push_back(std::move(c));
    }
    return out;
}

std::vector<Change> Tree::changes(std::uint64_t since) const {
    const auto lock = turnstile_.reading();
    return adaptation_->changes(since);
}

std::vector<LeafState> Tree::leaf_states() const {
    std::vector<LeafState> states = noted_leaf_states();
    // The bound may be a function of the user: it is not called while a writer waits.
    for (LeafState& state : states) {
        if (state.decision.evidence.n == 0.0) continue;
        const double needed = weight_to_decide(growth_.state.settings, state.decision);
        state.still_needed = std::max(0.0, needed - state.decision.evidence.n - state.since_check);
    }
    return states;
}

std::vector<LeafState> Tree::noted_leaf_states() const {
    const auto lock = turnstile_.reading();
    const Nodes& nodes = growth_.state.nodes;
    const Leaves& leaves = growth_.state.leaves;
    std::vector<LeafState> states;
    const auto numbers = nodes.numbers();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].test != Test::leaf || numbers[i] == none) continue;
        const auto place = static_cast<std::size_t>(nodes[i].place);
        const NodeRecord& leaf = leaves[place];
        LeafState state{};
        state.node = numbers[i];
        state.depth = nodes[i].depth;
        state.classes = leaf.classes;
        state.active = leaf.statistics.is_open();
        state.room = growth_.room.may_add(growth_.room.growth(2, true), true);
        const double* const seen = leaves.counts(static_cast<std::int32_t>(i));
        const std::size_t n_classes = growth_.state.known.n_classes;
        state.weight = state.active ? leaf.weight : std::accumulate(seen, seen + n_classes, 0.0);
        state.since_check = leaf.weight - leaf.checked;
        state.until_check = std::max(0.0, growth_.checks.delay(place) - state.since_check);
        state.may_split = growth_.checks.may_split(leaf);
        if (const TrackedFeatures* const kept = leaves.tracked_features(place)) {
            state.dropped = kept->dropped(nodes.features().size());
        }
        state.still_needed = std::numeric_limits<double>::infinity();
        if (leaf.last) state.decision = growth_.checks.last_decision(leaf);
        const LeafExtras* const extras = leaves.extras(place);
        if (const Race* const race = extras ? std::get_if<Race>(&extras->bound) : nullptr) {
            for (const Ledger::Entry& e : race->ledger().entries()) {
                state.ledger.emplace_back(static_cast<double>(e.weight),
                                          static_cast<double>(e.evidence));
            }
        }
        states.push_back(state);
    }
    return states;
}

}  // namespace riparian
