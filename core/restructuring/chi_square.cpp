#include "chi_square.hpp"

#include <cmath>
#include <vector>

#include "../bound/mills.hpp"
#include "../simd/scalar.hpp"

namespace riparian::restructuring {

ChiSquare chi_square(const ValueCounts& counts) {
    std::vector<double> classes;
    double n = 0.0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto weights = counts.weights(i);
        if (weights.size() > classes.size()) classes.resize(weights.size(), 0.0);
        for (std::size_t c = 0; c < weights.size(); ++c) {
            classes[c] += weights[c];
            n += weights[c];
        }
    }
    ChiSquare found;
    std::size_t seen = 0;
    for (const double t : classes) seen += t > 0.0;
    if (seen < 2 || counts.size() < 2) return found;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto weights = counts.weights(i);
        double n_value = 0.0;
        for (const double t : weights) n_value += t;
        for (std::size_t c = 0; c < classes.size(); ++c) {
            if (classes[c] == 0.0) continue;
            const double expected = n_value * classes[c] / n;
            const double gap = (c < weights.size() ? weights[c] : 0.0) - expected;
            found.statistic += gap * gap / expected;
        }
    }
    found.freedom = (counts.size() - 1) * (seen - 1);
    return found;
}

// Let h = x / 2. If freedom is even, P = e^-h (1 + h + h^2/2! + ...) with freedom / 2 terms.
// Otherwise P = e^-h (2 m(sqrt x) / sqrt(2 pi) + sum of h^(i - 1/2) / Gamma(i + 1/2)), where m is
// Mills' ratio.
double log_tail(const ChiSquare& x) noexcept {
    if (x.statistic <= 0.0) return 0.0;
    const double h = 0.5 * x.statistic;
    const bool odd = x.freedom % 2 == 1;
    constexpr double inverse_root_two_pi = 0.3989422804014327, two_by_root_pi = 1.1283791670955126;
    double sum = odd ? 2.0 * mills_ratio(std::sqrt(x.statistic)) * inverse_root_two_pi : 1.0;
    double term = odd ? two_by_root_pi * std::sqrt(h) : h;
    double scale = 0.0;  // logarithm of the factor that was divided out
    for (std::size_t i = 1; i <= (x.freedom - 1) / 2; ++i) {
        sum += term;
        term *= h / (static_cast<double>(i) + (odd ? 0.5 : 1.0));
        if (sum > 0x1p500 || term > 0x1p500) {
            sum *= 0x1p-500;
            term *= 0x1p-500;
            scale += 500.0 * 0.6931471805599453;
        }
    }
    return ln(sum) + scale - h;
}

bool dependent(const ValueCounts& counts, double alpha) {
    const ChiSquare x = chi_square(counts);
    return x.freedom > 0 && log_tail(x) < ln(alpha);
}

}  // namespace riparian::restructuring
