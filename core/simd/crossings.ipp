// The kernels for cuts at intersections. crossings() in roots.cpp computes the same formula for one
// pair of classes, with the same bits.
#include "../cuts/roots.hpp"
#include "functions.hpp"

namespace riparian::RIPARIAN_ISA {
namespace {

constexpr double no_threshold = __builtin_nan("");

struct ClassMoments {
    Lanes weight, log_weight, mean, variance;
};

RIPARIAN_INLINE ClassMoments class_moments(const NumericView& view, std::size_t k, std::size_t f) {
    const GaussianClass& c = view.classes[k];
    const std::size_t n = view.n_features;
    const Lanes weight = c.known ? Lanes::load(c.known + f) : Lanes(c.weight);
    const Lanes squared = Lanes::load(c.planes + squares * n + f);
    Lanes variance = select(weight > 1.0, squared / (weight - 1.0), 0.0);
    if (view.convention == Variance::population) {
        variance = select(weight > 0.0, squared / weight, 0.0);
        variance =
            select(variance > least_population_variance, variance, least_population_variance);
    }
    return {weight, log(weight), Lanes::load(c.planes + mean * n + f), variance};
}

struct RootLanes {
    Lanes first, second;  // NaN if there is none
};

RIPARIAN_INLINE RootLanes roots_of(const ClassMoments& a, const ClassMoments& b, bool skip_equal) {
    const Lanes share = b.weight / (a.weight + b.weight);
    const Lanes apart = b.mean - a.mean;
    const Lanes centre = a.mean + share * apart;
    const Lanes rest_share = Lanes(1.0) - share;
    const Lanes spread =
        sqrt(rest_share * a.variance + share * b.variance + rest_share * share * apart * apart);
    const Lanes m1 = (a.mean - centre) / spread;
    const Lanes m2 = (b.mean - centre) / spread;
    const Lanes v1 = a.variance / spread / spread;
    const Lanes v2 = b.variance / spread / spread;
    const auto back = [&](Lanes x) __attribute__((always_inline)) { return centre + spread * x; };

    const Lanes log_ratio = a.log_weight - b.log_weight;
    const Lanes curve = Lanes(1.0) / v1 - Lanes(1.0) / v2;
    const Lanes slope = (m1 / v1 - m2 / v2) * -2.0;
    const Lanes rest = m1 * m1 / v1 - m2 * m2 / v2 - (log_ratio + (log(v2) - log(v1)) * 0.5) * 2.0;
    const Lanes discriminant = slope * slope - curve * 4.0 * rest;
    const Lanes root = sqrt(discriminant);
    const Lanes signed_root = Lanes::of_bits(root.bits() | (slope.bits() & 0x8000000000000000ULL));
    const Lanes q = (slope + signed_root) * -0.5;
    const Mask touches = discriminant == 0.0;
    Lanes first = select(touches, back(slope * -0.5 / curve), back(q / curve));
    Lanes second = select(touches, no_threshold, back(rest / q));
    const Mask straight = abs(curve) * v1 < 1e-12;
    const Lanes line = (m1 + m2) * 0.5 + v1 / (m2 - m1) * log_ratio;
    first = select(straight, skip_equal ? Lanes(no_threshold) : back(line), first);
    second = select(straight, no_threshold, second);
    const Mask valid = (a.weight > 0.0) & (b.weight > 0.0) & (v1 > 0.0) & (v2 > 0.0);
    return {select(valid, first, no_threshold), select(valid, second, no_threshold)};
}

std::size_t crossings(const NumericView& view, bool skip_equal, double* thresholds, double* scratch,
                      std::uint32_t* points) {
    std::size_t n_points = 0;
    auto* const classes = reinterpret_cast<ClassMoments*>(scratch);
    for (std::size_t f = 0; f < view.stride; f += width) {
        Mask point = {Mask::Vector{}};
        for (std::size_t k = 0; k < view.n_classes; ++k) {
            classes[k] = class_moments(view, k, f);
            point = point | ((classes[k].weight > 0.0) & (classes[k].variance == 0.0));
        }
        const Mask inside = steps() + static_cast<double>(f) < static_cast<double>(view.n_features);
        const Lanes low = Lanes::load(view.low + f);
        const Lanes high = Lanes::load(view.high + f);
        double* out = thresholds + f;
        const auto put = [&](Lanes x) __attribute__((always_inline)) {
            select((low < x) & (x < high) & inside, x, no_threshold).store(out);
            out += view.stride;
        };
        for (std::size_t i = 0; i < view.n_classes; ++i) {
            for (std::size_t j = i + 1; j < view.n_classes; ++j) {
                const RootLanes roots = roots_of(classes[i], classes[j], skip_equal);
                put(roots.first);
                put(roots.second);
            }
        }
        for (std::size_t j = 0; j < width && f + j < view.n_features; ++j) {
            if (point.v[j]) points[n_points++] = static_cast<std::uint32_t>(f + j);
        }
    }
    return n_points;
}

// Batcher's merge exchange [knuth1998, sec. 5.2.2, algorithm M], which makes the same comparisons
// for all features, whatever their values.
void sort_thresholds(double* thresholds, std::size_t n, std::size_t stride) {
    constexpr double last = __builtin_inf();
    std::size_t top = 1;
    while (2 * top < n) top *= 2;
    for (std::size_t f = 0; f < stride; f += width) {
        double* const column = thresholds + f;
        const auto at = [&](std::size_t i) __attribute__((always_inline)) {
            return Lanes::load(column + i * stride);
        };
        for (std::size_t i = 0; i < n; ++i) {
            const Lanes t = at(i);
            select(known(t), t, last).store(column + i * stride);
        }
        for (std::size_t p = top; n > 1 && p > 0; p /= 2) {
            std::size_t q = top, r = 0, d = p;
            for (;;) {
                for (std::size_t i = 0; i + d < n; ++i) {
                    if ((i & p) != r) continue;
                    const Lanes a = at(i);
                    const Lanes b = at(i + d);
                    min(a, b).store(column + i * stride);
                    max(a, b).store(column + (i + d) * stride);
                }
                if (q == p) break;
                d = q - p;
                q /= 2;
                r = p;
            }
        }
        Lanes before = last;
        for (std::size_t i = 0; i < n; ++i) {
            const Lanes t = at(i);
            select((t == before) | (t == last), no_threshold, t).store(column + i * stride);
            before = t;
        }
    }
}

}  // namespace
}  // namespace riparian::RIPARIAN_ISA
