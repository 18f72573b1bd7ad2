// Single rows, for members of forests.
#include <algorithm>

#include "../growth/rows.hpp"
#include "tree.hpp"

namespace riparian {

void Tree::find_starts(const RowBuffer& buffer, std::size_t n, std::int32_t* starts) const noexcept {
    growth_.nodes().descend(buffer, n, starts);
}

std::int32_t Tree::predict_row(std::int32_t start, const Row& row, const Shares& shares) {
    std::int32_t predicted = no_answer;
    predict(start, row, {&predicted, shares.shares, shares.width}, 0);
    return predicted;
}

template <class Policy>
Tree::Predicted Tree::predict_and_learn(const Policy& policy, std::int32_t start, const Row& row,
                                        std::size_t y, Weight weight, const Shares& asked,
                                        bool again) {
    Predicted predicted;
    const bool fits = growth_.n_classes() <= asked.width || !asked.shares;
    start = growth_.nodes().route(start, row);
    // Once for both, where the answer is that of a leaf: what it says, and whether it is right.
    const bool at_leaf = growth_.at(start).test == Test::leaf;
    const bool apart = asked.shares && !(at_leaf && fits && !growth_.costs().classes);
    if (apart || growth_.costs().classes) {
        growth_.predict(policy, start, row, growth_.scratch(), {&predicted.before, asked.shares, asked.width}, 0);
    }
    const std::int32_t id = growth_.route_learning(start, row);
    constexpr bool knows_after =
        requires(const Growth::LeafAndRow& s) { policy.answer_after(s.leaf, s.row, growth_.scratch(), y); };
    const Growth::LeafAndRow seen = growth_.leaf_and_row(id, row, growth_.scratch());
    double* const shares = apart ? nullptr : asked.shares;
    if (shares) std::fill_n(shares, asked.width, 0.0);
    std::int32_t before = no_answer;
    if constexpr (knows_after) {
        before = policy.observe_shares(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id), y, weight.before,
                                       shares);
    } else {
        if (shares) policy.probabilities(seen.leaf, seen.row, growth_.scratch(), shares);
        before = policy.observe(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id), y, weight.before);
    }
    if (!growth_.costs().classes && !apart) predicted.before = before;
    Prepared found;
    if constexpr (knows_after) found = {&seen.row, growth_.scratch().ranged ? growth_.scratch().range.data() : nullptr};
    growth_.learn<false>(id, row, y, weight.learned, found);
    if (growth_.limited() && growth_.working().held) growth_.leave_room();
    const double rest = weight.learned - weight.before;
    if constexpr (knows_after) {
        // Asked about one class alone, where nothing else has changed.
        if (again && growth_.scratch().stays && !(rest > 0.0) && !growth_.costs().classes &&
            growth_.n_classes() == seen.leaf.n_classes && growth_.at(id).test == Test::leaf) {
            LeafView now = growth_.view(id);
            now.categories = seen.leaf.categories;  // as the leaf tracks them: none is new
            predicted.after = policy.answer_after(now, seen.row, growth_.scratch(), y);
            return predicted;
        }
    }
    if (Policy::observes && rest > 0.0 && growth_.at(id).test == Test::leaf &&
        growth_.leaves()[static_cast<std::size_t>(growth_.at(id).place)].weight > 0.0) {
        const Growth::LeafAndRow seen = growth_.leaf_and_row(id, row, growth_.scratch());
        if constexpr (requires { policy.observe_again(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id), y,
                                                      rest); }) {
            predicted.after = policy.observe_again(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id), y, rest);
            again &= growth_.costs().classes > 0;
        } else {
            policy.observe(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id), y, rest);
        }
    }
    if (again) growth_.predict(policy, id, row, growth_.scratch(), {&predicted.after, nullptr, 0}, 0);
    return predicted;
}

Tree::Predicted Tree::predict_and_learn(std::int32_t start, const Row& row, std::size_t y,
                                        Weight weight, const Shares& asked, bool again) {
    const Charge charge(growth_.leaves().account());
    if (!replaces()) {
        return std::visit(
            [&](const auto& policy) {
                return predict_and_learn(policy, start, row, y, weight, asked, again);
            },
            growth_.settings().leaf);
    }
    Predicted predicted;
    if (asked.shares) predicted.before = predict_row(start, row, asked);
    const std::int32_t before = adaptation_->learn(start, row, y, weight.learned);
    if (!asked.shares) predicted.before = before;
    if (again) predicted.after = predict_row(0, row, {});
    return predicted;
}

void Tree::learn_row(std::int32_t start, const Row& row, std::size_t y, double w) {
    const Charge charge(growth_.leaves().account());
    if (replaces()) {
        adaptation_->learn(start, row, y, w);
        return;
    }
    std::visit(
        [&]<class Policy>([[maybe_unused]] const Policy& policy) {
            if constexpr (Policy::observes) {
                predict_and_learn(policy, start, row, y, repeated(w), {}, false);
            } else {
                growth_.learn<false>(growth_.route_learning(start, row), row, y, w);
                if (growth_.limited() && growth_.working().held) growth_.leave_room();
            }
        },
        growth_.settings().leaf);
}

}  // namespace riparian
