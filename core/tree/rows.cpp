// The row loop: rows are read in blocks, routed together, and predicted and learned one by one.
#include <algorithm>
#include <optional>

#include "step.hpp"
#include "uncertain_rows.hpp"

namespace riparian {
namespace {

// What a point of a distribution takes while its row is learned.
constexpr std::size_t bytes_of_a_point = 512;

}  // namespace

void Tree::route(const RowBuffer& buffer, std::size_t rows, Routes& routes) const noexcept {
    growth_.nodes().descend(buffer, rows, routes.starts.data());
    routes.reroutings = adaptation_->reroutings();
}

// A row with uncertain values is a block of its own.
template <bool predicting, class Step>
void Tree::run(const Batch& batch, const std::int32_t* y, const double* w, const Answers& answers,
               Stop* stop, const Step& step) {
    RowBuffer buffer(batch, growth_.features(), growth_.shape());
    Routes routes;
    UncertainRows uncertain(batch);
    std::optional<Spread> spread;
    if (!batch.uncertain.empty()) spread.emplace();
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        look(stop);
        const bool certain = uncertain.next() != first;
        const Section section(
            reserve_, reserve_bytes() + (certain ? 0 : bytes_of_a_point * batch.points.size()));
        n = certain ? std::min(pace_.rows(buffer.capacity()), uncertain.next() - first) : 1;
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        const Charge charge(growth_.leaves().account());
        if (!certain) {
            each_row(1, [&](std::size_t) {
                const auto begin = [&] {
                    uncertain.begin(*spread, buffer.row(0), growth_.features(), growth_.shape(),
                                    batch.points);
                };
                begin();
                if constexpr (predicting) {
                    growth_.predict(*spread, growth_.scratch(), answers, first);
                    begin();
                }
                const double weight = w ? w[first] : 1.0;
                if (y[first] < 0 || !(weight > 0.0)) return;
                adaptation_->learn(*spread, static_cast<std::size_t>(y[first]), weight);
            });
            uncertain.pass();
            continue;
        }
        route(buffer, n, routes);
        each_row(n, [&](std::size_t i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const std::int32_t start = !Step::reroutes || routes.hold(*this) ? routes.starts[i] : 0;
            if (y[r] < 0 || !(weight > 0.0)) {
                if constexpr (predicting) predict(start, row, answers, r);
                return;
            }
            RowRequest asked;
            if constexpr (predicting) {
                asked.predicted = answers.classes != nullptr;
                asked.width = answers.width;
                if (answers.probabilities) asked.shares = answers.probabilities + r * answers.width;
            }
            const Predicted predicted = step(start, row, static_cast<std::size_t>(y[r]),
                                             RowWeight::repeated(weight), asked);
            if (predicting && answers.classes) answers.classes[r] = predicted.before;
        });
    }
}

Predicted Tree::step(std::int32_t start, const Row& row, std::size_t y, RowWeight weight,
                     const RowRequest& asked, bool again) {
    Predicted predicted;
    const bool apart = asked.shares || (growth_.costs().classes > 0 && asked.any());
    if (apart) predict(start, row, asked.answers(predicted.before), 0);
    const std::int32_t before = adaptation_->learn(start, row, y, weight.learned);
    if (!apart) predicted.before = before;
    if (again) predict(0, row, {&predicted.after, nullptr, 0}, 0);
    return predicted;
}

namespace {

// A step of a tree that only grows, or of one that follows change.
template <bool follows_change, class Learn>
struct Step {
    static constexpr bool reroutes = follows_change;
    Learn learn;

    [[gnu::always_inline]] Predicted operator()(std::int32_t start, const Row& row, std::size_t y,
                                                RowWeight weight, const RowRequest& asked) const {
        return learn(start, row, y, weight, asked);
    }
};

template <bool follows_change, class Learn>
Step<follows_change, Learn> step_of(Learn learn) {
    return {learn};
}

}  // namespace

template <bool predicting>
void Tree::run(const Batch& batch, const std::int32_t* y, const double* w, const Answers& answers,
               Stop* stop) {
    if (replaces()) {
        run<predicting>(batch, y, w, answers, stop,
                        step_of<true>([this](std::int32_t start, const Row& row, std::size_t label,
                                             RowWeight weight, const RowRequest& asked) {
                            return step(start, row, label, weight, asked, false);
                        }));
        return;
    }
    std::visit(
        [&]<class Policy>(const Policy& policy) {
            const auto run_with = [&]<bool plain>(std::bool_constant<plain>) {
                run<predicting>(batch, y, w, answers, stop,
                                step_of<false>([&](std::int32_t start, const Row& row,
                                                   std::size_t label, RowWeight weight,
                                                   const RowRequest& asked) {
                                    return step<Policy, plain>(policy, start, row, label, weight,
                                                               asked, false);
                                }));
            };
            if (growth_.plain()) {
                run_with(std::true_type{});
            } else {
                run_with(std::false_type{});
            }
        },
        growth_.settings().leaf);
}

void Tree::demand_weights(const double* w, std::size_t rows) const {
    adaptation_->demand_weights(w, rows);
}

void Tree::learn(const Batch& batch, const std::int32_t* y, const double* w, Stop* stop) {
    demand_weights(w, batch.rows);
    run<false>(batch, y, w, {}, stop);
}

void Tree::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                       const Answers& answers, Stop* stop) {
    demand_weights(w, batch.rows);
    run<true>(batch, y, w, answers, stop);
}

}  // namespace riparian
