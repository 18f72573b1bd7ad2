// Predicting rows, batch by batch.
#include <algorithm>

#include "../growth/rows.hpp"
#include "in_turn.hpp"
#include "tree.hpp"

namespace riparian {

void Tree::predict(const Batch& batch, const Answers& answers, Stop* stop, Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {growth_.seen(), growth_.n_classes()};
    if (batch.uncertain.empty()) {
        predict_certain(batch, answers, locks, stop);
    } else {
        predict_uncertain(batch, answers, locks, stop);
    }
}

void Tree::predict_certain(const Batch& batch, const Answers& answers, const BlockLocks& locks,
                           Stop* stop) const {
    Pace pace(RowBuffer::most_rows);
    std::optional<RowBuffer> buffer;
    Asking scratch;
    std::vector<std::int32_t> starts;
    Ends ends;
    for (std::size_t first = 0; first < batch.rows;) {
        look(stop);
        // A learner may come in between blocks, and may have added features.
        const auto lock = locks.of_block();
        if (!buffer || !buffer->reads(growth_.shape())) buffer.emplace(batch, growth_.features(), growth_.shape());
        growth_.fit(scratch);
        const std::size_t n = std::min(pace.rows(buffer->capacity()), batch.rows - first);
        const Pace::Timer timer(pace, n, turnstile_);
        buffer->read(first, n);
        starts.resize(n);
        growth_.nodes().descend(*buffer, n, starts.data());
        std::visit(
            [&](const auto& policy) {
                if (adaptation_->several_predict()) {
                    for (std::size_t i = 0; i < n; ++i) {
                        adaptation_->reach(buffer->row(i), ends);
                        growth_.predict(policy, ends, buffer->row(i), scratch, answers, first + i);
                    }
                    return;
                }
                for (std::size_t i = 0; i < n; ++i) {
                    growth_.predict(policy, starts[i], buffer->row(i), scratch, answers, first + i);
                }
            },
            growth_.settings().leaf);
        first += n;
    }
}

void Tree::predict_uncertain(const Batch& batch, const Answers& answers, const BlockLocks& locks,
                             Stop* stop) const {
    std::optional<RowBuffer> buffer;
    AnswerScratch scratch;
    Spread spread;
    in_turn(
        batch,
        [&](std::size_t first, std::size_t n) {
            predict_certain(batch.certain_rows(first, n), from(answers, first), locks, stop);
        },
        [&](std::size_t row, const Uncertain* first, const Uncertain* last) {
            look(stop);
            const auto lock = locks.of_block();
            if (!buffer || !buffer->reads(growth_.shape())) buffer.emplace(batch, growth_.features(), growth_.shape());
            fit(scratch, growth_.settings().leaf, growth_.shape(), growth_.costs().classes > 0);
            buffer->read(row, 1);
            spread.begin(buffer->row(0), growth_.features(), growth_.shape(), first, last, batch.points);
            growth_.predict(spread, scratch, answers, row);
        });
}

void Tree::predict(std::int32_t start, const Row& row, const Answers& answers, std::size_t i) {
    std::visit(
        [&](const auto& policy) {
            if (Ends* const ends = adaptation_->ends()) {
                const Charge charge(growth_.working());
                adaptation_->reach(row, *ends);
                growth_.predict(policy, *ends, row, growth_.scratch(), answers, i);
            } else {
                growth_.predict(policy, start, row, growth_.scratch(), answers, i);
            }
        },
        growth_.settings().leaf);
}

std::vector<std::int32_t> Tree::path(const Batch& batch) const {
    RowBuffer buffer(batch, growth_.features(), growth_.shape());
    buffer.read(0, 1);
    std::vector<std::int32_t> ids;
    const auto numbers = growth_.nodes().numbers();
    for (std::int32_t i = growth_.nodes().route(0, buffer.row(0)); i != none; i = growth_.at(i).parent) {
        ids.push_back(numbers[static_cast<std::size_t>(i)]);
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
}

}  // namespace riparian
