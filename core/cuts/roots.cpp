#include "roots.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/aligned.hpp"
#include "../simd/scalar.hpp"

namespace riparian {
namespace {

Roots one(double x) { return {{x, 0.0}, 1}; }

Roots two(double a, double b) { return a <= b ? Roots{{a, b}, 2} : Roots{{b, a}, 2}; }

}  // namespace

Roots crossings(const Moments& a, const Moments& b, EqualVariance equal) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double no_difference = 1e-12;
    if (!(a.weight > 0.0 && b.weight > 0.0)) return {};
    if (a.variance == 0.0 && b.variance == 0.0) {
        return a.mean == b.mean ? Roots{} : one(0.5 * a.mean + 0.5 * b.mean);
    }
    if (a.variance == 0.0 || b.variance == 0.0) {
        const double point = a.variance == 0.0 ? a.mean : b.mean;
        return {{std::nextafter(point, -infinity), point}, 2};
    }
    // Solves in units of the pooled deviation around the pooled mean.
    const double n = a.weight + b.weight;
    const double share = b.weight / n;
    const double apart = b.mean - a.mean;
    const double centre = a.mean + share * apart;
    const double spread = std::sqrt((1.0 - share) * a.variance + share * b.variance +
                                    (1.0 - share) * share * apart * apart);
    const double m1 = (a.mean - centre) / spread;
    const double m2 = (b.mean - centre) / spread;
    const double v1 = a.variance / spread / spread;
    const double v2 = b.variance / spread / spread;
    if (!(v1 > 0.0 && v2 > 0.0)) return {};
    const auto back = [&](double x) { return centre + spread * x; };

    const double log_ratio = ln(a.weight) - ln(b.weight);
    const double curve = 1.0 / v1 - 1.0 / v2;
    if (std::fabs(curve) * v1 < no_difference) {
        if (m1 == m2 || equal == EqualVariance::skip) return {};
        const double x = 0.5 * (m1 + m2) + v1 / (m2 - m1) * log_ratio;
        return std::isfinite(back(x)) ? one(back(x)) : Roots{};
    }
    const double slope = -2.0 * (m1 / v1 - m2 / v2);
    const double rest = m1 * m1 / v1 - m2 * m2 / v2 - 2.0 * (log_ratio + 0.5 * (ln(v2) - ln(v1)));
    const double discriminant = slope * slope - 4.0 * curve * rest;
    if (!(discriminant >= 0.0)) return {};
    if (discriminant == 0.0) return one(back(-0.5 * slope / curve));
    const double q = -0.5 * (slope + std::copysign(std::sqrt(discriminant), slope));
    const double x1 = back(q / curve);
    const double x2 = back(rest / q);
    if (!std::isfinite(x1)) return std::isfinite(x2) ? one(x2) : Roots{};
    return std::isfinite(x2) ? two(x1, x2) : one(x1);
}

void all_crossings(const NumericView& view, std::size_t f, EqualVariance equal,
                   std::vector<double>& out) {
    out.clear();
    for (std::size_t i = 0; i < view.n_classes; ++i) {
        const Moments a = view.moments(i, f);
        for (std::size_t j = i + 1; j < view.n_classes; ++j) {
            const Roots roots = crossings(a, view.moments(j, f), equal);
            for (int r = 0; r < roots.count; ++r) {
                const double x = roots.x[static_cast<std::size_t>(r)];
                if (view.low[f] < x && x < view.high[f]) out.push_back(x);
            }
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

void all_crossings(const NumericView& view, EqualVariance equal, double* out) {
    AlignedDoubles scratch(16 * view.n_classes);
    std::vector<std::uint32_t> points(view.n_features);
    points.resize(kernels().crossings(view, equal == EqualVariance::skip, out, scratch.data(),
                                      points.data()));
    std::vector<double> found;
    for (const std::uint32_t f : points) {
        all_crossings(view, f, equal, found);
        found.resize(most_crossings(view.n_classes), std::numeric_limits<double>::quiet_NaN());
        for (std::size_t i = 0; i < found.size(); ++i) out[i * view.stride + f] = found[i];
    }
}

}  // namespace riparian
