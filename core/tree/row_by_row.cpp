// Single rows, for those who learn them in steps of their own: trees that follow change, parts of
// uncertain examples, short memories, members of forests.
#include <algorithm>

#include "rows.hpp"

namespace riparian {

void Tree::arrive(const Row& row, std::size_t y) { arrive_here(row, y); }

void Tree::learn_at(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(at(leaf).place);
    if (limited()) {
        learn_limited(place, row, y, w);
    } else {
        count<false>(place, row, y, w);
        check_if_due<false>(place);
    }
    // A weight of 3 is three examples: the second and the third met a leaf that knew the first.
    if (w > 1.0 && at(leaf).test == Test::leaf && leaves_[place].weight > 0.0) {
        observe(leaf, row, y, w - 1.0);
    }
}

bool Tree::learn_inside(std::int32_t node, const Row& row, std::size_t y, double w) {
    if (at(node).rests) {
        leaves_.counts(node)[y] += w;
        return false;
    }
    const auto place = static_cast<std::size_t>(record(node));
    if (!limited() && leaves_[place].statistics.is_open()) {
        count_inside(place, row, y, w);
        return true;
    }
    const bool active = count_limited(place, row, y, w);
    if (!active) learn_inactive(place, w);
    return active;
}

// Without what naive Bayes derives: nobody asks for it there.
void Tree::count_inside(std::size_t place, const Row& row, std::size_t y, double w) {
    if (leaves_.any_extras() || leaves_.any_states() || leaves_.any_tracked_features()) {
        count<false>(place, row, y, w);
        return;
    }
    NodeRecord& leaf = leaves_[place];
    double* counts = leaves_.counts(leaf.node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    leaf.statistics.learn_silently(shape(), row, y, w, before, counts);
}

// The same again, after all was cleared that a node keeps.
void Tree::relearn(std::int32_t node, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(record(node));
    if (limited()) {
        count_limited(place, row, y, w);
    } else {
        count_inside(place, row, y, w);
    }
}

bool Tree::learn_parts(std::int32_t id, Spread& spread, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(record(id));
    const bool answers = at(id).test == Test::leaf;
    const double seen = leaves_.counts(id)[y] + w;
    const double own = leaves_.own_counts(leaves_[place])[y] + w;
    const double weight = leaves_[place].weight + w;
    bool active = true;
    bool throughout = leaves_[place].statistics.is_open();
    each_part(spread, w, [&](const Row& part, double share) {
        const bool open = leaves_[place].statistics.is_open();
        if (limited() || !open) active = count_limited(place, part, y, share);
        else if (answers) count<false>(place, part, y, share);
        else count_inside(place, part, y, share);
        // One that slept and woke on the way begins with the next row.
        const Recent* const recent = leaves_[place].recent.get();
        throughout &= active && !(recent && recent->since > seen_);
    });
    // What the parts weigh together is less by rounding, and a check would come a row late.
    leaves_.counts(id)[y] = seen;
    if (throughout) {
        leaves_.own_counts(leaves_[place])[y] = own;
        leaves_[place].weight = weight;
    }
    if (active) {
        try {
            if (answers) check_if_due<false>(place);
            return true;
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
    learn_inactive(place, w);
    return false;
}

void Tree::recall(std::int32_t child, const Row& row, std::size_t y, double w) {
    const Charge charge(leaves_.account());
    const auto place = static_cast<std::size_t>(at(child).place);
    if (limited()) {
        count_limited(place, row, y, w);
    } else {
        count<false>(place, row, y, w);
    }
}

// The children of a fresh split learn what the short memory holds of their parent.
void Tree::recall(std::int32_t node) {
    if (settings_.short_memory_elsewhere) {
        elsewhere_([&](const Row& row, std::size_t y, double w) {
            const std::int32_t leaf = nodes_.leaf_of(row);
            if (at(leaf).parent == node) recall(leaf, row, y, w);
        });
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_.leaf(i) != node) continue;
        const Row row = memory_.row(i);
        std::int32_t child = nodes_.step(node, row);
        // The cut was made on this example too, so its category has a branch, unless a
        // file says otherwise.
        if (child == none) child = at(node).heavy;
        memory_.move(i, child);
        recall(child, row, memory_.label(i), memory_.weight(i));
    }
    estimates_.resize(nodes_.size() * shape().class_stride, 0.0);
    for (std::size_t i = nodes_.size(); i-- > 0 && nodes_[i].parent == node;) {
        const auto place = static_cast<std::size_t>(nodes_[i].place);
        NodeRecord& leaf = leaves_[place];
        leaf.checked = leaf.weight;
        leaves_.set_recalled(place, leaf.weight);
        // The split estimated their weight as well: no example answers twice.
        double* const seen = leaves_.counts(leaf.node);
        double* const inherited = seen + shape().class_stride;
        std::copy_n(inherited, shape().class_stride, estimates_.data() + i * shape().class_stride);
        double left = 0.0;
        for (std::size_t k = 0; k < shape().class_stride; ++k) {
            left += inherited[k] = std::max(0.0, inherited[k] - seen[k]);
        }
        if (leaf.inherited > 0.0) leaf.inherited = left;
    }
}

void Tree::find_starts(const RowBuffer& buffer, std::size_t n, std::int32_t* starts) const noexcept {
    nodes_.descend(buffer, n, starts);
}

std::int32_t Tree::predict_row(std::int32_t start, const Row& row, const Shares& shares) {
    std::int32_t predicted = no_answer;
    answer(start, row, {&predicted, shares.shares, shares.width}, 0);
    return predicted;
}

template <class Policy>
Tree::Predicted Tree::predict_and_learn(const Policy& policy, std::int32_t start, const Row& row,
                                        std::size_t y, Weight weight, const Shares& asked,
                                        bool again) {
    Predicted predicted;
    const bool fits = n_classes_ <= asked.width || !asked.shares;
    start = nodes_.route(start, row);
    // Once for both, where the answer is that of a leaf: what it says, and whether it is right.
    const bool at_leaf = at(start).test == Test::leaf;
    const bool apart = asked.shares && !(at_leaf && fits && !costs_.classes);
    if (apart || costs_.classes) {
        answer(policy, start, row, scratch_, {&predicted.before, asked.shares, asked.width}, 0);
    }
    const std::int32_t id = route_learning(start, row);
    constexpr bool knows_after =
        requires(const LeafAndRow& s) { policy.answer_after(s.leaf, s.row, scratch_, y); };
    const LeafAndRow seen = leaf_and_row(id, row, scratch_);
    double* const shares = apart ? nullptr : asked.shares;
    if (shares) std::fill_n(shares, asked.width, 0.0);
    std::int32_t before = no_answer;
    if constexpr (knows_after) {
        before = policy.observe_shares(seen.leaf, seen.row, scratch_, numbers(id), y, weight.before,
                                       shares);
    } else {
        if (shares) policy.probabilities(seen.leaf, seen.row, scratch_, shares);
        before = policy.observe(seen.leaf, seen.row, scratch_, numbers(id), y, weight.before);
    }
    if (!costs_.classes && !apart) predicted.before = before;
    Prepared found;
    if constexpr (knows_after) found = {&seen.row, scratch_.ranged ? scratch_.range.data() : nullptr};
    learn<false>(id, row, y, weight.learned, found);
    if (limited() && working_.held) leave_room();
    const double rest = weight.learned - weight.before;
    if constexpr (knows_after) {
        // Asked about one class alone, where nothing else has changed.
        if (again && scratch_.stays && !(rest > 0.0) && !costs_.classes &&
            n_classes_ == seen.leaf.n_classes && at(id).test == Test::leaf) {
            LeafView now = view(id);
            now.categories = seen.leaf.categories;  // as the leaf tracks them: none is new
            predicted.after = policy.answer_after(now, seen.row, scratch_, y);
            return predicted;
        }
    }
    if (Policy::observes && rest > 0.0 && at(id).test == Test::leaf &&
        leaves_[static_cast<std::size_t>(at(id).place)].weight > 0.0) {
        const LeafAndRow seen = leaf_and_row(id, row, scratch_);
        if constexpr (requires { policy.observe_again(seen.leaf, seen.row, scratch_, numbers(id), y,
                                                      rest); }) {
            predicted.after = policy.observe_again(seen.leaf, seen.row, scratch_, numbers(id), y, rest);
            again &= costs_.classes > 0;
        } else {
            policy.observe(seen.leaf, seen.row, scratch_, numbers(id), y, rest);
        }
    }
    if (again) answer(policy, id, row, scratch_, {&predicted.after, nullptr, 0}, 0);
    return predicted;
}

Tree::Predicted Tree::predict_and_learn(std::int32_t start, const Row& row, std::size_t y,
                                        Weight weight, const Shares& asked, bool again) {
    const Charge charge(leaves_.account());
    if (!settings_.adapts()) {
        return std::visit(
            [&](const auto& policy) {
                return predict_and_learn(policy, start, row, y, weight, asked, again);
            },
            settings_.leaf);
    }
    Predicted predicted;
    if (asked.shares) predicted.before = predict_row(start, row, asked);
    const std::int32_t before = adapt(start, row, y, weight.learned);
    if (!asked.shares) predicted.before = before;
    if (again) predicted.after = predict_row(0, row, {});
    return predicted;
}

void Tree::learn_row(std::int32_t start, const Row& row, std::size_t y, double w) {
    const Charge charge(leaves_.account());
    if (settings_.adapts()) {
        adapt(start, row, y, w);
        return;
    }
    std::visit(
        [&]<class Policy>([[maybe_unused]] const Policy& policy) {
            if constexpr (Policy::observes) {
                predict_and_learn(policy, start, row, y, repeated(w), {}, false);
            } else {
                learn<false>(route_learning(start, row), row, y, w);
                if (limited() && working_.held) leave_room();
            }
        },
        settings_.leaf);
}

}  // namespace riparian
