#include "uncertain.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "../simd/kernels.hpp"
#include "../simd/scalar.hpp"

namespace riparian {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double normal_cdf(double z) {
    double p = 0.0;
    kernels().normal_cdf(&z, 1, &p);
    return p;
}

// The part of a normal distribution between two points, computed in the tail where they lie. A
// difference of two numbers near 1 would lose all digits.
struct Slice {
    explicit Slice(const Uncertain& u)
        : mirrored((u.low - u.mean) / u.deviation > 0.0),
          mean(u.mean),
          deviation(u.deviation),
          from(up_to(mirrored ? u.high : u.low)),
          all(up_to(mirrored ? u.low : u.high) - from) {}

    [[nodiscard]] double up_to(double x) const {
        const double z = (x - mean) / deviation;
        return normal_cdf(mirrored ? -z : z);
    }
    [[nodiscard]] double below(double x) const {
        const double share = (up_to(x) - from) / all;
        return std::clamp(mirrored ? 1.0 - share : share, 0.0, 1.0);
    }
    void quantiles(std::array<double, n_quantiles>& x) const;

    bool mirrored;
    double mean, deviation, from, all;
};

double centre(std::size_t i) noexcept {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(n_quantiles);
}

// A rational approximation [abramowitz1964, 26.2.23] with an error of 5e-4, followed by two of
// Halley's steps, each of which triples the digits.
void Slice::quantiles(std::array<double, n_quantiles>& x) const {
    constexpr double root_two_pi = 2.5066282746310002;
    std::array<double, n_quantiles> p, z, cdf, inverse_density;
    for (std::size_t i = 0; i < n_quantiles; ++i) {
        p[i] = from + (mirrored ? 1.0 - centre(i) : centre(i)) * all;
        const double t = std::sqrt(-2.0 * ln(std::min(p[i], 1.0 - p[i])));
        const double tail = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                    (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
        z[i] = p[i] < 0.5 ? -tail : tail;
    }
    for (int step = 0; step < 2; ++step) {
        kernels().normal_cdf(z.data(), n_quantiles, cdf.data());
        for (std::size_t i = 0; i < n_quantiles; ++i) inverse_density[i] = 0.5 * z[i] * z[i];
        kernels().exponential(inverse_density.data(), n_quantiles, inverse_density.data());
        for (std::size_t i = 0; i < n_quantiles; ++i) {
            const double newton = (cdf[i] - p[i]) * root_two_pi * inverse_density[i];
            z[i] -= newton / (1.0 + 0.5 * z[i] * newton);
        }
    }
    for (std::size_t i = 0; i < n_quantiles; ++i) {
        x[i] = mean + deviation * (mirrored ? -z[i] : z[i]);
    }
}

double weight_of(const Point* first, const Point* last) noexcept {
    return std::accumulate(first, last, 0.0,
                           [](double sum, const Point& p) { return sum + p.weight; });
}

}  // namespace

// ---- a distribution ----

bool Uncertain::possible(const std::vector<Point>& points, std::int32_t categories) const {
    // Python checks truncated normals for a mass of 1e-9; this is a little less to allow for
    // rounding.
    constexpr double least_mass = 0.9e-9;
    const auto finite = [](double x) { return std::abs(x) <= largest_value; };
    if (type == Type::interval) return finite(low) && finite(high) && low <= high;
    if (type == Type::normal) {
        return finite(mean) && finite(deviation) && deviation > 0.0 && low < high &&
               Slice(*this).all >= least_mass;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& p = points[i];
        if (!(p.weight > 0.0 && p.weight <= 1.0)) return false;
        const bool good =
            type == Type::numbers
                ? finite(p.value) && (i == 0 || p.value >= points[i - 1].value)
                : p.value >= 0.0 && p.value < categories && p.value == std::floor(p.value);
        if (!good) return false;
    }
    const double sum = weight_of(points.data(), points.data() + points.size());
    if (points.empty() || std::abs(sum - 1.0) > 1e-6) return false;
    if (type == Type::numbers) return true;
    std::vector<double> codes;
    for (const Point& p : points) codes.push_back(p.value);
    std::sort(codes.begin(), codes.end());
    return std::adjacent_find(codes.begin(), codes.end()) == codes.end();
}

double Uncertain::weight(const std::vector<Point>& points) const noexcept {
    return weight_of(points.data() + first, points.data() + first + count);
}

double Uncertain::below(double threshold, const std::vector<Point>& points) const {
    if (type == Type::numbers) {
        const Point* const begin = points.data() + first;
        const Point* const end = begin + count;
        const Point* const middle =
            std::partition_point(begin, end, [&](const Point& p) { return p.value <= threshold; });
        if (middle == end) return 1.0;
        return weight_of(begin, middle) / weight(points);
    }
    if (threshold >= high) return 1.0;
    if (threshold <= low) return 0.0;
    if (type == Type::normal) return Slice(*this).below(threshold);
    return (threshold - low) / (high - low);
}

void Uncertain::keep_below(double threshold, const std::vector<Point>& points) {
    high = std::min(high, threshold);
    while (type == Type::numbers && points[first + count - 1].value > threshold) --count;
}

void Uncertain::keep_above(double threshold, const std::vector<Point>& points) {
    low = std::max(low, threshold);
    for (; type == Type::numbers && points[first].value <= threshold; --count) ++first;
}

double Uncertain::of(std::int32_t code, const std::vector<Point>& points) const {
    const Point* const begin = points.data() + first;
    for (const Point* p = begin; p != begin + count; ++p) {
        if (p->value == code) return count == 1 ? 1.0 : p->weight / weight(points);
    }
    return 0.0;
}

void Uncertain::keep_only(std::int32_t code, const std::vector<Point>& points) noexcept {
    while (points[first].value != code) ++first;
    count = 1;
}

void Uncertain::leave_out(std::int32_t code, std::vector<Point>& points) {
    const std::size_t from = first;
    const std::size_t end = first + count;
    first = points.size();
    for (std::size_t i = from; i < end; ++i) {
        const Point p = points[i];
        if (p.value != code) points.push_back(p);
    }
    count = points.size() - first;
}

void Uncertain::draw(const std::vector<Point>& points, std::vector<Point>& out) const {
    out.clear();
    if (type == Type::numbers || type == Type::categories) {
        const Point* const begin = points.data() + first;
        const double all = weight(points);
        for (const Point* p = begin; p != begin + count; ++p) {
            out.push_back({p->value, p->weight / all});
        }
        return;
    }
    std::array<double, n_quantiles> x;
    if (type == Type::normal) {
        Slice(*this).quantiles(x);
    } else {
        for (std::size_t i = 0; i < n_quantiles; ++i) x[i] = low + centre(i) * (high - low);
    }
    const double least = std::max(low, -largest_value);
    const double most = std::min(high, largest_value);
    for (const double value : x) {
        out.push_back({std::clamp(value, least, most), 1.0 / static_cast<double>(n_quantiles)});
    }
}

// ---- an example ----

void Spread::begin(const Row& row, const Features& features, const RowShape& shape,
                   const Uncertain* first, const Uncertain* last,
                   const std::vector<Point>& of_batch) {
    features_ = &features;
    values.assign(first, last);
    points.clear();
    which_.assign(features.size(), -1);
    for (std::size_t v = 0; v < values.size(); ++v) {
        Uncertain& u = values[v];
        which_[u.feature] = static_cast<std::int32_t>(v);
        const std::size_t from = u.first;
        u.first = points.size();
        for (std::size_t i = 0; i < u.count; ++i) points.push_back(of_batch[from + i]);
    }
    x_.assign(row.x, row.x + shape.stride);
    codes_.assign(row.codes, row.codes + shape.categorical);
    drawn_.resize(std::max(drawn_.size(), values.size()));
    ends_.resize(drawn_.size());
    at_.assign(values.size(), 0);
    draw();
    for (std::size_t v = 0; v < values.size(); ++v) put(v, drawn_[v][0].value);
    row_ = {x_.data(), codes_.data(), false};
    for (std::size_t f = 0; f < shape.numeric; ++f) row_.gap |= x_[f] != x_[f];
    waiting_.clear();
    kept_.clear();
    visits.clear();
    left_.clear();
}

// Writes the number of values, and for each value its feature, its type and its parameters.
void Spread::write() {
    std::vector<double>& out = numbers;
    out.assign(1, static_cast<double>(values.size()));
    for (const Uncertain& u : values) {
        out.push_back(static_cast<double>(u.feature));
        out.push_back(static_cast<double>(u.type));
        if (u.type == Uncertain::Type::interval || u.type == Uncertain::Type::normal) {
            out.insert(out.end(), {u.low, u.high});
            if (u.type == Uncertain::Type::normal) out.insert(out.end(), {u.mean, u.deviation});
            continue;
        }
        out.push_back(static_cast<double>(u.count));
        for (std::size_t p = u.first; p < u.first + u.count; ++p) {
            out.insert(out.end(), {points[p].value, points[p].weight});
        }
    }
}

void Spread::begin(const Row& row, const Features& features, const RowShape& shape) {
    const double* next = numbers.data();
    const auto whole = [&] { return static_cast<std::size_t>(*next++); };
    read_.resize(whole());
    read_points_.clear();
    for (Uncertain& u : read_) {
        u = {};
        u.feature = whole();
        u.type = static_cast<Uncertain::Type>(whole());
        if (u.type == Uncertain::Type::interval || u.type == Uncertain::Type::normal) {
            u.low = *next++;
            u.high = *next++;
            if (u.type == Uncertain::Type::interval) continue;
            u.mean = *next++;
            u.deviation = *next++;
            continue;
        }
        u.first = read_points_.size();
        u.count = whole();
        for (std::size_t p = 0; p < u.count; ++p, next += 2) {
            read_points_.push_back({next[0], next[1]});
        }
    }
    begin(row, features, shape, read_.data(), read_.data() + read_.size(), read_points_);
}

void Spread::put(std::size_t value, double point) noexcept {
    const Feature& feature = (*features_)[values[value].feature];
    if (feature.kind == Kind::numeric) x_[feature.slot] = point;
    else codes_[feature.slot] = static_cast<std::int32_t>(point);
}

const std::vector<std::vector<Point>>& Spread::draw() {
    for (std::size_t v = 0; v < values.size(); ++v) {
        values[v].draw(points, drawn_[v]);
        ends_[v].clear();
        double sum = 0.0;
        for (const Point& p : drawn_[v]) ends_[v].push_back(sum += p.weight);
        ends_[v].back() = 1.0;
    }
    return drawn_;
}

Row Spread::certain_part() {
    other_x_ = x_;
    other_codes_ = codes_;
    bool gap = row_.gap;
    for (const Uncertain& u : values) {
        const Feature& feature = (*features_)[u.feature];
        if (feature.kind == Kind::numeric) {
            other_x_[feature.slot] = nan;
            gap = true;
        } else {
            other_codes_[feature.slot] = missing_code;
        }
    }
    return {other_x_.data(), other_codes_.data(), gap};
}

Row Spread::nothing() {
    other_x_.assign(x_.size(), nan);
    other_codes_.assign(codes_.size(), missing_code);
    return {other_x_.data(), other_codes_.data(), !x_.empty()};
}

Row Spread::alone(std::size_t value, double point) {
    const Row row = nothing();
    const Feature& feature = (*features_)[values[value].feature];
    if (feature.kind == Kind::numeric) other_x_[feature.slot] = point;
    else other_codes_[feature.slot] = static_cast<std::int32_t>(point);
    return row;
}

}  // namespace riparian
