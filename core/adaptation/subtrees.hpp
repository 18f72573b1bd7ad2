// Subtrees that come and go: alternates and options of a node, and the log of changes.
#pragma once

#include "contract.hpp"
#include "duels.hpp"
#include "history.hpp"
#include "side.hpp"

namespace riparian {

// What adaptations that change the structure of a tree have in common.
class Subtrees : public Adaptation {
public:
    Subtrees(RowLearner&, Traits);

    void make_room(std::size_t nodes) override { riparian::make_room(sides_, nodes); }
    void add_node() override;
    void add_branch(std::int32_t node) override;
    void keep_record(std::int32_t node, std::size_t place) override {
        side(node).record = static_cast<std::int32_t>(place);
    }
    [[nodiscard]] std::int32_t record(std::int32_t id) const noexcept override {
        return side(id).record;
    }
    [[nodiscard]] std::size_t growth(std::size_t nodes) const noexcept override {
        return growth_in_bytes(sides_, nodes, sizeof(Side));
    }
    [[nodiscard]] std::size_t copy_bytes() const noexcept override {
        return std::max({bytes_of_copy(sides_, sizeof(Side)),
                         bytes_of_copy(changes_, sizeof(Change)), history_.copy_bytes()});
    }

    [[nodiscard]] std::vector<Change> changes(std::uint64_t since) const override;
    [[nodiscard]] std::array<std::uint64_t, n_change_kinds> change_totals()
        const noexcept override {
        return change_totals_;
    }
    [[nodiscard]] const History* history() const noexcept override { return &history_; }

    void check_sizes(const Snapshot&, const Sizes&) const override;
    void save(Snapshot&) const override;
    void restore(const Snapshot&) override;
    void restore_link(std::int32_t node, const std::string& where) override;

protected:
    [[nodiscard]] Side& side(std::int32_t id) noexcept {
        return sides_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] const Side& side(std::int32_t id) const noexcept {
        return sides_[static_cast<std::size_t>(id)];
    }
    // The place of the record of a node that keeps statistics.
    [[nodiscard]] std::size_t place(std::int32_t id) const noexcept {
        return static_cast<std::size_t>(at(id).test == Test::leaf ? at(id).place : side(id).record);
    }
    // Whether subtrees bet against their nodes. If not, there are no duels.
    [[nodiscard]] virtual bool bets() const noexcept { return false; }
    // The bets on a subtree next to a node. If there are none they begin, after this many rows; null:
    // there is no room for them.
    Duel* duel_of(std::int32_t root, double wait);
    // Whether a node or one above it is discarded at the end of the row.
    [[nodiscard]] bool is_given_up(std::int32_t node) const noexcept;
    // Writes the inner nodes from a leaf up to a root to path_.
    void trace(std::int32_t leaf, std::int32_t root);
    // Calls visit(Visit) for the nodes of a certain row from a root down to its leaf. Stops when visit()
    // returns false. `wrong`: whether the leaf predicted wrongly.
    template <class OfVisit>
    void each_on_path(std::int32_t root, std::int32_t leaf, bool wrong, OfVisit&& visit) {
        trace(leaf, root);
        for (; !path_.empty(); path_.pop_back()) {
            if (!visit(Visit{path_.back(), 1.0, false, wrong})) return;
        }
        visit(Visit{leaf, 1.0, true, wrong});
    }
    // The way of an example through the tree and through subtrees next to the nodes that it visits. Each
    // subtree predicts before it learns, and the tree comes first.
    //
    // Calls visit(Visit, index, main, go_down) for every node. `main`: it is in the tree itself;
    // `index`: of the visit, for an example with uncertain values. go_down(root, share) sends a share
    // of the example down another subtree. Where visit() returns false, the nodes below are left out.
    template <class OfVisit>
    std::int32_t each_visit_below(const Example&, std::size_t y, double w, OfVisit&& visit);
    // Begins a subtree next to a node, as a leaf. Returns none if there is no room for it.
    std::int32_t attach(std::int32_t owner, Role);
    // The same with the best cut of a decision, and with the class weights of its branches.
    std::int32_t attach(std::int32_t owner, Role, const Decision&,
                        const std::vector<double>& table);
    // Discards a subtree. Its nodes are removed at the end of the row.
    void detach(std::int32_t root);
    void drop(std::int32_t alternate);
    // Replaces a node by a subtree next to it. The old subtree is discarded.
    void promote(std::int32_t owner, std::int32_t root);
    // Removes the nodes of discarded subtrees.
    void compact();
    // Moves the certificate of a node that predicts to the history, before the node gets another test.
    void retire(std::int32_t node);
    // Called when nodes get other ids; none: the node is gone.
    virtual void renumber(const std::vector<std::int32_t>&) {}
    // The place and the test of a node, before it changes.
    [[nodiscard]] Change change_at(std::int32_t node) const;
    void log_change(const Change&);
    // Logs a change before it happens: what is at a node, and what will be.
    void log_change(ChangeKind, std::int32_t node, const Cut& after, std::uint32_t leaves_after,
                    Standing ours, Standing theirs, double bound);
    void count_change(ChangeKind kind) noexcept {
        ++change_totals_[static_cast<std::size_t>(kind)];
    }
    // To be called at the end of a row.
    void finish_row() {
        if (!given_up_.empty()) compact();
        if (state_.limited() && working_.held) give_back_room();
    }
    // Frees the working memory of the last check and of the row.
    virtual void give_back_room();
    // The role of the subtrees, and whether a node may have several of them.
    [[nodiscard]] virtual Role role() const noexcept = 0;
    [[nodiscard]] virtual bool several() const noexcept { return false; }
    // The detectors of nodes, in files.
    virtual void save_monitors(Snapshot&) const;
    virtual void restore_monitors(const Snapshot&);

    // The lists of a row have room for what most rows need. The room is part of the structure, so that
    // a row below a memory limit allocates nothing for them. A row that needs more returns it at its end.
    static constexpr std::size_t room_of_list = 64;
    void shorten_list(Held<std::int32_t>&);

    Held<Side> sides_;                     // [node]
    std::uint64_t born_ = 0;               // nodes made so far
    Held<std::int32_t> given_up_;          // roots of subtrees; they go at the end of the row
    Held<std::int32_t> path_, fragments_;  // of the row at hand
    Held<std::int32_t> tested_;            // nodes whose test ends with it
    Held<std::int32_t> walks_;             // roots, of an example that is forgotten
    Duels duels_;

private:
    // Whether a node with this birth is the root of a subtree next to a node.
    [[nodiscard]] bool is_side_root(std::uint64_t born) const noexcept;
    void remember(const Split&, const Rival*);

    History history_;
    Held<Change> changes_;  // the oldest first
    std::array<std::uint64_t, n_change_kinds> change_totals_{};
};

template <class OfVisit>
std::int32_t Subtrees::each_visit_below(const Example& example, std::size_t y, double w,
                                        OfVisit&& visit) {
    fragments_.clear();
    if (example.certain()) {
        // A row is routed when its subtree is next.
        const auto go_down = [&](std::int32_t root, double) { note(fragments_, root); };
        const Row& row = *example.row;
        std::int32_t predicted = no_prediction;
        go_down(0, 1.0);
        for (std::size_t f = 0; f < fragments_.size(); ++f) {
            const std::int32_t root = fragments_[f];
            const std::int32_t leaf = rows_.route(f == 0 ? example.start : root, row);
            const std::int32_t here = rows_.observe(leaf, row, y, std::min(w, 1.0));
            if (f == 0) {
                predicted = here;
                arrive(example, y);
            }
            each_on_path(root, leaf, here != static_cast<std::int32_t>(y),
                         [&](const Visit& v) { return visit(v, 0, f == 0, go_down); });
        }
        return predicted;
    }
    // Distributions are routed at the visit.
    Spread& spread = *example.spread;
    std::vector<std::size_t> ends;  // the end of the visits to each subtree
    const auto go_down = [&](std::int32_t root, double share) {
        explore(spread, root, share, y, w, true);
        ends.push_back(spread.visits.size());
    };
    arrive(example, y);
    go_down(0, 1.0);
    std::size_t v = 0;
    for (std::size_t f = 0; f < ends.size(); ++f) {
        for (; v < ends[f]; ++v) {
            const Visit here = spread.visits[v];
            spread.go_back(v);
            if (visit(here, v, f == 0, go_down)) continue;
            const std::int32_t depth = at(here.node).depth;
            while (v + 1 < ends[f] && at(spread.visits[v + 1].node).depth > depth) ++v;
        }
    }
    return no_prediction;
}

}  // namespace riparian
