#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sorted_values.hpp"
#include "upper_gain.hpp"

namespace riparian {

// The saved form of several features, one after the other. Each feature has three numbers in
// `sizes`, two in `range`, n_intervals + 2 in `detail` once it has intervals, and the points and
// cells counted in `sizes`.
template <template <class> class Array>
struct SavedIntervals {
    Array<std::uint32_t> sizes;  // examples (at most 1,000), points, cells
    Array<double> range;         // low, high; both 0 before there are intervals
    Array<std::uint8_t> detail;  // IntervalCounts::Detail
    Array<double> point_values;  // exact points, sorted
    Array<std::int32_t> point_classes;
    Array<double> point_weights;
    Array<std::int32_t> cell_intervals;  // sorted; the classes of an interval too
    Array<std::int32_t> cell_classes;
    Array<double> cell_weights;
};
template <class T>
using SavedArray = std::vector<T>;
template <class T>
using SavedSpan = std::span<const T>;
using IntervalArrays = SavedIntervals<SavedArray>;
using IntervalSpans = SavedIntervals<SavedSpan>;

// Numerical interval pruning [jin2003]: class weights in intervals of equal width, and exact points
// only where a cut could still be the best.
//
// The first 1,000 examples are stored exactly, and more until there are two distinct values. Then
// their range [low, high] is divided into n intervals of equal width,
//
//     (-inf, low], (b_0, b_1], ..., (b_n-1, b_n], (high, +inf)    b_0 = low, b_n = high
//
// which are closed above, so that the weights at or below a boundary are known exactly. Each
// interval, including the two unbounded ones, starts with exact points. It loses them for good
//
// - when it is pruned, because no cut inside can come within epsilon of the best one;
// - when there are more than 10,000 points in total. Then the interval with the most points loses
//   them; the lowest of several.
//
// Dropped points cannot be recovered. If a pruned interval could hold the best cut after all (a
// false pruning), only its boundaries can be used from then on.
class IntervalCounts {
public:
    static constexpr std::size_t first_examples = 1000;
    static constexpr std::size_t most_points = 10'000;
    static constexpr std::size_t most_intervals = 65536;

    enum class Detail : std::uint8_t {
        exact,         // every example of the interval is among the points
        pruned,        // the points were dropped
        false_pruned,  // they should not have been dropped
        overfull,      // there were too many of them
    };

    // n_intervals must be from 1 to 65536; otherwise throws std::invalid_argument.
    explicit IntervalCounts(std::size_t n_intervals);

    // x must be finite, y < 65536 and w > 0.
    void learn(double x, std::size_t y, double w);

    // Calls f(threshold, left), ascending, for every boundary and every exact point that has
    // examples on both sides. left[k] is the weight of class k at or below the threshold. Sums of
    // fractional weights may differ in their last bits between thresholds.
    template <class F>
    void each_cut(std::size_t n_classes, F&& f) const;
    // For a threshold of each_cut(), exactly the same weights; for +infinity, all weights. For
    // another t inside an interval without points, the weights at or below its lower boundary.
    void left_mass(double t, std::size_t n_classes, double* out) const;

    // Prunes every interval with U(I) < best - epsilon and checks the pruned ones again. `best` is
    // the best gain found and `epsilon` the bound; gain(left, right) is defined in upper_gain.hpp.
    // An interval without examples is not pruned.
    template <class Gain>
    void prune(std::size_t n_classes, const Gain& gain, double best, double epsilon);

    [[nodiscard]] bool has_intervals() const noexcept { return !intervals_.empty(); }
    // Interval 0 is the unbounded one below, n_intervals + 1 the unbounded one above.
    [[nodiscard]] std::size_t interval_of(double x) const noexcept;
    [[nodiscard]] double boundary(std::size_t i) const noexcept;  // upper end of interval i <= n
    [[nodiscard]] Detail detail(std::size_t i) const noexcept { return intervals_[i].detail; }
    [[nodiscard]] std::size_t points() const noexcept { return points_.points(); }
    [[nodiscard]] std::size_t false_prunings() const noexcept;
    // How the points are divided into blocks (SortedValues).
    [[nodiscard]] std::vector<std::uint32_t> block_sizes() const { return points_.block_sizes(); }
    void arrange(const std::vector<std::uint32_t>& sizes) { points_.arrange(sizes); }

    void save(IntervalArrays&) const;  // appends
    // Reads one feature from the front of each array. Throws std::invalid_argument if the arrays
    // are not valid.
    static IntervalCounts restore(std::size_t n_intervals, IntervalSpans&, std::size_t n_classes);

private:
    struct Cell {
        double w;
        std::uint32_t y;
    };
    struct Interval {
        Detail detail = Detail::exact;
        std::uint32_t held = 0;  // number of its points
        Held<Cell> cells;        // the classes seen in it, ascending
    };

    static Held<Cell>::iterator find(Held<Cell>& cells, std::size_t y) noexcept;
    void make_intervals();
    void add(std::size_t i, std::size_t y, double w);
    void make_room();
    void drop(std::size_t i, Detail);
    void restore_intervals(const IntervalSpans&, std::size_t n_classes);
    [[nodiscard]] std::size_t last_filled() const noexcept;

    std::uint32_t n_;             // intervals, without the unbounded ones
    std::uint32_t examples_ = 0;  // counted up to first_examples
    double low_ = 0.0, high_ = 0.0;
    SortedValues points_;
    Held<Interval> intervals_;  // [n + 2]; empty before there are intervals
};

template <class F>
void IntervalCounts::each_cut(std::size_t n_classes, F&& f) const {
    if (!has_intervals()) return points_.each_cut(n_classes, f);
    std::vector<double> below(n_classes), left(n_classes);
    double offered = -std::numeric_limits<double>::infinity();
    const auto offer = [&](double threshold) {
        // Boundaries coincide if the range contains too few numbers.
        if (threshold > offered) f(threshold, static_cast<const double*>(left.data()));
        offered = threshold;
    };
    auto point = points_.begin();
    const std::size_t last = last_filled();
    for (std::size_t i = 0; i <= last; ++i) {
        for (std::size_t n = intervals_[i].held; n-- > 0;) {
            const SortedValues::Point p = *point;
            ++point;
            left[p.y] += p.w;
            const bool whole = n > 0 ? (*point).x != p.x : i < last && p.x != boundary(i);
            if (whole) offer(p.x);
        }
        for (const Cell& c : intervals_[i].cells) left[c.y] = below[c.y] += c.w;
        if (i < last) offer(boundary(i));
    }
}

template <class Gain>
void IntervalCounts::prune(std::size_t n_classes, const Gain& gain, double best, double epsilon) {
    std::vector<double> left(n_classes), inside(n_classes), right(n_classes), total(n_classes);
    for (const Interval& interval : intervals_) {
        for (const Cell& c : interval.cells) total[c.y] += c.w;
    }
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
        const Interval& interval = intervals_[i];
        if (interval.cells.empty()) continue;
        std::fill(inside.begin(), inside.end(), 0.0);
        for (const Cell& c : interval.cells) inside[c.y] = c.w;
        if (interval.detail == Detail::exact || interval.detail == Detail::pruned) {
            for (std::size_t k = 0; k < n_classes; ++k) {
                right[k] = std::max(0.0, total[k] - left[k] - inside[k]);
            }
            const double limit = best - epsilon;
            const bool hopeless = upper_gain(gain, left, inside, right, limit) < limit;
            if (hopeless && interval.detail == Detail::exact) drop(i, Detail::pruned);
            if (!hopeless && interval.detail == Detail::pruned) drop(i, Detail::false_pruned);
        }
        for (const Cell& c : interval.cells) left[c.y] += c.w;
    }
}

}  // namespace riparian
