// The structure of a tree, and the way of a row through it. It knows nothing of what leaves keep
// or how the tree learns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../data/batch.hpp"
#include "../data/feature.hpp"
#include "../data/row.hpp"
#include "../memory/account.hpp"
#include "change.hpp"

namespace riparian {

// How a node is attached to its parent.
enum class Role : std::uint8_t {
    child,      // behind a branch of its test
    alternate,  // learns next to it, and may replace it
    option,     // learns next to it, and predicts with it
};

// Parents come before their children, and the children of one test are neighbours. Ids stay as they
// are until a subtree is given up. The threshold of a test is in the gate of the node.
struct Node {
    std::int32_t parent = none;
    std::int32_t branch = 0;  // which child of the parent; a category under every_value
    std::int32_t depth = 0;
    std::int32_t feature = none;  // in the tree's order
    std::int32_t category = none;
    std::int32_t place = none;  // a leaf: of its record; every_value: of its branches; else
                                // the first child
    std::int32_t heavy = none;  // child for missing values: the heavier when it was split
    Test test = Test::leaf;
    Role role = Role::child;
    bool retired = false;  // keeps no statistics, and never gets them again
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
class Branches {
public:
    [[nodiscard]] std::int32_t find(std::int32_t category) const noexcept {
        // Where every category up to this one has a branch, it is at its own place.
        const auto place = static_cast<std::size_t>(category);
        if (place < all_.size() && all_[place].category == category) return all_[place].node;
        const auto it = std::lower_bound(all_.begin(), all_.end(), category, before);
        return it != all_.end() && it->category == category ? it->node : none;
    }
    void add(std::int32_t category, std::int32_t node) {
        all_.insert(std::lower_bound(all_.begin(), all_.end(), category, before), {category, node});
    }
    void renumber(const std::vector<std::int32_t>& ids) noexcept {
        for (Branch& branch : all_) branch.node = ids[static_cast<std::size_t>(branch.node)];
    }
    // The bytes of this many: they grow one by one.
    [[nodiscard]] static std::size_t bytes(std::size_t n) noexcept {
        std::size_t room = 1;
        while (room < n) room *= 2;
        return taken(room * sizeof(Branch));
    }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

private:
    struct Branch {
        std::int32_t category;
        std::int32_t node;
    };
    static bool before(const Branch& b, std::int32_t category) { return b.category < category; }

    Held<Branch> all_;
};

class Nodes {
public:
    // ---- the features that tests are about ----

    [[nodiscard]] const Features& features() const noexcept { return features_; }
    void add_features(const std::vector<Feature>&);
    // The slot of the feature that a node tests, among the features of its kind.
    [[nodiscard]] std::size_t slot(const Node& node) const noexcept {
        return features_[static_cast<std::size_t>(node.feature)].slot;
    }

    // ---- nodes ----

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return nodes_.capacity(); }
    [[nodiscard]] Node& at(std::int32_t id) noexcept {
        return nodes_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] const Node& at(std::int32_t id) const noexcept {
        return nodes_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] Node& operator[](std::size_t i) noexcept { return nodes_[i]; }
    [[nodiscard]] const Node& operator[](std::size_t i) const noexcept { return nodes_[i]; }
    [[nodiscard]] auto begin() const noexcept { return nodes_.begin(); }
    [[nodiscard]] auto end() const noexcept { return nodes_.end(); }

    [[nodiscard]] double threshold(std::int32_t id) const noexcept {
        return at(id).test == Test::threshold ? gates_[static_cast<std::size_t>(id)].threshold
                                              : 0.0;
    }
    [[nodiscard]] Cut cut_of(std::int32_t id) const noexcept;
    // The depth of the deepest node.
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    // The node whose test leads to this one, or to the place that it may take.
    [[nodiscard]] std::int32_t above(std::int32_t id) const noexcept {
        while (at(id).role != Role::child) id = at(id).parent;
        return at(id).parent;
    }
    // The root of the tree that a node belongs to: 0, or an alternate or option of a node.
    [[nodiscard]] std::int32_t fragment(std::int32_t id) const noexcept {
        while (at(id).role == Role::child && at(id).parent != none) id = at(id).parent;
        return id;
    }
    [[nodiscard]] std::uint32_t leaves_below(std::int32_t id) const;
    // Whether a node takes part in predictions: it does not belong to an alternate.
    [[nodiscard]] bool predicts(std::int32_t id) const noexcept {
        return at(fragment(id)).role != Role::alternate;
    }
    // [node]: its number among those that predict; none: it does not.
    [[nodiscard]] std::vector<std::int32_t> numbers() const;
    [[nodiscard]] std::size_t predicting_leaves() const;
    // The branches of an every_value test.
    [[nodiscard]] Branches& branches(const Node& node) noexcept {
        return branches_[static_cast<std::size_t>(node.place)];
    }
    [[nodiscard]] const Branches& branches(const Node& node) const noexcept {
        return branches_[static_cast<std::size_t>(node.place)];
    }

    // ---- the way of a row ----

    // The child that a row goes to; a leaf itself; none for a category without a branch.
    [[nodiscard]] std::int32_t step(std::int32_t id, const Row& row) const noexcept {
        const Gate& gate = gates_[static_cast<std::size_t>(id)];
        if (gate.first != id) [[likely]] {
            const double x = row.x[gate.slot];
            return x == x ? gate.first + (x <= gate.threshold ? 0 : 1) : at(id).heavy;
        }
        const Node& node = at(id);
        if (node.test == Test::leaf) return id;
        const std::int32_t code = row.codes[slot(node)];
        if (code == missing_code) return node.heavy;
        if (node.test == Test::one_value) return node.place + (code != node.category ? 1 : 0);
        return branches(node).find(code);
    }
    // The leaf of a row, or the deepest node that it reaches.
    [[nodiscard]] std::int32_t route(std::int32_t id, const Row& row) const noexcept {
        for (;;) {
            const std::int32_t next = step(id, row);
            if (next == id || next == none) return id;
            id = next;
        }
    }
    // The leaf of a row: where a category has no branch, below the heavy child.
    [[nodiscard]] std::int32_t leaf_of(const Row&) const noexcept;
    // Walks the rows of a buffer down threshold tests, to `starts`: leaves, or nodes
    // from where step() goes on. A start stays valid while leaves split.
    void descend(const RowBuffer&, std::size_t n, std::int32_t* starts) const noexcept;

    // ---- growth ----

    // For this many nodes more, at once, so that no copy is larger than the lists were.
    void make_room(std::size_t nodes);
    std::int32_t add(std::int32_t parent, std::int32_t branch, Role);
    // Gives an every_value test a list of branches.
    void add_branches(std::int32_t id, Branches = {});
    // After the test of a node has changed.
    void set_gate(std::int32_t id, double threshold) noexcept;
    // The node gets the test and the children of another node.
    void adopt_test(std::int32_t id, std::int32_t from);
    // Drops nodes; the others keep their order. `ids`: the new id of each node, or none. `places`: the new
    // place of each record.
    void compact(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& places);

    // By how many bytes its lists grow with this many nodes and every_value tests; and a node's
    // share in a list that has as much room as there is for nodes.
    [[nodiscard]] std::size_t growth(std::size_t nodes, std::size_t tests) const noexcept;
    [[nodiscard]] std::size_t growth_of_list(std::size_t nodes, std::size_t bytes) const noexcept {
        return growth_in_bytes(nodes_, nodes, bytes);
    }
    // While a list grows, the old one and the new one are both there. The largest of these lists, or of
    // one with this many bytes for each node.
    [[nodiscard]] std::size_t copy_bytes(std::size_t bytes) const noexcept {
        return std::max(bytes_of_copy(nodes_, std::max(sizeof(Node), bytes)),
                        bytes_of_copy(branches_, sizeof(Branches)));
    }

private:
    template <std::size_t stride>  // 0: that of the buffer
    void descend(const double* x, std::size_t apart, std::size_t n,
                 std::int32_t* starts) const noexcept;

    Features features_;
    Held<Node> nodes_;
    Held<Gate> gates_;         // [node]
    Held<Branches> branches_;  // of every_value tests
    std::size_t depth_ = 0;
};

}  // namespace riparian
