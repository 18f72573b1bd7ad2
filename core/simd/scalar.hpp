// Logarithms of single numbers with the same bits as the kernels, on every machine.
#pragma once

namespace riparian {

[[nodiscard]] double ln(double x) noexcept;    // normal x > 0
[[nodiscard]] double log2(double x) noexcept;  // exact at powers of two

}  // namespace riparian
