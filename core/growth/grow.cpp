// How a tree grows: checks, splits, new nodes and leaves.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "../check/waiting_leaf.hpp"
#include "growth.hpp"

namespace riparian {
namespace {

// Kept from check to check: that of hundreds of features would weigh as much as a leaf.
constexpr std::size_t most_working = 32 * 1024;

// Branches by the weight that the majority of their class weights, rows of a table, does
// not explain.
void sort_by_promise(std::vector<std::size_t>& branches, const std::vector<double>& table,
                     std::size_t width) {
    std::vector<double> promises(table.size() / width);
    for (std::size_t b = 0; b < promises.size(); ++b) {
        const double* const row = table.data() + b * width;
        promises[b] = std::accumulate(row, row + width, 0.0) - *std::max_element(row, row + width);
    }
    std::stable_sort(branches.begin(), branches.end(), [&](std::size_t a, std::size_t b) {
        return promises[a] > promises[b];
    });
}

}  // namespace

// At once, so that no copy is larger than the lists were.
void Growth::make_room_in_lists(std::size_t children) {
    nodes_.make_room(children);
    leaves_.reserve_counts(nodes_.capacity());
    if (settings_.short_memory) estimates_.reserve(nodes_.capacity() * shape().class_stride);
    leaves_.make_room(children - (hooks_->traits().keeps ? 0 : 1));
    hooks_->make_room(children);
}

std::int32_t Growth::add_node(std::int32_t parent, std::int32_t branch, Role role) {
    nodes_.make_room(1);
    leaves_.reserve_counts(nodes_.capacity());
    if (settings_.short_memory) estimates_.reserve(nodes_.capacity() * shape().class_stride);
    const std::int32_t id = nodes_.add(parent, branch, role);
    leaves_.add_counts();
    hooks_->add_node();
    return id;
}

void Growth::open_leaf(std::int32_t node, std::size_t place, bool active) {
    leaves_.open(settings_, node, place);
    at(node).place = static_cast<std::int32_t>(place);
    if (active) open_statistics(place);
}

// The child for a category without a branch: a new leaf, or where there is no room for
// one the child for missing values.
std::int32_t Growth::add_branch(std::int32_t node, std::int32_t code) {
    Branches& branches = nodes_.branches(at(node));
    const std::size_t more = growth(1, false) + 2 * Branches::bytes(branches.size() + 1);
    if (leaves_with(node) >= settings_.max_leaves || !may_add(more, nodes_.predicts(node)) ||
        make_room_for_leaves(more, 1, none) == Room::none) {
        return at(node).heavy;
    }
    const Charge charge(structure_);
    const std::int32_t child = add_node(node, code);
    hooks_->add_branch(child);
    branches.add(code, child);
    open_leaf(child, leaves_.size());
    if (nodes_.predicts(node)) ++n_leaves_;
    settle();
    if (!limited()) return child;
    // Before there was room for the branch, examples may have gone down the heavy one.
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_.code(i, nodes_.slot(at(node))) != code) continue;
        memory_.move(i, nodes_.leaf_of(memory_.row(i)));
    }
    return child;
}

bool Growth::may_split(const NodeRecord& leaf) const noexcept {
    return static_cast<std::size_t>(at(leaf.node).depth) < settings_.max_depth &&
           (n_leaves_ < settings_.max_leaves || !nodes_.predicts(leaf.node));
}

LeafCase Growth::leaf_case(const NodeRecord& leaf, CaseRoom& room, const Settings& settings) const {
    Held<bool>& used_up = room.used_up;
    used_up.assign(shape().categorical, false);
    for (std::int32_t i = nodes_.above(leaf.node); i != none; i = nodes_.above(i)) {
        if (at(i).test == Test::every_value) used_up[nodes_.slot(at(i))] = true;
    }
    const std::size_t place = leaves_.place_of(leaf);
    const double recalled = settings_.short_memory_in_bound ? 0.0 : leaves_.recalled(place);
    const double n = leaf.weight - recalled + leaf.inherited;
    const TrackedFeatures* const kept = leaves_.tracked_features(place);
    if (kept) {
        kept->narrow(used_up, features());
        kept->list(features(), room.features);
    }
    LeafCase c{settings, leaves_.shape(place), kept ? room.features : features(), leaf.statistics,
               leaves_.own_counts(leaf),
               leaf.weight, n, n_classes_,
               static_cast<std::size_t>(leaf.classes), used_up};
    c.depth = static_cast<double>(at(leaf.node).depth);
    c.seen = static_cast<double>(seen_);
    c.number = static_cast<double>(leaf.checks) + 1.0;
    c.known_features = static_cast<double>(n_known_);
    c.horizon = settings_.adaptive_grace ? longest_delay(settings_, leaf.weight) : 0.0;
    if (const LeafExtras* const extras = leaves_.extras(place)) c.set_extras(*extras);
    c.kept = kept;
    return c;
}

void Growth::check(std::size_t place) {
    const Decision decision = [&] {
        const Charge charge(working_);
        const Decision found = checker_.check(leaf_case(leaves_[place], case_room_));
        if (settings_.adaptive_grace) {
            leaves_.set_delay(place, checker_.delay(leaf_case(leaves_[place], case_room_), found));
        }
        return found;
    }();
    spent_ += delta_of_check(settings_, decision.evidence);
    ++leaves_[place].checks;
    if (decision.verdict != Verdict::wait) {
        split(place, decision);
    } else {
        if (leaves_.any_extras()) after_check(place, decision);
        if (settings_.drop_poor_features) drop_poor(place);
    }
    if (working_.held > most_working) leave_room();
}

// Gives back what the last check worked with.
void Growth::leave_room() noexcept {
    const Charge charge(working_);
    checker_ = {};
    case_room_ = {};
}

// The statistics of a leaf are laid out again without the features that its check found poor.
void Growth::drop_poor(std::size_t place) {
    const Held<bool>& poor = checker_.poor();
    if (std::find(poor.begin(), poor.end(), true) == poor.end()) return;
    make_room_for(leaves_.bytes_of_a_leaf(), leaves_[place].node);  // both are there for a while
    const Charge charge(leaves_.account());
    const Shape from = leaves_.shape(place);
    if (!leaves_.tracked_features(place)) {
        leaves_.set_tracked_features(
            place, std::make_unique<TrackedFeatures>(features(), shape()));
    }
    const TrackedFeatures::Left left = leaves_.tracked_features(place)->drop(poor, features());
    NodeRecord& leaf = leaves_[place];
    leaf.statistics.keep(from, leaves_.shape(place), left.numeric, left.categorical);
    if (LeafExtras* const extras = leaves_.extras(place)) extras->keep(left.numeric);
}

// What a leaf that waits makes of the check.
void Growth::after_check(std::size_t place, const Decision& d) {
    const Charge charge(leaves_.account());
    const LeafCase leaf = leaf_case(leaves_[place], case_room_);
    WaitingLeaf check(checker_, leaf, d, features(), working_);
    leaves_.extras(place)->after_check(check);
}

// Fixes the cuts that the extras of a leaf ask for, once it has seen its first examples.
void Growth::fix_cuts(std::size_t place) {
    const NodeRecord& leaf = leaves_[place];
    std::vector<double> thresholds, sides;
    const LeafCase c = [&] {
        const Charge charge(working_);
        const LeafCase found = leaf_case(leaf, case_room_);
        checker_.best_thresholds(found, thresholds, sides);
        return found;
    }();
    const Charge charge(leaves_.account());
    leaves_.extras(place)->fix_cuts(settings_, shape(), leaf.statistics, c.counts, n_classes_,
                                    leaf.weight, thresholds.data(), sides.data());
}

void Growth::certify(std::int32_t node, const Decision& decision) {
    const Charge charge(structure_);
    const Ranking& ranking = decision.ranking;
    const std::size_t rivals = std::min(ranking.size() - 1, most_rivals());
    for (std::size_t i = 1; i <= rivals; ++i) {
        const Candidate& c = ranking[i];
        certificates_.add_rival({c.threshold, c.gain, c.feature, c.category,
                                 static_cast<std::uint32_t>(c.test)});
    }
    const Evidence& e = decision.evidence;
    certificates_.add({seen_, e.n, e.gain_range, decision.epsilon, e.delta, spent_,
                       decision.best.gain, node, decision.verdict, decision.criterion,
                       static_cast<std::uint8_t>(rivals), decision.second.feature == none, passes_});
}

Decision Growth::decide(std::size_t place) {
    const Decision decision = [&] {
        const Charge charge(working_);
        return checker_.check(leaf_case(leaves_[place], case_room_));
    }();
    spent_ += delta_of_check(settings_, decision.evidence);
    ++leaves_[place].checks;
    return decision;
}

std::vector<double> Growth::branches_of_cut(std::size_t place, const Candidate& cut) {
    const Charge charge(working_);
    return checker_.branches(leaf_case(leaves_[place], case_room_), cut);
}

void Growth::split(std::size_t place, const Decision& decision) {
    split(place, decision, branches_of_cut(place, decision.best));
}

void Growth::split(std::size_t place, const Decision& decision, const std::vector<double>& table) {
    const Candidate& cut = decision.best;
    const std::int32_t id = leaves_[place].node;
    const std::size_t width = shape().class_stride;
    const std::size_t rows = table.size() / width;
    std::vector<double> weights(rows);
    std::vector<std::size_t> branches;
    for (std::size_t b = 0; b < rows; ++b) {
        for (std::size_t k = 0; k < width; ++k) weights[b] += table[b * width + k];
        if (cut.test != Test::every_value || weights[b] > 0.0) branches.push_back(b);
    }
    if (leaves_with(id) - 1 + branches.size() > settings_.max_leaves) return;
    const std::size_t more = growth(branches.size(), true) +
                             (cut.test == Test::every_value ? 2 * Branches::bytes(branches.size()) : 0);
    // A copy of the parent's state is there until its children have it.
    const std::size_t copies = branches.size() + (leaves_.any_states() ? 1 : 0);
    if (!may_add(more, nodes_.predicts(id))) return;
    const std::size_t size = leaves_.bytes_of_a_leaf();
    const Room room = make_room_for_leaves(more, copies, id);
    if (room == Room::none) return;
    const Charge charge(structure_);
    make_room_in_lists(branches.size());
    certify(id, decision);
    LooseState inherited = make_loose_state(settings_.leaf);
    if (inherited) inherited->inherit(shape(), *leaves_.state(place));
    if (hooks_->traits().keeps) {
        hooks_->keep_record(id, place);
    } else {
        leaves_.deactivate(place);
    }
    if (nodes_.predicts(id)) n_leaves_ += branches.size() - 1;
    Node& node = at(id);
    node.test = cut.test;
    node.feature = cut.feature;
    node.category = cut.category;
    Branches by_category;
    std::int32_t first = none;
    std::int32_t heavy = none;
    double most = -1.0;
    std::vector<std::int32_t> children(rows, none);
    for (const std::size_t b : branches) {
        const std::int32_t child = add_node(id, static_cast<std::int32_t>(b));
        children[b] = child;
        const bool reused = first == none && !hooks_->traits().keeps;
        const std::size_t slot = reused ? place : leaves_.size();
        open_leaf(child, slot, false);
        if (settings_.inherit_counts != InheritCounts::none) {
            std::copy_n(table.data() + b * width, width, leaves_.counts(child) + width);
        }
        if (first == none) first = child;
        if (cut.test == Test::every_value) by_category.add(static_cast<std::int32_t>(b), child);
        if (weights[b] > most) {
            most = weights[b];
            heavy = child;
        }
    }
    at(id).place = first;
    if (cut.test == Test::every_value) nodes_.add_branches(id, std::move(by_category));
    at(id).heavy = heavy;
    nodes_.set_gate(id, cut.threshold);
    settle();
    if (room == Room::inactive) {  // the most promising of them, and at least one
        sort_by_promise(branches, table, width);
        branches.resize(std::clamp<std::size_t>(free_bytes() / size, 1, branches.size()));
    }
    for (const std::size_t b : branches) {
        const auto slot = static_cast<std::size_t>(at(children[b]).place);
        open_statistics(slot);
        if (!leaves_[slot].statistics.is_open()) continue;
        if (settings_.inherit_counts == InheritCounts::count) {
            leaves_[slot].inherited = weights[b];
        }
        if (inherited) inherit(slot, *inherited);
    }
    if (inherited) {
        inherited.reset();
        settle();
    }
    if (settings_.short_memory) recall(id);
}

std::size_t Growth::leaves_with(std::int32_t id) const {
    if (settings_.max_leaves == SIZE_MAX) return n_leaves_;
    std::size_t leaves = n_leaves_;
    for (std::int32_t root = nodes_.fragment(id); at(root).role == Role::alternate;
         root = nodes_.fragment(at(root).parent)) {
        // Of an alternate of an alternate the outermost counts.
        leaves = nodes_.fragment(at(root).parent) == 0
                     ? n_leaves_ - nodes_.leaves_below(at(root).parent) + nodes_.leaves_below(root)
                     : leaves;
    }
    return leaves;
}

}  // namespace riparian
