// Learning rows, batch by batch.
#include <algorithm>
#include <array>

#include "rows.hpp"

namespace riparian {

template <class Policy, bool answering, bool plain>
void Tree::run(const Policy& policy, const Batch& batch, const std::int32_t* y, const double* w,
               const Answers& answers, Stop* stop) {
    RowBuffer buffer(batch, features(), shape());
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        look(stop);
        const Section section(reserve_, reserve_bytes());
        n = std::min(pace_.rows(buffer.capacity()), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        const Charge charge(leaves_.account());
        nodes_.descend(buffer, n, starts.data());
        each_row(n, [&](std::size_t i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            if constexpr (answering) {
                // A policy that observes answers while it is learning, once.
                if (answers.probabilities || !learned || !Policy::observes || costs_.classes) {
                    answer(policy, starts[i], row, scratch_, answers, r);
                }
            }
            if (!learned) return;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t id = route_learning(starts[i], row);
            if constexpr (Policy::observes) {
                const LeafAndRow seen =
                    plain ? LeafAndRow{view(id), row} : leaf_and_row(id, row, scratch_);
                const std::int32_t before = policy.observe(seen.leaf, seen.row, scratch_, numbers(id),
                                                           label, std::min(weight, 1.0));
                if (answering && !answers.probabilities && !costs_.classes) {
                    answers.classes[r] = before;
                }
            }
            learn<plain>(id, row, label, weight);
            // The room of a check is not kept where memory is scarce.
            if (!plain && limited() && working_.held) leave_room();
            if constexpr (Policy::observes) {
                // A weight of 3 is three examples: the second and the third met a leaf
                // that knew the first.
                if (weight > 1.0 && at(id).test == Test::leaf &&
                    leaves_[static_cast<std::size_t>(at(id).place)].weight > 0.0) {
                    const LeafAndRow seen =
                        plain ? LeafAndRow{view(id), row} : leaf_and_row(id, row, scratch_);
                    policy.observe(seen.leaf, seen.row, scratch_, numbers(id), label, weight - 1.0);
                }
            }
        });
    }
}

// A column counts from its first value on, wherever its batch began.
void Tree::note_known(const Row& row) {
    const bool first = n_known_ == 0;
    for (std::size_t f = 0; f < features().size(); ++f) {
        const std::size_t slot = features()[f].slot;
        const bool known = features()[f].kind == Kind::numeric ? row.x[slot] == row.x[slot]
                                                              : row.codes[slot] >= 0;
        if (known && !known_[f]) {
            known_[f] = 1;
            ++n_known_;
        }
    }
    if (first && n_known_ && settings_.leaf_features.draws()) draw_first();
}

void Tree::add_categories(const Row& row) {
    for (std::size_t c = 0; c < shape().categorical; ++c) {
        if (row.codes[c] >= categories_[c]) add_category(c, row.codes[c]);
    }
}

void Tree::learn_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    if (count_limited(place, row, y, w)) {
        try {
            check_if_due<false>(place);
            return;
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
    learn_inactive(place, w);
}

// Whether the leaf is active after it; if not, its class counts know the example.
bool Tree::count_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    const NodeRecord& leaf = leaves_[place];
    if (leaf.statistics.is_open()) {
        const TrackedFeatures* const kept = leaves_.tracked_features(place);
        std::size_t more = leaf.statistics.growth(
            leaves_.shape(place), kept ? gathered_.of(row, *kept, features()) : row, y);
        if (const PredictorState* const state = leaves_.state(place)) {
            more += state->growth(shape(), row, n_classes_);
        }
        make_room_for(more, none);
    }
    double& seen = leaves_.counts(leaf.node)[y];
    const double after = seen + w;
    if (leaf.statistics.is_open()) {
        if (leaf.recent && leaf.recent->since > seen_) {  // opened by this row, at another leaf
            seen = after;
            return true;
        }
        try {
            if (at(leaf.node).test == Test::leaf) {
                count<false>(place, row, y, w);
            } else {
                count_inside(place, row, y, w);
            }
            return true;
        } catch (const OverLimit&) {
            // What it keeps may be half of a row: it is to begin anew.
            leaves_.deactivate(place);
        }
    }
    seen = after;
    return false;
}

template <bool answering>
void Tree::run(const Batch& batch, const std::int32_t* y, const double* w, const Answers& answers,
               Stop* stop) {
    if (settings_.adapts()) {
        run_adapting(batch, y, w, answers, stop);
        return;
    }
    std::visit([&](const auto& policy) {
        using Policy = std::decay_t<decltype(policy)>;
        if (plain_ && !limited()) {
            run<Policy, answering, true>(policy, batch, y, w, answers, stop);
        } else {
            run<Policy, answering, false>(policy, batch, y, w, answers, stop);
        }
    }, settings_.leaf);
}

void Tree::learn(const Batch& batch, const std::int32_t* y, const double* w, Stop* stop) {
    demand_weights(w, batch.rows);
    if (!batch.uncertain.empty()) return run_uncertain(batch, y, w, {}, stop);
    run<false>(batch, y, w, {}, stop);
}

void Tree::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                       const Answers& answers, Stop* stop) {
    demand_weights(w, batch.rows);
    if (!batch.uncertain.empty()) return run_uncertain(batch, y, w, answers, stop);
    run<true>(batch, y, w, answers, stop);
}

}  // namespace riparian
