#pragma once

#include <array>

#include "../memory/account.hpp"
#include "detector.hpp"

namespace riparian {

// ADWIN: the mean over a window that is as long as the mean has not changed [bifet2007].
//
// The window is an exponential histogram: row r = 0, 1, ... has up to M buckets of 2^r values,
// each with its sum S and its centred sum of squares V. A row with M + 1 merges its two oldest
// into the next:
//
//     S = S1 + S2,    V = V1 + V2 + n1 n2 / (n1 + n2) (S1 / n1 - S2 / n2)^2
//
// Every `clock` values each boundary between buckets cuts the window in two, n0 old and n1
// recent values, both more than L + 1 (L = `min_window_length`). With n = n0 + n1, v the
// variance of the window, d = ln(2 ln(n) / delta) and m = 1 / (n0 - L + 1) + 1 / (n1 - L + 1),
// the oldest bucket is dropped if at some boundary
//
//     |mean0 - mean1| > sqrt(2 m v d) + 2/3 m d
//
// and all boundaries are looked at again, until none cuts [bifet2007, sec. 3; L as in MOA].
//
// What is left after a drift is the new concept's window: ADWIN never starts anew by itself.
// An update is amortised O(1), a look O(M log(width)). Room is made one row at a time, before
// the value goes in, and is kept: `update` allocates only when the window is longer than ever.
class Adwin {
public:
    static constexpr std::string_view name = "adwin";
    static constexpr std::string_view type_name = "ADWIN";
    static constexpr std::string_view about =
        "The mean over a window that is as long as the mean has not changed.";
    static constexpr Watches watches = Watches::numbers;

    struct Parameters {
        double delta = 0.002;                 // in (0, 1)
        std::uint32_t clock = 32;             // values from look to look, from 1
        std::uint32_t max_buckets = 5;        // M: of each size, from 2 to 64
        std::uint32_t min_window_length = 5;  // L, from 1
        std::uint32_t grace_period = 10;      // no cut in a window that is not longer

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("delta", self.delta, Probability{},
                  "Accepted probability of a false alarm at a check.");
            visit("clock", self.clock, Range{1.0, 4294967295.0}, "Values between two checks.");
            visit("max_buckets", self.max_buckets, Range{2.0, 64.0},
                  "Buckets of each size. More of them place a cut more exactly.");
            visit("min_window_length", self.min_window_length, Range{1.0, 4294967295.0},
                  "A part must have more values than this, plus one, to be compared.");
            visit("grace_period", self.grace_period, Range{0.0, 4294967295.0},
                  "A window that is not longer than this is not checked.");
        }
        bool operator==(const Parameters&) const = default;
    };

    Adwin() = default;
    explicit Adwin(const Parameters&);

    Signal update(double x);
    void reset() noexcept;  // to an empty window; the room is kept
    // Whether the next value takes more memory.
    [[nodiscard]] bool grows() const noexcept {
        return used_ == rows_ * parameters_.max_buckets && buckets_.size() <= used_ + std::size_t{1};
    }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }  // none or drift
    // Of the window; 0 if it is empty.
    [[nodiscard]] double estimate() const noexcept {
        return width_ ? total_ / static_cast<double>(width_) : 0.0;
    }
    [[nodiscard]] double variance() const noexcept;  // of the window; O(M log(width))
    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }  // since the last reset
    // The estimate after the last cut less the one before it: above 0 if the mean rose, 0 if
    // nothing was ever cut. HAT asks for it when the signal is drift.
    [[nodiscard]] double shift() const noexcept { return shift_; }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }

    [[nodiscard]] std::size_t bytes() const noexcept;
    void save(std::vector<double>& out) const;
    [[nodiscard]] static Adwin restore(const Parameters&, std::span<const double>& rest);

private:
    static constexpr std::size_t most_rows = 54;  // 2^53 values

    struct Bucket {
        double sum;
        double squares;  // around its own mean
    };

    // Oldest first; `at(bucket, n)` with the number of its values.
    template <class At>
    void each(At&& at) const {
        const Bucket* b = buckets_.data();
        for (std::size_t r = rows_; r-- > 0;) {
            const double n = static_cast<double>(std::uint64_t{1} << r);
            for (std::size_t i = 0; i < counts_[r]; ++i) at(*b++, n);
        }
    }
    [[nodiscard]] double sum() const noexcept;
    [[nodiscard]] double squares_around(double mean) const noexcept;
    [[nodiscard]] bool cut() const noexcept;
    bool look() noexcept;
    void make_room(std::size_t rows);
    void insert(double x) noexcept;
    void drop_oldest() noexcept;

    Parameters parameters_;
    std::uint64_t width_ = 0;
    std::uint64_t seen_ = 0;
    double total_ = 0.0;  // summed anew over the buckets at each look
    double shift_ = 0.0;
    Held<Bucket> buckets_;  // room for M a row and one; the first `used_` are the window's
    std::uint32_t used_ = 0;
    std::uint32_t since_look_ = 0;  // seen_ modulo clock, without the division
    Signal signal_ = Signal::none;
    std::uint8_t rows_ = 0;
    std::array<std::uint8_t, most_rows> counts_{};  // buckets of each row
};

static_assert(Detector<Adwin>);

}  // namespace riparian
