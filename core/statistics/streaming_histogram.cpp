#include "streaming_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "../demand.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The weighted mean of two points. It lies between them also after rounding.
double mean_place(double p, double m, double q, double n) noexcept {
    return p + (q - p) * (n / (m + n));
}

// The capacity is a function of the size. There is room for the bin that `update` adds before two
// bins become one.
std::size_t room_for_bins(std::size_t bins, std::size_t limit) noexcept {
    return std::min((bins + 7) / 8 * 8, limit) + 1;
}

// The number of places below x, in n sorted places. A step has no branch: which half holds x is
// chance, and a wrong guess costs more than the step.
std::size_t count_below(const double* p, std::size_t n, double x) noexcept {
    const double* first = p;
    while (n > 1) {
        const std::size_t half = n / 2;
        first += half * static_cast<std::size_t>(first[half - 1] < x);
        n -= half;
    }
    return static_cast<std::size_t>(first - p) + static_cast<std::size_t>(n == 1 && *first < x);
}

// The place of the smallest gap p[i + 1] - p[i], the leftmost of equals. n >= 2. The four lanes
// are independent, so the compiler can use vectors.
std::size_t closest_pair(const double* p, std::size_t n) noexcept {
    double least[4] = {infinity, infinity, infinity, infinity};
    std::size_t i = 0;
    for (; i + 5 <= n; i += 4) {
        for (std::size_t j = 0; j < 4; ++j) {
            const double gap = p[i + j + 1] - p[i + j];
            least[j] = gap < least[j] ? gap : least[j];
        }
    }
    double smallest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    for (; i + 1 < n; ++i) smallest = std::min(smallest, p[i + 1] - p[i]);
    for (i = 0; p[i + 1] - p[i] != smallest; ++i) {
    }
    return i;
}

}  // namespace

void SortedBins::append(double place, double weight) {
    if (!places.empty() && places.back() == place) {
        weights.back() += weight;
        return;
    }
    places.push_back(place);
    weights.push_back(weight);
}

void SortedBins::reduce(std::size_t most) {
    if (size() <= most) return;
    struct Pair {
        double gap;
        std::size_t first, second;
        bool operator>(const Pair& other) const noexcept {
            return gap > other.gap || (gap == other.gap && first > other.first);
        }
    };
    const std::size_t n = size();
    std::vector<std::size_t> before(n), after(n);
    std::vector<bool> gone(n);
    std::vector<Pair> pairs;
    pairs.reserve(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
        before[i] = i - 1;  // never read for the first
        after[i] = i + 1;
        if (i + 1 < n) pairs.push_back({places[i + 1] - places[i], i, i + 1});
    }
    std::priority_queue queue(std::greater<Pair>{}, std::move(pairs));
    for (std::size_t left = n; left > most;) {
        const Pair pair = queue.top();
        queue.pop();
        const std::size_t i = pair.first, j = pair.second;
        // The entry is old if one of its bins has gone or has moved.
        if (gone[i] || gone[j] || after[i] != j || places[j] - places[i] != pair.gap) continue;
        places[i] = mean_place(places[i], weights[i], places[j], weights[j]);
        weights[i] += weights[j];
        gone[j] = true;
        after[i] = after[j];
        if (after[i] < n) {
            before[after[i]] = i;
            queue.push({places[after[i]] - places[i], i, after[i]});
        }
        if (i > 0) queue.push({places[i] - places[before[i]], before[i], i});
        --left;
    }
    std::size_t out = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (gone[i]) continue;
        places[out] = places[i];
        weights[out++] = weights[i];
    }
    places.resize(out);
    weights.resize(out);
}

void StreamingHistogram::update(double x, double w, std::size_t limit) {
    if (places_.empty()) low_ = high_ = x;
    low_ = std::min(low_, x);
    high_ = std::max(high_, x);
    total_ += w;
    const std::size_t at = count_below(places_.data(), places_.size(), x);
    if (at < places_.size() && places_[at] == x) {
        weights_[at] += w;
        return;
    }
    if (places_.size() >= limit) {
        insert_and_combine(at, x, w);
        return;
    }
    set_room(places_, room_for_bins(places_.size() + 1, limit));
    set_room(weights_, room_for_bins(places_.size() + 1, limit));
    places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(at), x);
    weights_.insert(weights_.begin() + static_cast<std::ptrdiff_t>(at), w);
    closest_ = unknown;
}

// The result is that of inserting a bin, looking for the smallest of all gaps, and combining its
// bins. A new bin has two gaps and leaves the others as they are, or parts one of them, and then
// both parts are at most as large. So three gaps are compared, and the bins move only if the new
// one is not among the two.
void StreamingHistogram::insert_and_combine(std::size_t at, double x, double w) noexcept {
    exact_ = false;
    double *const p = places_.data(), *const m = weights_.data();
    const std::size_t n = places_.size();
    if (n > 1 && closest_ == unknown) closest_ = static_cast<std::uint32_t>(closest_pair(p, n));
    const std::size_t c = closest_;
    const bool old = n > 1 && c + 1 != at;  // whether the smallest gap so far is still there
    const double gap = n > 1 ? p[c + 1] - p[c] : infinity;
    const bool right = at == 0 || (at < n && p[at] - x < x - p[at - 1]);
    const double nearest = right ? p[at] - x : x - p[at - 1];
    if (old && (gap < nearest || (gap == nearest && c < at))) {
        const double place = mean_place(p[c], m[c], p[c + 1], m[c + 1]);
        const double weight = m[c] + m[c + 1];
        const auto put = [c, at](double* v, double combined, double inserted) {
            if (at <= c) {
                std::copy_backward(v + at, v + c, v + c + 1);
                v[c + 1] = combined;
                v[at] = inserted;
            } else {
                v[c] = combined;
                std::copy(v + c + 2, v + at, v + c + 1);
                v[at - 1] = inserted;
            }
        };
        put(p, place, x);
        put(m, weight, w);
        closest_ = unknown;
        return;
    }
    const std::size_t k = right ? at : at - 1;
    p[k] = right ? mean_place(x, w, p[k], m[k]) : mean_place(p[k], m[k], x, w);
    m[k] += w;
    if (n == 1) return;
    const double below = k > 0 ? p[k] - p[k - 1] : infinity;
    const double above = k + 1 < n ? p[k + 1] - p[k] : infinity;
    const bool first = k > 0 && (k + 1 == n || below <= above);
    const std::size_t near = first ? k - 1 : k;
    const double least = first ? below : above;
    const bool moved = c == k || c + 1 == k;
    if (least < gap || (least == gap && (moved || near < c))) {
        closest_ = static_cast<std::uint32_t>(near);
    } else if (moved) {
        closest_ = unknown;
    }
}

void StreamingHistogram::merge(const StreamingHistogram& other, std::size_t limit) {
    if (other.places_.empty()) return;
    if (places_.empty()) {
        *this = other;
        return;
    }
    SortedBins both;
    std::size_t i = 0, j = 0;
    while (i < places_.size() || j < other.places_.size()) {
        const bool own =
            j == other.places_.size() || (i < places_.size() && places_[i] <= other.places_[j]);
        if (own) {
            both.append(places_[i], weights_[i]);
            ++i;
        } else {
            both.append(other.places_[j], other.weights_[j]);
            ++j;
        }
    }
    exact_ = exact_ && other.exact_ && both.size() <= limit;
    both.reduce(limit);
    set_bins(both, limit);
    low_ = std::min(low_, other.low_);
    high_ = std::max(high_, other.high_);
    total_ += other.total_;
}

void StreamingHistogram::set_bins(const SortedBins& bins, std::size_t limit) {
    places_.clear();
    weights_.clear();
    set_room(places_, room_for_bins(bins.size(), limit));
    set_room(weights_, room_for_bins(bins.size(), limit));
    places_.assign(bins.places.begin(), bins.places.end());
    weights_.assign(bins.weights.begin(), bins.weights.end());
    closest_ = unknown;
}

double StreamingHistogram::sum(double b) const noexcept {
    if (places_.empty() || b < places_.front()) return 0.0;
    if (b >= places_.back()) return total_;
    const auto above = std::upper_bound(places_.begin(), places_.end(), b) - places_.begin();
    const auto i = static_cast<std::size_t>(above) - 1;
    double before = 0.0;
    for (std::size_t j = 0; j < i; ++j) before += weights_[j];
    const double m = weights_[i];
    const double z = (b - places_[i]) / (places_[i + 1] - places_[i]);
    const double here = m + (weights_[i + 1] - m) * z;
    return std::min(before + m / 2.0 + (m + here) / 2.0 * z, total_);
}

double StreamingHistogram::at_or_below(double b) const noexcept {
    if (!exact_) return sum(b);
    if (places_.empty() || b >= places_.back()) return total_;
    double weight = 0.0;
    for (std::size_t i = 0; places_[i] <= b; ++i) weight += weights_[i];
    return std::min(weight, total_);
}

StreamingHistogram StreamingHistogram::restore(std::span<const double> places,
                                               std::span<const double> weights, double low,
                                               double high, double total, bool exact,
                                               std::size_t limit) {
    const std::size_t n = places.size();
    demand(n >= 1 && n <= limit && weights.size() == n, "watch: not the bins of a histogram");
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        demand(weights[i] > 0.0 && weights[i] <= 0x1p120, "watch: a bin has no weight");
        demand(i == 0 || places[i - 1] < places[i], "watch: the bins are not sorted");
        sum += weights[i];
    }
    demand(low <= places.front() && high >= places.back() &&
               (!exact || (low == places.front() && high == places.back())),
           "watch: the range of a histogram is wrong");
    demand(std::abs(sum - total) <= 1e-6 * sum, "watch: the total of a histogram is wrong");
    StreamingHistogram h;
    h.set_bins({{places.begin(), places.end()}, {weights.begin(), weights.end()}}, limit);
    h.low_ = low;
    h.high_ = high;
    h.total_ = total;
    h.exact_ = exact;
    return h;
}

std::vector<double> uniform(const SortedBins& bins, double low, double high, std::size_t parts) {
    std::vector<double> points;
    if (bins.size() == 0) return points;
    double total = 0.0;
    for (const double m : bins.weights) total += m;
    const std::vector<double>&p = bins.places, &m = bins.weights;
    const auto add = [&](double u) {
        if (points.empty() || points.back() < u) points.push_back(u);
    };
    std::size_t i = 0;
    double middle = m[0] / 2.0;  // sum(p_i)
    for (std::size_t j = 1; j < parts; ++j) {
        const double s = static_cast<double>(j) / static_cast<double>(parts) * total;
        if (s < m[0] / 2.0) {
            add(low + (p[0] - low) * (s / (m[0] / 2.0)));
            continue;
        }
        while (i + 1 < p.size() && middle + (m[i] + m[i + 1]) / 2.0 <= s) {
            middle += (m[i] + m[i + 1]) / 2.0;
            ++i;
        }
        const double d = s - middle;
        if (i + 1 == p.size()) {
            add(p[i] + (high - p[i]) * std::min(d / (m[i] / 2.0), 1.0));
            continue;
        }
        // The root of (m_i+1 - m_i) z^2 + 2 m_i z - 2 d, without cancellation.
        const double root = m[i] * m[i] + 2.0 * (m[i + 1] - m[i]) * d;
        const double z = 2.0 * d / (m[i] + std::sqrt(std::max(root, 0.0)));
        add(p[i] + (p[i + 1] - p[i]) * std::min(z, 1.0));
    }
    return points;
}

}  // namespace riparian
