// Predicting rows, batch by batch.
#include <algorithm>
#include <optional>

#include "../growth/rows.hpp"
#include "tree.hpp"
#include "uncertain_rows.hpp"

namespace riparian {

void Tree::predict(const Batch& batch, const Answers& answers, Stop* stop, Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {growth_.seen(), growth_.n_classes()};
    Pace pace(RowBuffer::most_rows);
    std::optional<RowBuffer> buffer;
    Asking scratch;
    Routes routes;
    Ends ends;
    UncertainRows uncertain(batch);
    std::optional<Spread> spread;
    if (!batch.uncertain.empty()) spread.emplace();
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        look(stop);
        // A learner may come in between blocks, and may have added features.
        const auto lock = locks.of_block();
        if (!buffer || !buffer->reads(growth_.shape())) {
            buffer.emplace(batch, growth_.features(), growth_.shape());
        }
        growth_.fit(scratch);
        const bool certain = uncertain.next() != first;
        n = certain ? std::min(pace.rows(buffer->capacity()), uncertain.next() - first) : 1;
        const Pace::Timer timer(pace, n, turnstile_);
        buffer->read(first, n);
        if (!certain) {
            uncertain.begin(*spread, buffer->row(0), growth_.features(), growth_.shape(), batch.points);
            growth_.predict(*spread, scratch, answers, first);
            uncertain.pass();
            continue;
        }
        route(*buffer, n, routes);
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
                    growth_.predict(policy, routes.starts[i], buffer->row(i), scratch, answers,
                                    first + i);
                }
            },
            growth_.settings().leaf);
    }
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
