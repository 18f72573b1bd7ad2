// Starts a tree from a batch tree.
#include "seed.hpp"

#include <cmath>
#include <vector>

#include "../demand.hpp"
#include "growth.hpp"

namespace riparian {

// Inner nodes never change. Leaves start without statistics. They predict by the class counts of the
// batch until their own examples outweigh these [domingos2000, sec. 3].
void Growth::seed(const Seed& s) {
    Nodes& nodes = state.nodes;
    Leaves& leaves = state.leaves;
    const Charge charge(state.structure);
    demand(nodes.size() == 1 && state.seen == 0,
           "only a tree that has learned nothing can be seeded");
    demand(s.nodes >= 1 && s.nodes <= (1U << 30), "a seed has at least one node");
    // Ids of a streaming tree go level by level, so siblings are neighbours.
    std::vector<std::int32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto b = static_cast<std::size_t>(order[i]);
        demand(s.weight[b] > 0.0 && s.weight[b] <= 0x1p120, "a node of the seed has no weight");
        for (std::size_t k = 0; k < state.known.n_classes; ++k) {
            const double count = s.counts[b * state.known.n_classes + k];
            demand(count >= 0.0 && count <= 0x1p120, "a class count of the seed is not a weight");
        }
        if (s.left[b] == none && s.right[b] == none) continue;
        for (const std::int32_t child : {s.left[b], s.right[b]}) {
            demand(child > 0 && static_cast<std::size_t>(child) < s.nodes && order.size() < s.nodes,
                   "the nodes of the seed are not a tree");
            order.push_back(child);
        }
        const std::int32_t f = s.feature[b];
        demand(f >= 0 && static_cast<std::size_t>(f) < nodes.features().size() &&
                   std::abs(s.gain[b]) <= 1e300,
               "a test of the seed is impossible");
        const Feature& tested = nodes.features()[static_cast<std::size_t>(f)];
        demand(tested.kind == Kind::numeric
                   ? s.category[b] == none && std::abs(s.threshold[b]) <= largest_value
                   : s.category[b] >= 0 && s.category[b] < s.categories[f],
               "a test of the seed is impossible");
    }
    for (std::size_t f = 0; f < nodes.features().size(); ++f) {
        const Feature& feature = nodes.features()[f];
        if (feature.kind == Kind::categorical &&
            s.categories[f] > state.known.categories[feature.slot]) {
            add_category(feature.slot, s.categories[f] - 1);
        }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto b = static_cast<std::size_t>(order[i]);
        const auto id = static_cast<std::int32_t>(i);
        const double* const given = s.counts + b * state.known.n_classes;
        double* const inherited = leaves.counts(id) + leaves.shape().class_stride;
        double total = 0.0;
        for (std::size_t k = 0; k < state.known.n_classes; ++k) total += inherited[k] = given[k];
        const auto place = static_cast<std::size_t>(nodes.at(id).place);
        if (s.left[b] == none) {
            if (state.settings.inherit_counts == InheritCounts::count)
                leaves[place].inherited = total;
            continue;
        }
        state.certificates.add({0, s.weight[b], 0.0, 0.0, 0.0, 0.0, s.gain[b], id, Verdict::seeded,
                                0, 0, true, state.passes});
        room.demand_structure(room.growth(2, true));
        const bool keeps = state.hooks->traits().keeps;
        if (!keeps && leaves[place].statistics.is_open()) leaves.deactivate(place);
        const std::int32_t first = add_node(id, 0);
        if (keeps) state.hooks->keep_record(id, place);
        open_leaf(first, keeps ? leaves.size() : place);
        open_leaf(add_node(id, 1), leaves.size());
        ++state.n_leaves;
        Node& node = nodes.at(id);
        node.test = s.category[b] == none ? Test::threshold : Test::one_value;
        node.feature = s.feature[b];
        node.category = s.category[b];
        node.place = first;
        node.heavy = first + (s.missing_left[b] ? 0 : 1);
        nodes.set_gate(id, node.test == Test::threshold ? s.threshold[b] : 0.0);
        room.settle();
    }
}

}  // namespace riparian
