// The normal quantile, with the same bits on every machine.
#pragma once

namespace riparian {

// z with P(Z > z) = p, for p in (0, 1).
[[nodiscard]] double upper_quantile(double p) noexcept;

}  // namespace riparian
