// Mills' ratio of the normal distribution, with the same bits on every machine.
#pragma once

namespace riparian {

// P(Z > x) / density(x), for x >= 0.
[[nodiscard]] double mills_ratio(double x) noexcept;

}  // namespace riparian
