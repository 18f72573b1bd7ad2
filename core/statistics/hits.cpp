#include "hits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "../simd/kernels.hpp"

namespace riparian {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Units of weight that are judged one by one; the rest of a heavy example is judged at once.
constexpr int most_units = 64;

// The label of class weights: the largest, or that of least cost; the lowest of equals.
// `extra` more of class y are counted.
std::size_t label(const Judging& judging, const double* counts, std::size_t classes,
                  std::size_t y = 0, double extra = 0.0) {
    const auto count = [&](std::size_t k) { return counts[k] + (k == y ? extra : 0.0); };
    std::size_t best = 0;
    if (!judging.costs.classes) {
        for (std::size_t k = 1; k < classes; ++k) {
            if (count(k) > count(best)) best = k;
        }
        return best;
    }
    const std::size_t known = std::min(classes, judging.costs.classes);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < judging.costs.labels; ++l) {
        double cost = 0.0;
        for (std::size_t k = 0; k < known; ++k) cost += count(k) * judging.costs(l, k);
        if (cost < least) {
            least = cost;
            best = l;
        }
    }
    return best;
}

double score(const Judging& judging, std::size_t label, std::size_t y) {
    if (!judging.costs.classes) return label == y ? 1.0 : 0.0;
    if (std::max(label, y) >= judging.costs.classes) return 0.0;
    return 1.0 - judging.costs(label, y);
}

// The mean score of an example of weight w that is learned as it is judged: w of them,
// one after the other.
double score_of_all(const Judging& judging, const double* counts, std::size_t classes,
                    std::size_t y, double w) {
    double sum = 0.0;
    double done = 0.0;
    for (int i = 0; i < most_units && done < w; ++i) {
        const double unit = i + 1 < most_units ? std::min(1.0, w - done) : w - done;
        sum += unit * score(judging, label(judging, counts, classes, y, done), y);
        done += unit;
    }
    return sum;
}

}  // namespace

void Hits::fit(const Shape& s, Evaluator evaluator) {
    if (class_stride_ != s.class_stride) {
        Held<double> wider(class_stride_ ? sides_.size() / class_stride_ * s.class_stride : 0);
        for (std::size_t i = 0; i * s.class_stride < wider.size(); ++i) {
            std::copy_n(sides_.data() + i * class_stride_, class_stride_,
                        wider.data() + i * s.class_stride);
        }
        sides_ = std::move(wider);
        class_stride_ = s.class_stride;
    }
    const auto insert = [&](Held<double>& v, std::size_t at, std::size_t n, double x) {
        v.insert(v.begin() + static_cast<std::ptrdiff_t>(at), n, x);
    };
    const std::size_t more = s.categorical - categorical_;
    // In the examples before a feature appeared its value was missing.
    insert(sum_, categorical_, more, 0.0);
    insert(start_, categorical_, more, evaluator == Evaluator::prequential ? 0.0 : fixed_);
    labels_.resize(s.categorical);
    categorical_ = s.categorical;
    sum_.resize(s.categorical + s.numeric, 0.0);
    start_.resize(s.categorical + s.numeric, nan);
    threshold_.resize(s.numeric, nan);
    if (!open()) sides_.resize(s.numeric * 2 * class_stride_, 0.0);
    side_labels_.resize(s.numeric * 2, 0);
    trim_all();
}

void Hits::trim_all() {
    trim(sum_);
    trim(start_);
    trim(threshold_);
    trim(sides_);
    trim(side_labels_);
    for (auto& labels : labels_) trim(labels);
    trim(labels_);
}

void Hits::judge(const Judging& judging, const Shape& s, const LeafStatistics& statistics,
                 const Row& row, std::size_t y, double w, const double* counts,
                 std::size_t classes) {
    const bool holdout = judging.evaluator == Evaluator::holdout;
    if (holdout && open()) return;
    classes = std::max(classes, y + 1);
    const double leaf = holdout
                            ? w * score(judging, static_cast<std::size_t>(leaf_label_), y)
                            : score_of_all(judging, counts, classes, y, w);
    std::vector<double>& child = scratch();
    child.resize(class_stride_);
    const std::uint32_t* const starts = s.categorical ? statistics.starts(s) : nullptr;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        if (row.codes[c] < 0 || start_[c] != start_[c]) continue;
        const auto value = static_cast<std::size_t>(row.codes[c]);
        if (holdout) {
            const std::int32_t l = value < labels_[c].size() ? labels_[c][value] : 0;
            sum_[c] += w * score(judging, static_cast<std::size_t>(l), y) - leaf;
            continue;
        }
        const bool has_cell = starts[c] + value < starts[c + 1];
        for (std::size_t k = 0; k < classes; ++k) {
            child[k] = has_cell && statistics.classes()[k]
                           ? statistics.cells(s, k)[starts[c] + value]
                           : 0.0;
        }
        sum_[c] += score_of_all(judging, child.data(), classes, y, w) - leaf;
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        if (threshold_[f] != threshold_[f] || row.x[f] != row.x[f]) continue;
        const std::size_t side = row.x[f] <= threshold_[f] ? 0 : 1;
        double* const seen = sides_.data() + (f * 2 + side) * class_stride_;
        const double at =
            holdout ? w * score(judging, static_cast<std::size_t>(side_labels_[f * 2 + side]), y)
                    : score_of_all(judging, seen, classes, y, w);
        sum_[s.categorical + f] += at - leaf;
        seen[y] += w;
    }
}

void Hits::fix_one(const Judging& judging, std::size_t classes, std::size_t f, double weight,
                   double threshold, const double* sides) {
    if (threshold != threshold) return;
    threshold_[f] = threshold;
    start_[categorical_ + f] = weight;
    for (std::size_t side = 0; side < 2; ++side) {
        side_labels_[f * 2 + side] = static_cast<std::int32_t>(
            label(judging, sides + (f * 2 + side) * class_stride_, classes));
    }
}

void Hits::fix(const Judging& judging, const Shape& s, const LeafStatistics& statistics,
               const double* counts, std::size_t classes, double weight, const double* thresholds,
               const double* sides) {
    fixed_ = weight;
    sides_.assign(s.numeric * 2 * class_stride_, 0.0);
    if (judging.evaluator == Evaluator::holdout) {
        leaf_label_ = static_cast<std::int32_t>(label(judging, counts, classes));
        std::vector<double> child(classes);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::uint32_t* const starts = statistics.starts(s);
            start_[c] = weight;
            for (std::size_t v = 0; v < starts[c + 1] - starts[c]; ++v) {
                double seen = 0.0;
                for (std::size_t k = 0; k < classes; ++k) {
                    child[k] = statistics.classes()[k] ? statistics.cells(s, k)[starts[c] + v] : 0.0;
                    seen += child[k];
                }
                if (seen == 0.0) continue;  // like all values that come later
                labels_[c].resize(v + 1, 0);
                labels_[c][v] = static_cast<std::int32_t>(label(judging, child.data(), classes));
            }
        }
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        fix_one(judging, classes, f, weight, thresholds[f], sides);
    }
    trim_all();
}

Hits::Quality Hits::quality(double sum, double start, double weight) const noexcept {
    const double judged = weight - start;
    return judged > 0.0 ? Quality{sum / judged, judged} : Quality{0.0, 0.0};
}

Hits::Quality Hits::categorical(std::size_t slot, double weight) const noexcept {
    return quality(sum_[slot], start_[slot], weight);
}

Hits::Quality Hits::numeric(std::size_t slot, double weight) const noexcept {
    return quality(sum_[categorical_ + slot], start_[categorical_ + slot], weight);
}

std::vector<double>& Hits::scratch() {
    thread_local std::vector<double> room;
    return room;
}

void Hits::save(std::size_t classes, std::vector<double>& out) const {
    // Not begun is saved as -1: a file holds no NaN.
    const auto begun = [](double x) { return x == x ? x : -1.0; };
    out.push_back(begun(fixed_));
    out.push_back(leaf_label_);
    out.insert(out.end(), sum_.begin(), sum_.end());
    for (const double start : start_) out.push_back(begun(start));
    for (std::size_t f = 0; f < threshold_.size(); ++f) {
        out.push_back(threshold_[f] == threshold_[f] ? threshold_[f] : 0.0);
        out.push_back(side_labels_[2 * f]);
        out.push_back(side_labels_[2 * f + 1]);
    }
    for (std::size_t i = 0; !open() && i < threshold_.size() * 2; ++i) {
        const double* const side = sides_.data() + i * class_stride_;
        out.insert(out.end(), side, side + classes);
    }
    for (const auto& labels : labels_) {
        out.push_back(static_cast<double>(labels.size()));
        out.insert(out.end(), labels.begin(), labels.end());
    }
}

std::size_t Hits::restore(const Shape& s, Evaluator evaluator, const double* numbers,
                          std::size_t count, const double* counts, std::size_t classes,
                          double weight) {
    std::size_t at = 0;
    const auto demand = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(std::string("hits: ") + what);
    };
    const auto next = [&] {
        demand(at < count, "too few numbers");
        const double x = numbers[at++];
        demand(std::isfinite(x), "a number is not finite");
        return x;
    };
    const auto whole = [&](double most) {
        const double x = next();
        demand(x >= 0.0 && x <= most && x == std::floor(x), "a label or size is out of range");
        return static_cast<std::size_t>(x);
    };
    const auto begun = [&] {
        const double x = next();
        demand(x == -1.0 || (x >= 0.0 && x <= weight), "a start is outside the leaf's weight");
        return x == -1.0 ? nan : x;
    };
    const auto label = [&] {
        return static_cast<std::int32_t>(whole(classes ? static_cast<double>(classes - 1) : 0.0));
    };
    *this = {};
    fit(s, evaluator);
    fixed_ = begun();
    leaf_label_ = label();
    for (double& sum : sum_) {
        sum = next();
        demand(std::fabs(sum) <= weight * (1.0 + 1e-9), "a sum is larger than the weight");
    }
    for (std::size_t i = 0; i < start_.size(); ++i) {
        start_[i] = begun();
        const bool at_once = evaluator == Evaluator::prequential && i < s.categorical;
        demand(at_once ? start_[i] == 0.0 : start_[i] != start_[i] || start_[i] == fixed_,
               "a start that no leaf has");
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double t = next();
        demand(std::fabs(t) <= largest_value, "a threshold is out of range");
        threshold_[f] = start_[s.categorical + f] == start_[s.categorical + f] ? t : nan;
        side_labels_[2 * f] = label();
        side_labels_[2 * f + 1] = label();
    }
    if (!open()) {
        demand(s.numeric == 0 || classes <= (count - at) / (2 * s.numeric), "too few numbers");
        sides_.resize(s.numeric * 2 * class_stride_, 0.0);
    }
    for (std::size_t i = 0; !open() && i < s.numeric * 2; ++i) {
        double* const side = sides_.data() + i * class_stride_;
        for (std::size_t k = 0; k < classes; ++k) {
            side[k] = next();
            const double both = side[k] + (i % 2 ? (side - class_stride_)[k] : 0.0);
            demand(side[k] >= 0.0 && both <= counts[k] * (1.0 + 1e-9),
                   "weights beside a threshold that the leaf has not seen");
        }
    }
    for (auto& labels : labels_) {
        const std::size_t n = whole(1e6);
        demand(n <= count - at, "too few numbers");
        labels.resize(n);
        for (std::int32_t& l : labels) l = label();
    }
    trim_all();
    return at;
}

}  // namespace riparian
