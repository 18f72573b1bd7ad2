// n log2 n. All scores of this folder are sums of such terms.
#pragma once

#include <cstddef>

namespace riparian::restructuring {

inline constexpr std::size_t tabled_counts = std::size_t{1} << 16;
// A table for whole counts, which is six times faster than a logarithm.
extern const double* const n_log_n_table;
[[nodiscard]] double n_log_n_of(double n) noexcept;

// 0 at 0. The bits are the same whether the result is looked up or computed.
[[nodiscard]] inline double n_log_n(double n) noexcept {
    const auto whole = static_cast<std::size_t>(n);
    if (whole < tabled_counts && static_cast<double>(whole) == n) return n_log_n_table[whole];
    return n_log_n_of(n);
}

// The increase of n log2 n when n grows by w.
[[nodiscard]] inline double rise(double n, double w) noexcept {
    return n_log_n(n + w) - n_log_n(n);
}

}  // namespace riparian::restructuring
