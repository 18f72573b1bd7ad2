// What a file says must hold, or the error names what does not.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace riparian {

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
