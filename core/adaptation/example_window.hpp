// The last examples of a tree, which are forgotten later.
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

// A queue in blocks of equal size. The number of an example determines its block and its place there.
// Only the example itself is stored: each node stores the number of the first example that it
// learned. Values that are distributions are missing here; a second queue holds them (Spread::write).
class ExampleWindow {
public:
    static constexpr std::size_t a_block = 64;  // examples

    [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }
    // The number of the oldest.
    [[nodiscard]] std::uint64_t first() const noexcept { return first_; }

    // Sets the number of the next example, if the window is empty.
    void begin(std::uint64_t number) noexcept {
        if (size() == 0) first_ = end_ = number;
    }
    void push(const Row&, std::size_t y, double w);
    // The same, with the distributions of its uncertain values.
    void push(const Row&, std::size_t y, double w, const std::vector<double>& distributions);
    // Its memory is reused for the next example.
    void pop() noexcept;
    // Frees memory after the limit of the queue was lowered.
    void fit_blocks();
    // New features are missing in all examples of the queue.
    void reshape(const Shape&);

    // A row is valid until the next one is asked for.
    [[nodiscard]] Row row(std::uint64_t number);
    [[nodiscard]] std::size_t label(std::uint64_t number) const noexcept {
        return block(number).labels[number % a_block] & ~(gap_bit | uncertain_bit);
    }
    [[nodiscard]] bool is_uncertain(std::uint64_t number) const noexcept {
        return (block(number).labels[number % a_block] & uncertain_bit) != 0;
    }
    // Reads the distributions that begin at `place`; those of the oldest example begin at 0. Returns the
    // place of the next ones.
    std::size_t distributions(std::size_t place, std::vector<double>& out) const;
    [[nodiscard]] double weight(std::uint64_t number) const noexcept {
        return block(number).weights[number % a_block];
    }

    // Bytes of this many examples, and of those that are held.
    [[nodiscard]] static std::size_t bytes(std::size_t examples, std::size_t numeric,
                                           std::size_t categorical) noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;
    // The same for the numbers of distributions, which are counted separately.
    [[nodiscard]] const NumberQueue& numbers() const noexcept { return numbers_; }
    // While features are added, one block exists twice.
    [[nodiscard]] std::size_t copy_bytes() const noexcept {
        return bytes_a_block(numeric_, categorical_);
    }
    // The reverse: how many examples are certain to fit.
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
