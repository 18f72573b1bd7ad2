// One row in the eyes of the branches beside each numeric feature's threshold.
#pragma once

#include <cstddef>

namespace riparian {

// Units of weight that are judged one by one; the rest of a heavy example is judged at once.
inline constexpr int most_units = 64;

// The label of a branch is the class with the largest weight there, or with costs that
// of least cost; the lowest of equals. It is judged, then the branch learns the row.
struct JudgedRow {
    const double* x;           // [stride]
    const double* thresholds;  // [stride]; NaN: none
    std::size_t stride;
    double* sides;  // [2][class_stride][stride]: class weights at or below, and above
    std::size_t class_stride;
    std::size_t n_classes;  // of it
    std::size_t y;
    double w;
    const double* costs;       // [label][known class], 0 to 1; null: right or wrong
    std::size_t n_labels;      // of the costs
    std::size_t known_classes; // likewise
    double leaf;               // the score of the leaf's own label, times w
    double* sums;              // [stride]: of scores minus `leaf`
    double* scratch;           // 4 * n_classes doubles
};

}  // namespace riparian
