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

// A row of an array, and what is wrong with it. There is one for each number that is checked, so the
// text is made for an error only.
struct Where {
    [[nodiscard]] std::string text() const {
        return std::string(array) + ", row " + std::to_string(row) + ": ";
    }

    const char* array;
    std::size_t row;
};

struct WrongRow {
    Where where;
    const char* what;
};

inline Where at_row(const char* array, std::size_t row) noexcept { return {array, row}; }
inline WrongRow operator+(Where where, const char* what) noexcept { return {where, what}; }

inline void demand(bool holds, const WrongRow& wrong) {
    if (!holds) throw std::invalid_argument(wrong.where.text() + wrong.what);
}

template <class T>
void demand_size(const std::vector<T>& array, std::size_t n, const char* name) {
    if (array.size() == n) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) +
                                " values instead of " + std::to_string(n));
}

}  // namespace riparian
