// Options: a node keeps its test and gets more tests, all of which predict [pfahringer2007].
#include "options.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../simd/scalar.hpp"
#include "sizes.hpp"
#include "subtrees.hpp"

namespace riparian {
namespace {

class OptionsTree : public Subtrees {
public:
    OptionsTree(const Options&, RowLearner&);

    std::int32_t learn(const Example&, std::size_t y, double w) override;

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
    [[nodiscard]] bool bets() const noexcept override {
        return how_.replace_by == Options::ReplaceBy::betting;
    }
    void renumber(const std::vector<std::int32_t>&) override { count_paths(); }

private:
    // Finds the nodes that an example visits. For a certain row they go to ends_, otherwise to the
    // visits of its spread. Returns the class predicted for a certain row.
    std::int32_t find_visits(const Example&, std::size_t y, double w);
    [[nodiscard]] bool is_due(std::int32_t node) const noexcept;
    // Counts how many leaves one row may reach from each node of the present tree.
    void count_paths() noexcept;
    // The number of paths of the parent if this node had `paths`, which is at least what it has now.
    [[nodiscard]] std::int32_t paths_above(std::int32_t node, std::int32_t paths) const noexcept;
    // The number of paths from the root with one more option at a node.
    [[nodiscard]] std::size_t paths_with_option(std::int32_t node) const noexcept;
    void count_option(std::int32_t node) noexcept;
    [[nodiscard]] std::vector<double> branches_of(std::int32_t node) const;
    // Whether there is a path and a leaf left for one more option.
    [[nodiscard]] bool may_get_option(std::int32_t node) const noexcept;
    void consider_option(std::int32_t node);

    // Each option bets against its node on a row that has several ends.
    void bet_on_row(const Row&, std::size_t y);
    void bet(std::int32_t option, bool node_wrong, bool option_wrong);
    // Replaces the test of a node by an option, or gives the option up, if the bets have shown enough.
    void conclude(std::int32_t option);
    void replace(std::int32_t node, std::int32_t option, const Duel&);

    Options how_;
    Ends ends_;            // of the present row
    Held<double> shares_;  // [end][class]: what they predict for the row
};

OptionsTree::OptionsTree(const Options& how, RowLearner& rows)
    : Subtrees(rows, {.keeps = true, .replaces = true}), how_(how) {
    const Charge charge(structure_);
    ends_.roots.reserve(room_of_list);
    ends_.nodes.reserve(room_of_list);
}

void OptionsTree::reshape(const Shape&) {
    const std::size_t room = state_.scratch.scores.size();
    ends_.one = Held<double>(room, 0.0);
    ends_.all = Held<double>(room, 0.0);
}

void OptionsTree::give_back_room() {
    Subtrees::give_back_room();
    const Charge charge(working_);
    shorten_list(ends_.roots);
    shorten_list(ends_.nodes);
    shares_ = {};
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

// The example goes down every option of every node that it visits, and is learned at all of them.
std::int32_t OptionsTree::learn(const Example& example, std::size_t y, double w) {
    tested_.clear();
    const std::int32_t predicted = find_visits(example, y, w);
    const auto visit = [&](const Visit& here) {
        // If no more options are possible, nothing uses the statistics of inner nodes.
        if (!here.ends && how_.max_paths == 1) return true;
        const bool active = learn_at(example, here, y, w);
        if (active && !here.ends && is_due(here.node)) consider_option(here.node);
        return true;
    };
    if (example.certain()) {
        for (std::size_t f = 0; f < ends_.roots.size(); ++f) {
            const std::int32_t root = ends_.roots[f], leaf = ends_.nodes[f];
            each_on_path(how_.max_paths > 1 ? root : leaf, leaf, false, visit);
        }
    } else {
        each_visit(*example.spread, visit);
    }
    for (const std::int32_t option : tested_) conclude(option);
    finish_row();
    return predicted;
}

// Leaves predict on the way. A certain row arrives at the tree after it was predicted.
std::int32_t OptionsTree::find_visits(const Example& example, std::size_t y, double w) {
    if (example.certain()) {
        {
            const Charge charge(working_);
            reach(*example.row, ends_);
        }
        for (std::int32_t& end : ends_.nodes) end = rows_.route(end, *example.row);
        if (bets() && ends_.nodes.size() > 1) bet_on_row(*example.row, y);
        const std::int32_t predicted = rows_.observe(ends_, *example.row, y, std::min(w, 1.0));
        arrive(example, y);
        return predicted;
    }
    arrive(example, y);
    Spread& spread = *example.spread;
    // A duel counts an example if at least half of its weight reaches the node.
    constexpr double enough = 0.5;
    explore(spread, 0, 1.0, y, w, bets());
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Visit here = spread.visits[v];
        for (std::int32_t o = side(here.node).first; o != none; o = side(o).next) {
            spread.go_back(v);
            const std::size_t first = spread.visits.size();
            explore(spread, o, here.share, y, w, bets());
            if (bets() && here.share >= enough) bet(o, here.wrong, spread.visits[first].wrong);
        }
    }
    return no_prediction;
}

bool OptionsTree::is_due(std::int32_t node) const noexcept {
    const NodeRecord& kept = leaves_[place(node)];
    return kept.weight - kept.checked >= settings_.grace_period && kept.classes >= 2;
}

// ---- how many leaves one row may reach ----
//
// From a node: the largest number of its children, or 1 at a leaf, plus the numbers of its options.

void OptionsTree::count_paths() noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        sides_[i].paths = nodes_[i].test == Test::leaf ? 1 : 0;
    }
    // Descendants have larger ids.
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

// A node that can never get another option does not use its statistics. With bets, options go again.
bool OptionsTree::uses_statistics(std::int32_t node) const noexcept {
    if (at(node).test == Test::leaf) return true;
    return bets() ? at(node).role != Role::option : may_get_option(node);
}

bool OptionsTree::may_get_option(std::int32_t node) const noexcept {
    // An option adds at least two leaves.
    return at(node).role != Role::option && state_.n_leaves + 2 <= settings_.max_leaves &&
           paths_with_option(node) <= how_.max_paths;
}

// ---- further tests ----

// The weights that the branches of a test have seen and inherited, [class][branches + 3].
std::vector<double> OptionsTree::branches_of(std::int32_t node) const {
    std::vector<std::int32_t> children;
    if (at(node).test == Test::every_value) {
        for (std::int32_t c = 0; c < state_.known.categories[nodes_.slot(at(node))]; ++c) {
            const std::int32_t child = nodes_.branches(at(node)).find(c);
            if (child != none) children.push_back(child);
        }
    } else {
        children = {at(node).place, at(node).place + 1};
    }
    const std::size_t row = children.size() + 3;
    std::vector<double> table(state_.known.n_classes * row, 0.0);
    for (std::size_t b = 0; b < children.size(); ++b) {
        for (std::size_t k = 0; k < state_.known.n_classes; ++k) {
            table[k * row + b] = leaves_.weights(children[b])[k];
        }
    }
    return table;
}

// There are no ties, the null cut does not compete, and each feature serves one option only. A node that
// cannot get another option loses its statistics, because the numbers of paths and leaves never fall
// without bets.
void OptionsTree::consider_option(std::int32_t node) {
    const std::size_t place = this->place(node);
    if (!uses_statistics(node)) {
        leaves_.deactivate(place);
        return;
    }
    NodeRecord& leaf = leaves_[place];
    leaf.checked = leaf.weight;
    if (!may_get_option(node)) return;
    Settings settings = settings_;
    settings.delta = how_.delta;
    settings.runner_up = RunnerUp::nothing;
    const Decision d = checks_.run(place, settings, [&](Checker& checker, const LeafCase& here) {
        std::vector<Candidate> tests;
        for (std::int32_t i = node; i != none; i = i == node ? side(i).first : side(i).next) {
            tests.push_back({at(i).feature, at(i).test, nodes_.threshold(i), at(i).category,
                             checker.gain_of_branches(here, branches_of(i))});
        }
        return checker.option(here, tests);
    });
    checks_.count(place, settings, d.evidence);
    // Without room for its children the option would be dropped at once.
    if (d.verdict == Verdict::wait || !room_.may_add(room_.growth(2, 1), true)) return;
    // Making room may deactivate the node, so the branches are computed first.
    const std::vector<double> table = checks_.branches(place, d.best);
    const std::int32_t option = attach(node, Role::option);
    if (option == none) return;
    // Children without weight predict like the node.
    double* const inherited = leaves_.counts(option) + leaves_.shape().class_stride;
    for (std::size_t k = 0; k < state_.known.n_classes; ++k)
        inherited[k] = leaves_.weights(node)[k];
    growth_.split(static_cast<std::size_t>(at(option).place), d, table);
    if (at(option).test == Test::leaf) {
        detach(option);  // the memory limit left no room for it
        --state_.n_leaves;
    } else {
        count_option(node);
        count_change(ChangeKind::started);
    }
}

// ---- bets ----

// A subtree predicts by all its ends, with those of the options further below. The ends of a node and
// those of its options are compared before the options are added to the node.
void OptionsTree::bet_on_row(const Row& row, std::size_t y) {
    const std::size_t n = state_.known.n_classes, m = ends_.roots.size();
    const auto wrong = [&](const double* sum) {
        return largest_class(sum, n) != static_cast<std::int32_t>(y);
    };
    {
        const Charge charge(working_);
        shares_.resize(m * n);
    }
    const auto of_end = [&](std::size_t f) { return shares_.data() + f * n; };
    std::visit(
        [&](const auto& policy) {
            for (std::size_t f = 0; f < m; ++f) {
                growth_.predictor.predict(policy, ends_.nodes[f], row, state_.scratch,
                                          {nullptr, of_end(f), n}, 0);
            }
        },
        settings_.leaf);
    for (std::size_t f = m; f-- > 0;) {
        double* const sum = of_end(f);
        for (std::int32_t i = ends_.nodes[f];; i = at(i).parent) {
            const bool node_wrong = side(i).first != none && wrong(sum);
            for (std::int32_t o = side(i).first; o != none; o = side(o).next) {
                const auto root = std::find(ends_.roots.begin(), ends_.roots.end(), o);
                bet(o, node_wrong,
                    wrong(of_end(static_cast<std::size_t>(root - ends_.roots.begin()))));
            }
            for (std::int32_t o = side(i).first; o != none; o = side(o).next) {
                const auto root = std::find(ends_.roots.begin(), ends_.roots.end(), o);
                const double* const more =
                    of_end(static_cast<std::size_t>(root - ends_.roots.begin()));
                for (std::size_t k = 0; k < n; ++k) sum[k] += more[k];
            }
            if (i == ends_.roots[f]) break;
        }
    }
}

void OptionsTree::bet(std::int32_t option, bool node_wrong, bool option_wrong) {
    Duel* const duel = duel_of(option, how_.switch_after);
    if (!duel) return;
    duel->node_wrong = node_wrong;
    duel->bet(option_wrong);
    note(tested_, option);
}

void OptionsTree::conclude(std::int32_t option) {
    if (is_given_up(option)) return;
    const Duel* const duel = duels_.find(side(option).born);
    if (!duel) return;
    const double needed = -ln(how_.switch_delta);
    if (duel->ahead >= needed) {
        replace(at(option).parent, option, *duel);
    } else if (duel->behind >= needed) {
        drop(option);
    }
}

// The node keeps its statistics, which are about all its rows. Its other options bet against another
// subtree from now on.
void OptionsTree::replace(std::int32_t node, std::int32_t option, const Duel& duel) {
    log_change(ChangeKind::replaced, node, nodes_.cut_of(option), nodes_.leaves_below(option),
               duel.of_node(), duel.of_alternate(), 0.0);
    detach(option);
    const auto n = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t i = node + 1; i < n; ++i) {
        if (at(i).parent == node && at(i).role == Role::child) note(given_up_, i);
    }
    retire(node);
    state_.certificates.rename(node, none);
    state_.certificates.rename(option, node);
    nodes_.adopt_test(node, option);
    for (std::int32_t o = side(node).first; o != none; o = side(o).next) {
        if (Duel* const other = duels_.find(side(o).born)) {
            *other = Duels::fresh(other->born, how_.switch_after);
        }
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

std::unique_ptr<Adaptation> Options::begin(RowLearner& rows) const {
    return std::make_unique<OptionsTree>(*this, rows);
}

}  // namespace riparian
