#include "turn.hpp"

#include <utility>

#include "step.hpp"
#include "summary.hpp"

namespace riparian {

Turn::Turn(Tree& tree, RowLearner::Elsewhere held)
    : tree_(tree), adapting_(tree.replaces()), lock_(tree.turnstile_.writing()) {
    tree_.growth_.recall_from(std::move(held));
}

Turn::~Turn() { tree_.growth_.recall_from({}); }

RowBuffer Turn::buffer_of(const Batch& batch) const {
    return {batch, tree_.growth_.state.nodes.features(), tree_.growth_.state.leaves.shape()};
}

void Turn::route(const RowBuffer& buffer, std::size_t rows) { tree_.route(buffer, rows, routes_); }

std::int32_t Turn::predict(std::size_t i, const Row& row, const RowRequest& asked) {
    std::int32_t predicted = no_prediction;
    tree_.predict(start(i), row, asked.predictions(predicted), 0);
    return predicted;
}

Predicted Turn::learn(std::size_t i, const Row& row, std::size_t y, RowWeight weight,
                      const RowRequest& asked, bool again) {
    const Charge charge(tree_.growth_.state.leaves.account());
    if (adapting_) return tree_.step(start(i), row, y, weight, asked, again);
    return std::visit(
        [&]<class Policy>(const Policy& policy) {
            return tree_.step<Policy, false>(policy, start(i), row, y, weight, asked, again);
        },
        tree_.growth_.state.settings.leaf);
}

void Turn::absorb(const Summary& summary) {
    tree_.unfinished_ = true;
    summary.grow(tree_.growth_);
    tree_.unfinished_ = false;
}

}  // namespace riparian
