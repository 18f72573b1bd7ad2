// A place in a tree that restructures.
#pragma once

#include <cstdint>

#include "../cuts/candidate.hpp"
#include "../memory/account.hpp"
#include "sorted_column.hpp"
#include "store.hpp"
#include "value_counts.hpp"
#include "way.hpp"

namespace riparian::restructuring {

// What a node knows of one attribute.
struct Attribute {
    bool open = false;  // it may be tested here
    ValueCounts counts;
    SortedColumn sorted;
};

struct Question {
    Test test = Test::leaf;
    std::int32_t feature = none;
    double threshold = 0.0;
    std::int32_t category = none;

    bool operator==(const Question&) const = default;
};

// A leaf holds the places of its examples, an inner node what it knows of the attributes.
struct Node {
    std::int32_t parent = none;
    Question question;
    bool stale = false;  // it, or something below it, may no longer be the best
    std::uint32_t n_examples = 0;
    Held<double> totals;         // class weights of its examples
    Held<Way> ways;              // ascending by branch
    Held<Attribute> attributes;  // [feature]
    Held<Place> examples;
    // Of a leaf that no test divides: for each numeric attribute the value that all examples
    // have, if known. One more that has it too leaves the leaf as it is.
    Held<double> common;

    [[nodiscard]] bool leaf() const noexcept { return question.test == Test::leaf; }
    [[nodiscard]] bool pure() const noexcept {
        int classes = 0;
        for (const double t : totals) classes += t > 0.0;
        return classes <= 1;
    }
};

}  // namespace riparian::restructuring
