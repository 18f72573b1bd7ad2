// A test comes up to a node: cut the subtrees by it, join them under the old test.
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
        for (const Way& w : node.ways) open.push_back(w.node);
        if (id != top) release(id);
    }
}

std::int32_t Tree::branch_of(const Question& q, Place e) const noexcept {
    const auto f = static_cast<std::size_t>(q.feature);
    switch (q.test) {
        case Test::threshold: return store_.number(f, e) <= q.threshold ? 0 : 1;
        case Test::one_value: return store_.code(f, e) == q.category ? 0 : 1;
        default: return store_.code(f, e);
    }
}

std::int32_t Tree::way_or_leaf(std::int32_t id, std::int32_t branch) {
    Node& node = at(id);
    const auto found = way_at(node.ways, branch);
    if (found != node.ways.end() && found->branch == branch) return found->node;
    const std::int32_t child = fresh();
    at(child).parent = id;
    node.ways.insert(found, {branch, child});
    return child;
}

// The branch that all examples of an inner node take; only where two are asked for, since every
// value's test takes its attribute from the nodes below.
std::optional<std::int32_t> Tree::only_branch(const Node& node, const Question& q) const {
    if (q.test == Test::every_value) return std::nullopt;
    const Attribute& a = node.attributes[static_cast<std::size_t>(q.feature)];
    if (q.test == Test::one_value) {
        double n = 0.0, all = 0.0;
        for (const double t : node.totals) all += t;
        for (std::size_t i = 0; i < a.counts.size(); ++i) {
            if (a.counts.value(i) != q.category) continue;
            for (const double t : a.counts.weights(i)) n += t;
        }
        if (n == 0.0) return 1;
        return n == all ? std::optional(0) : std::nullopt;
    }
    const std::size_t left = a.sorted.size_up_to(q.threshold);
    if (left == 0) return 1;
    return left == node.n_examples ? std::optional(0) : std::nullopt;
}

// Divides a leaf; one whose examples agree stays as it is.
void Tree::part(std::int32_t leaf, std::int32_t from, const Question& q) {
    const std::int32_t first = branch_of(q, at(leaf).examples.front());
    const auto& all = at(leaf).examples;
    if (std::all_of(all.begin(), all.end(),
                    [&](Place e) { return branch_of(q, e) == first; })) {
        pieces_.push_back({first, from, leaf});
        return;
    }
    Held<Place> examples;
    examples.swap(at(leaf).examples);
    release(leaf);
    std::stable_sort(examples.begin(), examples.end(), [&](Place a, Place b) {
        return branch_of(q, a) < branch_of(q, b);
    });
    const std::size_t begin = pieces_.size();
    for (const Place e : examples) {
        const std::int32_t branch = branch_of(q, e);
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
                        const Question& q) {
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
    node.question = above.question;
    node.attributes.resize(above.attributes.size());
    std::vector<Entry> entries;
    for (std::size_t f = 0; f < node.attributes.size(); ++f) {
        const auto feature = static_cast<std::int32_t>(f);
        if (!above.attributes[f].open || (settings_.multiway && feature == q.feature)) continue;
        Attribute& a = node.attributes[f];
        a.open = true;
        if (store_.kind(f) == Kind::numeric) {
            std::vector<SortedColumn> of_leaves;
            of_leaves.reserve(static_cast<std::size_t>(last - first));
            std::vector<const SortedColumn*> columns;
            for (const Piece* p = first; p != last; ++p) {
                const Node& part = at(p->node);
                counters_.additions += part.n_examples;
                if (!part.leaf()) {
                    columns.push_back(&part.attributes[f].sorted);
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
            if (settings_.multiway && feature == above.question.feature) {
                counters_.additions += a.counts.add(p->from, part.totals);
            } else if (part.leaf()) {
                counters_.additions += part.examples.size();
                for (const Place e : part.examples) {
                    a.counts.add(store_.code(f, e), static_cast<std::size_t>(store_.label(e)),
                                 store_.weight(e));
                }
            } else {
                counters_.additions += a.counts.add(part.attributes[f].counts);
            }
        }
    }
    for (const Piece* p = first; p != last; ++p) {
        node.ways.push_back({p->from, p->node});
        at(p->node).parent = id;
    }
    return id;
}

void Tree::transpose(std::int32_t top, const Question& q) {
    struct Frame {
        std::int32_t node;
        std::int32_t from;
        std::size_t next;   // way to follow
        std::size_t begin;  // of its pieces
    };
    pieces_.clear();
    std::vector<Frame> frames{{top, 0, 0, 0}};
    while (true) {
        Frame& frame = frames.back();
        Node& node = at(frame.node);
        if (frame.next < node.ways.size()) {
            const Way way = node.ways[frame.next++];
            Node& child = at(way.node);
            if (child.leaf()) {
                part(way.node, way.branch, q);
            } else if (child.question == q) {
                for (const Way& w : child.ways) pieces_.push_back({w.branch, way.branch, w.node});
                release(way.node);
            } else if (const auto only = only_branch(child, q)) {
                pieces_.push_back({*only, way.branch, way.node});
            } else {
                frames.push_back({way.node, way.branch, 0, pieces_.size()});
            }
            continue;
        }
        // Taken out of the list, to which the joined ones go.
        std::vector<Piece> own(pieces_.begin() + static_cast<std::ptrdiff_t>(frame.begin),
                               pieces_.end());
        pieces_.resize(frame.begin);
        std::stable_sort(own.begin(), own.end(),
                         [](const Piece& a, const Piece& b) { return a.branch < b.branch; });
        for (std::size_t i = 0; i < own.size();) {
            std::size_t end = i + 1;
            while (end < own.size() && own[end].branch == own[i].branch) ++end;
            const std::int32_t joined = join(node, own.data() + i, own.data() + end, q);
            pieces_.push_back({own[i].branch, frame.from, joined});
            i = end;
        }
        if (frames.size() == 1) {
            node.ways.clear();
            for (const Piece& p : pieces_) {
                node.ways.push_back({p.branch, p.node});
                at(p.node).parent = top;
            }
            node.question = q;
            return;
        }
        const std::int32_t done = frame.node;
        frames.pop_back();
        release(done);
    }
}

// Where only the threshold moves, and few examples with it, these change the side.
bool Tree::slew(std::int32_t id, const Question& q) {
    Node& node = at(id);
    const Question before = node.question;
    if (q.test != Test::threshold || before.test != Test::threshold || q.feature != before.feature) {
        return false;
    }
    const bool down = q.threshold < before.threshold;
    const double low = down ? q.threshold : before.threshold;
    const double high = down ? before.threshold : q.threshold;
    const SortedColumn& column = node.attributes[static_cast<std::size_t>(q.feature)].sorted;
    constexpr std::size_t few = 8;  // of how many; a transposition goes through all of them
    const std::size_t n_moved = column.size_up_to(high) - column.size_up_to(low);
    if (n_moved * few > node.n_examples) return false;
    std::vector<Place> moved;
    column.each_between(low, high, [&](Place e) { moved.push_back(e); });
    for (const Place e : moved) {
        take_out(child_at(node.ways, down ? 0 : 1), e);
        add(way_or_leaf(id, down ? 1 : 0), e);
    }
    node.question = q;
    return true;
}

}  // namespace riparian::restructuring
