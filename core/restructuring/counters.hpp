// What learning cost, counted as in [utgoff1989].
#pragma once

#include <cstdint>

namespace riparian::restructuring {

struct Counters {
    std::uint64_t additions = 0;       // to the count of a value and class of a feature
    std::uint64_t scores = 0;          // of a feature at a node
    std::uint64_t restructurings = 0;  // pull-ups, moved cuts, discarded subtrees
};

}  // namespace riparian::restructuring
