#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "node.hpp"
#include "schedule.hpp"

namespace riparian {

// How one repetition ended.
struct Outcome {
    std::int32_t chosen;         // the feature; -1 if none before `max_examples`
    std::int64_t examples;       // examples seen until then
    std::uint8_t criterion = 0;  // for a hybrid, which impurity decided
    // Whether another feature was truly better by what was measured, with the labels that were
    // evaluated, right or wrong. Only set for gains that evaluate labels.
    bool misjudged = false;
};

// Repeats the life of one leaf until it decides. It holds all the memory that this needs, so each
// thread has its own and repetitions allocate nothing. If there are several gains, each with its
// schedule, a check uses the next one if those before it wait.
template <class First, class... Others>
class Repetition {
public:
    Repetition(const LabNode& node, const LabMethod& method, const std::vector<Schedule>& schedules,
               First first, Others... others)
        : node_(&node),
          method_(&method),
          schedules_(&schedules),
          gains_(std::move(first), std::move(others)...),
          drawn_(node.cells()),
          values_(node.features()) {
        first_check_ = schedules.front().first();
        for (const Schedule& s : schedules) first_check_ = std::min(first_check_, s.first());
    }

    [[nodiscard]] Outcome run(std::uint64_t seed, std::uint64_t repetition) {
        Philox random(seed, repetition);
        std::apply([](auto&... gains) { (gains.clear(), ...); }, gains_);
        std::int64_t seen = 0;
        if constexpr (requires(First& g) { g.hold_out(std::size_t{}, 1.0); }) {
            First& gains = std::get<0>(gains_);
            if (method_->evaluator == LabEvaluator::holdout) {
                seen = method_->holdout_examples;
                draw(random, seen, [&](std::size_t c, double n) { gains.hold_out(c, n); });
                gains.choose_labels();
            }
            if (gains.hopeless()) return {-1, method_->max_examples};
        }
        const Schedule& schedule = schedules_->front();
        for (std::int64_t check = first_check_; check < schedule.end(); ++check) {
            const std::int64_t until = schedule.seen(check);
            draw(random, until - seen, [&](std::size_t c, double n) {
                std::apply([&](auto&... gains) { (gains.learn(c, n), ...); }, gains_);
            });
            seen = until;
            Outcome out{-1, seen};
            decide_by_all(check, out, std::index_sequence_for<First, Others...>());
            if (out.chosen >= 0) return out;
        }
        return {-1, method_->max_examples};
    }

private:
    static constexpr bool at_once = First::at_once && (Others::at_once && ...);
    // Drawing a binomial number costs about as much as this many single examples.
    static constexpr std::int64_t examples_a_cell = 8;
    static constexpr std::size_t none = SIZE_MAX;

    template <class Count>
    void draw(Philox& random, std::int64_t n, Count count) {
        const auto cells = static_cast<std::int64_t>(node_->cells());
        if (at_once && n > examples_a_cell * cells) {
            node_->draw(random, n, drawn_.data());
            for (std::size_t c = 0; c < drawn_.size(); ++c) {
                if (drawn_[c] > 0) count(c, static_cast<double>(drawn_[c]));
            }
        } else {
            for (std::int64_t i = 0; i < n; ++i) count(node_->draw(random), 1.0);
        }
    }

    template <std::size_t... criterion>
    void decide_by_all(std::int64_t check, Outcome& out, std::index_sequence<criterion...>) {
        const auto decides = [&](auto& gains, std::size_t i) {
            out.chosen = decide(gains, (*schedules_)[i], check);
            if (out.chosen < 0) return false;
            out.criterion = static_cast<std::uint8_t>(i);
            out.misjudged = misjudged(gains, static_cast<std::size_t>(out.chosen));
            return true;
        };
        (void)(decides(std::get<criterion>(gains_), criterion) || ...);
    }

    // The feature to split on, or -1. Of equal gains the lowest feature is best.
    template <class Gains>
    [[nodiscard]] std::int32_t decide(Gains& gains, const Schedule& schedule, std::int64_t check) {
        gains.gains(values_.data());
        std::size_t best = 0, second = none;
        for (std::size_t a = 1; a < values_.size(); ++a) {
            if (values_[a] > values_[best]) {
                second = best;
                best = a;
            } else if (second == none || values_[a] > values_[second]) {
                second = a;
            }
        }
        if (method_->null_cut && (second == none || values_[second] < 0.0)) second = none;
        const double gap = values_[best] - (second == none ? 0.0 : values_[second]);
        if (!(gap > 0.0)) return -1;
        const double lead = schedule.needs_variance()
                                ? schedule.lead(check, variance_of_gap(gains, best, second))
                                : schedule.lead(check);
        return gap > lead ? static_cast<std::int32_t>(best) : -1;
    }

    template <class Gains>
    [[nodiscard]] double variance_of_gap(const Gains& gains, std::size_t best,
                                         std::size_t second) const {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        if constexpr (requires { gains.variance(best, second); }) {
            const Pairing pairing = pairing_of(method_->bound);
            if (second == none) return gains.variance(best);  // not splitting has no variance
            if (pairing == Pairing::paired) return gains.variance(best, second);
            return riparian::variance_of_gap(pairing, gains.variance(best), gains.variance(second));
        }
        return unknown;
    }

    template <class Gains>
    [[nodiscard]] bool misjudged(const Gains& gains, std::size_t chosen) {
        if constexpr (requires { gains.expected_gains(values_.data()); }) {
            constexpr double equal = 1e-12;  // closer gains count as equal
            gains.expected_gains(values_.data());
            const double most = *std::max_element(values_.begin(), values_.end());
            const double least = method_->null_cut ? std::max(most - equal, equal) : most - equal;
            return !(values_[chosen] >= least);
        }
        return false;
    }

    const LabNode* node_;
    const LabMethod* method_;
    const std::vector<Schedule>* schedules_;
    std::tuple<First, Others...> gains_;
    std::int64_t first_check_ = 0;
    std::vector<std::int64_t> drawn_;  // [cell]
    std::vector<double> values_;       // [feature]
};

}  // namespace riparian
