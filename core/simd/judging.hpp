// One row in the eyes of the branches beside each numeric feature's threshold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

struct JudgedRow {
    const double* x;           // [stride]
    const double* thresholds;  // [stride]; NaN: none
    std::size_t stride;
    const double* labels;  // [2][stride]: of the branches at or below, and above
    double* sure;          // [2][stride]: cost that a branch can bear before its label may change
    double* below;         // [stride]: weight of the row's class in the branches
    double* above;         // likewise
    const double* scores;  // [label]: of a label for this row; 1 minus its cost
    double w;
    int units;             // of weight that are judged one by one, the rest of it at once
    double leaf;           // what the leaf's own label scores, times w
    double* sums;          // [stride]: of scores minus `leaf`
    std::uint32_t* open;   // [stride]: features whose label may change
};

}  // namespace riparian
