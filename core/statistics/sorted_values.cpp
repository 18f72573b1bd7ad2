#include "sorted_values.hpp"

#include "without.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace riparian {
namespace {

constexpr std::size_t most_in_block = 256;  // measured: 128 and 512 are slower at 10^6 values

// How many of n ordered elements come before: a binary search without branches.
template <class Before>
std::size_t count_before(std::size_t n, const Before& before) {
    std::size_t first = 0;
    while (n > 1) {
        const std::size_t half = n / 2;
        first += before(first + half - 1) ? half : 0;
        n -= half;
    }
    return first + (n == 1 && before(first) ? 1 : 0);
}

// The capacity for n elements, which grows by a quarter.
std::size_t room_for(std::size_t n, std::size_t most) {
    std::size_t room = 0;
    while (room < n) room += room / 4 + 2;
    return std::min(room, most);
}

}  // namespace

std::size_t SortedValues::Block::find(double value, Label label) const noexcept {
    const double* const xs = x.data();
    const Label* const ys = y.data();
    return count_before(x.size(), [=](std::size_t i) {
        return (xs[i] < value) | ((xs[i] == value) & (ys[i] < label));
    });
}

std::size_t SortedValues::Block::find_above(double value) const noexcept {
    const double* const xs = x.data();
    return count_before(x.size(), [=](std::size_t i) { return xs[i] <= value; });
}

void SortedValues::Block::reserve(std::size_t n) {
    x.reserve(n);
    w.reserve(n);
    y.reserve(n);
}

void SortedValues::Block::insert(std::size_t i, double value, Label label, double weight) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    x.insert(x.begin() + at, value);
    w.insert(w.begin() + at, weight);
    y.insert(y.begin() + at, label);
}

void SortedValues::Block::erase(std::size_t first, std::size_t last) {
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(last);
    x.erase(x.begin() + from, x.begin() + to);
    w.erase(w.begin() + from, w.begin() + to);
    y.erase(y.begin() + from, y.begin() + to);
}

void SortedValues::Block::append(const Block& from, std::size_t first, std::size_t last) {
    const auto i = static_cast<std::ptrdiff_t>(first), j = static_cast<std::ptrdiff_t>(last);
    x.insert(x.end(), from.x.begin() + i, from.x.begin() + j);
    w.insert(w.end(), from.w.begin() + i, from.w.begin() + j);
    y.insert(y.end(), from.y.begin() + i, from.y.begin() + j);
}

// The last block that begins at or before the point, or the first block if none does.
std::size_t SortedValues::block_of(double x, Label y) const noexcept {
    const Key* const heads = heads_.data();
    const std::size_t n = count_before(heads_.size(), [=](std::size_t b) {
        return (heads[b].x < x) | ((heads[b].x == x) & (heads[b].y <= y));
    });
    return n == 0 ? 0 : n - 1;
}

// A block for one point. Its memory is allocated first, so that a failure leaves no empty block.
std::unique_ptr<SortedValues::Block> SortedValues::new_block() {
    auto block = std::make_unique<Block>();
    block->reserve(room_for(1, most_in_block));
    return block;
}

void SortedValues::insert_block(std::size_t b, std::unique_ptr<Block> block, Key head) {
    if (heads_.size() == heads_.capacity()) {
        const std::size_t room = room_for(heads_.size() + 1, SIZE_MAX);
        set_room(heads_, room);
        set_room(blocks_, room);
    }
    heads_.insert(heads_.begin() + static_cast<std::ptrdiff_t>(b), head);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b), std::move(block));
}

void SortedValues::remove_block(std::size_t b) noexcept {
    heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(b));
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
}

// Changes the capacity of a block.
void SortedValues::resize_block(Block& block, std::size_t size) {
    const std::size_t room = room_for(size, most_in_block);
    set_room(block.x, room);
    set_room(block.w, room);
    set_room(block.y, room);
}

void SortedValues::split(std::size_t b) {
    Block& left = *blocks_[b];
    const std::size_t half = left.size() / 2;
    auto right = std::make_unique<Block>();
    right->reserve(room_for(left.size() - half, most_in_block));
    right->append(left, half, left.size());
    const Key head{right->x.front(), right->y.front()};
    insert_block(b + 1, std::move(right), head);
    left.erase(half, left.size());
    resize_block(left, half);
}

void SortedValues::insert(std::size_t b, std::size_t i, double x, Label y, double w) {
    if (blocks_[b]->size() == most_in_block) {
        if (b + 1 == blocks_.size() && i == most_in_block) {
            insert_block(++b, new_block(), {x, y});
            i = 0;
        } else if (b == 0 && i == 0) {
            insert_block(b, new_block(), {x, y});
        } else {
            split(b);
            if (const std::size_t half = blocks_[b]->size(); i > half) {
                ++b;
                i -= half;
            }
        }
    }
    Block& block = *blocks_[b];
    if (block.size() == block.x.capacity()) {
        resize_block(block, block.size() + 1);
    }
    block.insert(i, x, y, w);
    if (i == 0) heads_[b] = {x, y};
}

bool SortedValues::learn(double x, std::size_t y, double w) {
    x += 0.0;  // turns -0.0 into 0.0
    const auto label = static_cast<Label>(y);
    if (blocks_.empty()) insert_block(0, new_block(), {x, label});
    const std::size_t b = block_of(x, label);
    Block& block = *blocks_[b];
    const std::size_t i = block.find(x, label);
    const bool inside = i < block.size();
    if (inside && block.x[i] == x && block.y[i] == label) {
        block.w[i] += w;
        return false;
    }
    const bool old_value =
        (i > 0 && block.x[i - 1] == x) ||
        (inside ? block.x[i] == x : b + 1 < blocks_.size() && heads_[b + 1].x == x);
    insert(b, i, x, label, w);
    ++points_;
    values_ += old_value ? 0 : 1;
    return true;
}

void SortedValues::merge(const SortedValues& other) {
    const SortedValues* from = &other;
    SortedValues twin;
    if (from == this) {
        for (const Point p : *this) twin.learn(p.x, p.y, p.w);
        from = &twin;
    }
    for (const Point p : *from) learn(p.x, p.y, p.w);
}

void SortedValues::downdate(const SortedValues& other) {
    SortedValues left;
    Iterator taken = other.begin();
    for (const Point p : *this) {
        double w = p.w;
        if (taken != other.end() && (*taken).x == p.x && (*taken).y == p.y) {
            w = without(p.w, (*taken).w);
            ++taken;
        }
        if (w > 0.0) left.learn(p.x, p.y, w);
    }
    if (taken != other.end())
        throw std::invalid_argument("a value that is not present is subtracted");
    *this = std::move(left);
}

void SortedValues::erase(double above, double upto) {
    std::size_t b = block_of(above, 0);
    while (b < blocks_.size() && heads_[b].x <= upto) {
        Block& block = *blocks_[b];
        const std::size_t first = block.find_above(above), last = block.find_above(upto);
        // A value may continue in the next block. It is counted in the block where it ends.
        for (std::size_t i = first; i < last; ++i) {
            const bool ends = i + 1 < block.size()
                                  ? block.x[i + 1] != block.x[i]
                                  : b + 1 == blocks_.size() || heads_[b + 1].x != block.x[i];
            values_ -= ends ? 1 : 0;
        }
        points_ -= last - first;
        if (last - first == block.size()) {
            remove_block(b);
            continue;
        }
        if (first < last) {
            block.erase(first, last);
            heads_[b] = {block.x.front(), block.y.front()};
            if (b > 0 && blocks_[b - 1]->size() + block.size() <= most_in_block / 2) {
                Block& previous = *blocks_[--b];
                resize_block(previous, previous.size() + block.size());
                previous.append(block, 0, block.size());
                remove_block(b + 1);
            } else {
                resize_block(block, block.size());
            }
        }
        ++b;
    }
    const std::size_t room = room_for(blocks_.size(), SIZE_MAX);
    set_room(heads_, room);
    set_room(blocks_, room);
}

void SortedValues::left_mass(double t, std::size_t n_classes, double* out) const noexcept {
    std::fill_n(out, n_classes, 0.0);
    for (const Point p : *this) {
        if (p.x > t) break;
        out[p.y] += p.w;
    }
}

std::vector<std::uint32_t> SortedValues::block_sizes() const {
    std::vector<std::uint32_t> sizes;
    for (const auto& b : blocks_) sizes.push_back(static_cast<std::uint32_t>(b->size()));
    return sizes;
}

void SortedValues::arrange(const std::vector<std::uint32_t>& sizes) {
    std::size_t total = 0;
    for (const std::uint32_t n : sizes) {
        if (n < 1 || n > most_in_block) {
            throw std::invalid_argument("values: a block size is out of range");
        }
        total += n;
    }
    if (total != points_) {
        throw std::invalid_argument(
            "values: the block sizes do not add up to the number of points");
    }
    SortedValues arranged;
    Iterator point = begin();
    for (const std::uint32_t n : sizes) {
        auto block = std::make_unique<Block>();
        block->reserve(room_for(n, most_in_block));
        for (std::uint32_t i = 0; i < n; ++i, ++point) {
            const Point p = *point;
            block->insert(i, p.x, static_cast<Label>(p.y), p.w);
        }
        const Key head{block->x.front(), block->y.front()};
        arranged.insert_block(arranged.blocks_.size(), std::move(block), head);
    }
    arranged.points_ = points_;
    arranged.values_ = values_;
    *this = std::move(arranged);
}

void SortedValues::save(std::vector<double>& values, std::vector<std::int32_t>& classes,
                        std::vector<double>& weights) const {
    for (const Point p : *this) {
        values.push_back(p.x);
        classes.push_back(static_cast<std::int32_t>(p.y));
        weights.push_back(p.w);
    }
}

SortedValues SortedValues::restore(std::span<const double> values,
                                   std::span<const std::int32_t> classes,
                                   std::span<const double> weights, std::size_t n_classes,
                                   std::string_view name) {
    if (classes.size() != values.size() || weights.size() != values.size()) {
        throw std::invalid_argument(std::string(name) +
                                    ": values, classes and weights differ in length");
    }
    n_classes = std::min(n_classes, most_classes);
    SortedValues restored;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto demand = [&](bool holds, const char* what) {
            if (holds) return;
            throw std::invalid_argument(std::string(name) + ", row " + std::to_string(i) + ": " +
                                        what);
        };
        const double x = values[i], w = weights[i];
        const std::int32_t y = classes[i];
        demand(std::isfinite(x), "the value is not finite");
        demand(x != 0.0 || !std::signbit(x), "the value is a negative zero");
        demand(y >= 0 && static_cast<std::size_t>(y) < n_classes, "there is no such class");
        demand(w > 0.0 && w <= heaviest, "the weight is out of range");
        demand(i == 0 || x >= values[i - 1], "the values do not ascend");
        demand(i == 0 || x > values[i - 1] || y > classes[i - 1],
               "the classes of a value do not ascend");
        restored.learn(x, static_cast<std::size_t>(y), w);
    }
    return restored;
}

}  // namespace riparian
