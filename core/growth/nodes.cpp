#include "nodes.hpp"

#include <limits>
#include <utility>

namespace riparian {

void Nodes::add_features(const std::vector<Feature>& features) {
    riparian::make_room(features_, features.size());
    features_.insert(features_.end(), features.begin(), features.end());
}

// ---- nodes ----

Cut Nodes::cut_of(std::int32_t id) const noexcept {
    if (id == none || at(id).test == Test::leaf) return {};
    return {threshold(id), at(id).feature, at(id).category, at(id).test};
}

std::uint32_t Nodes::leaves_below(std::int32_t id) const {
    std::vector<bool> below(nodes_.size(), false);
    below[static_cast<std::size_t>(id)] = true;
    std::uint32_t leaves = at(id).test == Test::leaf ? 1 : 0;
    for (std::size_t i = static_cast<std::size_t>(id) + 1; i < nodes_.size(); ++i) {
        const Node& n = nodes_[i];
        if (n.role != Role::child || !below[static_cast<std::size_t>(n.parent)]) continue;
        below[i] = true;
        leaves += n.test == Test::leaf ? 1 : 0;
    }
    return leaves;
}

std::vector<std::int32_t> Nodes::numbers() const {
    std::vector<std::int32_t> numbers(nodes_.size());
    std::int32_t next = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int32_t parent = nodes_[i].parent;
        const bool below = parent != none && numbers[static_cast<std::size_t>(parent)] == none;
        numbers[i] = nodes_[i].role == Role::alternate || below ? none : next++;
    }
    return numbers;
}

std::size_t Nodes::predicting_leaves() const {
    const auto numbers = this->numbers();
    std::size_t leaves = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        leaves += numbers[i] != none && nodes_[i].test == Test::leaf;
    }
    return leaves;
}

// ---- routing ----

std::int32_t Nodes::leaf_of(const Row& row) const noexcept {
    std::int32_t i = route(0, row);
    while (at(i).test != Test::leaf) i = route(at(i).heavy, row);
    return i;
}

// Routing waits for memory at every step, so eight rows are routed at the same time.
template <std::size_t stride>
void Nodes::descend(const double* x, std::size_t apart, std::size_t n,
                    std::int32_t* starts) const noexcept {
    constexpr std::size_t together = 8;
    if (stride) apart = stride;
    const Gate* const gates = gates_.data();
    for (std::size_t i = 0; i < n; i += together, x += together * apart) {
        const double* rows[together];
        for (std::size_t l = 0; l < together; ++l) rows[l] = x + l * apart;
        std::uint32_t at[together] = {};
        std::uint32_t moved = 1;
        while (moved) {
            moved = 0;
            for (std::size_t l = 0; l < together; ++l) {
                const Gate& gate = gates[at[l]];
                const double value = rows[l][static_cast<std::uint32_t>(gate.slot)];
                const std::uint32_t next =
                    static_cast<std::uint32_t>(gate.first) + (value > gate.threshold ? 1 : 0);
                moved |= next ^ at[l];
                at[l] = next;
            }
        }
        for (std::size_t l = 0; l < together; ++l) starts[i + l] = static_cast<std::int32_t>(at[l]);
    }
}

void Nodes::descend(const RowBuffer& buffer, std::size_t n, std::int32_t* starts) const noexcept {
    const std::size_t stride = buffer.stride();
    const std::size_t whole = stride ? n / 8 * 8 : 0;
    const double* const x = buffer.row(0).x;
    switch (stride) {
        case 4: descend<4>(x, stride, whole, starts); break;
        case 8: descend<8>(x, stride, whole, starts); break;
        default: descend<0>(x, stride, whole, starts); break;
    }
    // NaN compares as if it were small, so a row with a missing value is routed by itself.
    for (std::size_t i = 0; buffer.any_gap() && i < whole; ++i) {
        if (buffer.row(i).gap) starts[i] = 0;
    }
    std::fill(starts + whole, starts + n, 0);
}

// ---- growth ----

void Nodes::make_room(std::size_t nodes) {
    riparian::make_room(nodes_, nodes);
    riparian::make_room(gates_, nodes);
}

std::int32_t Nodes::add(std::int32_t parent, std::int32_t branch, Role role) {
    Node node;
    node.parent = parent;
    node.branch = branch;
    node.role = role;
    node.depth = parent == none ? 0 : at(parent).depth + (role == Role::child ? 1 : 0);
    make_room(1);
    nodes_.push_back(node);
    gates_.emplace_back();
    const auto id = static_cast<std::int32_t>(nodes_.size() - 1);
    set_gate(id, 0.0);
    depth_ = std::max(depth_, static_cast<std::size_t>(node.depth));
    return id;
}

void Nodes::add_branches(std::int32_t id, Branches branches) {
    at(id).place = static_cast<std::int32_t>(branches_.size());
    riparian::make_room(branches_);
    branches_.push_back(std::move(branches));
}

void Nodes::set_gate(std::int32_t id, double threshold) noexcept {
    const Node& node = at(id);
    gates_[static_cast<std::size_t>(id)] =
        node.test == Test::threshold
            ? Gate{threshold, static_cast<std::int32_t>(slot(node)), node.place}
            : Gate{std::numeric_limits<double>::infinity(), 0, id};
}

void Nodes::adopt_test(std::int32_t id, std::int32_t from) {
    Node& to = at(id);
    const Node& other = at(from);
    to.test = other.test;
    to.feature = other.feature;
    to.category = other.category;
    to.place = other.place;
    to.heavy = other.heavy;
    for (auto i = static_cast<std::size_t>(from) + 1; i < nodes_.size(); ++i) {
        if (nodes_[i].parent == from) nodes_[i].parent = id;
    }
    set_gate(id, gates_[static_cast<std::size_t>(from)].threshold);
}

void Nodes::compact(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& places) {
    const auto id = [&](std::int32_t i) {
        return i == none ? none : ids[static_cast<std::size_t>(i)];
    };
    Held<Branches> branches;
    std::size_t left = 0;
    depth_ = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (ids[i] == none) continue;
        Node node = nodes_[i];
        node.parent = id(node.parent);
        node.heavy = id(node.heavy);
        if (node.test == Test::leaf) {
            node.place = places[static_cast<std::size_t>(node.place)];
        } else if (node.test == Test::every_value) {
            riparian::make_room(branches);
            branches.push_back(std::move(branches_[static_cast<std::size_t>(node.place)]));
            branches.back().renumber(ids);
            node.place = static_cast<std::int32_t>(branches.size() - 1);
        } else {
            node.place = id(node.place);
        }
        nodes_[left++] = node;
        set_gate(ids[i], gates_[i].threshold);
        depth_ = std::max(depth_, static_cast<std::size_t>(node.depth));
    }
    branches_ = std::move(branches);
    cut_to(nodes_, left);
    gates_.resize(left);
    set_room(gates_, nodes_.capacity());
}

std::size_t Nodes::growth(std::size_t nodes, std::size_t tests) const noexcept {
    return growth_of_list(nodes, sizeof(Node)) + growth_of_list(nodes, sizeof(Gate)) +
           (tests ? growth_in_bytes(branches_, tests, sizeof(Branches)) : 0);
}

}  // namespace riparian
