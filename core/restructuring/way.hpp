// From a node to one of its children.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../cuts/candidate.hpp"
#include "../memory/account.hpp"

namespace riparian::restructuring {

struct Way {
    std::int32_t branch;  // every_value: the category; else 0 or 1
    std::int32_t node;
};

// Where a branch is, or would be put.
[[nodiscard]] inline auto way_at(auto& ways, std::int32_t branch) noexcept {
    return std::lower_bound(ways.begin(), ways.end(), branch,
                            [](const Way& w, std::int32_t b) { return w.branch < b; });
}

// The child behind a branch; none: there is no such branch.
[[nodiscard]] inline std::int32_t child_at(const Held<Way>& ways, std::int32_t branch) noexcept {
    const auto found = way_at(ways, branch);
    return found != ways.end() && found->branch == branch ? found->node : none;
}

}  // namespace riparian::restructuring
