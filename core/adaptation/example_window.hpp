// The last examples of a tree, to be forgotten one day.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../data/row.hpp"
#include "../data/weight_steps.hpp"
#include "../memory/account.hpp"
#include "../statistics/leaf_statistics.hpp"
#include "number_queue.hpp"

namespace riparian {

// A queue in blocks of equally many examples, as many as are needed wherever the first one
// stands. An example has a number, and with it its place in a block. There is nothing here but
// the example, since nodes tell which was the first that they learned. Values that are
// distributions are missing from it, and stand in a queue of their own (Spread::write).
class ExampleWindow {
public:
    static constexpr std::size_t a_block = 64;  // examples

    [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }
    // The number of the oldest.
    [[nodiscard]] std::uint64_t first() const noexcept { return first_; }

    // The next number is that of the example to come, unless there are some.
    void begin(std::uint64_t number) noexcept {
        if (size() == 0) first_ = end_ = number;
    }
    void push(const Row&, std::size_t y, double w);
    // The same, with the distributions of its uncertain values.
    void push(const Row&, std::size_t y, double w, const std::vector<double>& distributions);
    // Its room is for the next one.
    void pop() noexcept;
    // Gives room back, once the queue is to stay shorter.
    void fit_blocks();
    // Features that are new are missing from all that is held.
    void reshape(const Shape&);

    // A row is valid until the next one is asked for.
    [[nodiscard]] Row row(std::uint64_t number);
    [[nodiscard]] std::size_t label(std::uint64_t number) const noexcept {
        return block(number).labels[number % a_block] & ~(gap_bit | uncertain_bit);
    }
    [[nodiscard]] bool is_uncertain(std::uint64_t number) const noexcept {
        return (block(number).labels[number % a_block] & uncertain_bit) != 0;
    }
    // The distributions of the example that has them from `place` on, those of the oldest
    // from 0. Gives the place of the next.
    std::size_t distributions(std::size_t place, std::vector<double>& out) const;
    [[nodiscard]] double weight(std::uint64_t number) const noexcept {
        return block(number).weights[number % a_block];
    }

    // Bytes of this many examples, and of those that are held.
    [[nodiscard]] static std::size_t bytes(std::size_t examples, std::size_t numeric,
                                           std::size_t categorical) noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;
    // The same of numbers that distributions are, which are not in it.
    [[nodiscard]] const NumberQueue& numbers() const noexcept { return numbers_; }
    // While features are added, a block is there twice.
    [[nodiscard]] std::size_t copy_bytes() const noexcept {
        return bytes_a_block(numeric_, categorical_);
    }
    // The reverse: how many examples surely fit.
    [[nodiscard]] static std::size_t fit(std::size_t bytes, std::size_t numeric,
                                         std::size_t categorical) noexcept;

    void save(std::vector<double>& values, std::vector<std::int32_t>& codes,
              std::vector<std::int32_t>& labels, std::vector<double>& weights) const;
    // Which examples have some, if any has, and the numbers.
    void save_distributions(std::vector<std::uint8_t>& uncertain,
                            std::vector<double>& numbers) const;

private:
    struct Block : HeldObject {
        Held<double> values;       // [place][numeric]
        Held<std::int32_t> codes;  // [place][categorical]
        Held<double> weights;
        Held<std::uint32_t> labels;  // with gap_bit where a number is missing
    };
    static constexpr std::uint32_t gap_bit = 1U << 31;
    static constexpr std::uint32_t uncertain_bit = 1U << 30;
    [[nodiscard]] std::size_t length(std::size_t place) const noexcept;
    [[nodiscard]] static std::size_t bytes_a_block(std::size_t numeric,
                                                   std::size_t categorical) noexcept;
    [[nodiscard]] const Block& block(std::uint64_t number) const noexcept {
        return *blocks_[place(number)];
    }
    [[nodiscard]] std::size_t place(std::uint64_t number) const noexcept {
        const std::size_t at = head_ + (number / a_block - first_ / a_block);
        return at < blocks_.size() ? at : at - blocks_.size();
    }
    [[nodiscard]] static std::size_t blocks_for(std::size_t examples) noexcept {
        return (examples + a_block - 1) / a_block + 1;
    }
    [[nodiscard]] static std::size_t room_for_blocks(std::size_t n) noexcept {
        return (n + a_block - 1) / a_block * a_block;
    }

    std::uint64_t first_ = 1, end_ = 1;
    std::size_t numeric_ = 0, categorical_ = 0;
    Held<std::unique_ptr<Block>> blocks_;  // a ring
    std::size_t head_ = 0;                 // the block of the oldest
    HeldDoubles row_;                      // the one asked for, padded
    NumberQueue numbers_;
};

}  // namespace riparian
