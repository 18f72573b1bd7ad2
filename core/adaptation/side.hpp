// What an adaptation keeps for each node.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "../drift/adwin.hpp"
#include "../memory/account.hpp"
#include "../growth/nodes.hpp"

namespace riparian {

// Detects change in the errors of a subtree.
struct Monitor : HeldObject {
    explicit Monitor(const Adwin::Parameters& p) : errors(p) {}
    Adwin errors;  // 1: the prediction before the row was learned was wrong
};

// The test of a subtree against its alternates, and of an alternate against its node. All numbers are
// weights of examples.
struct Trial : HeldObject {
    double waited = 0.0;  // since the last test
    double tested = 0.0;
    double errors = 0.0;
    // As an alternate of another node.
    double own_tested = 0.0;
    double own_errors = 0.0;
    double least =
        std::numeric_limits<double>::infinity();  // of its share of errors minus that of the node
    std::uint64_t from = 0;                       // its number in the archive; 0: it is new
};

// The state of a node in a tree that replaces subtrees.
struct Side {
    std::uint64_t born = 0;      // how many nodes were made before it; stays when its id changes
    std::int32_t first = none;   // alternate or option of the node
    std::int32_t next = none;    // of an alternate or option: the next one of the same node
    std::int32_t record = none;  // an inner node that keeps statistics: among the records
    std::int32_t paths = 1;      // leaves that one row may reach from here, through all options
    std::uint64_t since = 0;     // number of the first example that it may have learned
    std::uint64_t there =
        0;  // the same for its place, which is older if the node took the place of another
    std::unique_ptr<Monitor> monitor;
    std::unique_ptr<Trial> trial;  // while it has alternates, or is one
};

}  // namespace riparian
