// How many of n examples fall into a part, in one draw.
#pragma once

#include <cstdint>

#include "../random/philox.hpp"

namespace riparian {

// The number of successes in n trials with probability p in [0, 1]. It is drawn by inversion if few
// are expected, and otherwise by transformed rejection (BTRS) [hormann1993]. Both are exact.
[[nodiscard]] std::int64_t binomial(Philox&, std::int64_t n, double p) noexcept;

}  // namespace riparian
