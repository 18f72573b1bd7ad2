// Checks of numbers that were read from a file. The error names the rule that is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace riparian {

// Upper limits for numbers in a file: the weight of all examples, and the number of rows. No real
// stream reaches them.
inline constexpr double heaviest = 0x1p120;
inline constexpr std::uint64_t most_seen = std::uint64_t{1} << 62;

inline void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

inline void demand(bool holds, const std::string& what) { demand(holds, what.c_str()); }

template <class T>
void demand_size(const std::vector<T>& array, std::size_t n, const char* name) {
    if (array.size() == n) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) +
                                " values instead of " + std::to_string(n));
}

}  // namespace riparian
