// The state of a tree with a window of examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "archived.hpp"
#include "example_window.hpp"
#include "subtrees.hpp"
#include "window.hpp"

namespace riparian {

class NumberReader;
struct Where;

// A file with more is damaged; no model needs as many.
inline constexpr std::size_t most_window = std::size_t{1} << 30;

class WindowTree final : public Subtrees {
public:
    WindowTree(const Window&, RowLearner&);

    std::int32_t learn(const Example&, std::size_t y, double w) override;
    void demand_weights(const double* w, std::size_t rows) const override;

    void keep_record(std::int32_t node, std::size_t place) override;
    void widen(std::size_t numeric, std::size_t categorical) override;
    void reshape(const Shape& to) override { examples_.reshape(to); }
    [[nodiscard]] std::size_t copy_bytes() const noexcept override;
    [[nodiscard]] std::size_t set_aside() const noexcept override;
    [[nodiscard]] std::size_t to_come() const noexcept override {
        return minus(set_aside(), examples_.bytes());
    }
    [[nodiscard]] std::size_t can_give_up() const noexcept override;
    bool give_up() override;
    [[nodiscard]] std::size_t limit_for(std::size_t bytes) const noexcept override;
    [[nodiscard]] bool fits_in(std::size_t limit, std::size_t lasting) const noexcept override;
    [[nodiscard]] std::size_t example_bytes(std::size_t numbers) const noexcept override;
    void shrink_to(std::size_t limit) override;

    void check_sizes(const Snapshot&, const Sizes&) const override;
    void save(Snapshot&) const override;
    void restore(const Snapshot&) override;
    void settle_in() override;

protected:
    void renumber(const std::vector<std::int32_t>& ids) override;
    [[nodiscard]] bool several() const noexcept override { return true; }
    [[nodiscard]] Role role() const noexcept override { return Role::alternate; }
    [[nodiscard]] bool bets() const noexcept override {
        return how_.replace_by == Window::ReplaceBy::betting;
    }

private:
    // ---- the window ----

    // Calls visit(node) for the nodes that have learned an example of the window.
    template <class OfNode>
    void each_that_learned(const Row&, std::uint64_t number, OfNode&&);
    // The same nodes, as visits of an example with uncertain values.
    void retrace(Spread&, std::uint64_t number) const;
    void remember(const Row&, std::size_t y, double w);
    void remember(Spread&, std::size_t y, double w);
    void forget_down_to(std::size_t examples);
    void forget_oldest();
    void forget_oldest(Spread&);
    void forget_at(std::int32_t node, const Row&, std::size_t y, double w, std::uint64_t number);
    void shorten(std::size_t limit, std::size_t numeric, std::size_t categorical);
    void make_room_to_remember(std::size_t numbers);
    void recount_if_due();
    void recount();
    void relearn_window(std::uint64_t from, std::int32_t least);
    void set_window(std::size_t);
    // How many examples fit below a limit, with this many numbers of distributions among them.
    [[nodiscard]] std::size_t window_fits(std::size_t limit, std::size_t numeric,
                                          std::size_t categorical,
                                          std::size_t numbers) const noexcept;
    // Bytes of the shortest window that is allowed.
    [[nodiscard]] std::size_t least_window(std::size_t numeric,
                                           std::size_t categorical) const noexcept;

    // ---- alternates ----

    // Predicts an example by the tree and by the alternates of the nodes that it visits, and compares
    // them. A certain row leaves its visits in path_. Returns the class that the tree predicted.
    std::int32_t compare(const Example&, std::size_t y, double w);
    void compare(Spread&, std::size_t y, double w);
    // Calls visit(Visit) for the nodes that an example visits.
    template <class OfVisit>
    void each_visited(const Example&, OfVisit&&);
    void note_test(std::int32_t node, bool wrong, double w);
    void note_own_test(std::int32_t alternate, bool wrong, double w);
    void conclude_test(std::int32_t node);
    void replace(std::int32_t node, std::int32_t best, Standing ours, Standing theirs);
    // Notes for the bets on the alternates of a node whether it was wrong about the row.
    void note_bets(std::int32_t node, bool wrong);
    void conclude_bets(std::int32_t node);
    void check_all_splits();
    [[nodiscard]] bool may_have_alternates(std::int32_t node) const noexcept;
    [[nodiscard]] bool is_doubtful(std::int32_t node, const Decision&) const;
    bool start_alternate(std::int32_t node, const Decision&);
    void tidy_trial(std::int32_t node);

    // ---- replaced subtrees ----

    void archive(std::int32_t node);
    bool bring_back(std::int32_t node);
    bool bring_back(const Archived&);
    void plant(const Archived&, std::uint64_t since);
    void give_up_archived(std::size_t);
    [[nodiscard]] std::size_t archive_bytes() const noexcept;

    double restore_examples(const Snapshot&);
    void demand_counts(const Snapshot&);
    [[nodiscard]] std::vector<double> read_distributions(const Row&, NumberReader&,
                                                         const Where& where) const;
    void restore_archive(const Snapshot&);
    void save_archive(Snapshot&) const;
    void restore_archived_nodes(const Snapshot&, std::size_t first, std::size_t n, Archived&,
                                const Where& where) const;

    Window how_;
    ExampleWindow examples_;
    std::size_t window_;           // how many there may be
    std::size_t fits_;             // how many fit below the memory limit
    std::uint64_t forgotten_ = 0;  // since statistics were counted again
    Held<Archived> archive_;       // the oldest first
    std::uint64_t archived_ = 0;   // so far
};

// The example went down the branch for missing values where its own did not exist yet. Where another
// subtree has taken the place of the one that the example came to, nothing has learned it.
template <class OfNode>
void WindowTree::each_that_learned(const Row& row, std::uint64_t number, OfNode&& visit) {
    walks_.clear();
    note(walks_, 0);
    for (std::size_t f = 0; f < walks_.size(); ++f) {
        std::int32_t i = walks_[f];
        while (side(i).since <= number) {
            visit(i);
            for (std::int32_t b = side(i).first; b != none; b = side(b).next) note(walks_, b);
            if (at(i).test == Test::leaf) break;
            const std::int32_t next = nodes_.step(i, row);
            i = next == none || side(next).there > number ? at(i).heavy : next;
        }
    }
}

}  // namespace riparian
