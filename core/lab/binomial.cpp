#include "binomial.hpp"

#include <array>
#include <cmath>

#include "../simd/kernels.hpp"
#include "../simd/scalar.hpp"

namespace riparian {
namespace {

constexpr double few = 10.0;  // BTRS is not valid below this

// For p <= 1/2 and n p < 10.
double by_inversion(Philox& random, double n, double p) noexcept {
    const double q = 1.0 - p;
    const double odds = p / q;
    double none = n * ln(q);
    kernels().exponential(&none, 1, &none);  // P(0) = q^n, at least 2^-20
    for (;;) {
        double u = random.uniform();
        double mass = none;
        // So far out, the remaining probability is below the resolution of u. Then draw again.
        for (double k = 0.0; k <= n && k <= 200.0; ++k) {
            if (u < mass) return k;
            u -= mass;
            mass *= odds * (n - k) / (k + 1.0);
        }
    }
}

// ln k! minus Stirling's formula.
double stirling_tail(double k) noexcept {
    static constexpr std::array<double, 10> first{
        0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
        0.01664469118982119, 0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
        0.00925546218271273, 0.00833056343336287};
    if (k < 10.0) return first[static_cast<std::size_t>(k)];
    const double square = (k + 1.0) * (k + 1.0);
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0);
}

// For p <= 1/2 and n p >= 10. The names are those of the paper.
double by_rejection(Philox& random, double n, double p) noexcept {
    const double q = 1.0 - p;
    const double spread = std::sqrt(n * p * q);
    const double b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double c = n * p + 0.5;
    const double v_r = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * spread;
    const double r = p / q;
    const double m = std::floor((n + 1.0) * p);
    for (;;) {
        const double u = random.uniform() - 0.5;
        double v = 1.0 - random.uniform();
        const double us = 0.5 - std::fabs(u);
        const double k = std::floor((2.0 * a / us + b) * u + c);
        if (us >= 0.07 && v <= v_r) return k;
        if (!(k >= 0.0 && k <= n)) continue;
        v = v * alpha / (a / (us * us) + b);
        const double log_ratio = (m + 0.5) * ln((m + 1.0) / (r * (n - m + 1.0))) +
                                 (n + 1.0) * ln((n - m + 1.0) / (n - k + 1.0)) +
                                 (k + 0.5) * ln(r * (n - k + 1.0) / (k + 1.0)) + stirling_tail(m) +
                                 stirling_tail(n - m) - stirling_tail(k) - stirling_tail(n - k);
        if (ln(v) <= log_ratio) return k;
    }
}

}  // namespace

std::int64_t binomial(Philox& random, std::int64_t n, double p) noexcept {
    if (n <= 0 || !(p > 0.0)) return 0;
    if (p >= 1.0) return n;
    const double trials = static_cast<double>(n);
    const double least = p <= 0.5 ? p : 1.0 - p;
    const double k = trials * least < few ? by_inversion(random, trials, least)
                                          : by_rejection(random, trials, least);
    const auto drawn = static_cast<std::int64_t>(k);
    return p <= 0.5 ? drawn : n - drawn;
}

}  // namespace riparian
