// A node with several tests, all of which answer [pfahringer2007].
#include <algorithm>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace riparian {

// The row goes down every option of every node that it passes, and is learned at all of them.
std::int32_t Tree::follow(const Options& how, std::int32_t, const Row& row, std::size_t y,
                          double w) {
    {
        const Charge charge(working_);
        reach(row, reached_);
    }
    for (std::int32_t& end : reached_.ends) end = route_on(end, row);
    const std::int32_t predicted = observe_all(row, y, std::min(w, 1.0));
    arrive(row, y);
    for (std::size_t f = 0; f < reached_.roots.size(); ++f) {
        const std::int32_t root = reached_.roots[f], leaf = reached_.ends[f];
        // Without further options nobody would ask the statistics of inner nodes.
        trace(leaf, how.max_paths > 1 ? root : leaf);
        for (; !path_.empty(); path_.pop_back()) {
            const std::int32_t node = path_.back();
            if (!learn_inside(node, row, y, w)) continue;
            const NodeRecord& kept = leaves_[static_cast<std::size_t>(record(node))];
            if (kept.weight - kept.checked < settings_.grace_period || kept.classes < 2) continue;
            consider_option(how, node);
        }
        learn_at(leaf, row, y, w);
    }
    return predicted;
}

void Tree::follow(const Options& how, Spread& spread, std::size_t y, double w) {
    arrive(spread, y);
    explore(spread, 0, 1.0, y, w, false);
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        for (std::int32_t o = side(here.node).first; o != none; o = side(o).next) {
            spread.go_back(v);
            explore(spread, o, here.share, y, w, false);
        }
    }
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        if (!here.ends && how.max_paths == 1) continue;
        spread.go_back(v);
        const bool active = learn_parts(here.node, spread, y, here.share * w);
        if (here.ends) observe_again(here.node, spread, y, here.share, w);
        if (here.ends || !active) continue;
        const NodeRecord& kept = leaves_[static_cast<std::size_t>(record(here.node))];
        if (kept.weight - kept.checked < settings_.grace_period || kept.classes < 2) continue;
        consider_option(how, here.node);
    }
}

// ---- how many leaves one row may reach ----
//
// From a node: the most of those from its children, or 1 at a leaf, and those from its options.

void Tree::count_paths() noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        sides_[i].paths = nodes_[i].test == Test::leaf ? 1 : 0;
    }
    // What is below a node comes after it.
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        Side& here = sides_[i];
        for (std::int32_t o = here.first; o != none; o = side(o).next) here.paths += side(o).paths;
        if (nodes_[i].role != Role::child || nodes_[i].parent == none) continue;
        Side& above = side(nodes_[i].parent);
        above.paths = std::max(above.paths, here.paths);
    }
}

std::int32_t Tree::paths_above(std::int32_t node, std::int32_t paths) const noexcept {
    const std::int32_t parent = at(node).parent;
    const std::int32_t all = side(parent).paths;
    if (at(node).role == Role::option) return all - side(node).paths + paths;
    std::int32_t options = 0;
    for (std::int32_t o = side(parent).first; o != none; o = side(o).next) options += side(o).paths;
    return std::max(all, options + paths);
}

std::size_t Tree::paths_with_option(std::int32_t node) const noexcept {
    std::int32_t paths = side(node).paths + 1;
    for (; at(node).parent != none; node = at(node).parent) paths = paths_above(node, paths);
    return static_cast<std::size_t>(paths);
}

void Tree::count_option(std::int32_t node) noexcept {
    std::int32_t paths = side(node).paths + 1;
    while (node != none) {
        const std::int32_t parent = at(node).parent;
        const std::int32_t above = parent == none ? 0 : paths_above(node, paths);
        side(node).paths = std::exchange(paths, above);
        node = parent;
    }
}

bool Tree::uses_statistics(std::int32_t node) const noexcept {
    const auto* const how = std::get_if<Options>(&settings_.adaptation);
    if (!how || at(node).test == Test::leaf) return true;
    // An option brings two leaves at least.
    return at(node).role != Role::option && n_leaves_ + 2 <= settings_.max_leaves &&
           paths_with_option(node) <= how->max_paths;
}

// What the branches of a test have seen, and inherited: [class][branches + 3].
std::vector<double> Tree::branches_of(std::int32_t node) const {
    std::vector<std::int32_t> children;
    if (at(node).test == Test::every_value) {
        for (std::int32_t c = 0; c < categories_[nodes_.slot(at(node))]; ++c) {
            const std::int32_t child = nodes_.branches(at(node)).find(c);
            if (child != none) children.push_back(child);
        }
    } else {
        children = {at(node).place, at(node).place + 1};
    }
    const std::size_t row = children.size() + 3;
    std::vector<double> table(n_classes_ * row, 0.0);
    for (std::size_t b = 0; b < children.size(); ++b) {
        for (std::size_t k = 0; k < n_classes_; ++k) table[k * row + b] = leaves_.weights(children[b])[k];
    }
    return table;
}

// There is no tie, and the null cut does not compete. A feature serves one option only. A node
// where no option can begin any more gives its statistics up: paths and leaves never become
// fewer.
void Tree::consider_option(const Options& how, std::int32_t node) {
    const auto place = static_cast<std::size_t>(record(node));
    if (!uses_statistics(node)) {
        leaves_.deactivate(place);
        return;
    }
    NodeRecord& leaf = leaves_[place];
    leaf.checked = leaf.weight;
    Settings settings = settings_;
    settings.delta = how.delta;
    settings.runner_up = RunnerUp::nothing;
    const Decision d = [&] {
        const Charge charge(working_);
        const LeafCase here = leaf_case(leaf, case_room_, settings);
        std::vector<Candidate> tests;
        for (std::int32_t i = node; i != none; i = i == node ? side(i).first : side(i).next) {
            tests.push_back({at(i).feature, at(i).test, nodes_.threshold(i), at(i).category,
                             checker_.gain_of_branches(here, branches_of(i))});
        }
        return checker_.option(here, tests);
    }();
    spent_ += delta_of_check(settings, d.evidence);
    ++leaf.checks;
    // Without room for its children it would only come and go.
    if (d.verdict == Verdict::wait || !may_add(growth(2, 1), true)) return;
    const std::int32_t option = attach(node, Role::option);
    if (option == none) return;
    const std::vector<double> table = [&] {
        const Charge charge(working_);
        return checker_.branches(leaf_case(leaves_[place], case_room_), d.best);
    }();
    // It answers like the node where its children know nothing.
    double* const inherited = leaves_.counts(option) + shape().class_stride;
    for (std::size_t k = 0; k < n_classes_; ++k) inherited[k] = leaves_.weights(node)[k];
    split(static_cast<std::size_t>(at(option).place), d, table);
    if (at(option).test == Test::leaf) {
        detach(option);  // there was no room for it
        --n_leaves_;
    } else {
        count_option(node);
        count_change(ChangeKind::started);
    }
}

}  // namespace riparian
