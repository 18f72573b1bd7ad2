// The list of all impurities. A new impurity is a new file and an entry here.
#pragma once

#include <span>
#include <variant>

#include "accuracy.hpp"
#include "custom.hpp"
#include "entropy.hpp"
#include "gini.hpp"
#include "hybrid.hpp"
#include "kearns_mansour.hpp"
#include "loss.hpp"
#include "misclassification.hpp"

namespace riparian {

using AnyImpurity =
    std::variant<Entropy, Gini, KearnsMansour, Misclassification, Accuracy, Loss, CustomImpurity>;

// What users choose from: one impurity, or a hybrid of two.
using ImpurityChoice = std::variant<Entropy, Gini, KearnsMansour, Misclassification, Accuracy, Loss,
                                    Hybrid, CustomImpurity>;

// The evaluator of the gains of an impurity.
[[nodiscard]] inline Judged judged_by(const AnyImpurity& impurity) noexcept {
    return std::visit(
        []<class I>(const I& i) -> Judged {
            if constexpr (std::is_base_of_v<Judged, I>) return i;
            return {};
        },
        impurity);
}

// An impurity that counts costs declares a field `costs`, which the tree sets.
template <class I>
concept CountsCosts = requires(I& i) {
    { i.costs } -> std::same_as<Costs&>;
};

// An impurity whose masses no kernel computes declares a `function`, which a check calls for all
// candidates at once.
template <class I>
concept CalledForAll = requires(const I& i) {
    { *i.function } -> std::convertible_to<const ImpurityFunction&>;
};

// The costs that an impurity counts; null: it counts none.
[[nodiscard]] inline Costs* costs_in(AnyImpurity& impurity) noexcept {
    return std::visit(
        []<class I>(I& i) -> Costs* {
            if constexpr (CountsCosts<I>) return &i.costs;
            else return nullptr;
        },
        impurity);
}

// The function of an impurity that is called for all candidates; null: kernels compute the gains.
[[nodiscard]] inline const ImpurityFunction* function_of(const AnyImpurity& impurity) noexcept {
    return std::visit(
        []<class I>(const I& i) -> const ImpurityFunction* {
            if constexpr (CalledForAll<I>) return &*i.function;
            else return nullptr;
        },
        impurity);
}

// The largest error of a rough gain; 0: the impurity has no rough gains.
[[nodiscard]] inline double rough_gain_error(const AnyImpurity& impurity) noexcept {
    return std::visit(
        []<class I>(const I&) -> double {
            if constexpr (requires { I::template Rough<double>::error; })
                return I::template Rough<double>::error;
            else return 0.0;
        },
        impurity);
}

// An impurity for these classes only. The costs of a loss depend on the class.
[[nodiscard]] inline AnyImpurity over(const AnyImpurity& impurity,
                                      std::span<const std::size_t> codes) {
    return std::visit(
        [&]<class I>(const I& i) -> AnyImpurity {
            I some = i;
            if constexpr (CountsCosts<I>) some.costs = i.costs.of_classes(codes);
            return some;
        },
        impurity);
}

[[nodiscard]] inline Measure measure(const AnyImpurity& impurity) noexcept {
    return std::visit([](const auto& i) { return i.measure; }, impurity);
}

[[nodiscard]] inline double gain_range(const AnyImpurity& impurity, std::size_t classes) {
    return std::visit([&](const auto& i) { return i.gain_range(classes); }, impurity);
}

}  // namespace riparian
