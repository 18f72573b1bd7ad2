// Pulls a test up to a node: divides the subtrees by it, and joins the parts under the old test.
//
//            o                          a
//          /   \                      /   \.
//         a     a        ->          o     o
//        / \   / \                  / \   / \.
//       1   2 3   4                1   3 2   4
//
#include <algorithm>
#include <cmath>

#include "tree.hpp"

namespace riparian::restructuring {

std::int32_t Tree::fresh() {
    if (!free_.empty()) {
        const std::int32_t id = free_.back();
        free_.pop_back();
        return id;
    }
    nodes_.emplace_back();
    return static_cast<std::int32_t>(nodes_.size() - 1);
}

void Tree::release(std::int32_t id) {
    at(id) = Node{};
    free_.push_back(id);
}

void Tree::release_below(std::int32_t top, Held<Place>& out) {
    std::vector<std::int32_t> open{top};
    while (!open.empty()) {
        const std::int32_t id = open.back();
        open.pop_back();
        const Node& node = at(id);
        out.insert(out.end(), node.examples.begin(), node.examples.end());
        for (const Child& w : node.children) open.push_back(w.node);
        if (id != top) release(id);
    }
}

std::int32_t Tree::branch_of(const Split& split, Place e) const noexcept {
    const auto f = static_cast<std::size_t>(split.feature);
    switch (split.test) {
        case Test::threshold: return store_.number(f, e) <= split.threshold ? 0 : 1;
        case Test::one_value: return store_.code(f, e) == split.category ? 0 : 1;
        default: return store_.code(f, e);
    }
}

std::int32_t Tree::child_or_leaf(std::int32_t id, std::int32_t branch) {
    Node& node = at(id);
    const auto found = find_child(node.children, branch);
    if (found != node.children.end() && found->branch == branch) return found->node;
    const std::int32_t child = fresh();
    at(child).parent = id;
    node.children.insert(found, {branch, child});
    return child;
}

// The branch that all examples of an inner node follow, if there is only one. Only for binary
// tests, because a multiway test removes its feature from the nodes below.
std::optional<std::int32_t> Tree::only_branch(const Node& node, const Split& split) const {
    if (split.test == Test::every_value) return std::nullopt;
    const FeatureState& a = node.features[static_cast<std::size_t>(split.feature)];
    if (split.test == Test::one_value) {
        double n = 0.0, all = 0.0;
        for (const double t : node.totals) all += t;
        for (std::size_t i = 0; i < a.counts.size(); ++i) {
            if (a.counts.value(i) != split.category) continue;
            for (const double t : a.counts.weights(i)) n += t;
        }
        if (n == 0.0) return 1;
        return n == all ? std::optional(0) : std::nullopt;
    }
    const std::size_t left = a.sorted.size_up_to(split.threshold);
    if (left == 0) return 1;
    return left == node.n_examples ? std::optional(0) : std::nullopt;
}

// Divides a leaf by a test. If all examples follow one branch, it stays as it is.
void Tree::part(std::int32_t leaf, std::int32_t from, const Split& split) {
    const std::int32_t first = branch_of(split, at(leaf).examples.front());
    const auto& all = at(leaf).examples;
    if (std::all_of(all.begin(), all.end(),
                    [&](Place e) { return branch_of(split, e) == first; })) {
        pieces_.push_back({first, from, leaf});
        return;
    }
    Held<Place> examples;
    examples.swap(at(leaf).examples);
    release(leaf);
    std::stable_sort(examples.begin(), examples.end(),
                     [&](Place a, Place b) { return branch_of(split, a) < branch_of(split, b); });
    const std::size_t begin = pieces_.size();
    for (const Place e : examples) {
        const std::int32_t branch = branch_of(split, e);
        if (pieces_.size() == begin || pieces_.back().branch != branch) {
            pieces_.push_back({branch, from, fresh()});
        }
        Node& node = at(pieces_.back().node);
        count(node, e, true);
        node.examples.push_back(e);
        node.stale = true;
    }
}

std::int32_t Tree::join(const Node& above, const Piece* first, const Piece* last,
                        const Split& split) {
    if (!settings_.multiway && last - first == 1) return first->node;
    const std::int32_t id = fresh();
    Node& node = at(id);
    node.stale = true;
    for (const Piece* p = first; p != last; ++p) {
        const Node& part = at(p->node);
        node.n_examples += part.n_examples;
        if (part.totals.size() > node.totals.size()) node.totals.resize(part.totals.size(), 0.0);
        for (std::size_t c = 0; c < part.totals.size(); ++c) node.totals[c] += part.totals[c];
    }
    if (node.pure()) {
        for (const Piece* p = first; p != last; ++p) {
            release_below(p->node, node.examples);
            release(p->node);
        }
        return id;
    }
    node.split = above.split;
    node.features.resize(above.features.size());
    std::vector<Entry> entries;
    for (std::size_t f = 0; f < node.features.size(); ++f) {
        const auto feature = static_cast<std::int32_t>(f);
        if (!above.features[f].open || (settings_.multiway && feature == split.feature)) continue;
        FeatureState& a = node.features[f];
        a.open = true;
        if (store_.kind(f) == Kind::numeric) {
            std::vector<SortedColumn> of_leaves;
            of_leaves.reserve(static_cast<std::size_t>(last - first));
            std::vector<const SortedColumn*> columns;
            for (const Piece* p = first; p != last; ++p) {
                const Node& part = at(p->node);
                counters_.additions += part.n_examples;
                if (!part.leaf()) {
                    columns.push_back(&part.features[f].sorted);
                    continue;
                }
                entries.clear();
                for (const Place e : part.examples) {
                    const double value = store_.number(f, e);
                    if (!std::isnan(value)) entries.push_back({value, e, store_.label(e)});
                }
                columns.push_back(&of_leaves.emplace_back(entries, store_));
            }
            a.sorted = SortedColumn(columns, store_);
            continue;
        }
        for (const Piece* p = first; p != last; ++p) {
            const Node& part = at(p->node);
            if (settings_.multiway && feature == above.split.feature) {
                counters_.additions += a.counts.add(p->from, part.totals);
            } else if (part.leaf()) {
                counters_.additions += part.examples.size();
                for (const Place e : part.examples) {
                    a.counts.add(store_.code(f, e), static_cast<std::size_t>(store_.label(e)),
                                 store_.weight(e));
                }
            } else {
                counters_.additions += a.counts.add(part.features[f].counts);
            }
        }
    }
    for (const Piece* p = first; p != last; ++p) {
        node.children.push_back({p->from, p->node});
        at(p->node).parent = id;
    }
    return id;
}

void Tree::transpose(std::int32_t top, const Split& split) {
    struct Frame {
        std::int32_t node;
        std::int32_t from;
        std::size_t next;   // index of the next child
        std::size_t begin;  // index of its first piece
    };
    pieces_.clear();
    std::vector<Frame> frames{{top, 0, 0, 0}};
    while (true) {
        Frame& frame = frames.back();
        Node& node = at(frame.node);
        if (frame.next < node.children.size()) {
            const Child next = node.children[frame.next++];
            Node& child = at(next.node);
            if (child.leaf()) {
                part(next.node, next.branch, split);
            } else if (child.split == split) {
                for (const Child& c : child.children) {
                    pieces_.push_back({c.branch, next.branch, c.node});
                }
                release(next.node);
            } else if (const auto only = only_branch(child, split)) {
                pieces_.push_back({*only, next.branch, next.node});
            } else {
                frames.push_back({next.node, next.branch, 0, pieces_.size()});
            }
            continue;
        }
        // Removed from the list, because the joined pieces are added to it.
        std::vector<Piece> own(pieces_.begin() + static_cast<std::ptrdiff_t>(frame.begin),
                               pieces_.end());
        pieces_.resize(frame.begin);
        std::stable_sort(own.begin(), own.end(),
                         [](const Piece& a, const Piece& b) { return a.branch < b.branch; });
        for (std::size_t i = 0; i < own.size();) {
            std::size_t end = i + 1;
            while (end < own.size() && own[end].branch == own[i].branch) ++end;
            const std::int32_t joined = join(node, own.data() + i, own.data() + end, split);
            pieces_.push_back({own[i].branch, frame.from, joined});
            i = end;
        }
        if (frames.size() == 1) {
            node.children.clear();
            for (const Piece& p : pieces_) {
                node.children.push_back({p.branch, p.node});
                at(p.node).parent = top;
            }
            node.split = split;
            return;
        }
        const std::int32_t done = frame.node;
        frames.pop_back();
        release(done);
    }
}

// If only the threshold changes and few examples change sides, only those are moved. Returns
// whether that was done.
bool Tree::slew(std::int32_t id, const Split& split) {
    Node& node = at(id);
    const Split before = node.split;
    if (split.test != Test::threshold || before.test != Test::threshold ||
        split.feature != before.feature) {
        return false;
    }
    const bool down = split.threshold < before.threshold;
    const double low = down ? split.threshold : before.threshold;
    const double high = down ? before.threshold : split.threshold;
    const SortedColumn& column = node.features[static_cast<std::size_t>(split.feature)].sorted;
    // a transposition visits all examples, this one only those that move
    constexpr std::size_t few = 8;
    const std::size_t n_moved = column.size_up_to(high) - column.size_up_to(low);
    if (n_moved * few > node.n_examples) return false;
    std::vector<Place> moved;
    column.each_between(low, high, [&](Place e) { moved.push_back(e); });
    for (const Place e : moved) {
        remove(child_at(node.children, down ? 0 : 1), e);
        add(child_or_leaf(id, down ? 1 : 0), e);
    }
    node.split = split;
    return true;
}

}  // namespace riparian::restructuring
