#include "adwin.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/scalar.hpp"
#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

Adwin::Adwin(const Parameters& p) : parameters_(p) { require_declared(p); }

Signal Adwin::update(double x) {
    // All rows are full, so the value will start another one.
    if (used_ == rows_ * parameters_.max_buckets) make_room(rows_ + std::size_t{1});
    insert(x);
    ++seen_;
    signal_ = Signal::none;
    if (++since_check_ == parameters_.clock) {
        since_check_ = 0;
        if (width_ > parameters_.grace_period && look()) signal_ = Signal::drift;
    }
    return signal_;
}

void Adwin::reset() noexcept {
    width_ = seen_ = 0;
    total_ = shift_ = 0.0;
    used_ = since_check_ = rows_ = 0;
    signal_ = Signal::none;
    counts_.fill(0);
}

void Adwin::make_room(std::size_t rows) {
    const std::size_t room = rows * parameters_.max_buckets + 1;
    if (buckets_.size() >= room) return;
    set_room(buckets_, room);
    buckets_.resize(room);
}

void Adwin::insert(double x) noexcept {
    Bucket* const b = buckets_.data();
    b[used_++] = {x, 0.0};
    ++counts_[0];
    if (rows_ == 0) rows_ = 1;
    ++width_;
    total_ += x;
    std::size_t start = used_;
    double n = 1.0;
    for (std::size_t r = 0;; ++r, n += n) {
        start -= counts_[r];
        if (counts_[r] <= parameters_.max_buckets) return;
        // The two oldest become the newest of the next row, which is stored just before them.
        const Bucket& first = b[start];
        const Bucket& second = b[start + 1];
        const double apart = (first.sum - second.sum) / n;
        b[start] = {first.sum + second.sum,
                    first.squares + second.squares + n / 2.0 * (apart * apart)};
        std::copy(b + start + 2, b + used_, b + start + 1);
        --used_;
        ++start;
        counts_[r] = static_cast<std::uint8_t>(counts_[r] - 2);
        ++counts_[r + 1];
        if (r + 1 == rows_) ++rows_;
    }
}

void Adwin::drop_oldest() noexcept {
    const std::size_t top = rows_ - std::size_t{1};
    Bucket* const b = buckets_.data();
    std::copy(b + 1, b + used_, b);
    --used_;
    width_ -= std::uint64_t{1} << top;
    if (--counts_[top] == 0) --rows_;
}

double Adwin::sum() const noexcept {
    double total = 0.0;
    each([&](const Bucket& b, double) { total += b.sum; });
    return total;
}

// The sum of squares of all values around a mean. Two passes over the buckets lose no digits; a
// running sum would.
double Adwin::squares_around(double mean) const noexcept {
    double within = 0.0, between = 0.0;
    each([&](const Bucket& b, double n) {
        const double apart = b.sum / n - mean;
        within += b.squares;
        between += n * (apart * apart);
    });
    return within + between;
}

double Adwin::variance() const noexcept {
    if (width_ == 0) return 0.0;
    const double n = static_cast<double>(width_);
    return squares_around(sum() / n) / n;
}

bool Adwin::cut() const noexcept {
    const double n = static_cast<double>(width_);
    const double shortest = parameters_.min_window_length + 2.0;
    if (n < 2.0 * shortest) return false;
    const double d = ln(2.0 * ln(n) / parameters_.delta);
    const double two_v_d = 2.0 * (squares_around(total_ / n) / n) * d;
    const double two_thirds_d = 2.0 / 3.0 * d;
    const double less = parameters_.min_window_length - 1.0;
    // Because m >= n / (n0 n1), a cut needs |n1 sum0 - n0 sum1|^2 > 2 v d n n0 n1. This test saves
    // four divisions and a square root for most boundaries, and half of the time of a check.
    const double rough = (1.0 - 1e-9) * two_v_d * n;
    const Bucket* b = buckets_.data();
    double n0 = 0.0, sum0 = 0.0;
    for (std::size_t r = rows_; r-- > 0;) {
        const double size = static_cast<double>(std::uint64_t{1} << r);
        for (std::size_t i = 0; i < counts_[r]; ++i, ++b) {
            n0 += size;
            sum0 += b->sum;
            const double n1 = n - n0, sum1 = total_ - sum0;
            if (n1 < shortest) return false;
            const double crossed = n1 * sum0 - n0 * sum1;
            if (n0 < shortest || crossed * crossed < rough * (n0 * n1)) continue;
            const double m = 1.0 / (n0 - less) + 1.0 / (n1 - less);
            const double apart = std::abs(sum0 / n0 - sum1 / n1);
            if (apart > std::sqrt(two_v_d * m) + two_thirds_d * m) return true;
        }
    }
    return false;
}

bool Adwin::look() noexcept {
    total_ = sum();
    const double before = estimate();
    bool changed = false;
    while (cut()) {
        drop_oldest();
        total_ = sum();
        changed = true;
    }
    if (changed) shift_ = estimate() - before;
    return changed;
}

std::size_t Adwin::bytes() const noexcept {
    const std::size_t room = buckets_.capacity() * sizeof(Bucket);
    return sizeof(Adwin) + (room ? taken(room) : 0);
}

void Adwin::save(std::vector<double>& out) const {
    const std::size_t room = buckets_.empty() ? 0 : (buckets_.size() - 1) / parameters_.max_buckets;
    out.push_back(static_cast<double>(signal_));
    out.push_back(static_cast<double>(seen_));
    out.push_back(total_);
    out.push_back(shift_);
    out.push_back(static_cast<double>(room));
    out.push_back(rows_);
    for (std::size_t r = 0; r < rows_; ++r) out.push_back(counts_[r]);
    each([&](const Bucket& b, double) {
        out.push_back(b.sum);
        out.push_back(b.squares);
    });
}

Adwin Adwin::restore(const Parameters& p, std::span<const double>& rest) {
    Adwin a(p);
    StateReader in(rest);
    a.signal_ = in.signal(false);
    a.seen_ = in.count(0, most_values, "the number of values");
    a.since_check_ = static_cast<std::uint32_t>(a.seen_ % p.clock);
    a.total_ = in.number(-1e116, 1e116, "the sum");
    a.shift_ = in.number(-2.0 * largest_input, 2.0 * largest_input, "the shift");
    const std::size_t room = in.count(0, most_rows, "the room");
    a.rows_ = static_cast<std::uint8_t>(in.count(0, room, "the number of rows"));
    const std::uint64_t full = p.max_buckets;
    for (std::size_t r = 0; r < a.rows_; ++r) {
        // A row passes two buckets on when it has one too many. Only the last row loses buckets.
        const std::uint64_t least = r + 1 == a.rows_ ? 1 : full - 1;
        a.counts_[r] = static_cast<std::uint8_t>(in.count(least, full, "a row's buckets"));
        a.used_ += a.counts_[r];
        a.width_ += std::uint64_t{a.counts_[r]} << r;
    }
    require(a.width_ <= a.seen_, "the window is longer than the stream");
    require(rest.size() >= 2 * std::size_t{a.used_}, "it ends too early");
    if (room) a.make_room(room);
    double size = 0.0;  // of the values, estimated from the buckets
    std::size_t i = 0;
    for (std::size_t r = a.rows_; r-- > 0;) {
        const double n = static_cast<double>(std::uint64_t{1} << r);
        const double most = 1.001 * n * largest_input;  // sums may be rounded
        for (std::size_t k = 0; k < a.counts_[r]; ++k, ++i) {
            Bucket& b = a.buckets_[i];
            b.sum = in.number(-most, most, "a bucket's sum");
            b.squares =
                in.number(0.0, r == 0 ? 0.0 : 4.0 * most * largest_input, "a bucket's squares");
            size += std::abs(b.sum) + std::sqrt(n * b.squares);
        }
    }
    // A running sum and a sum over buckets differ only by rounding.
    require(std::abs(a.total_ - a.sum()) <= 1e-6 * size, "the sum is not that of the buckets");
    return a;
}

}  // namespace riparian
