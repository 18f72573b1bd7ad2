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

constexpr double infinity = std::numeric_limits<double>::infinity();

// A heavy example is evaluated in this many units of weight at most; the last unit is the rest.
constexpr int most_units = 64;

// Working memory that all leaves of a thread share.
template <class T>
T* scratch(std::size_t size) {
    thread_local std::vector<T> room;
    if (room.size() < size) room.resize(size);
    return room.data();
}

// A label, and how much cost its branch can collect before another label may be better.
struct Standing {
    std::size_t label;
    double sure;
};

// The best label for these class weights: the class with the largest weight, or the label of least
// cost. Ties go to the lowest label. Class y counts `extra` more.
Standing standing(const Judging& judging, const double* counts, std::size_t classes,
                  std::size_t y = 0, double extra = 0.0) {
    const auto count = [&](std::size_t k) { return counts[k] + (k == y ? extra : 0.0); };
    const bool by_cost = judging.costs.classes != 0;
    const std::size_t known = std::min(classes, judging.costs.classes);
    const std::size_t labels = by_cost ? judging.costs.labels : classes;
    Standing best{0, 0.0};
    double least = infinity;
    double second = by_cost ? infinity : 0.0;  // a new class may appear
    for (std::size_t l = 0; l < labels; ++l) {
        double cost = by_cost ? 0.0 : -count(l);
        for (std::size_t k = 0; by_cost && k < known; ++k) cost += count(k) * judging.costs(l, k);
        if (cost < least) {
            second = std::min(second, least);
            least = cost;
            best.label = l;
        } else {
            second = std::min(second, cost);
        }
    }
    double weight = 0.0;
    for (std::size_t k = 0; k < classes; ++k) weight += count(k);
    constexpr double rounding = 1e-6;  // of many rows, each subtracted
    best.sure = second - least - rounding * weight;
    return best;
}

std::size_t label(const Judging& judging, const double* counts, std::size_t classes) {
    return standing(judging, counts, classes).label;
}

double score(const Judging& judging, std::size_t label, std::size_t y) {
    if (!judging.costs.classes) return label == y ? 1.0 : 0.0;
    if (std::max(label, y) >= judging.costs.classes) return 0.0;
    return 1.0 - judging.costs(label, y);
}

// Sums score(weight done before) times the unit over the units of the weight w.
template <class Score>
double sum_of_units(double w, Score&& score) {
    double sum = 0.0;
    double done = 0.0;
    for (int i = 0; i < most_units && done < w; ++i) {
        const double unit = i + 1 < most_units ? std::min(1.0, w - done) : w - done;
        sum += unit * score(done);
        done += unit;
    }
    return sum;
}

// The score of an example of weight w that is learned unit by unit while it is evaluated.
double score_of_all(const Judging& judging, const double* counts, std::size_t classes,
                    std::size_t y, double w) {
    if (judging.costs.classes) {
        return sum_of_units(w, [&](double done) {
            return score(judging, standing(judging, counts, classes, y, done).label, y);
        });
    }
    double before = -infinity;
    double after = -infinity;
    for (std::size_t k = 0; k < y; ++k) before = std::max(before, counts[k]);
    for (std::size_t k = y + 1; k < classes; ++k) after = std::max(after, counts[k]);
    return sum_of_units(w, [&](double done) {
        return counts[y] + done > before && counts[y] + done >= after ? 1.0 : 0.0;
    });
}

}  // namespace

void Hits::fit(const Shape& s, Evaluator evaluator) {
    if (!open() && (class_stride_ != s.class_stride || stride_ != s.stride)) {
        HeldDoubles wider(2 * s.class_stride * s.stride, 0.0);
        for (std::size_t i = 0; i < 2 * class_stride_; ++i) {
            const std::size_t row = i / class_stride_ * s.class_stride + i % class_stride_;
            std::copy_n(sides_.data() + i * stride_, stride_, wider.data() + row * s.stride);
        }
        sides_ = std::move(wider);
    }
    class_stride_ = s.class_stride;
    stride_ = s.stride;
    categorical_ = s.categorical;
    numeric_ = s.numeric;
    // For the examples before a feature appeared, its value was missing.
    sum_.resize(categorical_, 0.0);
    start_.resize(categorical_, evaluator == Evaluator::prequential ? 0.0 : fixed_);
    labels_.resize(categorical_);
    numeric_sum_.resize(stride_, 0.0);
    threshold_.resize(stride_, nan);
    side_labels_.resize(numeric_ * 2, 0);
    standing_.resize(open() ? 0 : 4 * stride_);
    doubt_labels(evaluator);
    trim_all();
}

void Hits::trim_all() {
    trim(sum_);
    trim(start_);
    trim(numeric_sum_);
    trim(threshold_);
    trim(sides_);
    trim(side_labels_);
    trim(standing_);
    for (auto& labels : labels_) trim(labels);
    trim(labels_);
}

void Hits::doubt_labels(Evaluator evaluator) noexcept {
    leaf_sure_ = 0.0;
    std::fill(standing_.begin(), standing_.end(), 0.0);
    if (evaluator != Evaluator::holdout || open()) return;
    leaf_sure_ = infinity;
    leaf_standing_ = static_cast<std::size_t>(leaf_label_);
    std::fill(standing_.begin() + std::ssize(standing_) / 2, standing_.end(), infinity);
    for (std::size_t i = 0; i < 2 * numeric_; ++i) {
        standing_[i % 2 * stride_ + i / 2] = side_labels_[i];
    }
}

void Hits::judge(const Judging& judging, const Shape& s, const LeafStatistics& statistics,
                 const Row& row, std::size_t y, double w, const double* counts,
                 std::size_t classes) {
    const bool holdout = judging.evaluator == Evaluator::holdout;
    if (holdout && open()) return;
    classes = std::max(classes, y + 1);
    double* const scores = scratch<double>(2 * class_stride_);
    for (std::size_t l = 0; l < classes; ++l) scores[l] = score(judging, l, y);
    const double leaf =
        holdout ? w * scores[leaf_label_] : judge_leaf(judging, y, w, counts, classes, scores);
    double* const child = scores + class_stride_;
    const std::uint32_t* const starts = s.categorical ? statistics.starts(s) : nullptr;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        if (row.codes[c] < 0 || start_[c] != start_[c]) continue;
        const auto value = static_cast<std::size_t>(row.codes[c]);
        if (holdout) {
            const std::int32_t l = value < labels_[c].size() ? labels_[c][value] : 0;
            sum_[c] += w * scores[l] - leaf;
            continue;
        }
        const bool has_cell = starts[c] + value < starts[c + 1];
        for (std::size_t k = 0; k < classes; ++k) {
            child[k] = has_cell && statistics.classes()[k]
                           ? statistics.cells(s, k)[starts[c] + value]
                           : 0.0;
        }
        sum_[c] += score_of_all(judging, child, classes, y, w) - leaf;
    }
    if (!open()) judge_numeric(judging, row, y, w, classes, leaf, scores);
}

double Hits::judge_leaf(const Judging& judging, std::size_t y, double w, const double* counts,
                        std::size_t classes, const double* scores) {
    const double own = scores[leaf_standing_];
    leaf_sure_ -= (1.0 - own) * w;
    if (leaf_sure_ > 0.0) return sum_of_units(w, [&](double) { return own; });
    const Standing next = standing(judging, counts, classes, y, w);
    leaf_standing_ = next.label;
    leaf_sure_ = next.sure;
    return score_of_all(judging, counts, classes, y, w);
}

void Hits::judge_numeric(const Judging& judging, const Row& row, std::size_t y, double w,
                         std::size_t classes, double leaf, double* scores) {
    const bool holdout = judging.evaluator == Evaluator::holdout;
    auto* const open = scratch<std::uint32_t>(stride_);
    double* const labels = standing_.data();
    double* const sure = labels + 2 * stride_;
    const std::size_t n_open =
        kernels().judge({row.x, threshold_.data(), stride_, labels, sure,
                         sides_.data() + place(0, 0, y), sides_.data() + place(0, 1, y), scores, w,
                         holdout ? 1 : most_units, leaf, numeric_sum_.data(), open});
    double* const child = scores + class_stride_;
    for (std::size_t i = 0; i < n_open; ++i) {
        const std::size_t f = open[i];
        const std::size_t side = row.x[f] <= threshold_[f] ? 0 : 1;
        for (std::size_t k = 0; k < classes; ++k) child[k] = side_weight(f, side, k);
        numeric_sum_[f] += score_of_all(judging, child, classes, y, w) - leaf;
        child[y] += w;
        sides_[place(f, side, y)] = child[y];
        const Standing next = standing(judging, child, classes);
        labels[side * stride_ + f] = static_cast<double>(next.label);
        sure[side * stride_ + f] = next.sure;
    }
}

void Hits::fix(const Judging& judging, const Shape& s, const LeafStatistics& statistics,
               const double* counts, std::size_t classes, double weight, const double* thresholds,
               const double* sides) {
    fixed_ = weight;
    sides_.assign(2 * class_stride_ * stride_, 0.0);
    if (judging.evaluator == Evaluator::holdout) {
        leaf_label_ = static_cast<std::int32_t>(label(judging, counts, classes));
        std::vector<double> child(classes);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::uint32_t* const starts = statistics.starts(s);
            start_[c] = weight;
            for (std::size_t v = 0; v < starts[c + 1] - starts[c]; ++v) {
                double seen = 0.0;
                for (std::size_t k = 0; k < classes; ++k) {
                    child[k] =
                        statistics.classes()[k] ? statistics.cells(s, k)[starts[c] + v] : 0.0;
                    seen += child[k];
                }
                if (seen == 0.0) continue;  // the same as for values that appear later
                labels_[c].resize(v + 1, 0);
                labels_[c][v] = static_cast<std::int32_t>(label(judging, child.data(), classes));
            }
        }
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        threshold_[f] = thresholds[f];
        if (thresholds[f] != thresholds[f]) continue;
        for (std::size_t i = 2 * f; i < 2 * f + 2; ++i) {
            side_labels_[i] =
                static_cast<std::int32_t>(label(judging, sides + i * class_stride_, classes));
        }
    }
    standing_.resize(4 * stride_);
    doubt_labels(judging.evaluator);
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
    return quality(numeric_sum_[slot], threshold_[slot] == threshold_[slot] ? fixed_ : nan, weight);
}

void Hits::save(std::size_t classes, std::vector<double>& out) const {
    // NaN, which means not begun, is saved as -1 because a file holds no NaN.
    const auto begun = [](double x) { return x == x ? x : -1.0; };
    out.push_back(begun(fixed_));
    out.push_back(leaf_label_);
    const auto has_threshold = [&](std::size_t f) { return threshold_[f] == threshold_[f]; };
    out.insert(out.end(), sum_.begin(), sum_.end());
    out.insert(out.end(), numeric_sum_.data(), numeric_sum_.data() + numeric_);
    for (const double start : start_) out.push_back(begun(start));
    for (std::size_t f = 0; f < numeric_; ++f) out.push_back(has_threshold(f) ? fixed_ : -1.0);
    for (std::size_t f = 0; f < numeric_; ++f) {
        out.push_back(has_threshold(f) ? threshold_[f] : 0.0);
        out.push_back(side_labels_[2 * f]);
        out.push_back(side_labels_[2 * f + 1]);
    }
    for (std::size_t i = 0; !open() && i < numeric_ * 2; ++i) {
        for (std::size_t k = 0; k < classes; ++k) out.push_back(side_weight(i / 2, i % 2, k));
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
    const std::size_t features = s.categorical + s.numeric;
    for (std::size_t i = 0; i < features; ++i) {
        const double sum = next();
        demand(std::fabs(sum) <= weight * (1.0 + 1e-9), "a sum is larger than the weight");
        (i < s.categorical ? sum_[i] : numeric_sum_[i - s.categorical]) = sum;
    }
    std::vector<bool> has_threshold(s.numeric);
    for (std::size_t i = 0; i < features; ++i) {
        const double start = begun();
        const bool at_once = evaluator == Evaluator::prequential && i < s.categorical;
        demand(at_once ? start == 0.0 : start != start || start == fixed_,
               "a start does not fit the leaf");
        if (i < s.categorical) {
            start_[i] = start;
        } else {
            has_threshold[i - s.categorical] = start == start;
        }
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double t = next();
        demand(std::fabs(t) <= largest_value, "a threshold is out of range");
        if (has_threshold[f]) threshold_[f] = t;
        side_labels_[2 * f] = label();
        side_labels_[2 * f + 1] = label();
    }
    if (!open()) {
        demand(s.numeric == 0 || classes <= (count - at) / (2 * s.numeric), "too few numbers");
        sides_.assign(2 * class_stride_ * stride_, 0.0);
        standing_.resize(4 * stride_);
        doubt_labels(evaluator);
    }
    for (std::size_t i = 0; !open() && i < s.numeric * 2; ++i) {
        for (std::size_t k = 0; k < classes; ++k) {
            double& here = sides_[place(i / 2, i % 2, k)];
            here = next();
            const double both = here + (i % 2 ? side_weight(i / 2, 0, k) : 0.0);
            demand(here >= 0.0 && both <= counts[k] * (1.0 + 1e-9),
                   "weights next to a threshold exceed those of the leaf");
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
