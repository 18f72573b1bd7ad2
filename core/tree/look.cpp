// Looking inside a tree: sizes, certificates, the state of its leaves.
#include <algorithm>
#include <limits>

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
    std::size_t bytes = sizeof(Tree) + nodes_.capacity() * sizeof(Node) +
                        gates_.capacity() * sizeof(Gate) +
                        counts_.capacity() * sizeof(double) +
                        leaves_.capacity() * sizeof(Leaf) +
                        splits_.capacity() * sizeof(Split) +
                        features_.capacity() * sizeof(Feature) + met_.capacity() +
                        categories_.capacity() * sizeof(categories_[0]) +
                        ways_.capacity() * sizeof(ways_[0]);
    bytes += rivals_.capacity() * sizeof(Rival) + watches_.capacity() * sizeof(watches_[0]);
    bytes += memory_.bytes() + (estimates_.capacity() + delays_.capacity() + recalled_.capacity()) *
                                   sizeof(double);
    for (const Ways& ways : ways_) bytes += ways.bytes();
    for (const auto& w : watches_) bytes += w->bytes();
    bytes += units_.capacity() * sizeof(units_[0]);
    for (const auto& u : units_) bytes += u->bytes();
    bytes += kept_.capacity() * sizeof(kept_[0]);
    for (const auto& kept : kept_) bytes += kept ? kept->bytes() : 0;
    for (std::size_t i = 0; i < leaves_.size(); ++i) bytes += leaves_[i].statistics.bytes(shape(i));
    return bytes;
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
    std::vector<bool> used_up;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].test != Test::leaf) continue;
        const auto place = static_cast<std::size_t>(nodes_[i].place);
        const Leaf& leaf = leaves_[place];
        LeafState state{};
        state.node = static_cast<std::int32_t>(i);
        state.depth = nodes_[i].depth;
        state.classes = leaf.classes;
        state.weight = leaf.weight;
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
