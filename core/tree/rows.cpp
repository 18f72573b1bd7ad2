// Learning rows, batch by batch.
#include "../growth/rows.hpp"

#include <algorithm>
#include <array>

#include "in_turn.hpp"
#include "tree.hpp"

namespace riparian {
namespace {

// What a point of a distribution takes while its row is learned.
constexpr std::size_t bytes_of_a_point = 512;

}  // namespace

template <class Policy, bool predicting, bool plain>
void Tree::run(const Policy& policy, const Batch& batch, const std::int32_t* y, const double* w,
               const Answers& answers, Stop* stop) {
    RowBuffer buffer(batch, growth_.features(), growth_.shape());
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        look(stop);
        const Section section(reserve_, reserve_bytes());
        n = std::min(pace_.rows(buffer.capacity()), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        const Charge charge(growth_.leaves().account());
        growth_.nodes().descend(buffer, n, starts.data());
        each_row(n, [&](std::size_t i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            if constexpr (predicting) {
                // A policy that observes predicts while it is learning, once.
                if (answers.probabilities || !learned || !Policy::observes || growth_.costs().classes) {
                    growth_.predict(policy, starts[i], row, growth_.scratch(), answers, r);
                }
            }
            if (!learned) return;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t id = growth_.route_learning(starts[i], row);
            if constexpr (Policy::observes) {
                const Growth::LeafAndRow seen =
                    plain ? Growth::LeafAndRow{growth_.view(id), row} : growth_.leaf_and_row(id, row, growth_.scratch());
                const std::int32_t before = policy.observe(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id),
                                                           label, std::min(weight, 1.0));
                if (predicting && !answers.probabilities && !growth_.costs().classes) {
                    answers.classes[r] = before;
                }
            }
            growth_.learn<plain>(id, row, label, weight);
            // The room of a check is not kept where memory is scarce.
            if (!plain && growth_.limited() && growth_.working().held) growth_.leave_room();
            if constexpr (Policy::observes) {
                // A weight of 3 is three examples: the second and the third met a leaf
                // that knew the first.
                if (weight > 1.0 && growth_.at(id).test == Test::leaf &&
                    growth_.leaves()[static_cast<std::size_t>(growth_.at(id).place)].weight > 0.0) {
                    const Growth::LeafAndRow seen =
                        plain ? Growth::LeafAndRow{growth_.view(id), row} : growth_.leaf_and_row(id, row, growth_.scratch());
                    policy.observe(seen.leaf, seen.row, growth_.scratch(), growth_.numbers(id), label, weight - 1.0);
                }
            }
        });
    }
}

void Tree::run_adapting(const Batch& batch, const std::int32_t* y, const double* w,
                        const Answers& answers, Stop* stop) {
    RowBuffer buffer(batch, growth_.features(), growth_.shape());
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    const bool apart = answers.probabilities || growth_.costs().classes;
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        look(stop);
        const Section section(reserve_, reserve_bytes());
        n = std::min(pace_.rows(buffer.capacity()), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        const Charge charge(growth_.leaves().account());
        growth_.nodes().descend(buffer, n, starts.data());
        const std::uint64_t reroutings = adaptation_->reroutings();
        each_row(n, [&](std::size_t i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            // Where rows go other ways now, what was found for the whole block is void.
            const std::int32_t start = reroutings == adaptation_->reroutings() ? starts[i] : 0;
            const bool asked = answers.classes || answers.probabilities;
            if (asked && (apart || !learned)) predict(start, row, answers, r);
            if (!learned) return;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t predicted = adaptation_->learn(start, row, label, weight);
            if (asked && !apart) answers.classes[r] = predicted;
        });
    }
}

template <bool predicting>
void Tree::run(const Batch& batch, const std::int32_t* y, const double* w, const Answers& answers,
               Stop* stop) {
    if (replaces()) {
        run_adapting(batch, y, w, answers, stop);
        return;
    }
    std::visit([&](const auto& policy) {
        using Policy = std::decay_t<decltype(policy)>;
        if (growth_.plain()) {
            run<Policy, predicting, true>(policy, batch, y, w, answers, stop);
        } else {
            run<Policy, predicting, false>(policy, batch, y, w, answers, stop);
        }
    }, growth_.settings().leaf);
}

void Tree::run_uncertain(const Batch& batch, const std::int32_t* y, const double* w,
                         const Answers& answers, Stop* stop) {
    RowBuffer buffer(batch, growth_.features(), growth_.shape());
    Spread spread;
    const bool asked = answers.classes || answers.probabilities;
    in_turn(
        batch,
        [&](std::size_t first, std::size_t n) {
            const Batch rows = batch.certain_rows(first, n);
            const double* const weights = w ? w + first : nullptr;
            if (asked) prequential(rows, y + first, weights, from(answers, first), stop);
            else learn(rows, y + first, weights, stop);
        },
        [&](std::size_t row, const Uncertain* first, const Uncertain* last) {
            look(stop);
            const Section section(reserve_, reserve_bytes() + bytes_of_a_point * batch.points.size());
            buffer.read(row, 1);
            const auto lock = turnstile_.writing();
            const Charge charge(growth_.leaves().account());
            const auto begin = [&] {
                spread.begin(buffer.row(0), growth_.features(), growth_.shape(), first, last, batch.points);
            };
            each_row(1, [&](std::size_t) {
                begin();
                if (asked) {
                    growth_.predict(spread, growth_.scratch(), answers, row);
                    begin();
                }
                const double weight = w ? w[row] : 1.0;
                if (y[row] < 0 || !(weight > 0.0)) return;
                adaptation_->learn(spread, static_cast<std::size_t>(y[row]), weight);
            });
        });
}

void Tree::demand_weights(const double* w, std::size_t rows) const {
    adaptation_->demand_weights(w, rows);
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
