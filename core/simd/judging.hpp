// One row, to be scored by the branches on both sides of each numeric feature's threshold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

struct JudgedRow {
    const double* x;           // [stride]
    const double* thresholds;  // [stride]; NaN if there is none
    std::size_t stride;
    const double* labels;  // [2][stride]: labels of the branches at or below, and above
    double* sure;   // [2][stride]: cost that a branch can collect before its label may change
    double* below;  // [stride]: weight of the row's class at or below
    double* above;  // [stride]: weight of the row's class above
    const double* scores;  // [label]: score of a label for this row, which is 1 minus its cost
    double w;
    int units;            // units of weight that are scored one by one, and then the rest at once
    double leaf;          // score of the leaf's own label, times w
    double* sums;         // [stride]: sums of scores minus `leaf`
    std::uint32_t* open;  // [stride]: features whose label may change
};

}  // namespace riparian
