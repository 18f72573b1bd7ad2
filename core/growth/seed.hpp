// A batch tree from outside, whose inner nodes a streaming tree takes over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

// One entry per node; the first is the root. A leaf has no children (none, none).
struct Seed {
    std::size_t nodes;
    const std::int32_t* left;  // x <= threshold, or x is the category
    const std::int32_t* right;
    const std::int32_t* feature;       // in the tree's order
    const double* threshold;           // of a numeric feature
    const std::int32_t* category;      // of a categorical feature; none for a numeric one
    const std::uint8_t* missing_left;  // 1: a missing value goes to the left
    const double* weight;              // of the examples of the batch, > 0
    const double* gain;                // of the split
    const double* counts;              // [node][class] what the node predicts with
    const std::int32_t* categories;  // [feature]: how many categories are known; 0 if it is numeric
};

}  // namespace riparian
