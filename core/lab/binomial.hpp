// How many of n examples fall into a part, drawn at once.
#pragma once

#include <cstdint>

#include "../random/philox.hpp"

namespace riparian {

// The number of successes in n trials of probability p in [0, 1]: by inversion where
// few are expected, else by transformed rejection (BTRS) [hormann1993]. Both are exact.
[[nodiscard]] std::int64_t binomial(Philox&, std::int64_t n, double p) noexcept;

}  // namespace riparian
