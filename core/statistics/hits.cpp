#include "hits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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

void Hits::fit(const Shape& s, double weight, Evaluator evaluator) {
    const std::size_t numeric = threshold_.size();
    if (class_stride_ != s.class_stride) {
        std::vector<double> wider(numeric * 2 * s.class_stride, 0.0);
        for (std::size_t i = 0; i < numeric * 2; ++i) {
            std::copy_n(sides_.data() + i * class_stride_, class_stride_,
                        wider.data() + i * s.class_stride);
        }
        sides_ = std::move(wider);
        class_stride_ = s.class_stride;
    }
    const auto insert = [&](std::vector<double>& v, std::size_t at, std::size_t n, double x) {
        v.insert(v.begin() + static_cast<std::ptrdiff_t>(at), n, x);
    };
    const std::size_t more = s.categorical - categorical_;
    // Examples before a feature appeared did not know it; held-out labels never will.
    const bool joins = evaluator == Evaluator::prequential;
    insert(sum_, categorical_, more, 0.0);
    insert(start_, categorical_, more, joins ? weight : nan);
    labels_.resize(s.categorical);
    categorical_ = s.categorical;
    sum_.resize(s.categorical + s.numeric, 0.0);
    start_.resize(s.categorical + s.numeric, nan);
    threshold_.resize(s.numeric, nan);
    sides_.resize(s.numeric * 2 * class_stride_, 0.0);
    side_labels_.resize(s.numeric * 2, 0);
}

void Hits::judge(const Judging& judging, const Shape& s, const LeafStatistics& statistics,
                 const Row& row, std::size_t y, double w, const double* counts,
                 std::size_t classes) {
    const bool holdout = judging.evaluator == Evaluator::holdout;
    if (holdout && !fixed_) return;
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
    fixed_ = true;
    if (judging.evaluator == Evaluator::holdout) {
        leaf_label_ = static_cast<std::int32_t>(label(judging, counts, classes));
        std::vector<double> child(classes);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::uint32_t* const starts = statistics.starts(s);
            start_[c] = weight;
            labels_[c].resize(starts[c + 1] - starts[c]);
            for (std::size_t v = 0; v < labels_[c].size(); ++v) {
                for (std::size_t k = 0; k < classes; ++k) {
                    child[k] = statistics.classes()[k] ? statistics.cells(s, k)[starts[c] + v] : 0.0;
                }
                labels_[c][v] = static_cast<std::int32_t>(label(judging, child.data(), classes));
            }
        }
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        fix_one(judging, classes, f, weight, thresholds[f], sides);
    }
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

std::size_t Hits::bytes() const noexcept {
    std::size_t bytes = (sum_.capacity() + start_.capacity() + threshold_.capacity() +
                         sides_.capacity()) * sizeof(double) +
                        side_labels_.capacity() * sizeof(std::int32_t) +
                        labels_.capacity() * sizeof(labels_[0]);
    for (const auto& labels : labels_) bytes += labels.capacity() * sizeof(std::int32_t);
    return bytes;
}

void Hits::save(std::vector<double>& out) const {
    out.push_back(fixed_ ? 1.0 : 0.0);
    out.push_back(leaf_label_);
    out.insert(out.end(), sum_.begin(), sum_.end());
    // Not begun is saved as -1: a file holds no NaN.
    for (const double start : start_) out.push_back(start == start ? start : -1.0);
    for (std::size_t f = 0; f < threshold_.size(); ++f) {
        out.push_back(threshold_[f] == threshold_[f] ? threshold_[f] : 0.0);
        out.push_back(side_labels_[2 * f]);
        out.push_back(side_labels_[2 * f + 1]);
    }
    for (std::size_t i = 0; i < threshold_.size() * 2 && class_stride_; ++i) {
        const double* const side = sides_.data() + i * class_stride_;
        const auto used = static_cast<std::size_t>(
            std::find_if(std::reverse_iterator(side + class_stride_), std::reverse_iterator(side),
                         [](double x) { return x != 0.0; }).base() - side);
        out.push_back(static_cast<double>(used));
        out.insert(out.end(), side, side + used);
    }
    for (const auto& labels : labels_) {
        out.push_back(static_cast<double>(labels.size()));
        out.insert(out.end(), labels.begin(), labels.end());
    }
}

std::size_t Hits::restore(const Shape& s, const double* numbers, std::size_t count, double weight) {
    std::size_t at = 0;
    const auto next = [&] {
        if (at == count) throw std::invalid_argument("hits: too few numbers");
        const double x = numbers[at++];
        if (!std::isfinite(x)) throw std::invalid_argument("hits: a number is not finite");
        return x;
    };
    const auto whole = [&](double most) {
        const double x = next();
        if (!(x >= 0.0 && x <= most && x == std::floor(x))) {
            throw std::invalid_argument("hits: a label or size is out of range");
        }
        return static_cast<std::size_t>(x);
    };
    const auto top = static_cast<double>(s.class_stride ? s.class_stride - 1 : 0);
    *this = {};
    fit(s, 0.0, Evaluator::prequential);
    fixed_ = whole(1.0) == 1;
    leaf_label_ = static_cast<std::int32_t>(whole(top));
    for (double& sum : sum_) {
        sum = next();
        if (!(std::fabs(sum) <= weight * (1.0 + 1e-9))) {
            throw std::invalid_argument("hits: a sum is larger than the weight");
        }
    }
    for (double& start : start_) {
        const double x = next();
        if (x != -1.0 && !(x >= 0.0 && x <= weight)) {
            throw std::invalid_argument("hits: a start is outside the leaf's weight");
        }
        start = x == -1.0 ? nan : x;
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double t = next();
        threshold_[f] = start_[s.categorical + f] == start_[s.categorical + f] ? t : nan;
        side_labels_[2 * f] = static_cast<std::int32_t>(whole(top));
        side_labels_[2 * f + 1] = static_cast<std::int32_t>(whole(top));
    }
    for (std::size_t i = 0; i < s.numeric * 2 && class_stride_; ++i) {
        const std::size_t used = whole(static_cast<double>(s.class_stride));
        for (std::size_t k = 0; k < used; ++k) {
            const double x = next();
            if (x < 0.0) throw std::invalid_argument("hits: a weight is negative");
            sides_[i * class_stride_ + k] = x;
        }
    }
    for (auto& labels : labels_) {
        const std::size_t n = whole(1e6);
        if (n > count - at) throw std::invalid_argument("hits: too few numbers");
        labels.resize(n);
        for (std::int32_t& l : labels) l = static_cast<std::int32_t>(whole(top));
    }
    return at;
}

}  // namespace riparian
