// A queue of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "../memory/account.hpp"

namespace riparian {

// Numbers are stored in blocks, so that the memory depends only on the size of the queue. An empty
// queue holds no memory.
class NumberQueue {
public:
    static constexpr std::size_t a_block = 128;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // Begins with the oldest number.
    [[nodiscard]] double operator[](std::size_t i) const noexcept {
        const std::size_t at = first_ + i;
        return (*blocks_[at / a_block])[at % a_block];
    }
    void push(const double* numbers, std::size_t n) {
        const std::size_t from = size_;
        size_ += n;
        fit();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = first_ + from + i;
            (*blocks_[at / a_block])[at % a_block] = numbers[i];
        }
    }
    // Their memory is kept until fit() is called.
    void pop(std::size_t n) noexcept {
        first_ += n;
        size_ -= n;
    }
    void fit() {
        const std::size_t gone = first_ / a_block;
        const std::size_t needed = blocks_for(size_);
        if (gone == 0 && blocks_.size() == needed) return;
        first_ %= a_block;
        // Empty blocks are filled next.
        std::rotate(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(gone),
                    blocks_.end());
        if (blocks_.size() > needed) blocks_.resize(needed);
        set_room(blocks_, room_for_blocks(needed));
        while (blocks_.size() < needed) blocks_.push_back(std::make_unique<Block>());
    }

    [[nodiscard]] static std::size_t bytes(std::size_t numbers) noexcept {
        const std::size_t blocks = blocks_for(numbers);
        if (blocks == 0) return 0;
        return blocks * taken(sizeof(Block)) +
               taken(room_for_blocks(blocks) * sizeof(std::unique_ptr<Block>));
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return blocks_.size() * taken(sizeof(Block)) +
               (blocks_.capacity() ? taken(blocks_.capacity() * sizeof(blocks_[0])) : 0);
    }

private:
    struct Block : HeldObject, std::array<double, a_block> {};
    [[nodiscard]] static std::size_t blocks_for(std::size_t n) noexcept {
        return n ? (n + a_block - 1) / a_block + 1 : 0;
    }
    [[nodiscard]] static std::size_t room_for_blocks(std::size_t n) noexcept {
        return (n + 15) / 16 * 16;
    }

    Held<std::unique_ptr<Block>> blocks_;
    std::size_t first_ = 0;  // place of the oldest in the first block
    std::size_t size_ = 0;
};

}  // namespace riparian
