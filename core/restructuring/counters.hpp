// What learning cost, counted as the review compares it.
#pragma once

#include <cstdint>

namespace riparian::restructuring {

struct Counters {
    std::uint64_t additions = 0;       // to the count of an attribute's value and class
    std::uint64_t scores = 0;          // of an attribute at a node
    std::uint64_t restructurings = 0;  // pull-ups, moved cuts, discarded subtrees
};

}  // namespace riparian::restructuring
