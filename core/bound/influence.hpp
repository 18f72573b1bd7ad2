// How much one example moves a gain: the delta method.
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
// [branch][class]; 0 in empty branches and classes, and for information also in empty
// cells, whose logarithm does not exist. Weights below half an example are taken for
// none: the tails of a normal distribution are no observations.
[[nodiscard]] std::vector<double> influence(Measure, const double* table, std::size_t branches,
                                            std::size_t classes);

// Its variance an example; `total` counts those whose value is missing too, which add
// nothing. NaN where a cell holds fewer than 5 examples: too few for a normal test.
[[nodiscard]] double influence_variance(Measure, const double* table, std::size_t branches,
                                        std::size_t classes, double total);

// Whether the measure has an influence function here.
[[nodiscard]] constexpr bool has_influence(Measure m) noexcept {
    return m == Measure::entropy || m == Measure::gini || m == Measure::misclassification;
}

}  // namespace riparian
