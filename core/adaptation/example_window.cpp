#include "example_window.hpp"

#include <algorithm>
#include <limits>

namespace riparian {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::size_t list(std::size_t bytes) noexcept { return bytes ? taken(bytes) : 0; }

template <class T>
Held<T> wider(const Held<T>& rows, std::size_t from, std::size_t to, T missing) {
    Held<T> out(ExampleWindow::a_block * to, missing);
    for (std::size_t i = 0; i < ExampleWindow::a_block; ++i) {
        std::copy_n(rows.data() + i * from, from, out.data() + i * to);
    }
    return out;
}

}  // namespace

void ExampleWindow::push(const Row& row, std::size_t y, double w) {
    ++end_;
    fit_blocks();
    Block& b = *blocks_[place(end_ - 1)];
    const std::size_t at = (end_ - 1) % a_block;
    std::copy_n(row.x, numeric_, b.values.data() + at * numeric_);
    if (row.gap) {
        // All NaNs get the same bits, so that the bytes of a file do not depend on the caller's NaN.
        for (double* x = b.values.data() + at * numeric_; x < b.values.data() + (at + 1) * numeric_;
             ++x) {
            if (*x != *x) *x = nan;
        }
    }
    std::copy_n(row.codes, categorical_, b.codes.data() + at * categorical_);
    b.labels[at] = static_cast<std::uint32_t>(y) | (row.gap ? gap_bit : 0);
    b.weights[at] = w;
}

void ExampleWindow::push(const Row& row, std::size_t y, double w,
                         const std::vector<double>& distributions) {
    push(row, y, w);
    blocks_[place(end_ - 1)]->labels[(end_ - 1) % a_block] |= uncertain_bit;
    numbers_.push(distributions.data(), distributions.size());
}

// How many numbers an example has: see Spread::write.
std::size_t ExampleWindow::length(std::size_t place) const noexcept {
    std::size_t at = place + 1;
    for (double left = numbers_[place]; left > 0.0; --left) {
        const double type = numbers_[at + 1];
        if (type == 0.0) at += 4;
        else if (type == 1.0) at += 6;
        else at += 3 + 2 * static_cast<std::size_t>(numbers_[at + 2]);
    }
    return at - place;
}

std::size_t ExampleWindow::distributions(std::size_t place, std::vector<double>& out) const {
    out.resize(length(place));
    for (double& number : out) number = numbers_[place++];
    return place;
}

// An empty block is reused as the next one to be filled.
void ExampleWindow::pop() noexcept {
    if (is_uncertain(first_)) numbers_.pop(length(0));
    if (++first_ % a_block == 0) head_ = head_ + 1 < blocks_.size() ? head_ + 1 : 0;
}

void ExampleWindow::fit_blocks() {
    numbers_.fit();
    const std::size_t needed = blocks_for(size());
    if (blocks_.size() == needed) return;
    std::rotate(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(head_),
                blocks_.end());
    head_ = 0;
    if (blocks_.size() > needed) blocks_.resize(needed);
    set_room(blocks_, room_for_blocks(needed));
    while (blocks_.size() < needed) {
        Block& fresh = *blocks_.emplace_back(std::make_unique<Block>());
        fresh.values.resize(a_block * numeric_);
        fresh.codes.resize(a_block * categorical_);
        fresh.weights.resize(a_block);
        fresh.labels.resize(a_block);
    }
}

void ExampleWindow::reshape(const Shape& to) {
    for (const auto& each : blocks_) {
        Block& b = *each;
        if (to.numeric != numeric_) {
            b.values = wider(b.values, numeric_, to.numeric, nan);
            for (std::uint32_t& label : b.labels) label |= gap_bit;
        }
        if (to.categorical != categorical_) {
            b.codes = wider(b.codes, categorical_, to.categorical, missing_code);
        }
    }
    numeric_ = to.numeric;
    categorical_ = to.categorical;
    if (row_.size() != to.stride) row_ = HeldDoubles(to.stride, 0.0);
}

Row ExampleWindow::row(std::uint64_t number) {
    const Block& b = block(number);
    const std::size_t at = number % a_block;
    const double* const x = b.values.data() + at * numeric_;
    std::copy_n(x, numeric_, row_.data());
    return {row_.data(), b.codes.data() + at * categorical_, (b.labels[at] & gap_bit) != 0};
}

std::size_t ExampleWindow::bytes_a_block(std::size_t numeric, std::size_t categorical) noexcept {
    return taken(sizeof(Block)) + list(a_block * numeric * sizeof(double)) +
           list(a_block * categorical * sizeof(std::int32_t)) + list(a_block * sizeof(double)) +
           list(a_block * sizeof(std::uint32_t));
}

std::size_t ExampleWindow::bytes(std::size_t examples, std::size_t numeric,
                                 std::size_t categorical) noexcept {
    const std::size_t blocks = blocks_for(examples);
    return blocks * bytes_a_block(numeric, categorical) +
           taken(room_for_blocks(blocks) * sizeof(blocks_[0]));
}

std::size_t ExampleWindow::bytes() const noexcept {
    return blocks_.size() * bytes_a_block(numeric_, categorical_) +
           list(blocks_.capacity() * sizeof(blocks_[0]));
}

std::size_t ExampleWindow::fit(std::size_t bytes, std::size_t numeric,
                               std::size_t categorical) noexcept {
    std::size_t blocks = bytes / (bytes_a_block(numeric, categorical) + sizeof(blocks_[0]));
    while (blocks > 2 &&
           ExampleWindow::bytes((blocks - 2) * a_block, numeric, categorical) > bytes) {
        --blocks;
    }
    return blocks > 2 ? (blocks - 2) * a_block : 0;
}

void ExampleWindow::save(std::vector<double>& values, std::vector<std::int32_t>& codes,
                         std::vector<std::int32_t>& labels, std::vector<double>& weights) const {
    for (std::uint64_t number = first_; number < end_; ++number) {
        const Block& b = block(number);
        const std::size_t at = number % a_block;
        const double* const x = b.values.data() + at * numeric_;
        const std::int32_t* const c = b.codes.data() + at * categorical_;
        values.insert(values.end(), x, x + numeric_);
        codes.insert(codes.end(), c, c + categorical_);
        labels.push_back(static_cast<std::int32_t>(label(number)));
        weights.push_back(b.weights[at]);
    }
}

void ExampleWindow::save_distributions(std::vector<std::uint8_t>& uncertain,
                                       std::vector<double>& numbers) const {
    if (numbers_.size() == 0) return;
    for (std::uint64_t number = first_; number < end_; ++number) {
        uncertain.push_back(is_uncertain(number));
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers.push_back(numbers_[i]);
}

}  // namespace riparian
