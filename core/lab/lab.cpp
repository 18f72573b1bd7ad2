#include "lab.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

#include "count_gains.hpp"
#include "hit_gains.hpp"
#include "race_leaf.hpp"

namespace riparian {
namespace {

// Large enough that threads rarely wait for the counter.
constexpr std::size_t chunk = 16;

template <class Impurity, class Use>
void with_gains(const LabNode& node, const LabMethod& method, const Impurity& impurity, Use use) {
    if constexpr (std::is_same_v<Impurity, CustomImpurity>) {
        throw std::invalid_argument(
            "the laboratory accepts no Python function as impurity or bound");
    } else {
        if constexpr (std::is_same_v<Impurity, Accuracy> || std::is_same_v<Impurity, Loss>) {
            using Quality =
                std::conditional_t<std::is_same_v<Impurity, Accuracy>, RightPredictions, Savings>;
            const Quality quality(impurity);
            switch (method.evaluator) {
                case LabEvaluator::prequential:
                    return use(HitGains<Quality, LabEvaluator::prequential>(node, quality));
                case LabEvaluator::holdout:
                    return use(HitGains<Quality, LabEvaluator::holdout>(node, quality));
                case LabEvaluator::fixed:
                    return use(HitGains<Quality, LabEvaluator::fixed>(node, quality));
                case LabEvaluator::resubstitution: break;
            }
        } else if (method.evaluator != LabEvaluator::resubstitution) {
            throw std::invalid_argument("only accuracy and loss accept an evaluator");
        }
        use(CountGains<Impurity>(node, impurity));
    }
}

}  // namespace

Lab::Lab(LabNode node, LabMethod method, std::uint64_t seed)
    : node_(std::move(node)), method_(std::move(method)), seed_(seed) {
    if (std::holds_alternative<Betting>(method_.bound)) return;  // it has no half-width
    schedules_.emplace_back(method_, method_.impurity, node_.classes(), node_.features());
    if (method_.second_impurity) {
        schedules_.emplace_back(method_, *method_.second_impurity, node_.classes(),
                                node_.features());
    }
}

void Lab::run(std::uint64_t first, std::vector<Outcome>& outcomes, unsigned threads) const {
    if (std::holds_alternative<Betting>(method_.bound)) {
        if (const auto* const gini = std::get_if<Gini>(&method_.impurity)) {
            return repeat(first, outcomes, threads,
                          [&] { return RaceLeaf<Gini>(node_, method_, *gini); });
        }
        if (const auto* const accuracy = std::get_if<Accuracy>(&method_.impurity)) {
            return repeat(first, outcomes, threads,
                          [&] { return RaceLeaf<Accuracy>(node_, method_, *accuracy); });
        }
        throw std::invalid_argument("betting supports gini and accuracy");
    }
    if (method_.second_impurity) {
        const auto* const one = std::get_if<Misclassification>(&method_.impurity);
        const auto* const other = std::get_if<Gini>(&*method_.second_impurity);
        if (!one || !other || method_.evaluator != LabEvaluator::resubstitution) {
            throw std::invalid_argument(
                "a hybrid consists of misclassification and gini, evaluated from counts");
        }
        return run_with(first, outcomes, threads, CountGains<Misclassification>(node_, *one),
                        CountGains<Gini>(node_, *other));
    }
    std::visit(
        [&](const auto& impurity) {
            with_gains(node_, method_, impurity,
                       [&](const auto& gains) { run_with(first, outcomes, threads, gains); });
        },
        method_.impurity);
}

template <class... Gains>
void Lab::run_with(std::uint64_t first, std::vector<Outcome>& outcomes, unsigned threads,
                   const Gains&... gains) const {
    repeat(first, outcomes, threads,
           [&] { return Repetition<Gains...>(node_, method_, schedules_, gains...); });
}

template <class Make>
void Lab::repeat(std::uint64_t first, std::vector<Outcome>& outcomes, unsigned threads,
                 const Make& make) const {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(std::max(threads, 1u));
    const auto work = [&](std::size_t thread) {
        try {
            auto repetition = make();
            for (std::size_t from; (from = next.fetch_add(chunk)) < outcomes.size();) {
                const std::size_t to = std::min(from + chunk, outcomes.size());
                for (std::size_t i = from; i < to; ++i) {
                    outcomes[i] = repetition.run(seed_, first + i);
                }
            }
        } catch (...) {
            failures[thread] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        for (std::size_t t = 1; t < failures.size(); ++t) others.emplace_back(work, t);
    } catch (const std::system_error&) {
        // If the system gives fewer threads, those that exist do all the work.
    }
    work(0);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace riparian
