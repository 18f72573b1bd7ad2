#include "watch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "../simd/kernels.hpp"

namespace riparian {
namespace {

// Takes whole numbers and arrays off the front of a list of numbers.
class Numbers {
public:
    Numbers(const double* first, std::size_t count) : next_(first), left_(count) {}

    [[nodiscard]] const double* rest() const noexcept { return next_; }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }
    void skip(std::size_t n) {
        next_ += n;
        left_ -= n;
    }
    double one() {
        if (!left_) throw std::invalid_argument("watch: too few numbers");
        const double x = *next_;
        skip(1);
        return x;
    }
    std::size_t whole() {
        const double x = one();
        if (!(x >= 0.0 && x <= 0x1p53 && x == std::floor(x))) {
            throw std::invalid_argument("watch: not a whole number");
        }
        return static_cast<std::size_t>(x);
    }
    template <class T>
    std::vector<T> many() {
        const std::size_t n = whole();
        if (n > left_) throw std::invalid_argument("watch: too few numbers");
        std::vector<T> out(n);
        for (T& x : out) {
            const double value = one();
            if constexpr (std::is_integral_v<T>) {
                if (!(value >= 0.0 && value <= static_cast<double>(std::numeric_limits<T>::max()) &&
                      value == std::floor(value))) {
                    throw std::invalid_argument("watch: not a whole number");
                }
            }
            x = static_cast<T>(value);
        }
        return out;
    }

private:
    const double* next_;
    std::size_t left_;
};

template <class T>
void put(std::vector<double>& out, const std::vector<T>& values) {
    out.push_back(static_cast<double>(values.size()));
    out.insert(out.end(), values.begin(), values.end());
}

// Numbers as a leaf can have seen them.
void demand_values(const std::vector<double>& values) {
    for (const double x : values) {
        if (!(std::fabs(x) <= largest_value)) {
            throw std::invalid_argument("watch: a value is out of range");
        }
    }
}

// The arrays of saved intervals, in one order.
template <class Saved, class Visit>
void each_array(Saved& s, Visit&& visit) {
    visit(s.sizes);
    visit(s.range);
    visit(s.detail);
    visit(s.point_values);
    visit(s.point_classes);
    visit(s.point_weights);
    visit(s.cell_intervals);
    visit(s.cell_classes);
    visit(s.cell_weights);
}

}  // namespace

void Watch::fit(const Settings& settings, const Shape& s) {
    if (settings.judges()) hits.fit(s, settings.judging.evaluator);
    if (settings.values == Values::exhaustive) {
        set_room(values, s.numeric);
        values.resize(s.numeric);
    }
    if (settings.values == Values::intervals) {
        set_room(intervals, s.numeric);
        while (intervals.size() < s.numeric) intervals.emplace_back(settings.n_intervals);
    }
}

void Watch::judge(const Settings& settings, const Shape& s, const LeafStatistics& statistics,
                  const Row& row, std::size_t y, double w, const double* counts,
                  std::size_t classes) {
    if (settings.judges()) {
        hits.judge(settings.judging, s, statistics, row, y, w, counts, classes);
    }
}

void Watch::learn(const Shape& s, const Row& row, const Row& tracked, std::size_t y, double w) {
    pair.learn(row, y, w);
    if (values.empty() && intervals.empty()) return;
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double x = tracked.x[f];
        if (x != x) continue;
        if (!values.empty()) {
            values[f].learn(x, y, w);
        } else {
            intervals[f].learn(x, y, w);
        }
    }
}

void Watch::keep(const std::vector<std::uint32_t>& numeric) {
    const auto keep_of = [&](auto& all) {
        if (all.empty()) return;
        std::remove_reference_t<decltype(all)> kept;
        for (const std::uint32_t f : numeric) kept.push_back(std::move(all[f]));
        all = std::move(kept);
    };
    keep_of(values);
    keep_of(intervals);
}

void Watch::left_mass(std::size_t slot, double t, std::size_t classes, double* out) const {
    if (!values.empty()) {
        values[slot].left_mass(t, classes, out);
    } else {
        intervals[slot].left_mass(t, classes, out);
    }
}

std::vector<double> Watch::save(const Settings& settings, std::size_t n_classes) const {
    std::vector<double> out;
    if (settings.judges()) hits.save(n_classes, out);
    if (settings.pairs()) pair.save(out);
    for (const ExhaustiveValues& v : values) {
        std::vector<double> x, weights;
        std::vector<std::int32_t> classes;
        v.save(x, classes, weights);
        put(out, x);
        put(out, classes);
        put(out, weights);
    }
    for (const IntervalCounts& i : intervals) {
        IntervalArrays arrays;
        i.save(arrays);
        each_array(arrays, [&](const auto& array) { put(out, array); });
    }
    for (const ExhaustiveValues& v : values) put(out, v.block_sizes());
    for (const IntervalCounts& i : intervals) put(out, i.block_sizes());
    return out;
}

void Watch::restore(const Settings& settings, const Shape& s, const Features& features,
                    const double* counts, std::size_t classes, double weight, const double* first,
                    std::size_t count) {
    Numbers numbers(first, count);
    if (settings.judges()) {
        numbers.skip(hits.restore(s, settings.judging.evaluator, numbers.rest(), numbers.left(),
                                  counts, classes, weight));
    }
    if (settings.pairs()) {
        numbers.skip(pair.restore(numbers.rest(), numbers.left(), features, classes, weight));
    }
    fit(settings, s);
    std::vector<double> known(values.empty() && intervals.empty() ? 0 : classes, 0.0);
    const auto demand_weights = [&](const std::vector<std::int32_t>& codes,
                                    const std::vector<double>& weights) {
        const auto of = [](std::int32_t code) { return static_cast<std::size_t>(code); };
        for (std::size_t i = 0; i < codes.size(); ++i) known[of(codes[i])] += weights[i];
        for (const std::int32_t y : codes) {
            if (!(known[of(y)] <= counts[of(y)] * (1.0 + 1e-6))) {
                throw std::invalid_argument("watch: more values than the leaf has seen");
            }
        }
        for (const std::int32_t y : codes) known[of(y)] = 0.0;
    };
    for (ExhaustiveValues& v : values) {
        const auto x = numbers.many<double>();
        const auto codes = numbers.many<std::int32_t>();
        const auto weights = numbers.many<double>();
        demand_values(x);
        v = ExhaustiveValues::restore(x, codes, weights, classes);
        demand_weights(codes, weights);
    }
    for (IntervalCounts& i : intervals) {
        IntervalArrays arrays;
        each_array(arrays, [&]<class T>(std::vector<T>& array) { array = numbers.many<T>(); });
        IntervalSpans spans{arrays.sizes,          arrays.range,         arrays.detail,
                            arrays.point_values,   arrays.point_classes, arrays.point_weights,
                            arrays.cell_intervals, arrays.cell_classes,  arrays.cell_weights};
        demand_values(arrays.range);
        demand_values(arrays.point_values);
        i = IntervalCounts::restore(settings.n_intervals, spans, classes);
        each_array(spans, [](const auto& span) {
            if (!span.empty()) throw std::invalid_argument("watch: intervals are too long");
        });
        if (i.has_intervals()) {
            demand_weights(arrays.cell_classes, arrays.cell_weights);
        } else {
            demand_weights(arrays.point_classes, arrays.point_weights);
        }
    }
    // Files of format 2 do not tell how the values lay in memory.
    if (numbers.left()) {
        for (ExhaustiveValues& v : values) v.arrange(numbers.many<std::uint32_t>());
        for (IntervalCounts& i : intervals) i.arrange(numbers.many<std::uint32_t>());
    }
    if (numbers.left()) throw std::invalid_argument("watch: too many numbers");
}

}  // namespace riparian
