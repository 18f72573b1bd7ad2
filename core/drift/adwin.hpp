#pragma once

#include <array>

#include "../memory/account.hpp"
#include "detector.hpp"

namespace riparian {

// ADWIN: the mean of a window that grows as long as the mean does not change [bifet2007].
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
// and all boundaries are checked again, until none exceeds the limit [bifet2007, sec. 3; L as in
// MOA].
//
// The values that remain after a drift are the window of the new concept, so ADWIN never starts
// again by itself. An update takes amortised O(1) time and a check O(M log(width)). Memory is
// allocated for one row at a time, before the value is added, and is kept: `update` allocates only
// if the window is longer than ever before.
class Adwin {
public:
    static constexpr std::string_view name = "adwin";
    static constexpr std::string_view type_name = "ADWIN";
    static constexpr std::string_view about =
        "The mean of a window that grows as long as the mean does not change.";
    static constexpr DetectorInput input = DetectorInput::numbers;

    struct Parameters {
        double delta = 0.002;                 // in (0, 1)
        std::uint32_t clock = 32;             // values between two checks, from 1
        std::uint32_t max_buckets = 5;        // M: buckets of each size, from 2 to 64
        std::uint32_t min_window_length = 5;  // L, from 1
        std::uint32_t grace_period = 10;      // a window that is not longer is not checked

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("delta", self.delta, Probability{},
                  "Accepted probability of a false alarm per check.");
            visit("clock", self.clock, Range{1.0, 4294967295.0}, "Values between two checks.");
            visit("max_buckets", self.max_buckets, Range{2.0, 64.0},
                  "Buckets of each size. More buckets locate a change more precisely.");
            visit("min_window_length", self.min_window_length, Range{1.0, 4294967295.0},
                  "Both parts of the window must have more than this many values, plus one.");
            visit("grace_period", self.grace_period, Range{0.0, 4294967295.0},
                  "Windows of up to this many values are not checked.");
        }
        bool operator==(const Parameters&) const = default;
    };

    Adwin() = default;
    explicit Adwin(const Parameters&);

    Signal update(double x);
    void reset() noexcept;  // empties the window and keeps the memory
    // Whether the next value allocates memory.
    [[nodiscard]] bool grows() const noexcept {
        return used_ == rows_ * parameters_.max_buckets &&
               buckets_.size() <= used_ + std::size_t{1};
    }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }  // none or drift
    // The mean of the window; 0 if it is empty.
    [[nodiscard]] double estimate() const noexcept {
        return width_ ? total_ / static_cast<double>(width_) : 0.0;
    }
    [[nodiscard]] double variance() const noexcept;  // of the window; O(M log(width))
    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }  // since the last reset
    // The estimate after the last cut minus the one before it. It is above 0 if the mean rose and 0
    // if nothing was ever cut. HAT uses it when the signal is drift.
    [[nodiscard]] double shift() const noexcept { return shift_; }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }

    [[nodiscard]] std::size_t bytes() const noexcept;
    void save(std::vector<double>& out) const;
    [[nodiscard]] static Adwin restore(const Parameters&, std::span<const double>& rest);

private:
    static constexpr std::size_t most_rows = 54;  // 2^53 values

    struct Bucket {
        double sum;
        double squares;  // around the mean of the bucket
    };

    // Visits the buckets, oldest first, as at(bucket, number of its values).
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
    double total_ = 0.0;  // summed again over the buckets at each check
    double shift_ = 0.0;
    Held<Bucket> buckets_;  // room for M per row and one more; the first `used_` are in use
    std::uint32_t used_ = 0;
    std::uint32_t since_check_ = 0;  // seen_ modulo clock, without the division
    Signal signal_ = Signal::none;
    std::uint8_t rows_ = 0;
    std::array<std::uint8_t, most_rows> counts_{};  // buckets of each row
};

static_assert(Detector<Adwin>);

}  // namespace riparian
