// How long the arrays of adaptations must be in a file.
#pragma once

#include <cstddef>

#include "../growth/snapshot_rules.hpp"

namespace riparian {

// Of a tree with this many nodes; 0: it has no such state.
void demand_sizes_of_subtrees(const Snapshot&, std::size_t nodes);
// Likewise; `archive`: how many replaced subtrees it may keep.
void demand_sizes_of_window(const Snapshot&, const Sizes&, std::size_t nodes, std::size_t archive);

}  // namespace riparian
