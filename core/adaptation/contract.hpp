// The contract of adaptations: how a tree follows change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../growth/change.hpp"
#include "../growth/growth.hpp"
#include "../growth/row_learner.hpp"
#include "../growth/scatter.hpp"

namespace riparian {

class History;
struct Sizes;

// One example, as a tree learns it. It visits nodes, each with a share of its weight. A row whose values
// are all certain visits the nodes of one path in every subtree that it goes down, with a share of 1.
// A row with
// distributions goes down several branches, with a share in each.
struct Example {
    using Visit = Spread::Visit;

    const Row* row = nullptr;  // of an example whose values are all certain
    std::int32_t start = 0;    // where routing of the row may begin
    Spread* spread = nullptr;  // an example with uncertain values; null: all values are certain

    [[nodiscard]] bool certain() const noexcept { return !spread; }
};

// An adaptation learns the examples of one tree. It owns the state that only it needs, counts the bytes
// of that state on the accounts of the tree, and saves and restores it.
//
// The tree calls every function that is not const from one thread at a time, and const functions while
// nothing else runs. An adaptation that throws anything but LimitTooLow or std::invalid_argument leaves
// the tree unfinished.
class Adaptation : public GrowthHooks {
public:
    using Visit = Example::Visit;

    Adaptation(RowLearner&, Traits);

    // ---- learning ----

    // Learns an example. Returns the class that the tree predicted for a certain row before it learned
    // the row, or no_prediction for an example with uncertain values.
    //
    // The row loop itself learns the certain rows of a tree that replaces nothing (Traits::replaces),
    // so such an adaptation gets examples with uncertain values only.
    virtual std::int32_t learn(const Example&, std::size_t y, double w) = 0;
    // Counts the changes after which a row may reach another leaf. Older routes are not valid.
    [[nodiscard]] std::uint64_t reroutings() const noexcept { return reroutings_; }
    // Throws std::invalid_argument, naming the row, if a weight cannot be learned. It does not depend
    // on what was learned before.
    virtual void demand_weights(const double* /*w*/, std::size_t /*rows*/) const {}

    // ---- predictions ----

    // Whether several leaves predict a row together. If so, reach() finds them; ends() is its working
    // memory.
    [[nodiscard]] virtual bool several_predict() const noexcept { return false; }
    virtual void reach(const Row&, Ends&) const {}
    [[nodiscard]] virtual Ends* ends() noexcept { return nullptr; }

    // ---- what was changed ----

    // Whether inner nodes count classes after their split.
    [[nodiscard]] virtual bool inner_nodes_learn() const noexcept { return traits().keeps; }
    // The stored changes that happened after the tree had learned this many examples.
    [[nodiscard]] virtual std::vector<Change> changes(std::uint64_t /*since*/) const { return {}; }
    [[nodiscard]] virtual std::array<std::uint64_t, n_change_kinds> change_totals() const noexcept {
        return {};
    }

    // The certificates of splits that are gone; null: the tree keeps all its splits.
    [[nodiscard]] virtual const History* history() const noexcept { return nullptr; }

    // ---- files ----

    // Each of these throws std::invalid_argument, naming what is wrong, unless the arrays are those of a
    // tree that learning could have made. check_sizes() is called first, before anything is
    // restored; restore() after everything that does not belong to the adaptation; settle_in() once the
    // memory limit is set.
    virtual void check_sizes(const Snapshot&, const Sizes&) const;
    virtual void save(Snapshot&) const {}
    virtual void restore(const Snapshot&) {}
    virtual void settle_in() {}

protected:
    [[nodiscard]] Node& at(std::int32_t id) noexcept { return nodes_.at(id); }
    [[nodiscard]] const Node& at(std::int32_t id) const noexcept { return nodes_.at(id); }
    // Adds a node to a list that lasts for a row.
    void note(Held<std::int32_t>& list, std::int32_t id) {
        if (list.size() == list.capacity()) [[unlikely]] {
            const Charge charge(working_);
            list.push_back(id);
        } else {
            list.push_back(id);
        }
    }
    void reroute() noexcept { ++reroutings_; }

    // Registers the classes, categories and features of an example that are new to the tree.
    void arrive(const Example& example, std::size_t y) {
        if (example.certain()) {
            rows_.arrive(*example.row, y);
        } else {
            rows_.arrive(*example.spread, y);
        }
    }
    // Learns the share of an example at a visited node, with the distributions of the visit. If the share
    // ends there, it is observed again. Returns false if the node is inactive. Inline, because a call per
    // node of a row costs 3 % of the instructions.
    bool learn_at(const Example& example, const Visit& here, std::size_t y, double w) {
        if (!example.certain()) return learn_share(*example.spread, here, y, w);
        if (!here.ends) return rows_.learn_inside(here.node, *example.row, y, w);
        rows_.learn_at(here.node, *example.row, y, w);
        return true;
    }
    // Calls visit(Visit) for the visits of an example with uncertain values, with the distributions of
    // each. Stops when visit() returns false.
    template <class OfVisit>
    static void each_visit(Spread& spread, OfVisit&& visit) {
        for (std::size_t v = 0; v < spread.visits.size(); ++v) {
            const Visit here = spread.visits[v];
            spread.go_back(v);
            if (!visit(here)) return;
        }
    }
    // Goes down a subtree from its root with an example that has uncertain values. Notes a visit of
    // every node, and lets leaves predict before they learn. With `judged` it also finds whether what
    // is below each node predicts wrongly.
    void explore(Spread&, std::int32_t root, double share, std::size_t y, double w, bool judged);
    // Continues down from a node, and calls visit(leaf, share) for every leaf that a share reaches.
    template <class OfLeaf>
    void each_leaf(Spread& spread, std::int32_t node, double share, OfLeaf&& visit) {
        spread.wait(node, share);
        scatter(
            nodes_, spread, [](std::int32_t, double) { return true; },
            [&](std::int32_t parent, std::int32_t child, std::int32_t code) {
                return child == none ? growth_.add_branch(parent, code) : child;
            },
            visit);
    }

    Growth& growth_;
    GrowthState& state_;
    Room& room_;
    Checks& checks_;
    RowLearner& rows_;
    Nodes& nodes_;
    Leaves& leaves_;
    const Settings& settings_;
    Account& structure_;
    Account& working_;

private:
    bool learn_share(Spread&, const Visit&, std::size_t y, double w);

    std::uint64_t reroutings_ = 0;
};

}  // namespace riparian
