// Growing from a batch tree.
#include "seed.hpp"

#include <cmath>
#include <vector>

#include "../demand.hpp"
#include "growth.hpp"

namespace riparian {

// Inner nodes stay as they are for good. Leaves begin without statistics; the class
// counts of the batch are what they predict with until their own examples outweigh them
// [domingos2000, sec. 3].
void Growth::seed(const Seed& s) {
    const Charge charge(structure_);
    demand(nodes_.size() == 1 && seen_ == 0, "only a tree that has learned nothing can be seeded");
    demand(s.nodes >= 1 && s.nodes <= (1U << 30), "a seed has at least one node");
    // Ids of a streaming tree: level by level, so that siblings are neighbours.
    std::vector<std::int32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto b = static_cast<std::size_t>(order[i]);
        demand(s.weight[b] > 0.0 && s.weight[b] <= 0x1p120, "a node of the seed has no weight");
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double count = s.counts[b * n_classes_ + k];
            demand(count >= 0.0 && count <= 0x1p120, "a class count of the seed is not a weight");
        }
        if (s.left[b] == none && s.right[b] == none) continue;
        for (const std::int32_t child : {s.left[b], s.right[b]}) {
            demand(child > 0 && static_cast<std::size_t>(child) < s.nodes &&
                       order.size() < s.nodes,
                   "the nodes of the seed are not a tree");
            order.push_back(child);
        }
        const std::int32_t f = s.feature[b];
        demand(f >= 0 && static_cast<std::size_t>(f) < features().size() &&
                   features()[static_cast<std::size_t>(f)].kind == Kind::numeric &&
                   std::abs(s.threshold[b]) <= largest_value && std::abs(s.gain[b]) <= 1e300,
               "a test of the seed is impossible");
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto b = static_cast<std::size_t>(order[i]);
        const auto id = static_cast<std::int32_t>(i);
        const double* const given = s.counts + b * n_classes_;
        double* const inherited = leaves_.counts(id) + shape().class_stride;
        double total = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) total += inherited[k] = given[k];
        const auto place = static_cast<std::size_t>(at(id).place);
        if (s.left[b] == none) {
            if (settings_.inherit_counts == InheritCounts::count) leaves_[place].inherited = total;
            continue;
        }
        certificates_.add({0, s.weight[b], 0.0, 0.0, 0.0, 0.0, s.gain[b], id, Verdict::seeded, 0, 0,
                           true, passes_});
        demand_structure(growth(2, true));
        const bool keeps = hooks_->traits().keeps;
        if (!keeps && leaves_[place].statistics.is_open()) leaves_.deactivate(place);
        const std::int32_t first = add_node(id, 0);
        if (keeps) hooks_->keep_record(id, place);
        open_leaf(first, keeps ? leaves_.size() : place);
        open_leaf(add_node(id, 1), leaves_.size());
        ++n_leaves_;
        Node& node = at(id);
        node.test = Test::threshold;
        node.feature = s.feature[b];
        node.place = first;
        node.heavy = first + (s.missing_left[b] ? 0 : 1);
        nodes_.set_gate(id, s.threshold[b]);
        settle();
    }
}

}  // namespace riparian
