#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "node.hpp"
#include "schedule.hpp"

namespace riparian {

// How one repetition ended.
struct Outcome {
    std::int32_t chosen;    // the attribute; -1: none before `max_examples`
    std::int64_t examples;  // seen until then
};

// Repeats one leaf's life until it decides. Holds all the memory that this needs, so a
// thread has one of its own and repetitions allocate nothing.
template <class Gains>
class Repetition {
public:
    Repetition(const LabNode& node, const LabMethod& method, const Schedule& schedule, Gains gains)
        : node_(&node),
          method_(&method),
          schedule_(&schedule),
          gains_(std::move(gains)),
          drawn_(node.cells()),
          values_(node.attributes()) {}

    [[nodiscard]] Outcome run(std::uint64_t seed, std::uint64_t repetition) {
        Philox random(seed, repetition);
        gains_.clear();
        std::int64_t seen = 0;
        if constexpr (requires { gains_.hold_out(std::size_t{}, 1.0); }) {
            if (method_->evaluator == LabEvaluator::holdout) {
                seen = method_->holdout_examples;
                draw(random, seen, [&](std::size_t c, double n) { gains_.hold_out(c, n); });
                gains_.choose_labels();
            }
            if (gains_.hopeless()) return {-1, method_->max_examples};
        }
        for (std::int64_t check = schedule_->first(); check < schedule_->end(); ++check) {
            const std::int64_t until = schedule_->seen(check);
            draw(random, until - seen, [&](std::size_t c, double n) { gains_.learn(c, n); });
            seen = until;
            const std::int32_t chosen = decide(check);
            if (chosen >= 0) return {chosen, seen};
        }
        return {-1, method_->max_examples};
    }

private:
    // A binomial number costs about as much as these single examples.
    static constexpr std::int64_t examples_a_cell = 8;

    template <class Take>
    void draw(Philox& random, std::int64_t n, Take take) {
        const auto cells = static_cast<std::int64_t>(node_->cells());
        if (Gains::at_once && n > examples_a_cell * cells) {
            node_->draw(random, n, drawn_.data());
            for (std::size_t c = 0; c < drawn_.size(); ++c) {
                if (drawn_[c] > 0) take(c, static_cast<double>(drawn_[c]));
            }
        } else {
            for (std::int64_t i = 0; i < n; ++i) take(node_->draw(random), 1.0);
        }
    }

    // The attribute to split on, or -1. Of equal gains the lowest attribute is best.
    [[nodiscard]] std::int32_t decide(std::int64_t check) {
        gains_.gains(values_.data());
        constexpr std::size_t none = SIZE_MAX;
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
        const double lead = schedule_->needs_variance()
                                ? schedule_->lead(check, variance_of_gap(check, best, second))
                                : schedule_->lead(check);
        return gap > lead ? static_cast<std::int32_t>(best) : -1;
    }

    [[nodiscard]] double variance_of_gap(std::int64_t check, std::size_t best,
                                         std::size_t second) const {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        if constexpr (requires { gains_.variance(best, second); }) {
            const auto* const bound = std::get_if<DeltaMethod>(&method_->bound);
            if (!bound || schedule_->averaged(check) < DeltaMethod::fewest) return unknown;
            if (second == SIZE_MAX) return gains_.variance(best);  // "no split" has none
            if (bound->pairing == Pairing::paired) return gains_.variance(best, second);
            const double one = gains_.variance(best), two = gains_.variance(second);
            if (bound->pairing == Pairing::independent) return one + two;
            const double sum = std::sqrt(one) + std::sqrt(two);
            return sum * sum;
        }
        return unknown;
    }

    const LabNode* node_;
    const LabMethod* method_;
    const Schedule* schedule_;
    Gains gains_;
    std::vector<std::int64_t> drawn_;  // [cell]
    std::vector<double> values_;       // [attribute]
};

}  // namespace riparian
