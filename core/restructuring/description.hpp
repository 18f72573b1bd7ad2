// A tree as arrays, for whoever shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/batch.hpp"

namespace riparian::restructuring {

// Parents before children, level by level.
struct Description {
    std::size_t classes = 0;
    std::vector<std::uint8_t> test;
    std::vector<std::int32_t> feature, category, parent, branch, missing, depth;
    std::vector<double> threshold;
    std::vector<double> totals;  // [node][class]
    std::vector<std::int32_t> path;  // of a row, if asked
};

// From the root to where the first row is answered; at a missing value the branch that it was
// learned in.
[[nodiscard]] std::vector<std::int32_t> path_in(const Description&, const Batch&);

}  // namespace riparian::restructuring
