#include "interval_counts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("intervals: ") + what);
}

template <class T>
std::span<const T> read_front(std::span<const T>& from, std::size_t n, const char* name) {
    if (n > from.size()) {
        throw std::invalid_argument(std::string("intervals: ") + name + " ends too early");
    }
    const std::span<const T> taken = from.first(n);
    from = from.subspan(n);
    return taken;
}

bool number(double x) { return std::isfinite(x) && !(x == 0.0 && std::signbit(x)); }

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-6 * (std::abs(a) + std::abs(b)); }

}  // namespace

IntervalCounts::IntervalCounts(std::size_t n_intervals)
    : n_(static_cast<std::uint32_t>(n_intervals)) {
    if (n_intervals < 1 || n_intervals > most_intervals) {
        throw std::invalid_argument("n_intervals must be from 1 to 65536, got " +
                                    std::to_string(n_intervals));
    }
}

// Never decreases with i and never overflows, although a range around 0 may be wider than the
// largest number.
double IntervalCounts::boundary(std::size_t i) const noexcept {
    if (i == 0) return low_;
    if (i >= n_) return high_;
    const double share = static_cast<double>(i) / n_;
    if (low_ < 0.0 && high_ > 0.0) return (1.0 - share) * low_ + share * high_;
    return std::min(low_ + share * (high_ - low_), high_);
}

std::size_t IntervalCounts::interval_of(double x) const noexcept {
    if (x <= low_) return 0;
    if (x > high_) return n_ + 1;
    const double width = high_ - low_;
    const double share =
        width < infinity ? (x - low_) / width : (x / 4.0 - low_ / 4.0) / (high_ / 4.0 - low_ / 4.0);
    auto i = std::min(static_cast<std::size_t>(share * n_), std::size_t{n_});
    if (x > boundary(i)) ++i;
    if (boundary(i - 1) < x && x <= boundary(i)) return i;
    // Corrects for rounding and for boundaries that coincide: finds the lowest boundary not below
    // x.
    std::size_t above = 0, upto = n_;
    while (upto - above > 1) {
        const std::size_t middle = above + (upto - above) / 2;
        (x > boundary(middle) ? above : upto) = middle;
    }
    return upto;
}

void IntervalCounts::make_intervals() {
    low_ = points_.smallest();
    high_ = points_.largest();
    intervals_.resize(n_ + 2);
    for (const SortedValues::Point p : points_) {
        const std::size_t i = interval_of(p.x);
        add(i, p.y, p.w);
        ++intervals_[i].held;
    }
    make_room();
}

// The cell of a class, or where it has to be inserted.
Held<IntervalCounts::Cell>::iterator IntervalCounts::find(Held<Cell>& cells,
                                                          std::size_t y) noexcept {
    return std::lower_bound(cells.begin(), cells.end(), y,
                            [](const Cell& c, std::size_t k) { return c.y < k; });
}

void IntervalCounts::add(std::size_t i, std::size_t y, double w) {
    Held<Cell>& cells = intervals_[i].cells;
    const auto at = find(cells, y);
    if (at != cells.end() && at->y == y) {
        at->w += w;
        return;
    }
    cells.insert(at, {w, static_cast<std::uint32_t>(y)});
}

void IntervalCounts::make_room() {
    while (points_.points() > most_points) {
        const auto fullest =
            std::max_element(intervals_.begin(), intervals_.end(),
                             [](const Interval& a, const Interval& b) { return a.held < b.held; });
        drop(static_cast<std::size_t>(fullest - intervals_.begin()), Detail::overfull);
    }
}

void IntervalCounts::drop(std::size_t i, Detail why) {
    points_.erase(i == 0 ? -infinity : boundary(i - 1), i > n_ ? infinity : boundary(i));
    intervals_[i].held = 0;
    intervals_[i].detail = why;
}

void IntervalCounts::learn(double x, std::size_t y, double w) {
    if (!has_intervals()) {
        points_.learn(x, y, w);
        if (examples_ < first_examples) ++examples_;
        if (examples_ == first_examples && points_.values() > 1) make_intervals();
        return;
    }
    const std::size_t i = interval_of(x);
    add(i, y, w);
    if (intervals_[i].detail != Detail::exact || !points_.learn(x, y, w)) return;
    ++intervals_[i].held;
    make_room();
}

std::size_t IntervalCounts::last_filled() const noexcept {
    std::size_t i = intervals_.size() - 1;
    while (intervals_[i].cells.empty()) --i;
    return i;
}

void IntervalCounts::left_mass(double t, std::size_t n_classes, double* out) const {
    if (!has_intervals()) return points_.left_mass(t, n_classes, out);
    std::fill_n(out, n_classes, 0.0);
    const std::size_t at = interval_of(t);
    const bool whole = t == (at <= n_ ? boundary(at) : infinity);
    for (std::size_t i = 0; i < at + (whole ? 1 : 0); ++i) {
        for (const Cell& c : intervals_[i].cells) out[c.y] += c.w;
    }
    if (whole || intervals_[at].held == 0) return;
    const double lower = at == 0 ? -infinity : boundary(at - 1);
    for (const SortedValues::Point p : points_) {
        if (p.x > t) break;
        if (p.x > lower) out[p.y] += p.w;
    }
}

std::size_t IntervalCounts::false_prunings() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(intervals_.begin(), intervals_.end(),
                      [](const Interval& i) { return i.detail == Detail::false_pruned; }));
}

void IntervalCounts::save(IntervalArrays& a) const {
    const std::size_t cells_before = a.cell_weights.size();
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
        a.detail.push_back(static_cast<std::uint8_t>(intervals_[i].detail));
        for (const Cell& c : intervals_[i].cells) {
            a.cell_intervals.push_back(static_cast<std::int32_t>(i));
            a.cell_classes.push_back(static_cast<std::int32_t>(c.y));
            a.cell_weights.push_back(c.w);
        }
    }
    points_.save(a.point_values, a.point_classes, a.point_weights);
    a.sizes.push_back(examples_);
    a.sizes.push_back(static_cast<std::uint32_t>(points_.points()));
    a.sizes.push_back(static_cast<std::uint32_t>(a.cell_weights.size() - cells_before));
    a.range.push_back(low_);
    a.range.push_back(high_);
}

IntervalCounts IntervalCounts::restore(std::size_t n_intervals, IntervalSpans& spans,
                                       std::size_t n_classes) {
    IntervalCounts restored(n_intervals);
    n_classes = std::min(n_classes, SortedValues::most_classes);
    IntervalSpans s;
    s.sizes = read_front(spans.sizes, 3, "sizes");
    s.range = read_front(spans.range, 2, "range");
    const std::uint32_t examples = s.sizes[0], n_points = s.sizes[1], n_cells = s.sizes[2];
    const double low = s.range[0], high = s.range[1];
    demand(number(low) && number(high), "the range is not of finite numbers");
    demand(low < high || (low == 0.0 && high == 0.0), "the range is empty");
    demand(examples <= first_examples, "the number of first examples is too large");
    s.detail = read_front(spans.detail, low < high ? n_intervals + 2 : 0, "detail");
    s.point_values = read_front(spans.point_values, n_points, "point_values");
    s.point_classes = read_front(spans.point_classes, n_points, "point_classes");
    s.point_weights = read_front(spans.point_weights, n_points, "point_weights");
    s.cell_intervals = read_front(spans.cell_intervals, n_cells, "cell_intervals");
    s.cell_classes = read_front(spans.cell_classes, n_cells, "cell_classes");
    s.cell_weights = read_front(spans.cell_weights, n_cells, "cell_weights");

    restored.examples_ = examples;
    restored.low_ = low;
    restored.high_ = high;
    restored.points_ = SortedValues::restore(s.point_values, s.point_classes, s.point_weights,
                                             n_classes, "interval points");
    if (low < high) {
        restored.restore_intervals(s, n_classes);
        return restored;
    }
    demand(n_cells == 0, "there are cells but no intervals");
    if (examples < first_examples) {
        demand(n_points <= examples && (n_points > 0) == (examples > 0),
               "the points do not fit the number of examples");
    } else {
        demand(restored.points_.values() == 1, "intervals are missing after the first examples");
    }
    return restored;
}

void IntervalCounts::restore_intervals(const IntervalSpans& s, std::size_t n_classes) {
    demand(examples_ == first_examples, "there are intervals before the first examples were seen");
    demand(points_.points() <= most_points, "too many points");
    intervals_.resize(n_ + 2);
    std::int64_t before = -1;
    for (std::size_t j = 0; j < s.cell_weights.size(); ++j) {
        const std::int32_t i = s.cell_intervals[j], y = s.cell_classes[j];
        const double w = s.cell_weights[j];
        demand(i >= 0 && static_cast<std::size_t>(i) <= n_ + 1, "a cell belongs to no interval");
        demand(y >= 0 && static_cast<std::size_t>(y) < n_classes, "a cell belongs to no class");
        demand(w > 0.0 && w <= SortedValues::heaviest, "a cell has no valid weight");
        const std::int64_t here = std::int64_t{i} << 32 | y;
        demand(here > before, "the cells do not ascend");
        before = here;
        add(static_cast<std::size_t>(i), static_cast<std::size_t>(y), w);
    }
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
        Interval& interval = intervals_[i];
        const bool filled = !interval.cells.empty();
        demand(!filled || i == 0 || i > n_ || boundary(i - 1) < boundary(i),
               "a cell belongs to an interval that contains no number");
        demand(s.detail[i] <= static_cast<std::uint8_t>(Detail::overfull), "an unknown detail");
        interval.detail = static_cast<Detail>(s.detail[i]);
        demand(filled || interval.detail == Detail::exact,
               "an interval without examples is marked as pruned");
    }
    demand(!intervals_[interval_of(low_)].cells.empty() &&
               !intervals_[interval_of(high_)].cells.empty(),
           "there is no example at the ends of the range");

    // In exact intervals the points of each class add up to its cell.
    auto point = points_.begin();
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
        Interval& interval = intervals_[i];
        std::vector<double> sums(interval.cells.size());
        for (; point != points_.end() && interval_of((*point).x) == i; ++point) {
            const auto cell = find(interval.cells, (*point).y);
            demand(cell != interval.cells.end() && cell->y == (*point).y, "a point has no cell");
            sums[static_cast<std::size_t>(cell - interval.cells.begin())] += (*point).w;
            ++interval.held;
        }
        if (interval.detail != Detail::exact) {
            demand(interval.held == 0, "a point is in an interval that was pruned");
            continue;
        }
        for (std::size_t c = 0; c < sums.size(); ++c) {
            demand(nearly(sums[c], interval.cells[c].w), "the points do not add up to the cells");
        }
    }
}

}  // namespace riparian
