// One row: it is predicted, if that is asked for, and learned. Every row of a tree passes here.
#pragma once

#include <algorithm>

#include "../growth/rows.hpp"
#include "tree.hpp"

namespace riparian {

// A leaf whose predictor chooses among others is asked once for both: what it predicts, and which of
// the others are right.
template <class Policy, bool plain>
[[gnu::always_inline]] inline Predicted Tree::step(const Policy& policy, std::int32_t start,
                                                   const Row& row, std::size_t y, RowWeight weight,
                                                   const RowRequest& asked, bool again) {
    Growth& growth = growth_;
    Asking& scratch = growth.scratch();
    const bool costs = growth.costs().classes > 0;
    Predicted predicted;
    if constexpr (!Policy::observes) {
        if (asked.any()) growth.predict(policy, start, row, scratch, asked.answers(predicted.before), 0);
        const std::int32_t id = growth.route_learning(start, row);
        growth.learn<plain>(id, row, y, weight.learned);
        if (!plain && growth.limited() && growth.working().held) growth.leave_room();
        if (again) growth.predict(policy, id, row, scratch, {&predicted.after, nullptr, 0}, 0);
        return predicted;
    } else {
        bool apart = costs && asked.any();
        if (asked.shares) {
            start = growth.nodes().route(start, row);
            apart |= growth.at(start).test != Test::leaf || growth.n_classes() > asked.width;
        }
        if (apart) growth.predict(policy, start, row, scratch, asked.answers(predicted.before), 0);
        const std::int32_t id = growth.route_learning(start, row);
        const Growth::LeafAndRow seen =
            plain ? Growth::LeafAndRow{growth.view(id), row} : growth.leaf_and_row(id, row, scratch);
        double* const shares = apart ? nullptr : asked.shares;
        if (shares) std::fill_n(shares, asked.width, 0.0);
        constexpr bool knows_after = !plain && requires {
            policy.answer_after(seen.leaf, seen.row, scratch, y);
        };
        std::int32_t before = no_answer;
        bool ahead = false;  // what was found for the prediction serves learning as well
        if constexpr (knows_after) {
            ahead = again || shares || growth.shape().derived == Derived::found_when_asked;
            if (ahead) {
                before = policy.observe_shares(seen.leaf, seen.row, scratch, growth.numbers(id), y,
                                               weight.before, shares);
            }
        }
        if (!ahead) {
            if (shares) policy.probabilities(seen.leaf, seen.row, scratch, shares);
            before = policy.observe(seen.leaf, seen.row, scratch, growth.numbers(id), y, weight.before);
        }
        if (!apart) predicted.before = before;
        Prepared found;
        if (ahead) found = {&seen.row, scratch.ranged ? scratch.range.data() : nullptr};
        growth.learn<plain>(id, row, y, weight.learned, found);
        // The room of a check is not kept where memory is scarce.
        if (!plain && growth.limited() && growth.working().held) growth.leave_room();
        const double rest = weight.learned - weight.before;
        const bool is_leaf = growth.at(id).test == Test::leaf;
        if constexpr (knows_after) {
            // One class alone has another score, where nothing else has changed.
            if (again && scratch.stays && !(rest > 0.0) && !costs &&
                growth.n_classes() == seen.leaf.n_classes && is_leaf) {
                LeafView now = growth.view(id);
                now.categories = seen.leaf.categories;  // as the leaf tracks them: none is new
                predicted.after = policy.answer_after(now, seen.row, scratch, y);
                return predicted;
            }
        }
        // A weight of 3 is three examples: the second and the third met a leaf that knew the first.
        if (rest > 0.0 && is_leaf &&
            growth.leaves()[static_cast<std::size_t>(growth.at(id).place)].weight > 0.0) {
            const Growth::LeafAndRow now =
                plain ? Growth::LeafAndRow{growth.view(id), row} : growth.leaf_and_row(id, row, scratch);
            if constexpr (requires { policy.observe_again(now.leaf, now.row, scratch,
                                                          growth.numbers(id), y, rest); }) {
                predicted.after =
                    policy.observe_again(now.leaf, now.row, scratch, growth.numbers(id), y, rest);
                again &= costs;
            } else {
                policy.observe(now.leaf, now.row, scratch, growth.numbers(id), y, rest);
            }
        }
        if (again) growth.predict(policy, id, row, scratch, {&predicted.after, nullptr, 0}, 0);
        return predicted;
    }
}

}  // namespace riparian
