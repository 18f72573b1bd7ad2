// The pool: aligned, zeroed, used again, and its bytes are counted.
#include "../statistics/pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

bool zeroed(const void* block, std::size_t bytes) {
    const auto* const p = static_cast<const unsigned char*>(block);
    return std::all_of(p, p + bytes, [](unsigned char c) { return c == 0; });
}

void blocks_are_aligned_zeroed_and_apart() {
    Pool pool;
    examples::Dice dice(1);
    struct Block {
        unsigned char* p;
        std::size_t bytes;
        unsigned char mark;
    };
    std::vector<Block> held;
    for (int round = 0; round < 20'000; ++round) {
        if (!held.empty() && dice.chance(0.45)) {
            std::swap(held[dice.below(held.size())], held.back());
            const Block b = held.back();
            held.pop_back();
            CHECK(std::all_of(b.p, b.p + b.bytes, [&](unsigned char c) { return c == b.mark; }));
            pool.give(b.p, b.bytes);
        } else {
            const std::size_t bytes = 1 + dice.below(dice.chance(0.1) ? 20'000 : 600);
            auto* const p = static_cast<unsigned char*>(pool.take(bytes));
            CHECK(reinterpret_cast<std::uintptr_t>(p) % 32 == 0);
            CHECK(zeroed(p, bytes));
            const auto mark = static_cast<unsigned char>(1 + dice.below(255));
            std::memset(p, mark, bytes);
            held.push_back({p, bytes, mark});
        }
    }
}

void a_block_given_back_serves_the_next_of_its_size() {
    Pool pool;
    void* const first = pool.take(100);
    std::memset(first, 255, 100);
    void* const other = pool.take(200);
    const std::size_t before = pool.bytes();
    pool.give(first, 100);
    // 100 and 128 bytes are the same number of whole vectors.
    void* const again = pool.take(128);
    CHECK(again == first);
    CHECK(zeroed(again, 128));
    CHECK(pool.bytes() == before);
    pool.give(again, 128);
    pool.give(other, 200);
    CHECK(pool.bytes() == before);
    for (int i = 0; i < 1000; ++i) pool.give(pool.take(200), 200);
    CHECK(pool.bytes() == before);
}

void bytes_are_those_of_the_system() {
    Pool pool;
    CHECK(pool.bytes() == 0);
    std::size_t asked = 0;
    for (int i = 0; i < 5000; ++i) {
        const std::size_t bytes = 32 * static_cast<std::size_t>(1 + i % 40);
        CHECK(pool.take(bytes) != nullptr);
        asked += bytes;
    }
#ifdef RIPARIAN_SANITIZE
    CHECK(pool.bytes() == asked);
#else
    CHECK(pool.bytes() >= asked);
    CHECK(pool.bytes() <= asked + asked / 4 + 8192);
#endif
}

void nothing_is_nothing() {
    Pool pool;
    CHECK(pool.take(0) == nullptr);
    CHECK(pool.take_array<double>(0) == nullptr);
    pool.give(nullptr, 64);
    CHECK(pool.bytes() == 0);
}

void a_moved_pool_keeps_its_blocks() {
    Pool pool;
    auto* const numbers = pool.take_array<double>(10);
    numbers[9] = 5.0;
    Pool moved = std::move(pool);
    CHECK(numbers[9] == 5.0);
    moved.give_array(numbers, 10);
    CHECK(moved.take_array<double>(10) == numbers);
}

}  // namespace

int main() {
    blocks_are_aligned_zeroed_and_apart();
    a_block_given_back_serves_the_next_of_its_size();
    bytes_are_those_of_the_system();
    nothing_is_nothing();
    a_moved_pool_keeps_its_blocks();
    return checking::failures();
}
