#include "quantile.hpp"

#include <cmath>

#include "../simd/kernels.hpp"
#include "../simd/scalar.hpp"
#include "mills.hpp"

namespace riparian {
namespace {

constexpr double half_log_two_pi = 0.9189385332046727;

}  // namespace

double mills_ratio(double x) noexcept {
    if (x > 2.5) {
        // The continued fraction 1/(x + 1/(x + 2/(x + ...))), evaluated from the inside out.
        double tail = x;
        for (int i = 120; i >= 1; --i) tail = x + i / tail;
        return 1.0 / tail;
    }
    // P(0 < Z < x) = density(x) (x + x^3/3 + x^5/15 + ...)
    double term = x;
    double sum = x;
    for (int i = 3; i < 120; i += 2) {
        term *= x * x / i;
        sum += term;
    }
    double power = 0.5 * x * x + half_log_two_pi;  // -ln density
    double inverse_density = 1.0;
    kernels().exponential(&power, 1, &inverse_density);
    return 0.5 * inverse_density - sum;
}

double upper_quantile(double p) noexcept {
    if (p == 0.5) return 0.0;
    if (p > 0.5) return -upper_quantile(1.0 - p);
    // Most trees ask for the same quantile at every check.
    thread_local double last = 0.5;
    thread_local double quantile = 0.0;
    if (p == last) return quantile;
    // Newton on ln P(Z > x) = ln p, which is concave and nearly a parabola.
    const double target = ln(p);
    double x = std::sqrt(-2.0 * ln(2.0 * p));  // not below the solution
    for (int i = 0; i < 50; ++i) {
        const double ratio = mills_ratio(x);
        const double value = ln(ratio) - 0.5 * x * x - half_log_two_pi;
        const double step = (value - target) * ratio;
        x += step;
        if (x < 0.0) x = 0.0;
        if (std::fabs(step) <= 1e-15 * x) break;
    }
    last = p;
    return quantile = x;
}

}  // namespace riparian
