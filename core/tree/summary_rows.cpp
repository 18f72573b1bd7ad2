// The row loop of a summary: the tree that it was made from predicts each row, and the summary learns it.
#include <algorithm>
#include <stdexcept>
#include <variant>

#include "../growth/predictor.hpp"
#include "../growth/row_learner.ipp"
#include "summary.hpp"

namespace riparian {

// Both trees have the same nodes: a category without a branch gets one in both. The weight of a row that
// stands for several counts as a whole, because what predicts does not learn.
template <class Policy, bool plain>
void Summary::learn(const Policy& policy, const Batch& batch, const std::int32_t* y,
                    const double* w, const Predictions& predictions, Stop* stop) {
    GrowthState& state = own_.growth.state;
    GrowthState& judging = judge_->growth.state;
    const TreePredictor& predictor = judge_->growth.predictor;
    RowBuffer buffer(batch, state.nodes.features(), state.leaves.shape());
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    const bool apart = predictions.probabilities || judging.costs.classes;
    const Charge charge(state.leaves.account());
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        poll(stop);
        n = std::min(buffer.capacity(), batch.rows - first);
        buffer.read(first, n);
        state.nodes.descend(buffer, n, starts.data());
        for (std::size_t i = 0; i < n; ++i) {
            const Row& row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            if (apart || !learned) {
                predictor.predict(policy, starts[i], row, judging.scratch, predictions, r);
            }
            if (!learned) continue;
            const std::int32_t leaf = own_.growth.route(starts[i], row);
            judge_->growth.route(starts[i], row);
            if (Policy::observes || !apart) {
                const auto seen = predictor.leaf_and_row(leaf, row, judging.scratch);
                const LeafNumbers before = judge_->growth.numbers(leaf);
                LeafNumbers right = before;
                const std::int32_t predicted =
                    policy.observe(seen.leaf, seen.row, judging.scratch, right,
                                   static_cast<std::size_t>(y[r]), weight);
                LeafNumbers& counted = own_.growth.numbers(leaf);
                for (std::size_t p = 0; p < right.size(); ++p) {
                    if (right[p] != before[p]) counted[p] += weight;
                }
                if (predictions.classes && !apart) predictions.classes[r] = predicted;
            }
            own_.growth.learn<plain>(leaf, row, static_cast<std::size_t>(y[r]), weight);
        }
    }
}

void Summary::learn(const Batch& batch, const std::int32_t* y, const double* w,
                    const Predictions& predictions, Stop* stop) {
    if (!judge_) throw std::logic_error("a restored summary does not learn");
    if (!batch.uncertain.empty()) {
        throw std::invalid_argument("uncertain values cannot be learned by several workers");
    }
    std::visit(
        [&]<class Policy>(const Policy& policy) {
            if (own_.growth.state.plain) {
                learn<Policy, true>(policy, batch, y, w, predictions, stop);
            } else {
                learn<Policy, false>(policy, batch, y, w, predictions, stop);
            }
        },
        judge_->growth.state.settings.leaf);
}

}  // namespace riparian
