// Logarithms of single numbers with the kernels' bits, the same on every machine.
#pragma once

namespace riparian {

[[nodiscard]] double ln(double x) noexcept;    // normal x > 0
[[nodiscard]] double log2(double x) noexcept;  // exact at powers of two

}  // namespace riparian
