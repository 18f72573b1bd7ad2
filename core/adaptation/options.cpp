// Options: a node keeps its test and gets further ones, all of which predict [pfahringer2007].
#include "options.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sizes.hpp"
#include "subtrees.hpp"

namespace riparian {
namespace {

class OptionsTree : public Subtrees {
public:
    OptionsTree(const Options&, Growth&);

    std::int32_t learn(std::int32_t, const Row&, std::size_t y, double w) override;
    void learn(Spread&, std::size_t y, double w) override;

    [[nodiscard]] bool uses_statistics(std::int32_t node) const noexcept override;
    void send_to_options(std::int32_t node, double share, Spread&) const override;
    void reshape(const Shape&) override;

    [[nodiscard]] bool several_predict() const noexcept override { return true; }
    void reach(const Row&, Ends&) const override;
    [[nodiscard]] Ends* ends() noexcept override { return &ends_; }
    [[nodiscard]] bool inner_nodes_learn() const noexcept override { return how_.max_paths > 1; }
    void restore(const Snapshot&) override;

protected:
    void give_back_room() override;
    [[nodiscard]] Role role() const noexcept override { return Role::option; }
    [[nodiscard]] bool several() const noexcept override { return true; }

private:
    // How many leaves one row may reach: from every node, counted from the tree as it is.
    void count_paths() noexcept;
    // The paths of the parent if those of a node were so many, not fewer than they are.
    [[nodiscard]] std::int32_t paths_above(std::int32_t node, std::int32_t paths) const noexcept;
    // From the root, with one more option at a node.
    [[nodiscard]] std::size_t paths_with_option(std::int32_t node) const noexcept;
    void count_option(std::int32_t node) noexcept;
    [[nodiscard]] std::vector<double> branches_of(std::int32_t node) const;
    void consider_option(std::int32_t node);

    Options how_;
    Ends ends_;  // of the row at hand
};

OptionsTree::OptionsTree(const Options& how, Growth& growth)
    : Subtrees(growth, {.keeps = true, .replaces = true}), how_(how) {
    const Charge charge(structure_);
    ends_.roots.reserve(room_of_list);
    ends_.nodes.reserve(room_of_list);
}

void OptionsTree::reshape(const Shape&) {
    const std::size_t room = growth_.scratch().scores.size();
    ends_.one = Held<double>(room, 0.0);
    ends_.all = Held<double>(room, 0.0);
}

void OptionsTree::give_back_room() {
    Subtrees::give_back_room();
    const Charge charge(working_);
    shorten_list(ends_.roots);
    shorten_list(ends_.nodes);
}

// ---- rows ----

void OptionsTree::reach(const Row& row, Ends& found) const {
    found.roots.assign(1, 0);
    found.nodes.clear();
    for (std::size_t f = 0; f < found.roots.size(); ++f) {
        for (std::int32_t i = found.roots[f];;) {
            for (std::int32_t o = side(i).first; o != none; o = side(o).next) {
                found.roots.push_back(o);
            }
            const std::int32_t next = nodes_.step(i, row);
            if (next == i || next == none) {
                found.nodes.push_back(i);
                break;
            }
            i = next;
        }
    }
}

void OptionsTree::send_to_options(std::int32_t node, double share, Spread& spread) const {
    for (std::int32_t o = side(node).first; o != none; o = side(o).next) spread.wait(o, share);
}

// The row goes down every option of every node that it passes, and is learned at all of them.
std::int32_t OptionsTree::learn(std::int32_t, const Row& row, std::size_t y,
                                double w) {
    {
        const Charge charge(working_);
        reach(row, ends_);
    }
    for (std::int32_t& end : ends_.nodes) end = growth_.route_on(end, row);
    const std::int32_t predicted = growth_.observe(ends_, row, y, std::min(w, 1.0));
    growth_.arrive(row, y);
    for (std::size_t f = 0; f < ends_.roots.size(); ++f) {
        const std::int32_t root = ends_.roots[f], leaf = ends_.nodes[f];
        // Without further options nobody would ask the statistics of inner nodes.
        trace(leaf, how_.max_paths > 1 ? root : leaf);
        for (; !path_.empty(); path_.pop_back()) {
            const std::int32_t node = path_.back();
            if (!growth_.learn_inside(node, row, y, w)) continue;
            const NodeRecord& kept = leaves_[place(node)];
            if (kept.weight - kept.checked < settings_.grace_period || kept.classes < 2) continue;
            consider_option(node);
        }
        growth_.learn_at(leaf, row, y, w);
    }
    finish_row();
    return predicted;
}

void OptionsTree::learn(Spread& spread, std::size_t y, double w) {
    growth_.arrive(spread, y);
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
        if (!here.ends && how_.max_paths == 1) continue;
        spread.go_back(v);
        const bool active = growth_.learn_parts(here.node, spread, y, here.share * w);
        if (here.ends) growth_.observe_again(here.node, spread, y, here.share, w);
        if (here.ends || !active) continue;
        const NodeRecord& kept = leaves_[place(here.node)];
        if (kept.weight - kept.checked < settings_.grace_period || kept.classes < 2) continue;
        consider_option(here.node);
    }
    finish_row();
}

// ---- how many leaves one row may reach ----
//
// From a node: the most of those from its children, or 1 at a leaf, and those from its options.

void OptionsTree::count_paths() noexcept {
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

std::int32_t OptionsTree::paths_above(std::int32_t node, std::int32_t paths) const noexcept {
    const std::int32_t parent = at(node).parent;
    const std::int32_t all = side(parent).paths;
    if (at(node).role == Role::option) return all - side(node).paths + paths;
    std::int32_t options = 0;
    for (std::int32_t o = side(parent).first; o != none; o = side(o).next) options += side(o).paths;
    return std::max(all, options + paths);
}

std::size_t OptionsTree::paths_with_option(std::int32_t node) const noexcept {
    std::int32_t paths = side(node).paths + 1;
    for (; at(node).parent != none; node = at(node).parent) paths = paths_above(node, paths);
    return static_cast<std::size_t>(paths);
}

void OptionsTree::count_option(std::int32_t node) noexcept {
    std::int32_t paths = side(node).paths + 1;
    while (node != none) {
        const std::int32_t parent = at(node).parent;
        const std::int32_t above = parent == none ? 0 : paths_above(node, paths);
        side(node).paths = std::exchange(paths, above);
        node = parent;
    }
}

// A node where no option can begin any more does not.
bool OptionsTree::uses_statistics(std::int32_t node) const noexcept {
    if (at(node).test == Test::leaf) return true;
    // An option brings two leaves at least.
    return at(node).role != Role::option && growth_.n_leaves() + 2 <= settings_.max_leaves &&
           paths_with_option(node) <= how_.max_paths;
}

// ---- further tests ----

// What the branches of a test have seen, and inherited: [class][branches + 3].
std::vector<double> OptionsTree::branches_of(std::int32_t node) const {
    std::vector<std::int32_t> children;
    if (at(node).test == Test::every_value) {
        for (std::int32_t c = 0; c < growth_.categories()[nodes_.slot(at(node))]; ++c) {
            const std::int32_t child = nodes_.branches(at(node)).find(c);
            if (child != none) children.push_back(child);
        }
    } else {
        children = {at(node).place, at(node).place + 1};
    }
    const std::size_t row = children.size() + 3;
    std::vector<double> table(growth_.n_classes() * row, 0.0);
    for (std::size_t b = 0; b < children.size(); ++b) {
        for (std::size_t k = 0; k < growth_.n_classes(); ++k) table[k * row + b] = leaves_.weights(children[b])[k];
    }
    return table;
}

// There is no tie, and the null cut does not compete. A feature serves one option only. A node
// where no option can begin any more gives its statistics up: paths and leaves never become
// fewer.
void OptionsTree::consider_option(std::int32_t node) {
    const std::size_t place = this->place(node);
    if (!uses_statistics(node)) {
        leaves_.deactivate(place);
        return;
    }
    NodeRecord& leaf = leaves_[place];
    leaf.checked = leaf.weight;
    Settings settings = settings_;
    settings.delta = how_.delta;
    settings.runner_up = RunnerUp::nothing;
    const Decision d = [&] {
        const Charge charge(working_);
        const LeafCase here = growth_.leaf_case(leaf, growth_.case_room(), settings);
        std::vector<Candidate> tests;
        for (std::int32_t i = node; i != none; i = i == node ? side(i).first : side(i).next) {
            tests.push_back({at(i).feature, at(i).test, nodes_.threshold(i), at(i).category,
                             growth_.checker().gain_of_branches(here, branches_of(i))});
        }
        return growth_.checker().option(here, tests);
    }();
    growth_.spend(delta_of_check(settings, d.evidence));
    ++leaf.checks;
    // Without room for its children it would only come and go.
    if (d.verdict == Verdict::wait || !growth_.may_add(growth_.growth(2, 1), true)) return;
    const std::int32_t option = attach(node, Role::option);
    if (option == none) return;
    const std::vector<double> table = growth_.branches_of_cut(place, d.best);
    // It predicts like the node where its children know nothing.
    double* const inherited = leaves_.counts(option) + shape().class_stride;
    for (std::size_t k = 0; k < growth_.n_classes(); ++k) inherited[k] = leaves_.weights(node)[k];
    growth_.split(static_cast<std::size_t>(at(option).place), d, table);
    if (at(option).test == Test::leaf) {
        detach(option);  // there was no room for it
        growth_.take_leaf();
    } else {
        count_option(node);
        count_change(ChangeKind::started);
    }
}

void OptionsTree::restore(const Snapshot& s) {
    Subtrees::restore(s);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        demand(nodes_[i].role == Role::child || nodes_[i].test != Test::leaf,
               at_row("role", i) + "an option without a test");
    }
    count_paths();
    demand(static_cast<std::size_t>(side(0).paths) <= how_.max_paths,
           "role: more options than adaptation__max_paths");
}

}  // namespace

std::unique_ptr<Adaptation> Options::begin(Growth& growth) const {
    return std::make_unique<OptionsTree>(*this, growth);
}

}  // namespace riparian
