// A value that is known only as a distribution, and an example that holds such values.
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

// Statistics learn a continuous distribution as this many equally likely quantiles.
inline constexpr std::size_t n_quantiles = 10;
// Smaller shares of an example are dropped.
inline constexpr double least_share = 1e-6;

// The value of one feature in one row. Its points are in the `points` of the batch or row that
// holds it; numbers ascend.
struct Uncertain {
    enum class Type : std::uint8_t {
        interval,  // uniform over [low, high]
        normal,    // with a mean and a deviation, truncated to [low, high]
        numbers,   // weighted points
        categories,
    };

    std::size_t row = 0;
    std::size_t feature = 0;  // index in the tree's order
    Type type = Type::interval;
    double low = 0.0;
    double high = 0.0;
    double mean = 0.0;
    double deviation = 1.0;
    std::size_t first = 0;  // index of its first point
    std::size_t count = 0;

    // Whether this is a valid distribution, with codes below the number of categories. Only its own
    // points are checked.
    [[nodiscard]] bool possible(const std::vector<Point>&, std::int32_t categories) const;

    // The sum of the weights of its points.
    [[nodiscard]] double weight(const std::vector<Point>&) const noexcept;

    // The probability that the number is at most the threshold.
    [[nodiscard]] double below(double threshold, const std::vector<Point>&) const;
    // Restricts it to the numbers up to the threshold, or above it.
    void keep_below(double threshold, const std::vector<Point>&);
    void keep_above(double threshold, const std::vector<Point>&);

    // The probability of a category. keep_only() restricts it to this category, which must be
    // possible, and leave_out() to all others; the latter adds points.
    [[nodiscard]] double of(std::int32_t code, const std::vector<Point>&) const;
    void keep_only(std::int32_t code, const std::vector<Point>&) noexcept;
    void leave_out(std::int32_t code, std::vector<Point>&);

    // The points that statistics learn; their weights sum to 1.
    void draw(const std::vector<Point>&, std::vector<Point>& out) const;
};

// One example on its way down the tree. A share of it reaches a node, and its distributions are
// restricted by the tests above that node.
class Spread {
public:
    std::vector<Uncertain> values;
    std::vector<Point> points;

    // Begins with a row of a batch and its uncertain values. No share is waiting.
    void begin(const Row&, const Features&, const RowShape&, const Uncertain* first,
               const Uncertain* last, const std::vector<Point>& of_batch);

    // The distributions as numbers, for the rows of a window: write() fills them, begin() reads
    // them.
    std::vector<double> numbers;
    void write();
    void begin(const Row&, const Features&, const RowShape&);

    // The index of a feature among `values`, or -1 if its value is certain.
    [[nodiscard]] std::int32_t find(std::size_t feature) const noexcept { return which_[feature]; }

    // The row with one possible value for each uncertain feature.
    [[nodiscard]] const Row& row() const noexcept { return row_; }
    // Three rows that are valid until the next of these calls: the certain values only; no values
    // at all; one point of one uncertain value and nothing else.
    [[nodiscard]] Row certain_part();
    [[nodiscard]] Row nothing();
    [[nodiscard]] Row alone(std::size_t value, double point);

    // A share that is still to be routed from a node.
    struct Waiting {
        std::int32_t node;
        double share;
    };
    // Working memory for predictions: per class, per visit, and for the children of a node.
    struct Room {
        std::vector<double> prediction, shares;
        std::vector<double> sum, nothing, scores, likelihoods;
        std::vector<double> below;
        std::vector<std::size_t> above;
        std::vector<Waiting> children;
    };
    Room room;

    // The nodes that were visited, parents first, each with its share and with the distributions as
    // they were there.
    struct Visit {
        std::int32_t node;
        double share;
        bool ends = false;   // the share stays at this node
        bool wrong = false;  // the subtree predicts wrongly, if that was asked for
    };
    std::vector<Visit> visits;

    void note(std::int32_t node, double share, bool ends) {
        visits.push_back({node, share, ends});
        left_.insert(left_.end(), values.begin(), values.end());
    }
    // Restores the distributions as they were at that visit.
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

    // Calls learn(row, weight) for rows with certain values. The weights sum to 1, and together the
    // rows give every feature its distribution. Statistics of single features learn the same from
    // them as from the points of one feature after the other. The dependence between features that
    // this creates does not affect them.
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

    // Draws the points of each value again.
    const std::vector<std::vector<Point>>& draw();

private:
    void put(std::size_t value, double point) noexcept;

    const Features* features_ = nullptr;
    Row row_{};
    AlignedDoubles x_;
    std::vector<std::int32_t> codes_;
    AlignedDoubles other_x_;
    std::vector<std::int32_t> other_codes_;
    std::vector<std::int32_t> which_;        // [feature]
    std::vector<std::vector<Point>> drawn_;  // [value]
    std::vector<std::vector<double>> ends_;  // [value]: cumulative weights of the points
    std::vector<std::size_t> at_;            // [value]
    std::vector<Waiting> waiting_;
    std::vector<Uncertain> kept_;  // those of the waiting shares, one after the other
    std::vector<Uncertain> left_;  // [visit][value]
    std::vector<Uncertain> read_;  // restored from numbers
    std::vector<Point> read_points_;
};

}  // namespace riparian
