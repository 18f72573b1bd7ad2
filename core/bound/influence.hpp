// How much one example changes a gain: the influence functions of the delta method.
#pragma once

#include <cstddef>
#include <vector>

#include "../impurity/measure.hpp"

namespace riparian {

// What an example of each branch and class adds to a gain, to first order:
//
//     information gain  log2(p(x,y) / (p(x) p(y)))
//     Gini gain         2 p(y|x) - sum p(y'|x)^2 - 2 p(y)
//     accuracy gain     [y = majority of x] - [y = majority]
//
// The result is [branch][class]. It is 0 in empty branches and classes and, for information gain,
// also in empty cells, whose logarithm does not exist. Weights below half an example count as zero,
// because the tails of a normal distribution are not observations.
[[nodiscard]] std::vector<double> influence(Measure, const double* table, std::size_t branches,
                                            std::size_t classes);

// The variance of the influence, per example. `total` includes examples whose value is missing,
// which add nothing. NaN if a cell holds fewer than 5 examples, which is too few for a normal test.
[[nodiscard]] double influence_variance(Measure, const double* table, std::size_t branches,
                                        std::size_t classes, double total);

// Whether the influence function of this measure is implemented.
[[nodiscard]] constexpr bool has_influence(Measure m) noexcept {
    return m == Measure::entropy || m == Measure::gini || m == Measure::misclassification;
}

}  // namespace riparian
