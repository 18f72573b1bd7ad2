// A place in the tree: a test, or a leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../drift/adwin.hpp"
#include "../leaf/leaf.hpp"
#include "../memory/account.hpp"

namespace riparian {

// How a node hangs on its parent.
enum class Role : std::uint8_t {
    child,      // behind a branch of its test
    alternate,  // learns beside it, and may take its place
    option,     // learns beside it, and answers with it
};

// Parents come before their children, children of one test side by side. Ids stay as they
// are until a subtree is given up. A threshold stands in the node's gate.
struct Node {
    std::int32_t parent = none;
    std::int32_t branch = 0;     // which child of the parent; a category under every_value
    std::int32_t depth = 0;
    std::int32_t feature = none;  // in the tree's order
    std::int32_t category = none;
    std::int32_t place = none;    // a leaf: among the records; every_value: among the ways;
                                  // else the first child
    std::int32_t heavy = none;    // child for missing values: the heavier when it was split
    Test test = Test::leaf;
    Role role = Role::child;
    bool rests = false;  // keeps no statistics, and will never ask for them again
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
    void renumber(const std::vector<std::int32_t>& ids) noexcept {
        for (Way& way : ways_) way.node = ids[static_cast<std::size_t>(way.node)];
    }
    // What so many of them hold: they grow one by one.
    [[nodiscard]] static std::size_t bytes(std::size_t n) noexcept {
        std::size_t room = 1;
        while (room < n) room *= 2;
        return taken(room * sizeof(Way));
    }
    [[nodiscard]] std::size_t size() const noexcept { return ways_.size(); }

private:
    struct Way {
        std::int32_t category;
        std::int32_t node;
    };
    static bool before(const Way& way, std::int32_t category) { return way.category < category; }

    Held<Way> ways_;
};

// Class weights since the statistics of a leaf began anew.
struct Recent : HeldObject {
    Held<double> counts;      // [class_stride]
    std::uint64_t since = 0;  // number of the first example that they may have, in a window
};

// What a node keeps of its examples: a leaf does, and an inner node where the tree says so.
struct NodeRecord {
    std::int32_t node = 0;
    std::int32_t classes = 0;  // with weight in the statistics
    std::uint32_t checks = 0;  // so far
    double weight = 0.0;       // in the statistics; of an inactive leaf since it is inactive
    double inherited = 0.0;    // counted as seen, where the settings say so
    double checked = 0.0;      // of it, at the last check, or look at an inactive leaf
    Track track;
    LeafStatistics statistics;  // closed: the leaf is inactive
    std::unique_ptr<Recent> recent;  // none: the statistics have all that the node has
};

// What detects change in the errors of a subtree.
struct Monitor : HeldObject {
    explicit Monitor(const Adwin::Parameters& p) : errors(p) {}
    Adwin errors;  // 1: the row was answered wrongly, before it was learned
};

// How a subtree fares against those that grow beside it, and one of those against it: in
// weights of examples.
struct Trial : HeldObject {
    double waited = 0.0;  // since the last test
    double tested = 0.0;
    double errors = 0.0;
    // As one beside another node.
    double own_tested = 0.0;
    double own_errors = 0.0;
    double least = std::numeric_limits<double>::infinity();  // share of errors more than it
    std::uint64_t from = 0;  // its number in the archive; 0: it is a fresh one
};

// What a node of a tree that follows change has besides.
struct Side {
    std::uint64_t born = 0;      // how many nodes were made before it; kept where it moves
    std::int32_t first = none;   // of the subtrees beside it
    std::int32_t next = none;    // of a subtree beside another node: the next one there
    std::int32_t record = none;  // an inner node that keeps statistics: among the records
    std::int32_t paths = 1;      // leaves that one row may reach from here, through all options
    std::uint64_t since = 0;     // number of the first example that it may have learned
    std::uint64_t there = 0;     // and that came this way: its place is older where it took one
    std::unique_ptr<Monitor> monitor;
    std::unique_ptr<Trial> trial;  // while there are subtrees beside it, or it is one
};

}  // namespace riparian
