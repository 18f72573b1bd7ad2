// A place in the tree: a test, or a leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../leaf/leaf.hpp"
#include "candidate.hpp"

namespace riparian {

// Ids are given at creation and never change, parents before children. A threshold
// stands in the node's gate.
struct Node {
    std::int32_t parent = none;
    std::int32_t branch = 0;     // which child of the parent; a category under every_value
    std::int32_t depth = 0;
    std::int32_t feature = none;  // in the tree's order
    std::int32_t category = none;
    std::int32_t place = none;    // a leaf: among the leaves; every_value: among the ways;
                                  // else the first child
    std::int32_t heavy = none;    // child for missing values: the heavier when it was split
    Test test = Test::leaf;
};

// What routing reads of a node. Every node that is not a threshold test leads to
// itself, so that rows can be walked side by side without a branch.
struct Gate {
    double threshold;
    std::int32_t slot;   // among the numeric features
    std::int32_t first;  // the first child
};

// The children of an every_value test, by category; sorted, as most categories
// of a long list never reach most nodes.
class Ways {
public:
    [[nodiscard]] std::int32_t find(std::int32_t category) const noexcept {
        // Where every category up to this one has a branch, it is at its own place.
        const auto place = static_cast<std::size_t>(category);
        if (place < ways_.size() && ways_[place].category == category) return ways_[place].node;
        const auto it = std::lower_bound(ways_.begin(), ways_.end(), category, before);
        return it != ways_.end() && it->category == category ? it->node : none;
    }
    void add(std::int32_t category, std::int32_t node) {
        ways_.insert(std::lower_bound(ways_.begin(), ways_.end(), category, before),
                     {category, node});
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return ways_.capacity() * sizeof(Way); }

private:
    struct Way {
        std::int32_t category;
        std::int32_t node;
    };
    static bool before(const Way& way, std::int32_t category) { return way.category < category; }

    std::vector<Way> ways_;
};

struct Leaf {
    std::int32_t node = 0;
    std::int32_t classes = 0;  // with weight seen here
    std::uint32_t checks = 0;  // so far
    double weight = 0.0;       // seen here
    double inherited = 0.0;    // counted as seen, where the settings say so
    double checked = 0.0;      // of it, at the last check
    Track track;
    LeafStatistics statistics;
};

}  // namespace riparian
