// A child of a node.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../cuts/candidate.hpp"
#include "../memory/account.hpp"

namespace riparian::restructuring {

struct Child {
    std::int32_t branch;  // the category for every_value; otherwise 0 or 1
    std::int32_t node;
};

// Where a branch is, or has to be inserted.
[[nodiscard]] inline auto find_child(auto& children, std::int32_t branch) noexcept {
    return std::lower_bound(children.begin(), children.end(), branch,
                            [](const Child& w, std::int32_t b) { return w.branch < b; });
}

// The child of a branch, or none if there is no such branch.
[[nodiscard]] inline std::int32_t child_at(const Held<Child>& children,
                                           std::int32_t branch) noexcept {
    const auto found = find_child(children, branch);
    return found != children.end() && found->branch == branch ? found->node : none;
}

}  // namespace riparian::restructuring
