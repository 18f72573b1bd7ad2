// Replaced subtrees are archived, because their concept may return.
//
// A restored subtree starts with empty statistics, like a new one. It does not have to wait for
// examples: it learns those of the window since the last check of all splits, and its nodes are
// marked as begun at that point. Its statistics are then a recount over the window, as everywhere
// in a tree with a window.
#include <algorithm>
#include <utility>
#include <vector>

#include "../growth/statistics.hpp"
#include "window_tree.hpp"

namespace riparian {

std::size_t WindowTree::archive_bytes() const noexcept {
    std::size_t bytes = archive_.capacity() ? taken(archive_.capacity() * sizeof(Archived)) : 0;
    for (const Archived& a : archive_) bytes += a.bytes();
    return bytes;
}

void WindowTree::give_up_archived(std::size_t i) {
    const Charge charge(structure_);
    archive_.erase(archive_.begin() + static_cast<std::ptrdiff_t>(i));
    set_room(archive_, more_room(0, archive_.size()));
    room_.settle();
}

// Called before another subtree replaces the one at a node.
void WindowTree::archive(std::int32_t node) {
    const auto n = static_cast<std::int32_t>(nodes_.size());
    std::vector<std::int32_t> ids{node};
    std::vector<std::int32_t> places(nodes_.size(), none);  // its place among the archived nodes
    places[static_cast<std::size_t>(node)] = 0;
    for (std::int32_t i = node + 1; i < n; ++i) {
        if (at(i).role != Role::child || places[static_cast<std::size_t>(at(i).parent)] == none ||
            std::find(given_up_.begin(), given_up_.end(), i) != given_up_.end()) {
            continue;
        }
        places[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(ids.size());
        ids.push_back(i);
    }
    const auto in = [&](std::int32_t i) {
        return i == none ? none : places[static_cast<std::size_t>(i)];
    };
    std::vector<std::pair<const Split*, const Rival*>> splits(ids.size());
    std::size_t n_splits = 0, n_rivals = 0;
    const Rival* rival = state_.certificates.rivals().data();
    for (const Split& split : state_.certificates.splits()) {
        if (const std::int32_t i = in(split.node); i != none) {
            splits[static_cast<std::size_t>(i)] = {&split, rival};
            ++n_splits;
            n_rivals += split.rivals;
        }
        rival += split.rivals;
    }

    const std::size_t room = more_room(archive_.capacity(), archive_.size() + 1);
    const std::size_t more =
        Archived::bytes(ids.size(), n_splits, n_rivals) + taken(room * sizeof(Archived));
    while (!archive_.empty() && (archive_.size() >= how_.archive || !room_.may_add(more))) {
        give_up_archived(0);
    }
    if (!room_.may_add(more) || !room_.make_room_for(more, none)) return;
    const Charge charge(structure_);
    Archived kept;
    kept.number = ++archived_;
    kept.place = node;
    kept.nodes.reserve(ids.size());
    kept.splits.reserve(n_splits);
    kept.rivals.reserve(n_rivals);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Node& from = at(ids[i]);
        kept.nodes.push_back({nodes_.threshold(ids[i]), i ? in(from.parent) : none,
                              i ? from.branch : 0, from.feature, from.category, in(from.heavy),
                              from.test});
        const auto [split, first] = splits[i];
        if (!split) continue;
        kept.splits.push_back(*split);
        kept.splits.back().node = static_cast<std::int32_t>(i);
        kept.rivals.insert(kept.rivals.end(), first, first + split->rivals);
    }
    riparian::make_room(archive_);
    archive_.push_back(std::move(kept));
    room_.settle();
}

// Makes the archived subtrees of a node its alternates again, as far as there is room. Their test
// begins at once. Returns whether there are any.
bool WindowTree::bring_back(std::int32_t node) {
    bool any = false;
    for (const Archived& a : archive_) {
        if (a.place != node) continue;
        bool there = false;
        for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
            there |= side(b).trial->from == a.number;
        }
        if (!there) any |= bring_back(a);
    }
    if (!any) return false;
    Trial& ours = *side(node).trial;
    ours.waited = how_.test_period;
    ours.tested = ours.errors = 0.0;
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
        side(b).trial->own_tested = side(b).trial->own_errors = 0.0;
    }
    return true;
}

bool WindowTree::bring_back(const Archived& a) {
    const std::size_t n = a.nodes.size();
    if (growth_.leaves_with(a.place) - nodes_.leaves_below(a.place) + a.leaves() >
        settings_.max_leaves) {
        return false;
    }
    std::size_t more = room_.growth(n, a.splits.size()) + 2 * taken(sizeof(Trial));
    for (const Archived::Node& node : a.nodes) {
        if (node.test == Test::every_value) more += 2 * Branches::bytes(n);
    }
    if (!room_.may_add(more) || !room_.make_room_for(more + leaves_.bytes_of_a_leaf(), none))
        return false;
    {
        const Charge charge(structure_);
        plant(a, std::max({examples_.first(), side(a.place).since,
                           state_.seen + 1 - std::min(state_.seen, how_.validity_period)}));
        room_.settle();
    }
    const auto root = static_cast<std::int32_t>(nodes_.size() - n);
    const std::int32_t end = root + static_cast<std::int32_t>(n);
    for (std::int32_t i = root; i < end; ++i) {
        if (state_.limited() && room_.free_bytes() < leaves_.bytes_of_a_leaf()) break;
        open_statistics(state_, place(i));
    }
    relearn_window(side(root).since, root);
    for (std::int32_t i = root; i < end && leaves_.shape().derives(); ++i) {
        const NodeRecord& leaf = leaves_[place(i)];
        if (!leaf.statistics.is_open() || at(i).test != Test::leaf) continue;
        leaf.statistics.find_bayes(leaves_.shape(), leaves_.own_counts(leaf));
    }
    count_change(ChangeKind::started);
    return true;
}

// Adds the nodes of an archived subtree at the end of the tree, as an alternate of the node that it was
// at. Certificates stay in the order of time.
void WindowTree::plant(const Archived& a, std::uint64_t since) {
    const auto root = static_cast<std::int32_t>(nodes_.size());
    growth_.make_room_in_lists(a.nodes.size());
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const Archived::Node& from = a.nodes[i];
        const std::int32_t id = i ? growth_.add_node(root + from.parent, from.branch)
                                  : growth_.add_node(a.place, 0, Role::alternate);
        side(id).since = side(id).there = since;
        growth_.open_leaf(id, leaves_.size(), false);
        if (i) {
            Node& above = at(root + from.parent);
            if (above.test == Test::every_value) {
                nodes_.branches(above).add(from.branch, id);
            } else if (from.branch == 0) {
                above.place = id;
                nodes_.set_gate(root + from.parent,
                                a.nodes[static_cast<std::size_t>(from.parent)].threshold);
            }
        }
        Node& node = at(id);
        if (from.test == Test::leaf) continue;
        side(id).record = node.place;
        node.test = from.test;
        node.feature = from.feature;
        node.category = from.category;
        node.heavy = root + from.heavy;
        if (from.test == Test::every_value) nodes_.add_branches(id);
    }
    std::int32_t* last = &side(a.place).first;
    while (*last != none) last = &side(*last).next;
    *last = root;
    side(root).trial = std::make_unique<Trial>();
    side(root).trial->from = a.number;
    if (!side(a.place).trial) side(a.place).trial = std::make_unique<Trial>();

    const Rival* rival = a.rivals.data();
    for (Split split : a.splits) {
        split.node += root;
        state_.certificates.insert(split, rival);
        rival += split.rivals;
    }
}

void WindowTree::renumber(const std::vector<std::int32_t>& ids) {
    for (std::size_t i = archive_.size(); i-- > 0;) {
        archive_[i].place = ids[static_cast<std::size_t>(archive_[i].place)];
        if (archive_[i].place == none) give_up_archived(i);
    }
}

}  // namespace riparian
