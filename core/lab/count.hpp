#pragma once

#include <cmath>
#include <cstddef>

namespace riparian {

// A whole number of examples. Impurities use it like a double, but n log2 n comes from a table,
// because that logarithm is most of the cost of a check.
struct Count {
    double value = 0.0;

    Count() = default;
    Count(double v) noexcept : value(v) {}

    Count& operator+=(Count b) noexcept {
        value += b.value;
        return *this;
    }
    friend Count operator+(Count a, Count b) noexcept { return a.value + b.value; }
    friend Count operator-(Count a, Count b) noexcept { return a.value - b.value; }
    friend Count operator*(Count a, Count b) noexcept { return a.value * b.value; }
    friend Count operator/(Count a, Count b) noexcept { return a.value / b.value; }
    friend bool operator<(Count a, Count b) noexcept { return a.value < b.value; }
    friend bool operator>(Count a, Count b) noexcept { return a.value > b.value; }
    friend Count sqrt(Count a) noexcept { return std::sqrt(a.value); }
    friend Count select(bool which, Count a, Count b) noexcept { return which ? a : b; }
};

inline constexpr std::size_t tabled_counts = std::size_t{1} << 14;

// n log2 n for whole n below `tabled_counts`, computed on first use.
[[nodiscard]] const double* xlog2x_table();

// n log2 n for n of any size.
[[nodiscard]] double xlog2x_beyond(double n) noexcept;

[[nodiscard]] inline Count xlog2x(Count n) noexcept {
    static const double* const table = xlog2x_table();
    return n.value < static_cast<double>(tabled_counts) ? table[static_cast<std::size_t>(n.value)]
                                                        : xlog2x_beyond(n.value);
}

}  // namespace riparian
