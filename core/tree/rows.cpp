// The row loop: rows are read in blocks, routed together, and predicted and learned one by one.
#include <algorithm>
#include <optional>
#include <type_traits>

#include "step.hpp"
#include "uncertain_rows.hpp"

namespace riparian {
namespace {

// Bytes per point of a distribution while its row is learned.
constexpr std::size_t bytes_of_a_point = 512;

// Passed instead of a leaf predictor if the adaptation learns the rows.
struct Adapting {};

}  // namespace

void Tree::route(const RowBuffer& buffer, std::size_t rows, Routes& routes) const noexcept {
    growth_.state.nodes.descend(buffer, rows, routes.starts.data());
    routes.reroutings = adaptation_->reroutings();
}

void Tree::run_uncertain(const UncertainRows& rows, Spread& spread, const Batch& batch,
                         const Row& certain, std::int32_t y, double w,
                         const Predictions* predictions) {
    const auto begin = [&] {
        rows.begin(spread, certain, growth_.state.nodes.features(), growth_.state.leaves.shape(),
                   batch.points);
    };
    each_row(1, [&](std::size_t) {
        begin();
        if (predictions) {
            growth_.predictor.predict(spread, growth_.state.scratch, *predictions, rows.next());
            begin();
        }
        if (!(y >= 0 && w > 0.0)) return;
        adaptation_->learn({.spread = &spread}, static_cast<std::size_t>(y), w);
    });
}

// A row with uncertain values is a block of its own.
template <class Policy, bool predicting, bool plain>
void Tree::run(const Policy& policy, const Batch& batch, const std::int32_t* y, const double* w,
               const Predictions& predictions, Stop* stop) {
    constexpr bool adapting = std::is_same_v<Policy, Adapting>;
    RowBuffer buffer(batch, growth_.state.nodes.features(), growth_.state.leaves.shape());
    Routes routes;
    UncertainRows uncertain(batch);
    std::optional<Spread> spread;
    if (!batch.uncertain.empty()) spread.emplace();
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        poll(stop);
        const bool certain = uncertain.next() != first;
        const Section section(reserve_, reserve_bytes() +
                                            (certain ? 0 : bytes_of_a_point * batch.points.size()));
        n = certain ? std::min(pace_.rows(buffer.capacity()), uncertain.next() - first) : 1;
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        const Charge charge(growth_.state.leaves.account());
        if (!certain) {
            run_uncertain(uncertain, *spread, batch, buffer.row(0), y[first], w ? w[first] : 1.0,
                          predicting ? &predictions : nullptr);
            uncertain.pass();
            continue;
        }
        route(buffer, n, routes);
        each_row(n, [&](std::size_t i) {
            const Row& row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const std::int32_t start = !adapting || routes.hold(*this) ? routes.starts[i] : 0;
            if (y[r] < 0 || !(weight > 0.0)) {
                if constexpr (predicting) predict(start, row, predictions, r);
                return;
            }
            RowRequest asked;
            if constexpr (predicting) {
                asked.predicted = predictions.classes != nullptr;
                asked.width = predictions.width;
                if (predictions.probabilities) {
                    asked.shares = predictions.probabilities + r * predictions.width;
                }
            }
            const auto label = static_cast<std::size_t>(y[r]);
            const RowWeight weights = RowWeight::repeated(weight);
            Predicted predicted;
            if constexpr (adapting) {
                predicted = step(start, row, label, weights, asked, false);
            } else {
                predicted = step<Policy, plain>(policy, start, row, label, weights, asked, false);
            }
            if (predicting && predictions.classes) predictions.classes[r] = predicted.before;
        });
    }
}

Predicted Tree::step(std::int32_t start, const Row& row, std::size_t y, RowWeight weight,
                     const RowRequest& asked, bool again) {
    Predicted predicted;
    const bool apart = asked.shares || (growth_.state.costs.classes > 0 && asked.any());
    if (apart) predict(start, row, asked.predictions(predicted.before), 0);
    const std::int32_t before = adaptation_->learn({&row, start}, y, weight.learned);
    if (!apart) predicted.before = before;
    if (again) predict(0, row, {&predicted.after, nullptr, 0}, 0);
    return predicted;
}

template <bool predicting>
void Tree::run(const Batch& batch, const std::int32_t* y, const double* w,
               const Predictions& predictions, Stop* stop) {
    if (replaces()) {
        run<Adapting, predicting, false>({}, batch, y, w, predictions, stop);
        return;
    }
    std::visit(
        [&]<class Policy>(const Policy& policy) {
            if (growth_.state.plain && !growth_.state.limited()) {
                run<Policy, predicting, true>(policy, batch, y, w, predictions, stop);
            } else {
                run<Policy, predicting, false>(policy, batch, y, w, predictions, stop);
            }
        },
        growth_.state.settings.leaf);
}

void Tree::demand_weights(const double* w, std::size_t rows) const {
    adaptation_->demand_weights(w, rows);
}

void Tree::learn(const Batch& batch, const std::int32_t* y, const double* w, Stop* stop) {
    demand_weights(w, batch.rows);
    run<false>(batch, y, w, {}, stop);
}

void Tree::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                       const Predictions& predictions, Stop* stop) {
    demand_weights(w, batch.rows);
    run<true>(batch, y, w, predictions, stop);
}

}  // namespace riparian
