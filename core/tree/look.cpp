// Looking inside a tree: sizes, certificates, the state of its leaves.
#include <algorithm>
#include <limits>
#include <numeric>

#include "tree.hpp"

namespace riparian {

std::size_t Tree::n_features() const {
    const auto lock = turnstile_.reading();
    return features_.size();
}

std::size_t Tree::n_classes() const {
    const auto lock = turnstile_.reading();
    return n_classes_;
}

std::size_t Tree::n_nodes() const {
    const auto lock = turnstile_.reading();
    return nodes_.size();
}

std::size_t Tree::n_leaves() const {
    const auto lock = turnstile_.reading();
    return leaves_.size();
}

std::size_t Tree::depth() const {
    const auto lock = turnstile_.reading();
    return depth_;
}

std::uint64_t Tree::seen() const {
    const auto lock = turnstile_.reading();
    return seen_;
}

std::size_t Tree::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return structure_.held + statistics_.held + working_.held;
}

std::size_t Tree::n_active_leaves() const {
    const auto lock = turnstile_.reading();
    return n_active_;
}

std::vector<Certificate> Tree::certificates() const {
    const auto lock = turnstile_.reading();
    std::vector<Certificate> out;
    auto rival = rivals_.begin();
    for (const Split& s : splits_) {
        const Node& node = at(s.node);
        Certificate c;
        c.node = s.node;
        c.depth = node.depth;
        c.seen = s.seen;
        c.spent = s.spent;
        c.pass = s.pass;
        Decision& d = c.decision;
        d.verdict = s.verdict;
        d.criterion = s.criterion;
        d.best = {node.feature, node.test, threshold(s.node), node.category, s.gain};
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
        out.push_back(c);
    }
    return out;
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
    Held<bool> used_up;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].test != Test::leaf) continue;
        const auto place = static_cast<std::size_t>(nodes_[i].place);
        const Leaf& leaf = leaves_[place];
        LeafState state{};
        state.node = static_cast<std::int32_t>(i);
        state.depth = nodes_[i].depth;
        state.classes = leaf.classes;
        state.active = leaf.statistics.is_open();
        state.room = may_add(growth(2, true));
        const double* const seen = counts(state.node);
        state.weight = state.active ? leaf.weight : std::accumulate(seen, seen + n_classes_, 0.0);
        state.until_check = std::max(0.0, delay(place) - (leaf.weight - leaf.checked));
        state.may_split = may_split(leaf);
        if (const Kept* const kept = this->kept(place)) state.dropped = kept->dropped(features_.size());
        state.still_needed = std::numeric_limits<double>::infinity();
        if (leaf.classes >= 2) {
            state.decision = checker.decide(leaf_case(leaf, used_up));
            const double needed = weight_to_decide(settings_, state.decision);
            state.still_needed = std::max(0.0, needed - state.decision.evidence.n);
        }
        states.push_back(state);
    }
    return states;
}

}  // namespace riparian
