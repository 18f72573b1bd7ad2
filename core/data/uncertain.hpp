// A value that is known as a distribution, and the example that holds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../simd/aligned.hpp"
#include "feature.hpp"
#include "row.hpp"

namespace riparian {

struct Point {
    double value;  // a number, or the code of a category
    double weight;
};

// A continuous one is taken for so many equally likely quantiles where it is learned.
inline constexpr std::size_t n_quantiles = 10;
// What is less of an example goes nowhere.
inline constexpr double least_share = 1e-6;

// The value of one feature in one row. `points` are those of the batch or of the row that
// holds it; numbers ascend.
struct Uncertain {
    enum class Type : std::uint8_t {
        interval,  // uniform over [low, high]
        normal,    // of a mean and a deviation, within [low, high]
        numbers,   // some points
        categories,
    };

    std::size_t row = 0;
    std::size_t feature = 0;  // in the tree's order
    Type type = Type::interval;
    double low = 0.0;
    double high = 0.0;
    double mean = 0.0;
    double deviation = 1.0;
    std::size_t first = 0;  // among the points
    std::size_t count = 0;

    // Whether it can be, with codes below the number of categories. `points` are its own only.
    [[nodiscard]] bool possible(const std::vector<Point>&, std::int32_t categories) const;

    // Of all its points.
    [[nodiscard]] double weight(const std::vector<Point>&) const noexcept;

    // The probability of a number up to a threshold.
    [[nodiscard]] double below(double threshold, const std::vector<Point>&) const;
    // Only the numbers up to it, or only those above.
    void keep_below(double threshold, const std::vector<Point>&);
    void keep_above(double threshold, const std::vector<Point>&);

    // The probability of a category; only this one, which it has, or all others, which adds
    // to the points.
    [[nodiscard]] double of(std::int32_t code, const std::vector<Point>&) const;
    void keep_only(std::int32_t code, const std::vector<Point>&) noexcept;
    void leave_out(std::int32_t code, std::vector<Point>&);

    // What statistics learn of it: weights that sum to 1.
    void draw(const std::vector<Point>&, std::vector<Point>& out) const;
};

// One example on its way down the tree. It comes to a node with a share of its weight, and
// with its distributions as far as the tests above leave them.
class Spread {
public:
    std::vector<Uncertain> values;
    std::vector<Point> points;

    // Begins with a row and its uncertain values, of a batch; it waits nowhere.
    void begin(const Row&, const Features&, const RowShape&, const Uncertain* first,
               const Uncertain* last, const std::vector<Point>& of_batch);

    // Its distributions in numbers, and the same again from them: a row of a window.
    std::vector<double> numbers;
    void write();
    void begin(const Row&, const Features&, const RowShape&);

    // The place among `values` of a feature; -1: its value is certain.
    [[nodiscard]] std::int32_t find(std::size_t feature) const noexcept { return which_[feature]; }

    // The row with a possible value for each uncertain one.
    [[nodiscard]] const Row& row() const noexcept { return row_; }
    // Each of these holds until the next: without any of them; without any value at all;
    // with a point of one of them and nothing else.
    [[nodiscard]] Row certain_part();
    [[nodiscard]] Row nothing();
    [[nodiscard]] Row alone(std::size_t value, double point);

    // Shares that were left behind.
    struct Waiting {
        std::int32_t node;
        double share;
    };
    // For an answer, by class, for the answers below each visit, and for the children of a
    // node.
    struct Room {
        std::vector<double> answer, shares;
        std::vector<double> sum, nothing, scores, likelihoods;
        std::vector<double> below;
        std::vector<std::size_t> above;
        std::vector<Waiting> children;
    };
    Room room;

    // Nodes that it came to, each with its share and what was left of its distributions
    // there; those above a node before it.
    struct Visit {
        std::int32_t node;
        double share;
        bool ends = false;   // it goes no further
        bool wrong = false;  // what is below answers wrongly, where that was asked
    };
    std::vector<Visit> visits;

    void note(std::int32_t node, double share, bool ends) {
        visits.push_back({node, share, ends});
        left_.insert(left_.end(), values.begin(), values.end());
    }
    // The distributions are again what they were at that visit.
    void go_back(std::size_t visit) {
        const auto from = left_.begin() + static_cast<std::ptrdiff_t>(visit * values.size());
        std::copy_n(from, values.size(), values.begin());
    }

    void wait(std::int32_t node, double share) {
        waiting_.push_back({node, share});
        kept_.insert(kept_.end(), values.begin(), values.end());
    }
    [[nodiscard]] bool next(Waiting& out) {
        if (waiting_.empty()) return false;
        out = waiting_.back();
        waiting_.pop_back();
        const auto from = kept_.end() - static_cast<std::ptrdiff_t>(values.size());
        std::copy(from, kept_.end(), values.begin());
        kept_.erase(from, kept_.end());
        return true;
    }

    // Rows with certain values whose weights sum to 1, and which give every feature the
    // distribution that it has. Statistics of single features learn the same from them as
    // from the points of one feature after the other; features vary together, which is
    // nothing to them.
    template <class Learn>
    void each_part(Learn&& learn) {
        constexpr double rounding = 1e-12;
        draw();
        std::fill(at_.begin(), at_.end(), 0);
        for (double done = 0.0; done < 1.0;) {
            double end = 1.0;
            for (std::size_t v = 0; v < values.size(); ++v) {
                put(v, drawn_[v][at_[v]].value);
                end = std::min(end, ends_[v][at_[v]]);
            }
            if (end > 1.0 - rounding) end = 1.0;
            learn(row_, end - done);
            done = end;
            for (std::size_t v = 0; v < values.size(); ++v) {
                if (ends_[v][at_[v]] <= end + rounding && at_[v] + 1 < drawn_[v].size()) ++at_[v];
            }
        }
    }

    // The points of each value, drawn anew.
    const std::vector<std::vector<Point>>& draw();

private:
    void put(std::size_t value, double point) noexcept;

    const Features* features_ = nullptr;
    Row row_{};
    AlignedDoubles x_;
    std::vector<std::int32_t> codes_;
    AlignedDoubles other_x_;
    std::vector<std::int32_t> other_codes_;
    std::vector<std::int32_t> which_;  // [feature]
    std::vector<std::vector<Point>> drawn_;   // [value]
    std::vector<std::vector<double>> ends_;  // [value]: weights up to each point
    std::vector<std::size_t> at_;            // [value]
    std::vector<Waiting> waiting_;
    std::vector<Uncertain> kept_;  // of those that wait, one after the other
    std::vector<Uncertain> left_;  // [visit][value]
    std::vector<Uncertain> read_;  // from numbers
    std::vector<Point> read_points_;
};

}  // namespace riparian
