// Subtrees beside a node: how they begin, take its place, and go.
#include <algorithm>
#include <utility>

#include "tree.hpp"

namespace riparian {

// A leaf of its own beside the node; none where there is no room for it.
std::int32_t Tree::attach(std::int32_t owner, Role role) {
    const std::size_t more = growth(1, false);
    if (!may_add(more) || !make_room_for(more + leaves_.bytes_of_a_leaf(), none)) return none;
    const Charge charge(structure_);
    const std::int32_t root = add_node(owner, 0, role);
    std::int32_t* last = &side(owner).first;
    while (*last != none) last = &side(*last).next;
    *last = root;
    open_leaf(root, leaves_.size());
    if (answers(root)) ++n_leaves_;
    settle();
    return root;
}

// Its nodes stay until the end of the row.
void Tree::detach(std::int32_t root) {
    if (at(root).role != Role::child) {
        std::int32_t* link = &side(at(root).parent).first;
        while (*link != root) link = &side(*link).next;
        *link = std::exchange(side(root).next, none);
    }
    note(given_up_, root);
}

// The subtree beside `owner` takes its place, and what was there is given up. The owner
// keeps its id; birth, statistics and detector are those of the other.
void Tree::promote(std::int32_t owner, std::int32_t root) {
    const auto n = static_cast<std::int32_t>(nodes_.size());
    detach(root);
    for (std::int32_t i = owner + 1; i < n; ++i) {
        if (at(i).parent == owner && i != root) note(given_up_, i);
    }
    for (Split& split : splits_) {
        if (split.node == owner) split.node = none;
        if (split.node == root) split.node = owner;
    }
    const std::int32_t old = record(owner);
    const std::int32_t fresh = record(root);
    nodes_.take_test(owner, root);
    std::swap(side(owner).record, side(root).record);
    std::swap(side(owner).born, side(root).born);
    std::swap(side(owner).since, side(root).since);
    std::swap(side(owner).monitor, side(root).monitor);
    side(owner).first = std::exchange(side(root).first, none);
    if (fresh != none) leaves_[static_cast<std::size_t>(fresh)].node = owner;
    if (old != none) leaves_[static_cast<std::size_t>(old)].node = root;
    std::copy_n(leaves_.counts(root), 2 * shape().class_stride, leaves_.counts(owner));
}

std::size_t Tree::answering_leaves() const {
    if (!settings_.has_options()) return nodes_.leaves_below(0);
    return static_cast<std::size_t>(std::count_if(
        nodes_.begin(), nodes_.end(), [](const Node& node) { return node.test == Test::leaf; }));
}

std::size_t Tree::leaves_with(std::int32_t id) const {
    if (settings_.max_leaves == SIZE_MAX || settings_.has_options()) return n_leaves_;
    std::size_t leaves = n_leaves_;
    for (std::int32_t root = nodes_.fragment(id); root != 0; root = nodes_.fragment(at(root).parent)) {
        // Of a tree beside a tree beside another the outermost counts.
        leaves = nodes_.fragment(at(root).parent) == 0
                     ? n_leaves_ - nodes_.leaves_below(at(root).parent) + nodes_.leaves_below(root)
                     : leaves;
    }
    return leaves;
}

void Tree::log_change(ChangeKind kind, std::int32_t node, const Cut& after,
                      std::uint32_t leaves_after, Standing ours, Standing theirs, double bound) {
    Change c = change_at(node);
    c.kind = kind;
    c.after = after;
    c.leaves_after = leaves_after;
    c.ours = ours;
    c.theirs = theirs;
    c.bound = bound;
    log_change(c);
}

Change Tree::change_at(std::int32_t node) const {
    Change c;
    c.seen = seen_;
    c.depth = at(node).depth;
    c.branch = at(node).branch;
    c.above = nodes_.cut_of(nodes_.above(node));
    c.before = nodes_.cut_of(node);
    c.leaves_before = nodes_.leaves_below(node);
    return c;
}

void Tree::log_change(const Change& c) {
    count_change(c.kind);
    const Charge charge(structure_);
    const std::size_t room = more_room(changes_.capacity(), changes_.size() + 1);
    const std::size_t more = changes_.capacity() < room ? taken(room * sizeof(Change)) : 0;
    if (changes_.size() >= most_changes || !may_add(more)) {
        if (changes_.empty()) return;
        changes_.erase(changes_.begin());
    }
    make_room(changes_);
    changes_.push_back(c);
    settle();
}

// Takes the nodes of given up subtrees away. The others close up in their order.
void Tree::compact() {
    const Charge charge(structure_);
    const std::size_t n = nodes_.size();
    std::vector<std::int32_t> ids(n, 0);  // what becomes of each; none: it goes
    for (const std::int32_t root : given_up_) ids[static_cast<std::size_t>(root)] = none;
    std::int32_t left = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t parent = nodes_[i].parent;
        const bool goes = ids[i] == none || (parent != none && ids[static_cast<std::size_t>(parent)] == none);
        ids[i] = goes ? none : left++;
    }
    const auto id = [&](std::int32_t i) { return i == none ? none : ids[static_cast<std::size_t>(i)]; };

    const std::vector<std::int32_t> places = leaves_.compact(ids);
    nodes_.compact(ids, places);
    for (std::size_t i = 0; i < n; ++i) {
        if (ids[i] == none) continue;
        const auto to = static_cast<std::size_t>(ids[i]);
        Side& side = sides_[i];
        side.first = id(side.first);
        side.next = id(side.next);
        if (side.record != none) side.record = places[static_cast<std::size_t>(side.record)];
        if (to != i) sides_[to] = std::move(side);
    }
    cut_to(sides_, nodes_.size());
    leaves_.compact_counts(ids, nodes_.size(), nodes_.capacity());

    for (std::size_t i = archive_.size(); i-- > 0;) {
        archive_[i].place = id(archive_[i].place);
        if (archive_[i].place == none) give_up_archived(i);
    }
    std::size_t told = 0, rival = 0, rivals = 0;
    for (const Split& split : splits_) {
        const std::size_t first = std::exchange(rival, rival + split.rivals);
        if (id(split.node) == none) continue;
        Split moved = split;
        moved.node = id(split.node);
        splits_[told++] = moved;
        std::copy_n(rivals_.begin() + static_cast<std::ptrdiff_t>(first), split.rivals,
                    rivals_.begin() + static_cast<std::ptrdiff_t>(rivals));
        rivals += split.rivals;
    }
    cut_to(splits_, told);
    cut_to(rivals_, rivals);
    n_leaves_ = answering_leaves();
    given_up_.clear();
    ++reroutings_;
    settle();
}

}  // namespace riparian
