// A tree as arrays, to be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/batch.hpp"

namespace riparian::restructuring {

// Parents come before children, level by level.
struct Description {
    std::size_t classes = 0;
    std::vector<std::uint8_t> test;
    std::vector<std::int32_t> feature, category, parent, branch, missing, depth;
    std::vector<double> threshold;
    std::vector<double> totals;      // [node][class]
    std::vector<std::int32_t> ends;  // [row]: where its path ends, if rows were given
};

// The node at which the path of each row ends. At a missing value the path follows the branch in
// which missing values are learned.
[[nodiscard]] std::vector<std::int32_t> ends_in(const Description&, const Batch&);

}  // namespace riparian::restructuring
