// Looking inside a tree: sizes, certificates, the state of its leaves.
#include <algorithm>
#include <limits>
#include <numeric>

#include "tree.hpp"

namespace riparian {

std::size_t Tree::n_features() const {
    const auto lock = turnstile_.reading();
    return features().size();
}

std::size_t Tree::n_classes() const {
    const auto lock = turnstile_.reading();
    return n_classes_;
}

std::size_t Tree::n_categories(std::size_t feature) const {
    const auto lock = turnstile_.reading();
    const Feature& f = features().at(feature);
    return f.kind == Kind::categorical ? static_cast<std::size_t>(categories_[f.slot]) : 0;
}

std::vector<std::int32_t> Tree::numbers() const {
    std::vector<std::int32_t> numbers(nodes_.size());
    std::int32_t next = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int32_t parent = nodes_[i].parent;
        const bool below = parent != none && numbers[static_cast<std::size_t>(parent)] == none;
        numbers[i] = nodes_[i].role == Role::alternate || below ? none : next++;
    }
    return numbers;
}

std::size_t Tree::n_nodes() const {
    const auto lock = turnstile_.reading();
    if (!settings_.adapts()) return nodes_.size();
    const auto numbers = this->numbers();
    return nodes_.size() - static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), none));
}

std::size_t Tree::n_leaves() const {
    const auto lock = turnstile_.reading();
    return n_leaves_;
}

std::size_t Tree::depth() const {
    const auto lock = turnstile_.reading();
    if (!settings_.adapts()) return nodes_.depth();
    const auto numbers = this->numbers();
    std::int32_t deepest = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (numbers[i] != none) deepest = std::max(deepest, nodes_[i].depth);
    }
    return static_cast<std::size_t>(deepest);
}

std::uint64_t Tree::seen() const {
    const auto lock = turnstile_.reading();
    return seen_;
}

std::size_t Tree::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return structure_.held + leaves_.account().held + working_.held;
}

std::size_t Tree::n_active_leaves() const {
    const auto lock = turnstile_.reading();
    if (!settings_.keeps() && !settings_.adapts()) return leaves_.n_active();
    const auto numbers = this->numbers();  // of those that answer
    return static_cast<std::size_t>(std::count_if(leaves_.begin(), leaves_.end(), [&](const auto& l) {
        return l.statistics.is_open() && at(l.node).test == Test::leaf &&
               numbers[static_cast<std::size_t>(l.node)] != none;
    }));
}

std::vector<Certificate> Tree::certificates(std::optional<std::uint64_t> since) const {
    const auto lock = turnstile_.reading();
    std::vector<Certificate> out;
    const auto numbers = this->numbers();
    std::vector<std::int32_t> places(nodes_.size(), none);  // [node]: of its certificate
    auto rival = rivals_.begin();
    for (const Split& s : splits_) {
        const Node& node = at(s.node);
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
        d.best = {node.feature, node.test, nodes_.threshold(s.node), node.category, s.gain};
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
    for (std::size_t i = 1; i < nodes_.size() && !out.empty(); ++i) {
        const Node& node = nodes_[i];
        const std::int32_t place = places[static_cast<std::size_t>(node.parent)];
        if (place == none || node.role != Role::child) continue;
        const double* const weights = estimated(static_cast<std::int32_t>(i));
        out[static_cast<std::size_t>(place)].branches.emplace_back(weights, weights + n_classes_);
    }
    return out;
}

std::vector<Change> Tree::changes(std::uint64_t since) const {
    const auto lock = turnstile_.reading();
    std::vector<Change> out;
    for (const Change& c : changes_) {
        if (c.seen > since) out.push_back(c);
    }
    return out;
}

std::array<std::uint64_t, n_change_kinds> Tree::change_totals() const {
    const auto lock = turnstile_.reading();
    return change_totals_;
}

double Tree::delta_spent() const {
    const auto lock = turnstile_.reading();
    return spent_;
}

std::uint32_t Tree::passes() const {
    const auto lock = turnstile_.reading();
    return passes_;
}

std::vector<LeafState> Tree::leaf_states() const {
    const auto lock = turnstile_.reading();
    std::vector<LeafState> states;
    Checker checker;
    CaseRoom room;
    const auto numbers = this->numbers();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].test != Test::leaf || numbers[i] == none) continue;
        const auto place = static_cast<std::size_t>(nodes_[i].place);
        const NodeRecord& leaf = leaves_[place];
        LeafState state{};
        state.node = numbers[i];
        state.depth = nodes_[i].depth;
        state.classes = leaf.classes;
        state.active = leaf.statistics.is_open();
        state.room = may_add(growth(2, true), true);
        const double* const seen = leaves_.counts(static_cast<std::int32_t>(i));
        state.weight = state.active ? leaf.weight : std::accumulate(seen, seen + n_classes_, 0.0);
        state.until_check = std::max(0.0, delay(place) - (leaf.weight - leaf.checked));
        state.may_split = may_split(leaf);
        if (const TrackedFeatures* const kept = leaves_.tracked_features(place)) {
            state.dropped = kept->dropped(features().size());
        }
        state.still_needed = std::numeric_limits<double>::infinity();
        if (leaf.classes >= 2) {
            state.decision = checker.decide(leaf_case(leaf, room));
            const double needed = weight_to_decide(settings_, state.decision);
            state.still_needed = std::max(0.0, needed - state.decision.evidence.n);
        }
        states.push_back(state);
    }
    return states;
}

}  // namespace riparian
