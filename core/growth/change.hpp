// The log of changes of a tree that follows change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "../cuts/candidate.hpp"

namespace riparian {

enum class ChangeKind : std::uint8_t {
    started,   // another subtree began to grow next to a node
    dropped,   // it was given up
    replaced,  // it took the node's place
    pruned,    // an inner node became a leaf again
    resplit,   // it got another test, with fresh children
    moved,     // it got another cut, and kept its children
    recalled,  // a subtree that had been replaced there before took the node's place
};
inline constexpr std::size_t n_change_kinds = 7;

// A test, without its gain; of a leaf none.
struct Cut {
    double threshold = 0.0;
    std::int32_t feature = none;
    std::int32_t category = none;
    Test test = Test::leaf;
};

// The error of a node (lower is better) or its gain (higher is better), and the weight of the examples
// that it was measured on. NaN if it was not measured.
struct Standing {
    double value = std::numeric_limits<double>::quiet_NaN();
    double weight = std::numeric_limits<double>::quiet_NaN();
};

// A change of the predictions. Subtrees that began or were dropped are only counted.
struct Change {
    std::uint64_t seen = 0;  // examples learned by the tree, this one included
    ChangeKind kind = ChangeKind::replaced;
    std::int32_t depth = 0;
    std::int32_t branch = 0;  // of the test above
    Cut above;                // leads to the node; none at the root
    Cut before, after;        // its own test
    std::uint32_t leaves_before = 1, leaves_after = 1;
    Standing ours, theirs;  // errors of what went and what came; gains where no errors count
    double bound = 0.0;     // that the difference had to pass
};

// The last of them are kept.
inline constexpr std::size_t most_changes = 500;

}  // namespace riparian
