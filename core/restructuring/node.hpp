// A node of a restructuring tree.
#pragma once

#include <cstdint>

#include "../cuts/candidate.hpp"
#include "../memory/account.hpp"
#include "sorted_column.hpp"
#include "store.hpp"
#include "value_counts.hpp"
#include "child.hpp"

namespace riparian::restructuring {

// What a node knows about one feature.
struct FeatureState {
    bool open = false;  // whether it may be tested here
    ValueCounts counts;
    SortedColumn sorted;
};

struct Split {
    Test test = Test::leaf;
    std::int32_t feature = none;
    double threshold = 0.0;
    std::int32_t category = none;

    bool operator==(const Split&) const = default;
};

// A leaf stores the places of its examples, an inner node what it knows about the features.
struct Node {
    std::int32_t parent = none;
    Split split;
    bool stale = false;  // whether its test, or one below it, may no longer be the best
    std::uint32_t n_examples = 0;
    Held<double> totals;          // class weights of its examples
    Held<Child> children;         // ascending by branch
    Held<FeatureState> features;  // [feature]
    Held<Place> examples;
    // For a leaf that no test divides: for each numeric feature the value that all examples have,
    // if known. One more example with the same value does not change the leaf.
    Held<double> common;

    [[nodiscard]] bool leaf() const noexcept { return split.test == Test::leaf; }
    [[nodiscard]] bool pure() const noexcept {
        int classes = 0;
        for (const double t : totals) classes += t > 0.0;
        return classes <= 1;
    }
};

}  // namespace riparian::restructuring
