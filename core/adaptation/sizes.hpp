// How long the arrays of adaptations must be in a file.
#pragma once

#include <cstddef>

#include "../growth/snapshot_rules.hpp"

namespace riparian {

// For a tree with this many nodes; 0 if its adaptation keeps no such state.
void demand_sizes_of_subtrees(const Snapshot&, std::size_t nodes);
// The same for a window; `archive`: how many replaced subtrees may be kept.
void demand_sizes_of_window(const Snapshot&, const Sizes&, std::size_t nodes, std::size_t archive);

}  // namespace riparian
