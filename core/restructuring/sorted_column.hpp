// The values of a numeric feature at one node, sorted, with the class of each.
//
// They are stored in blocks, so an example is found by bisection and moves one block only. Cuts are
// the midpoints between different neighbours. Each block stores a lower bound of the cost of its
// cuts and updates it when examples are added or removed: one more example of class k raises the
// cost of a cut by rise(N) - rise(T_k) of its side, which is never negative and nearly the same for
// all cuts of a block. To find the best cut, most blocks are skipped because of their bound, and
// few are searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../memory/account.hpp"
#include "merit.hpp"
#include "store.hpp"

namespace riparian::restructuring {

struct Entry {
    double value;
    Place example;
    std::int32_t label;

    [[nodiscard]] bool operator<(const Entry& other) const noexcept {
        return value != other.value ? value < other.value : example < other.example;
    }
};

struct Cut {
    double threshold;
    double merit;
};

class SortedColumn {
public:
    static constexpr std::size_t most_entries = 128;  // in a block

    SortedColumn() = default;
    explicit SortedColumn(std::vector<Entry>& entries, const Store&);  // sorts them
    // The entries must be sorted.
    [[nodiscard]] static SortedColumn of_sorted(std::span<const Entry> entries,
                                                const Store& store) {
        SortedColumn column;
        column.append(entries, store);
        return column;
    }
    // Joins several columns.
    SortedColumn(const std::vector<const SortedColumn*>&, const Store&);

    // An example whose value may be missing (NaN), which matters for the bounds. `whole` is the
    // node before the example is added or removed.
    void add(const Entry&, const Store&, const Whole& whole);
    void remove(const Entry&, const Store&, const Whole& whole);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t n_blocks() const noexcept { return blocks_.size(); }

    // The number of values that are at most this.
    [[nodiscard]] std::size_t size_up_to(double value) const noexcept;

    // The highest merit of its cuts, or `top` if that is higher.
    [[nodiscard]] double best(const Whole&, double top, const Store&, Held<double>& room);
    // The first cut whose merit is at least `level`. best() must have been called before.
    [[nodiscard]] std::optional<Cut> first(const Whole&, double level, const Store&,
                                           Held<double>& room) const;

    // Calls call(place) for each example whose value is in (low, high].
    template <class Call>
    void each_between(double low, double high, Call&& call) const {
        for (const Block& b : blocks_) {
            if (b.entries.back().value <= low) continue;
            for (const Entry& e : b.entries) {
                if (e.value > high) return;
                if (e.value > low) call(e.example);
            }
        }
    }
    // Calls call(entry) for every entry, in order.
    template <class Call>
    void each(Call&& call) const {
        for (const Block& b : blocks_) {
            for (const Entry& e : b.entries) call(e);
        }
    }

private:
    struct Block {
        Held<Entry> entries;  // never empty
        Held<double> totals;  // [class]
        double n = 0.0;
        double least_cost = 0.0;  // lower bound for the cost of its cuts
        double best_merit = 0.0;  // when it was last searched
    };

    [[nodiscard]] std::size_t block_of(const Entry&) const noexcept;
    void append(std::span<const Entry>, const Store&);
    void count(Block&, const Entry&, double w);
    void part(std::size_t block, const Store&);
    // Updates the bounds of all blocks except `own`. Blocks before it have the example on the
    // right.
    void move_bounds(std::size_t own, const Entry&, double w, const Whole&, bool adding);
    template <class Call>
    void each_cut(std::size_t block, const Whole&, const Store&, std::span<double> left,
                  double& n_left, Call&& call) const;

    Held<Block> blocks_;
    std::size_t size_ = 0;
    bool weighted_ = false;  // whether a weight is not 1
};

}  // namespace riparian::restructuring
