// How many rows are learned or predicted at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace riparian {

// A block of rows holds a lock and cannot be stopped, so it should take little time whatever a row
// costs. How rows are cut into blocks changes no result.
class Pace {
public:
    explicit Pace(std::size_t rows) : rows_(rows) {}

    [[nodiscard]] std::size_t rows(std::size_t most) const noexcept { return std::min(rows_, most); }

    // Times a block of this many rows while it lives.
    class Timer {
    public:
        Timer(Pace& pace, std::size_t rows) : pace_(pace), rows_(rows) {
            if (rows_ > 1) start_ = Clock::now();
        }
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;
        ~Timer() {
            if (rows_ > 1) pace_.adjust(rows_, Clock::now() - start_);
        }

    private:
        Pace& pace_;
        std::size_t rows_;
        std::chrono::steady_clock::time_point start_;
    };

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds longest{30}, shortest{10};
    static constexpr std::size_t most_rows = std::size_t{1} << 16;

    void adjust(std::size_t rows, Clock::duration spent) noexcept {
        if (spent > longest) {
            rows_ = std::max<std::size_t>(2, rows / 2);
        } else if (spent < shortest && rows >= rows_) {
            rows_ = std::min(most_rows, 2 * rows_);
        }
    }

    std::size_t rows_;
};

}  // namespace riparian
