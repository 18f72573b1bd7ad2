// A tree as arrays, for whoever shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riparian::restructuring {

// Parents before children, level by level.
struct Description {
    std::size_t classes = 0;
    std::vector<std::uint8_t> test;
    std::vector<std::int32_t> feature, category, parent, branch, missing, depth;
    std::vector<double> threshold;
    std::vector<double> totals;  // [node][class]
};

}  // namespace riparian::restructuring
