// What a tree keeps for its nodes besides their structure.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "../drift/adwin.hpp"
#include "../memory/account.hpp"
#include "nodes.hpp"

namespace riparian {

// What detects change in the errors of a subtree.
struct Monitor : HeldObject {
    explicit Monitor(const Adwin::Parameters& p) : errors(p) {}
    Adwin errors;  // 1: the row was answered wrongly, before it was learned
};

// How a subtree fares against those that grow beside it, and one of those against it: in
// weights of examples.
struct Trial : HeldObject {
    double waited = 0.0;  // since the last test
    double tested = 0.0;
    double errors = 0.0;
    // As one beside another node.
    double own_tested = 0.0;
    double own_errors = 0.0;
    double least = std::numeric_limits<double>::infinity();  // share of errors more than it
    std::uint64_t from = 0;  // its number in the archive; 0: it is a fresh one
};

// What a node of a tree that follows change has besides.
struct Side {
    std::uint64_t born = 0;      // how many nodes were made before it; kept where it moves
    std::int32_t first = none;   // of the subtrees beside it
    std::int32_t next = none;    // of a subtree beside another node: the next one there
    std::int32_t record = none;  // an inner node that keeps statistics: among the records
    std::int32_t paths = 1;      // leaves that one row may reach from here, through all options
    std::uint64_t since = 0;     // number of the first example that it may have learned
    std::uint64_t there = 0;     // and that came this way: its place is older where it took one
    std::unique_ptr<Monitor> monitor;
    std::unique_ptr<Trial> trial;  // while there are subtrees beside it, or it is one
};

}  // namespace riparian
