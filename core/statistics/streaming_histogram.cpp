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
    const auto at = std::lower_bound(places_.begin(), places_.end(), x) - places_.begin();
    if (static_cast<std::size_t>(at) < places_.size() &&
        places_[static_cast<std::size_t>(at)] == x) {
        weights_[static_cast<std::size_t>(at)] += w;
        return;
    }
    const std::size_t bins = std::min(places_.size() + 1, limit);
    set_room(places_, room_for_bins(bins, limit));
    set_room(weights_, room_for_bins(bins, limit));
    places_.insert(places_.begin() + at, x);
    weights_.insert(weights_.begin() + at, w);
    if (places_.size() > limit) combine_closest();
}

void StreamingHistogram::combine_closest() noexcept {
    const std::size_t i = closest_pair(places_.data(), places_.size());
    places_[i] = mean_place(places_[i], weights_[i], places_[i + 1], weights_[i + 1]);
    weights_[i] += weights_[i + 1];
    const auto second = static_cast<std::ptrdiff_t>(i + 1);
    places_.erase(places_.begin() + second);
    weights_.erase(weights_.begin() + second);
    exact_ = false;
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
