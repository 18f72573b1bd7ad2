// Whether a feature depends on the class: the chi-square test of its table of counts.
//
//     chi2 = sum_jk (T_jk - E_jk)^2 / E_jk,   E_jk = T_j. T_.k / N
//
// The sum is over the values and classes that were seen; there are (values - 1)(classes - 1)
// degrees of freedom.
#pragma once

#include <cstddef>

#include "value_counts.hpp"

namespace riparian::restructuring {

struct ChiSquare {
    double statistic = 0.0;
    std::size_t freedom = 0;
};

[[nodiscard]] ChiSquare chi_square(const ValueCounts&);

// ln P(X > statistic) for this many degrees of freedom, at least 1.
[[nodiscard]] double log_tail(const ChiSquare&) noexcept;

// Whether the statistic is above the quantile 1 - alpha.
[[nodiscard]] bool dependent(const ValueCounts&, double alpha);

}  // namespace riparian::restructuring
