// Gains in their simplest form, from the class weights on both sides of a cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace gains {

inline double entropy_mass(const double* c, std::size_t n) {
    double total = 0.0, sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        total += c[k];
        if (c[k] > 0.0) sum += c[k] * std::log2(c[k]);
    }
    return total > 0.0 ? total * std::log2(total) - sum : 0.0;
}

inline double gini_mass(const double* c, std::size_t n) {
    const double total = std::accumulate(c, c + n, 0.0);
    return total > 0.0 ? total - std::inner_product(c, c + n, c, 0.0) / total : 0.0;
}

inline double error_mass(const double* c, std::size_t n) {
    return std::accumulate(c, c + n, 0.0) - *std::max_element(c, c + n);
}

// The mean decrease of an impurity that is given by its mass, which is weight times impurity.
struct Gain {
    double (*mass)(const double*, std::size_t);
    std::size_t n_classes;

    double operator()(const double* left, const double* right) const {
        std::vector<double> both(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) both[k] = left[k] + right[k];
        const double n = std::accumulate(both.begin(), both.end(), 0.0);
        if (n == 0.0) return 0.0;
        return (mass(both.data(), n_classes) - mass(left, n_classes) - mass(right, n_classes)) / n;
    }
};

}  // namespace gains
