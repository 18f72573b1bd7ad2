// A subtree that was replaced, as a tree keeps it to try it again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../check/decision.hpp"
#include "../cuts/candidate.hpp"
#include "../memory/account.hpp"

namespace riparian {

// Stores the tests and their certificates. It stores no statistics, because the tree has forgotten
// their examples.
struct Archived {
    struct Node {
        double threshold;
        std::int32_t parent, branch, feature, category, heavy;  // parent, heavy: in this list
        Test test;
    };
    std::uint64_t number = 0;   // 1 for the first archived subtree
    std::int32_t place = none;  // the node where it was
    Held<Node> nodes;           // as in the tree: parents first, the root without one
    Held<Split> splits;         // of nodes with a test, in their order; `node`: in this list
    Held<Rival> rivals;

    [[nodiscard]] static std::size_t bytes(std::size_t nodes, std::size_t splits,
                                           std::size_t rivals) noexcept {
        return taken(nodes * sizeof(Node)) + taken(splits * sizeof(Split)) +
               (rivals ? taken(rivals * sizeof(Rival)) : 0);
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return bytes(nodes.size(), splits.size(), rivals.size());
    }
    [[nodiscard]] std::size_t leaves() const noexcept { return nodes.size() - splits.size(); }
};

}  // namespace riparian
