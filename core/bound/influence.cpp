#include "influence.hpp"

#include <algorithm>
#include <limits>

#include "../simd/scalar.hpp"

namespace riparian {
namespace {

constexpr double no_example = 0.5;
constexpr double too_few = 5.0;

}  // namespace

std::vector<double> influence(Measure measure, const double* table, std::size_t branches,
                              std::size_t classes) {
    std::vector<double> cells(table, table + branches * classes);
    std::vector<double> of_branch(branches, 0.0), of_class(classes, 0.0);
    double n = 0.0;
    for (std::size_t b = 0; b < branches; ++b) {
        for (std::size_t k = 0; k < classes; ++k) {
            double& cell = cells[b * classes + k];
            if (cell < no_example) cell = 0.0;
            of_branch[b] += cell;
            of_class[k] += cell;
            n += cell;
        }
    }
    const auto largest = [](const double* first, std::size_t count) {
        return static_cast<std::size_t>(std::max_element(first, first + count) - first);
    };
    const std::size_t majority = largest(of_class.data(), classes);
    std::vector<double> phi(cells.size(), 0.0);
    for (std::size_t b = 0; b < branches; ++b) {
        const double* const row = cells.data() + b * classes;
        const std::size_t of_row = largest(row, classes);
        double squares = 0.0;
        for (std::size_t k = 0; k < classes && of_branch[b] > 0.0; ++k) {
            squares += row[k] / of_branch[b] * (row[k] / of_branch[b]);
        }
        for (std::size_t k = 0; k < classes; ++k) {
            if (of_branch[b] == 0.0 || of_class[k] == 0.0) continue;
            if (measure == Measure::entropy && row[k] == 0.0) continue;
            double& out = phi[b * classes + k];
            if (measure == Measure::entropy) {
                out = log2(row[k]) + log2(n) - log2(of_branch[b]) - log2(of_class[k]);
            } else if (measure == Measure::gini) {
                out = 2.0 * row[k] / of_branch[b] - squares - 2.0 * of_class[k] / n;
            } else {
                out = static_cast<double>(k == of_row) - static_cast<double>(k == majority);
            }
        }
    }
    return phi;
}

double influence_variance(Measure measure, const double* table, std::size_t branches,
                          std::size_t classes, double total) {
    if (!has_influence(measure)) return std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> phi = influence(measure, table, branches, classes);
    double first = 0.0;
    double second = 0.0;
    for (std::size_t i = 0; i < phi.size(); ++i) {
        if (table[i] < no_example) continue;
        if (table[i] < too_few) return std::numeric_limits<double>::quiet_NaN();
        first += table[i] / total * phi[i];
        second += table[i] / total * phi[i] * phi[i];
    }
    return std::max(second - first * first, 0.0);
}

}  // namespace riparian
