// One row of a tree that only grows: it is predicted, if that is requested, and learned.
#pragma once

#include <algorithm>

#include "../growth/row_learner.ipp"
#include "tree.hpp"

namespace riparian {

// A leaf predictor that observes predicts and notes which predictors were right in one call.
template <class Policy, bool plain>
[[gnu::always_inline]] inline Predicted Tree::step(const Policy& policy, std::int32_t start,
                                                   const Row& row, std::size_t y, RowWeight weight,
                                                   const RowRequest& asked, bool again) {
    GrowthState& state = growth_.state;
    const TreePredictor& predictor = growth_.predictor;
    RowScratch& scratch = state.scratch;
    const bool costs = state.costs.classes > 0;
    Predicted predicted;
    if constexpr (!Policy::observes) {
        if (asked.any()) {
            predictor.predict(policy, start, row, scratch, asked.predictions(predicted.before), 0);
        }
        const std::int32_t id = growth_.route(start, row);
        growth_.learn<plain>(id, row, y, weight.learned);
        if (!plain && state.limited() && state.working.held) growth_.checks.release();
        if (again) predictor.predict(policy, id, row, scratch, {&predicted.after, nullptr, 0}, 0);
        return predicted;
    } else {
        bool apart = costs && asked.any();
        if (asked.shares) {
            start = state.nodes.route(start, row);
            apart |=
                state.nodes.at(start).test != Test::leaf || state.known.n_classes > asked.width;
        }
        if (apart) {
            predictor.predict(policy, start, row, scratch, asked.predictions(predicted.before), 0);
        }
        const std::int32_t id = growth_.route(start, row);
        const auto leaf_and_row = [&]() __attribute__((always_inline)) {
            return plain ? TreePredictor::LeafAndRow{predictor.view(id), row}
                         : predictor.leaf_and_row(id, row, scratch);
        };
        const TreePredictor::LeafAndRow seen = leaf_and_row();
        double* const shares = apart ? nullptr : asked.shares;
        if (shares) std::fill_n(shares, asked.width, 0.0);
        constexpr bool knows_after =
            !plain && requires { policy.predict_after(seen.leaf, seen.row, scratch, y); };
        std::int32_t before = no_prediction;
        bool ahead = false;  // what the prediction has found also serves learning
        const double rest = weight.learned - weight.before;
        if constexpr (knows_after) {
            ahead = again || shares || state.leaves.shape().derived == Derived::found_when_asked;
            if (ahead) {
                before = policy.observe_shares(seen.leaf, seen.row, scratch, growth_.numbers(id), y,
                                               weight.before, shares, again || rest > 0.0);
            }
        }
        if (!ahead && shares) {
            before = policy.observe_shares(seen.leaf, seen.row, scratch, growth_.numbers(id), y,
                                           weight.before, shares);
        } else if (!ahead) {
            before =
                policy.observe(seen.leaf, seen.row, scratch, growth_.numbers(id), y, weight.before);
        }
        if (!apart) predicted.before = before;
        Prepared found;
        if (ahead) found = {&seen.row, scratch.ranged ? scratch.range.data() : nullptr};
        growth_.learn<plain>(id, row, y, weight.learned, found);
        // Below a memory limit the room of a check is not kept.
        if (!plain && state.limited() && state.working.held) growth_.checks.release();
        const bool is_leaf = state.nodes.at(id).test == Test::leaf;
        // Where nothing else has changed, only the class of the row has another score.
        bool stays = false;
        if constexpr (knows_after) {
            stays =
                ahead && scratch.stays && is_leaf && state.known.n_classes == seen.leaf.n_classes;
        }
        const auto learned_leaf = [&]() __attribute__((always_inline)) {
            if (!stays) return leaf_and_row();
            TreePredictor::LeafAndRow now{predictor.view(id), seen.row};
            now.leaf.categories = seen.leaf.categories;  // as the leaf tracks them: none is new
            return now;
        };
        // A weight of 3 is three examples: the second and third come to a leaf that knows the first.
        if (rest > 0.0 && is_leaf &&
            state.leaves[static_cast<std::size_t>(state.nodes.at(id).place)].weight > 0.0) {
            const TreePredictor::LeafAndRow now = learned_leaf();
            LeafNumbers& numbers = growth_.numbers(id);
            if constexpr (requires {
                              policy.observe_again(now.leaf, now.row, scratch, numbers, y, rest,
                                                   stays);
                          }) {
                predicted.after =
                    policy.observe_again(now.leaf, now.row, scratch, numbers, y, rest, stays);
                again &= costs;
            } else {
                policy.observe(now.leaf, now.row, scratch, numbers, y, rest);
            }
        } else if constexpr (knows_after) {
            if (again && stays && !costs) {
                const TreePredictor::LeafAndRow now = learned_leaf();
                predicted.after = policy.predict_after(now.leaf, now.row, scratch, y);
                return predicted;
            }
        }
        if (again) predictor.predict(policy, id, row, scratch, {&predicted.after, nullptr, 0}, 0);
        return predicted;
    }
}

}  // namespace riparian
