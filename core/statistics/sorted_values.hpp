// Class weights by value, in ascending order, whatever order they arrive in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "../memory/account.hpp"

namespace riparian {

// Points (value, class, weight) in sorted blocks of contiguous arrays, with one sorted directory: a
// B-tree of two levels. A new point moves at most half a block. Ascending or descending values fill
// their blocks. The results do not depend on how the points are divided into blocks; only the
// memory does.
class SortedValues {
public:
    static constexpr std::size_t most_classes = 65536;
    static constexpr double heaviest = 0x1p120;  // largest weight in a file, as for a saved tree

    struct Point {
        double x;
        std::size_t y;
        double w;
    };

    class Iterator {
    public:
        explicit Iterator(const SortedValues& of) : of_(&of) {}
        [[nodiscard]] Point operator*() const noexcept {
            const Block& b = *of_->blocks_[block_];
            return {b.x[i_], b.y[i_], b.w[i_]};
        }
        Iterator& operator++() noexcept {
            if (++i_ == of_->blocks_[block_]->size()) {
                ++block_;
                i_ = 0;
            }
            return *this;
        }
        [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept {
            return block_ == of_->blocks_.size();
        }

    private:
        const SortedValues* of_;
        std::size_t block_ = 0, i_ = 0;
    };

    // Adds weight w > 0 of class y < 65536 at a finite value. Returns whether the point is new.
    bool learn(double x, std::size_t y, double w);
    // Adds all points of another, or subtracts them. If there is less weight than is subtracted,
    // throws std::invalid_argument and changes nothing.
    void merge(const SortedValues&);
    void downdate(const SortedValues&);
    // Removes the values in (above, upto].
    void erase(double above, double upto);

    // Iterates by value, then by class.
    [[nodiscard]] Iterator begin() const noexcept { return Iterator(*this); }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
    // The smallest and the largest value. There must be at least one.
    [[nodiscard]] double smallest() const noexcept { return blocks_.front()->x.front(); }
    [[nodiscard]] double largest() const noexcept { return blocks_.back()->x.back(); }

    // Calls f(value, left) for every value except the largest, ascending. left[k] is the weight of
    // class k at or below the value, summed in that order. n_classes must be above every class
    // learned.
    template <class F>
    void each_cut(std::size_t n_classes, F&& f) const {
        std::vector<double> left(n_classes);
        const double* before = nullptr;
        for (const std::unique_ptr<Block>& b : blocks_) {
            for (std::size_t i = 0; i < b->size(); ++i) {
                if (before && *before != b->x[i]) f(*before, std::as_const(left).data());
                left[b->y[i]] += b->w[i];
                before = &b->x[i];
            }
        }
    }
    // The weights at or below t. At a value of each_cut() they are exactly the same numbers.
    void left_mass(double t, std::size_t n_classes, double* out) const noexcept;

    [[nodiscard]] bool empty() const noexcept { return points_ == 0; }
    [[nodiscard]] std::size_t values() const noexcept { return values_; }  // distinct
    [[nodiscard]] std::size_t points() const noexcept { return points_; }  // (value, class)
    // How many points each block holds, and a change to blocks of such sizes. Throws
    // std::invalid_argument if the sizes are not valid.
    [[nodiscard]] std::vector<std::uint32_t> block_sizes() const;
    void arrange(const std::vector<std::uint32_t>& sizes);

    // Appends the points in order. `restore` reads what `save` wrote, and otherwise throws
    // std::invalid_argument with a message that begins with `name`.
    void save(std::vector<double>& values, std::vector<std::int32_t>& classes,
              std::vector<double>& weights) const;
    static SortedValues restore(std::span<const double> values,
                                std::span<const std::int32_t> classes,
                                std::span<const double> weights, std::size_t n_classes,
                                std::string_view name);

private:
    using Label = std::uint16_t;

    struct Key {
        double x;
        Label y;
    };
    struct Block : HeldObject {
        Held<double> x, w;
        Held<Label> y;

        [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
        [[nodiscard]] std::size_t find(double x, Label y) const noexcept;
        [[nodiscard]] std::size_t find_above(double x) const noexcept;
        void reserve(std::size_t n);
        void insert(std::size_t i, double x, Label y, double w);
        void erase(std::size_t first, std::size_t last);
        void append(const Block& from, std::size_t first, std::size_t last);
    };

    [[nodiscard]] std::size_t block_of(double x, Label y) const noexcept;
    void insert(std::size_t b, std::size_t i, double x, Label y, double w);
    static std::unique_ptr<Block> new_block();
    void insert_block(std::size_t b, std::unique_ptr<Block>, Key head);
    void remove_block(std::size_t b) noexcept;
    void split(std::size_t b);
    static void resize_block(Block&, std::size_t size);

    Held<Key> heads_;  // [block]: its first point
    Held<std::unique_ptr<Block>> blocks_;
    std::size_t points_ = 0, values_ = 0;
};

}  // namespace riparian
