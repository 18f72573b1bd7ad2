// How a tree grows: splits, new nodes and leaves.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "growth.hpp"
#include "statistics.hpp"

namespace riparian {
namespace {

// Sorts branches by their promise, the largest first: the weight that the majority class does not
// explain. The rows of the table are the class weights of the branches.
void sort_by_promise(std::vector<std::size_t>& branches, const std::vector<double>& table,
                     std::size_t width) {
    std::vector<double> promises(table.size() / width);
    for (std::size_t b = 0; b < promises.size(); ++b) {
        const double* const row = table.data() + b * width;
        promises[b] = std::accumulate(row, row + width, 0.0) - *std::max_element(row, row + width);
    }
    std::stable_sort(branches.begin(), branches.end(),
                     [&](std::size_t a, std::size_t b) { return promises[a] > promises[b]; });
}

}  // namespace

void Growth::make_room_in_lists(std::size_t children) {
    Nodes& nodes = state.nodes;
    Leaves& leaves = state.leaves;
    nodes.make_room(children);
    leaves.reserve_counts(nodes.capacity());
    if (state.settings.short_memory) {
        state.estimates.reserve(nodes.capacity() * leaves.shape().class_stride);
    }
    leaves.make_room(children - (state.hooks->traits().keeps ? 0 : 1));
    state.hooks->make_room(children);
}

std::int32_t Growth::add_node(std::int32_t parent, std::int32_t branch, Role role) {
    Nodes& nodes = state.nodes;
    Leaves& leaves = state.leaves;
    nodes.make_room(1);
    leaves.reserve_counts(nodes.capacity());
    if (state.settings.short_memory) {
        state.estimates.reserve(nodes.capacity() * leaves.shape().class_stride);
    }
    const std::int32_t id = nodes.add(parent, branch, role);
    leaves.add_counts();
    state.hooks->add_node();
    return id;
}

void Growth::open_leaf(std::int32_t node, std::size_t place, bool active) {
    state.leaves.open(state.settings, node, place);
    state.nodes.at(node).place = static_cast<std::int32_t>(place);
    if (active) open_statistics(state, place);
}

std::int32_t Growth::add_branch(std::int32_t node, std::int32_t code) {
    Nodes& nodes = state.nodes;
    ShortMemory& memory = state.memory;
    Branches& branches = nodes.branches(nodes.at(node));
    const std::size_t more = room.growth(1, false) + 2 * Branches::bytes(branches.size() + 1);
    if (leaves_with(node) >= state.settings.max_leaves ||
        !room.may_add(more, nodes.predicts(node)) ||
        room.make_room_for_leaves(more, 1, none) == Room::Fit::none) {
        return nodes.at(node).heavy;
    }
    const Charge charge(state.structure);
    const std::int32_t child = add_node(node, code);
    state.hooks->add_branch(child);
    branches.add(code, child);
    open_leaf(child, state.leaves.size());
    if (nodes.predicts(node)) ++state.n_leaves;
    room.settle();
    if (!state.limited()) return child;
    // Examples of this category may have gone down the heaviest branch while there was no room.
    for (std::size_t i = 0; i < memory.size(); ++i) {
        if (memory.code(i, nodes.slot(nodes.at(node))) != code) continue;
        memory.move(i, nodes.leaf_of(memory.row(i)));
    }
    return child;
}

void Growth::split(std::size_t place, const Decision& decision) {
    split(place, decision, checks.branches(place, decision.best));
}

void Growth::split(std::size_t place, const Decision& decision, const std::vector<double>& table) {
    Nodes& nodes = state.nodes;
    Leaves& leaves = state.leaves;
    const Settings& settings = state.settings;
    const Candidate& cut = decision.best;
    const std::int32_t id = leaves[place].node;
    const std::size_t width = leaves.shape().class_stride;
    const std::size_t rows = table.size() / width;
    std::vector<double> weights(rows);
    std::vector<std::size_t> branches;
    for (std::size_t b = 0; b < rows; ++b) {
        for (std::size_t k = 0; k < width; ++k) weights[b] += table[b * width + k];
        if (cut.test != Test::every_value || weights[b] > 0.0) branches.push_back(b);
    }
    if (leaves_with(id) - 1 + branches.size() > settings.max_leaves) return;
    const std::size_t more =
        room.growth(branches.size(), true) +
        (cut.test == Test::every_value ? 2 * Branches::bytes(branches.size()) : 0);
    // The parent's predictor state is copied until its children have inherited it.
    const std::size_t copies = branches.size() + (leaves.any_states() ? 1 : 0);
    if (!room.may_add(more, nodes.predicts(id))) return;
    const std::size_t size = leaves.bytes_of_a_leaf();
    const Room::Fit fit = room.make_room_for_leaves(more, copies, id);
    if (fit == Room::Fit::none) return;
    const Charge charge(state.structure);
    make_room_in_lists(branches.size());
    checks.certify(id, decision);
    LooseState inherited = make_loose_state(settings.leaf);
    if (inherited) inherited->inherit(leaves.shape(), *leaves.state(place));
    if (state.hooks->traits().keeps) {
        state.hooks->keep_record(id, place);
        leaves.forget_check(place);
    } else {
        leaves.deactivate(place);
    }
    if (nodes.predicts(id)) state.n_leaves += branches.size() - 1;
    Node& node = nodes.at(id);
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
        const bool reused = first == none && !state.hooks->traits().keeps;
        const std::size_t slot = reused ? place : leaves.size();
        open_leaf(child, slot, false);
        if (settings.inherit_counts != InheritCounts::none) {
            std::copy_n(table.data() + b * width, width, leaves.counts(child) + width);
        }
        if (first == none) first = child;
        if (cut.test == Test::every_value) by_category.add(static_cast<std::int32_t>(b), child);
        if (weights[b] > most) {
            most = weights[b];
            heavy = child;
        }
    }
    nodes.at(id).place = first;
    if (cut.test == Test::every_value) nodes.add_branches(id, std::move(by_category));
    nodes.at(id).heavy =
        decision.heavy == none ? heavy : children[static_cast<std::size_t>(decision.heavy)];
    nodes.set_gate(id, cut.threshold);
    room.settle();
    if (fit == Room::Fit::inactive) {  // the most promising branches, and at least one
        sort_by_promise(branches, table, width);
        branches.resize(std::clamp<std::size_t>(room.free_bytes() / size, 1, branches.size()));
    }
    for (const std::size_t b : branches) {
        const auto slot = static_cast<std::size_t>(nodes.at(children[b]).place);
        open_statistics(state, slot);
        if (!leaves[slot].statistics.is_open()) continue;
        if (settings.inherit_counts == InheritCounts::count) {
            leaves[slot].inherited = weights[b];
        }
        if (inherited) inherit(state, slot, *inherited);
    }
    if (inherited) {
        inherited.reset();
        room.settle();
    }
}

std::size_t Growth::leaves_with(std::int32_t id) const {
    const Nodes& nodes = state.nodes;
    if (state.settings.max_leaves == SIZE_MAX) return state.n_leaves;
    std::size_t leaves = state.n_leaves;
    for (std::int32_t root = nodes.fragment(id); nodes.at(root).role == Role::alternate;
         root = nodes.fragment(nodes.at(root).parent)) {
        // If alternates are nested, only the outermost one counts.
        const std::int32_t owner = nodes.at(root).parent;
        if (nodes.fragment(owner) != 0) continue;
        leaves = state.n_leaves - nodes.leaves_below(owner) + nodes.leaves_below(root);
    }
    return leaves;
}

}  // namespace riparian
