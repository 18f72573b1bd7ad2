// Describing a tree as arrays.
#include <algorithm>
#include <utility>

#include "description.hpp"
#include "tree.hpp"

namespace riparian {

Description Tree::describe(const Batch* rows, bool formulas) const {
    const auto lock = turnstile_.reading();
    const GrowthState& state = growth_.state;
    const Nodes& nodes = state.nodes;
    const std::size_t n_classes = state.known.n_classes;
    Description d;
    d.classes = n_classes;
    d.inner_nodes_learn = adaptation_->inner_nodes_learn();
    if (rows) d.ends = ends(*rows);
    const auto numbers = nodes.numbers();
    const auto number = [&](std::int32_t id) {
        return id == none ? none : numbers[static_cast<std::size_t>(id)];
    };
    const auto predictors = growth_.predictor.names();
    std::vector<Formula> of_leaves;
    if (formulas) of_leaves = growth_.predictor.formulas();
    std::vector<std::int32_t> tests;  // [node]: how many tests begin at it
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (numbers[i] == none) continue;
        const auto id = static_cast<std::int32_t>(i);
        const Node& node = nodes[i];
        const std::int32_t parent = number(node.parent);
        d.test.push_back(node.test);
        d.feature.push_back(node.feature);
        d.category.push_back(node.category);
        d.parent.push_back(parent);
        d.branch.push_back(node.branch);
        d.heavy.push_back(number(node.heavy));
        d.threshold.push_back(nodes.threshold(id));
        d.depth.push_back(parent == none ? 0 : d.depth[static_cast<std::size_t>(parent)] + 1);
        d.predictor.push_back(predictors[i]);
        if (formulas) d.formula.push_back(std::move(of_leaves[i]));
        if (adaptation_->several_predict()) {
            tests.push_back(1);
            const bool further = node.role != Role::child;
            d.option.push_back(further ? ++tests[static_cast<std::size_t>(parent)] : 0);
        }
        const ClassWeights w = state.leaves.weights(id);
        d.counts.insert(d.counts.end(), w.seen, w.seen + n_classes);
        d.inherited.insert(d.inherited.end(), w.inherited, w.inherited + n_classes);
        const double* const estimated = state.estimated(id);
        d.estimated.insert(d.estimated.end(), estimated, estimated + n_classes);
        double total = 0.0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            d.majority.push_back(w.seen[c] + w.inherited[c]);
            total += d.majority.back();
        }
        // A leaf that has seen nothing predicts as its parent.
        if (total == 0.0 && parent != none) {
            std::copy_n(d.majority.begin() + static_cast<std::ptrdiff_t>(
                                                 static_cast<std::size_t>(parent) * n_classes),
                        n_classes, d.majority.end() - static_cast<std::ptrdiff_t>(n_classes));
        }
    }
    return d;
}

}  // namespace riparian
