// The scan of sorted attribute lists [joshi1998].
#pragma once

#include <cstddef>
#include <cstdint>

#include "best_cut.hpp"

namespace riparian {

// A section of the sorted list of one numeric feature: the entries of each node one after the
// other, each part sorted by value. The list goes on in the sections of other workers.
struct ListSection {
    const double* values;
    const std::uint16_t* labels;
    const std::int64_t* starts;  // [node + 1]
    std::size_t nodes;
    const double* before;  // [node][class]: counts in the sections before this one
    const double* last;    // [node]: the last value before this section; NaN: none
    const double* known;   // [node][class]: counts in all sections
    const double* weight;  // [node]: with missing values
    std::size_t classes;
};

// For each node the threshold of the best cut of this section, and its gain; 0 if there is none. A
// cut is a boundary between two distinct values, and the lower one is its threshold.
void scan_lists(const ListSection&, const AnyImpurity&, double least, double* thresholds,
                double* gains);

}  // namespace riparian
