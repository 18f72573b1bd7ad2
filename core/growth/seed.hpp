// A batch tree from outside, whose inner nodes a streaming tree takes over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

// One entry a node; the first is the root. A leaf has no children (none, none).
struct Seed {
    std::size_t nodes;
    const std::int32_t* left;  // x <= threshold
    const std::int32_t* right;
    const std::int32_t* feature;  // in the tree's order, numeric
    const double* threshold;
    const std::uint8_t* missing_left;  // 1: a missing value goes to the left
    const double* weight;              // of the examples of the batch, > 0
    const double* gain;                // of the split
    const double* counts;              // [node][class] what the node predicts with
};

}  // namespace riparian
