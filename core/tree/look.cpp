// Looking inside a tree: sizes, certificates, the state of its leaves.
#include <algorithm>
#include <limits>
#include <numeric>

#include "tree.hpp"

namespace riparian {

std::size_t Tree::n_features() const {
    const auto lock = turnstile_.reading();
    return growth_.features().size();
}

std::size_t Tree::n_classes() const {
    const auto lock = turnstile_.reading();
    return growth_.n_classes();
}

std::size_t Tree::n_categories(std::size_t feature) const {
    const auto lock = turnstile_.reading();
    const Feature& f = growth_.features().at(feature);
    return f.kind == Kind::categorical ? static_cast<std::size_t>(growth_.categories()[f.slot]) : 0;
}

std::size_t Tree::n_nodes() const {
    const auto lock = turnstile_.reading();
    if (!replaces()) return growth_.nodes().size();
    const auto numbers = growth_.nodes().numbers();
    return growth_.nodes().size() - static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), none));
}

std::size_t Tree::n_leaves() const {
    const auto lock = turnstile_.reading();
    return growth_.n_leaves();
}

std::size_t Tree::depth() const {
    const auto lock = turnstile_.reading();
    if (!replaces()) return growth_.nodes().depth();
    const auto numbers = growth_.nodes().numbers();
    std::int32_t deepest = 0;
    for (std::size_t i = 0; i < growth_.nodes().size(); ++i) {
        if (numbers[i] != none) deepest = std::max(deepest, growth_.nodes()[i].depth);
    }
    return static_cast<std::size_t>(deepest);
}

std::uint64_t Tree::seen() const {
    const auto lock = turnstile_.reading();
    return growth_.seen();
}

std::size_t Tree::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return growth_.held_bytes();
}

std::size_t Tree::n_active_leaves() const {
    const auto lock = turnstile_.reading();
    if (!replaces()) return growth_.leaves().n_active();
    const auto numbers = growth_.nodes().numbers();  // of those that predict
    return static_cast<std::size_t>(std::count_if(growth_.leaves().begin(), growth_.leaves().end(), [&](const auto& l) {
        return l.statistics.is_open() && growth_.at(l.node).test == Test::leaf &&
               numbers[static_cast<std::size_t>(l.node)] != none;
    }));
}

std::vector<Certificate> Tree::certificates(std::optional<std::uint64_t> since) const {
    const auto lock = turnstile_.reading();
    std::vector<Certificate> out;
    const auto numbers = growth_.nodes().numbers();
    std::vector<std::int32_t> places(growth_.nodes().size(), none);  // [node]: of its certificate
    auto rival = growth_.certificates().rivals().begin();
    for (const Split& s : growth_.certificates().splits()) {
        const Node& node = growth_.at(s.node);
        Certificate c;
        c.node = numbers[static_cast<std::size_t>(s.node)];
        // A seeded split was made before the first example.
        if (c.node == none || (since && s.seen <= *since)) {
            rival += s.rivals;
            continue;
        }
        c.depth = node.depth;
        c.seen = s.seen;
        c.spent = s.spent;
        c.pass = s.pass;
        Decision& d = c.decision;
        d.verdict = s.verdict;
        d.criterion = s.criterion;
        d.best = {node.feature, node.test, growth_.nodes().threshold(s.node), node.category, s.gain};
        d.ranking.clear(RunnerUp::cut);
        d.ranking.offer(d.best);
        for (std::uint8_t i = 0; i < s.rivals; ++i, ++rival) {
            d.ranking.offer({rival->feature, static_cast<Test>(rival->test), rival->threshold,
                             rival->category, rival->gain});
        }
        if (!s.null_second) {
            d.second = d.ranking[1];
        } else if (s.verdict == Verdict::forced) {
            d.second.gain = -std::numeric_limits<double>::infinity();
        }
        d.evidence = {s.n, s.gain_range, s.delta};
        d.epsilon = s.epsilon;
        places[static_cast<std::size_t>(s.node)] = static_cast<std::int32_t>(out.size());
        out.push_back(std::move(c));
    }
    for (std::size_t i = 1; i < growth_.nodes().size() && !out.empty(); ++i) {
        const Node& node = growth_.nodes()[i];
        const std::int32_t place = places[static_cast<std::size_t>(node.parent)];
        if (place == none || node.role != Role::child) continue;
        const double* const weights = growth_.estimated(static_cast<std::int32_t>(i));
        out[static_cast<std::size_t>(place)].branches.emplace_back(weights, weights + growth_.n_classes());
    }
    return out;
}

std::vector<Change> Tree::changes(std::uint64_t since) const {
    const auto lock = turnstile_.reading();
    return adaptation_->changes(since);
}

std::array<std::uint64_t, n_change_kinds> Tree::change_totals() const {
    const auto lock = turnstile_.reading();
    return adaptation_->change_totals();
}

double Tree::delta_spent() const {
    const auto lock = turnstile_.reading();
    return growth_.spent();
}

std::uint32_t Tree::passes() const {
    const auto lock = turnstile_.reading();
    return growth_.passes();
}

std::vector<LeafState> Tree::leaf_states() const {
    const auto lock = turnstile_.reading();
    std::vector<LeafState> states;
    Checker checker;
    CaseRoom room;
    const auto numbers = growth_.nodes().numbers();
    for (std::size_t i = 0; i < growth_.nodes().size(); ++i) {
        if (growth_.nodes()[i].test != Test::leaf || numbers[i] == none) continue;
        const auto place = static_cast<std::size_t>(growth_.nodes()[i].place);
        const NodeRecord& leaf = growth_.leaves()[place];
        LeafState state{};
        state.node = numbers[i];
        state.depth = growth_.nodes()[i].depth;
        state.classes = leaf.classes;
        state.active = leaf.statistics.is_open();
        state.room = growth_.may_add(growth_.growth(2, true), true);
        const double* const seen = growth_.leaves().counts(static_cast<std::int32_t>(i));
        state.weight = state.active ? leaf.weight : std::accumulate(seen, seen + growth_.n_classes(), 0.0);
        state.until_check = std::max(0.0, growth_.delay(place) - (leaf.weight - leaf.checked));
        state.may_split = growth_.may_split(leaf);
        if (const TrackedFeatures* const kept = growth_.leaves().tracked_features(place)) {
            state.dropped = kept->dropped(growth_.features().size());
        }
        state.still_needed = std::numeric_limits<double>::infinity();
        if (leaf.classes >= 2) {
            state.decision = checker.decide(growth_.leaf_case(leaf, room));
            const double needed = weight_to_decide(growth_.settings(), state.decision);
            state.still_needed = std::max(0.0, needed - state.decision.evidence.n);
        }
        states.push_back(state);
    }
    return states;
}

}  // namespace riparian
