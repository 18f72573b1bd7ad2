#include "subtrees.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sizes.hpp"

namespace riparian {

Subtrees::Subtrees(RowLearner& rows, Traits traits) : Adaptation(rows, traits) {
    const Charge charge(structure_);
    for (auto* const list : {&path_, &fragments_, &given_up_, &tested_, &walks_}) {
        list->reserve(room_of_list);
    }
}

void Subtrees::add_node() {
    riparian::make_room(sides_);
    Side& side = sides_.emplace_back();
    side.born = born_++;
    side.since = side.there = state_.seen + 1;
}

// A branch is made for the present row, which it learns.
void Subtrees::add_branch(std::int32_t node) { side(node).since = side(node).there = state_.seen; }

void Subtrees::trace(std::int32_t leaf, std::int32_t root) {
    path_.clear();
    for (std::int32_t i = leaf; i != root; i = at(i).parent) note(path_, at(i).parent);
}

bool Subtrees::is_side_root(std::uint64_t born) const noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (sides_[i].born == born) return nodes_[i].role != Role::child;
    }
    return false;
}

bool Subtrees::is_given_up(std::int32_t node) const noexcept {
    for (; node != none; node = at(node).parent) {
        if (std::find(given_up_.begin(), given_up_.end(), node) != given_up_.end()) return true;
    }
    return false;
}

Duel* Subtrees::duel_of(std::int32_t root, double wait) {
    if (Duel* const duel = duels_.find(side(root).born)) return duel;
    const std::size_t more = duels_.growth();
    if (!room_.may_add(more) || !room_.make_room_for(more, none)) return nullptr;
    const Charge charge(structure_);
    Duel& duel = duels_.begin(side(root).born, wait);
    room_.settle();
    return &duel;
}

void Subtrees::shorten_list(Held<std::int32_t>& list) {
    if (list.capacity() <= room_of_list) return;
    list.clear();
    set_room(list, room_of_list);
}

void Subtrees::give_back_room() {
    checks_.release();
    const Charge charge(working_);
    for (auto* const list : {&path_, &fragments_, &given_up_, &tested_, &walks_})
        shorten_list(*list);
}

// ---- how subtrees begin, replace a node, and end ----

std::int32_t Subtrees::attach(std::int32_t owner, Role role) {
    const std::size_t more = room_.growth(1, false);
    if (!room_.may_add(more) || !room_.make_room_for(more + leaves_.bytes_of_a_leaf(), none))
        return none;
    const Charge charge(structure_);
    const std::int32_t root = growth_.add_node(owner, 0, role);
    std::int32_t* last = &side(owner).first;
    while (*last != none) last = &side(*last).next;
    *last = root;
    growth_.open_leaf(root, leaves_.size());
    if (nodes_.predicts(root)) ++state_.n_leaves;
    room_.settle();
    return root;
}

std::int32_t Subtrees::attach(std::int32_t owner, Role role, const Decision& decision,
                              const std::vector<double>& table) {
    const std::int32_t root = attach(owner, role);
    if (root == none) return none;
    growth_.split(static_cast<std::size_t>(at(root).place), decision, table);
    if (at(root).test != Test::leaf) return root;
    detach(root);  // the memory limit left no room for it
    return none;
}

void Subtrees::detach(std::int32_t root) {
    if (at(root).role != Role::child) {
        std::int32_t* link = &side(at(root).parent).first;
        while (*link != root) link = &side(*link).next;
        *link = std::exchange(side(root).next, none);
    }
    note(given_up_, root);
}

// The owner keeps its id. It gets the birth, statistics and detector of the other node.
void Subtrees::promote(std::int32_t owner, std::int32_t root) {
    const auto n = static_cast<std::int32_t>(nodes_.size());
    detach(root);
    for (std::int32_t i = owner + 1; i < n; ++i) {
        if (at(i).parent == owner && i != root) note(given_up_, i);
    }
    retire(owner);
    state_.certificates.rename(owner, none);
    state_.certificates.rename(root, owner);
    const std::int32_t old = state_.record(owner);
    const std::int32_t fresh = state_.record(root);
    nodes_.adopt_test(owner, root);
    std::swap(side(owner).record, side(root).record);
    std::swap(side(owner).born, side(root).born);
    std::swap(side(owner).since, side(root).since);
    std::swap(side(owner).monitor, side(root).monitor);
    side(owner).first = std::exchange(side(root).first, none);
    if (fresh != none) leaves_[static_cast<std::size_t>(fresh)].node = owner;
    if (old != none) leaves_[static_cast<std::size_t>(old)].node = root;
    std::copy_n(leaves_.counts(root), 2 * leaves_.shape().class_stride, leaves_.counts(owner));
}

void Subtrees::drop(std::int32_t alternate) {
    count_change(ChangeKind::dropped);
    detach(alternate);
}

// The remaining nodes keep their order.
void Subtrees::compact() {
    const Charge charge(structure_);
    const std::size_t n = nodes_.size();
    std::vector<std::int32_t> ids(n, 0);  // the new id of each node; none: it is removed
    for (const std::int32_t root : given_up_) ids[static_cast<std::size_t>(root)] = none;
    std::int32_t left = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t parent = nodes_[i].parent;
        const bool goes =
            ids[i] == none || (parent != none && ids[static_cast<std::size_t>(parent)] == none);
        ids[i] = goes ? none : left++;
    }
    const auto id = [&](std::int32_t i) {
        return i == none ? none : ids[static_cast<std::size_t>(i)];
    };

    const Rival* rivals = state_.certificates.rivals().data();
    for (const Split& split : state_.certificates.splits()) {
        if (split.node != none && id(split.node) == none && nodes_.predicts(split.node)) {
            remember(split, rivals);
        }
        rivals += split.rivals;
    }
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

    state_.certificates.compact(ids);
    state_.n_leaves = nodes_.predicting_leaves();
    renumber(ids);
    duels_.keep([&](std::uint64_t born) { return is_side_root(born); });
    given_up_.clear();
    reroute();
    room_.settle();
}

// ---- certificates of splits that go ----

void Subtrees::retire(std::int32_t node) {
    if (!nodes_.predicts(node)) return;
    const Rival* rivals = state_.certificates.rivals().data();
    for (const Split& split : state_.certificates.splits()) {
        if (split.node == node) {
            remember(split, rivals);
            return;
        }
        rivals += split.rivals;
    }
}

void Subtrees::remember(const Split& split, const Rival* rivals) {
    FormerSplit former{split, nodes_.cut_of(split.node), split.null_second ? no_rival : *rivals,
                       at(split.node).depth, state_.seen};
    former.split.node = none;
    if (!decided_by_race(split.verdict)) former.split.log_evidence = 0.0F;
    former.split.rivals = split.null_second ? 0 : 1;
    const Charge charge(structure_);
    std::size_t most = History::most;
    if (state_.limited()) {
        const std::size_t more = history_.growth();
        most = History::most_in(settings_.max_bytes);
        if (!room_.may_add(more) || room_.free_bytes() < more)
            most = std::min(most, history_.splits().size());
    }
    history_.add(former, most);
    room_.settle();
}

// ---- changes ----

Change Subtrees::change_at(std::int32_t node) const {
    Change c;
    c.seen = state_.seen;
    c.depth = at(node).depth;
    c.branch = at(node).branch;
    c.above = nodes_.cut_of(nodes_.above(node));
    c.before = nodes_.cut_of(node);
    c.leaves_before = nodes_.leaves_below(node);
    return c;
}

void Subtrees::log_change(ChangeKind kind, std::int32_t node, const Cut& after,
                          std::uint32_t leaves_after, Standing ours, Standing theirs,
                          double bound) {
    Change c = change_at(node);
    c.kind = kind;
    c.after = after;
    c.leaves_after = leaves_after;
    c.ours = ours;
    c.theirs = theirs;
    c.bound = bound;
    log_change(c);
}

void Subtrees::log_change(const Change& c) {
    count_change(c.kind);
    const Charge charge(structure_);
    const std::size_t room = more_room(changes_.capacity(), changes_.size() + 1);
    const std::size_t more = changes_.capacity() < room ? taken(room * sizeof(Change)) : 0;
    if (changes_.size() >= most_changes || !room_.may_add(more)) {
        if (changes_.empty()) return;
        changes_.erase(changes_.begin());
    }
    riparian::make_room(changes_);
    changes_.push_back(c);
    room_.settle();
}

std::vector<Change> Subtrees::changes(std::uint64_t since) const {
    std::vector<Change> out;
    for (const Change& c : changes_) {
        if (c.seen > since) out.push_back(c);
    }
    return out;
}

// ---- files ----

void Subtrees::check_sizes(const Snapshot& s, const Sizes& z) const {
    demand_sizes_of_subtrees(s, z.n_nodes);
    demand_sizes_of_window(s, z, 0, 0);
}

void Subtrees::save(Snapshot& s) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        s.role.push_back(static_cast<std::uint8_t>(nodes_[i].role));
        s.born.push_back(sides_[i].born);
    }
    save_monitors(s);
    duels_.save(s);
    history_.save(s);
    s.births = {born_};
    s.change_totals.assign(change_totals_.begin(), change_totals_.end());
    for (const Change& c : changes_) {
        s.change_seen.push_back(c.seen);
        s.change_kind.push_back(static_cast<std::uint8_t>(c.kind));
        s.change_places.insert(s.change_places.end(), {c.depth, c.branch});
        for (const Cut& cut : {c.above, c.before, c.after}) {
            s.change_places.insert(s.change_places.end(), {static_cast<std::int32_t>(cut.test),
                                                           cut.feature, cut.category});
            s.change_values.push_back(cut.threshold);
        }
        s.change_places.insert(s.change_places.end(), {static_cast<std::int32_t>(c.leaves_before),
                                                       static_cast<std::int32_t>(c.leaves_after)});
        s.change_values.insert(s.change_values.end(), {c.ours.value, c.ours.weight, c.theirs.value,
                                                       c.theirs.weight, c.bound});
    }
}

void Subtrees::save_monitors(Snapshot& s) const { s.monitor_sizes.assign(nodes_.size(), 0); }

void Subtrees::restore_monitors(const Snapshot& s) {
    demand(s.monitors.empty() &&
               std::count(s.monitor_sizes.begin(), s.monitor_sizes.end(), std::uint64_t{0}) ==
                   static_cast<std::ptrdiff_t>(s.monitor_sizes.size()),
           "monitors is too long");
}

void Subtrees::restore_link(std::int32_t node, const std::string& where) {
    demand(at(node).role == role(), where + "an unknown role");
    std::int32_t* last = &side(at(node).parent).first;
    demand(at(node).branch == 0 && (*last == none || several()),
           where + "a second alternate of one node");
    while (*last != none) last = &side(*last).next;
    *last = node;
}

void Subtrees::restore(const Snapshot& s) {
    born_ = s.births[0];
    demand(born_ >= nodes_.size() && born_ <= (1ULL << 62), "births is out of range");
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::int32_t parent = nodes_[i].parent;
        demand(s.born[i] < born_ && (parent == none || s.born[i] > side(parent).born),
               at_row("born", i) + "not after its parent");
        sides_[i].born = s.born[i];
    }
    restore_monitors(s);
    demand(bets() || s.duel_born.empty(), "duel_born without bets");
    {
        const Charge charge(structure_);
        duels_.restore(s, [&](std::uint64_t born) { return is_side_root(born); });
    }
    history_.restore(state_, s);
    std::copy(s.change_totals.begin(), s.change_totals.end(), change_totals_.begin());
    for (std::size_t i = 0; i < s.change_seen.size(); ++i) {
        const Where where = at_row("change_seen", i);
        const std::int32_t* const p = s.change_places.data() + i * Snapshot::change_places_each;
        const double* const v = s.change_values.data() + i * Snapshot::change_values_each;
        Change c;
        c.seen = s.change_seen[i];
        demand(c.seen <= state_.seen && (i == 0 || c.seen >= s.change_seen[i - 1]),
               where + "not in the order of time");
        demand(s.change_kind[i] < n_change_kinds, where + "an unknown kind");
        c.kind = static_cast<ChangeKind>(s.change_kind[i]);
        c.depth = p[0];
        c.branch = p[1];
        demand(c.depth >= 0 && c.branch >= 0, where + "no such place");
        const auto cut = [&](std::size_t k) {
            const std::int32_t* const q = p + 2 + 3 * k;
            if (q[0] == 0) {
                demand(q[1] == none && q[2] == none && v[k] == 0.0, where + "a leaf with a test");
                return Cut{};
            }
            demand(q[0] > 0 && q[0] <= 3 &&
                       possible(s, nodes_.features(), static_cast<std::uint8_t>(q[0]), q[1], v[k],
                                q[2]),
                   where + "an impossible test");
            return Cut{v[k], q[1], q[2], static_cast<Test>(q[0])};
        };
        c.above = cut(0);
        c.before = cut(1);
        c.after = cut(2);
        demand(p[11] >= 1 && p[12] >= 1, where + "no leaves");
        c.leaves_before = static_cast<std::uint32_t>(p[11]);
        c.leaves_after = static_cast<std::uint32_t>(p[12]);
        for (std::size_t k = 3; k < Snapshot::change_values_each; ++k) {
            demand(v[k] != v[k] || std::abs(v[k]) <= heaviest, where + "not a number");
        }
        c.ours = {v[3], v[4]};
        c.theirs = {v[5], v[6]};
        c.bound = v[7];
        riparian::make_room(changes_);
        changes_.push_back(c);
    }
}

}  // namespace riparian
