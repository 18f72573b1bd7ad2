// How many rows are learned or predicted at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "turnstile.hpp"

namespace riparian {

// A block of rows holds a lock and cannot be stopped, so it should take little time whatever a row
// costs. Blocks are shortest while other threads wait for the lock: for a forest of 100 members, whose
// trees do not fit the cache together, short blocks take an eighth more time than long ones. How
// rows are cut into blocks changes no result.
class Pace {
public:
    explicit Pace(std::size_t rows) : rows_(rows) {}

    [[nodiscard]] std::size_t rows(std::size_t most) const noexcept {
        return std::min(rows_, most);
    }

    // To be called after a block of this many rows, with the time that it took and whether another thread
    // waited for it.
    void adjust(std::size_t rows, std::chrono::steady_clock::duration spent, bool waited) noexcept {
        since_waited_ = waited ? 0 : since_waited_ + 1;
        const Limits& limits = since_waited_ < quiet ? awaited : alone;
        if (spent > limits.longest) {
            // A busy machine makes any block slow; ever shorter ones would only cost more.
            const std::size_t fewest = spent > alone.longest ? 2 : fewest_awaited;
            rows_ = std::min(rows_, std::max(fewest, rows / 2));
        } else if (spent < limits.shortest && rows >= rows_) {
            rows_ = std::min(most_rows, 2 * rows_);
        }
    }

    // Times a block of this many rows while it lives. To be made once the turnstile is locked.
    class Timer {
    public:
        Timer(Pace& pace, std::size_t rows, Turnstile& turnstile)
            : pace_(pace), rows_(rows), turnstile_(turnstile) {
            if (rows_ > 1) start_ = Clock::now();
        }
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;
        ~Timer() {
            if (rows_ > 1) pace_.adjust(rows_, Clock::now() - start_, turnstile_.awaited());
        }

    private:
        Pace& pace_;
        std::size_t rows_;
        Turnstile& turnstile_;
        std::chrono::steady_clock::time_point start_;
    };

private:
    using Clock = std::chrono::steady_clock;
    struct Limits {
        std::chrono::milliseconds longest, shortest;
    };
    static constexpr Limits alone{std::chrono::milliseconds{30}, std::chrono::milliseconds{10}};
    static constexpr Limits awaited{std::chrono::milliseconds{8}, std::chrono::milliseconds{3}};
    // Blocks without a thread that waited after which none is expected.
    static constexpr std::size_t quiet = 64;
    static constexpr std::size_t fewest_awaited = 64;
    static constexpr std::size_t most_rows = std::size_t{1} << 16;

    std::size_t rows_;
    std::size_t since_waited_ = quiet;  // blocks
};

}  // namespace riparian
