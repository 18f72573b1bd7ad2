// The one list of impurities. A new one is a file and a place here.
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

using AnyImpurity = std::variant<Entropy, Gini, KearnsMansour, Misclassification, Accuracy, Loss,
                                 CustomImpurity>;

// What users choose from: one of them, or a hybrid of two.
using ImpurityChoice = std::variant<Entropy, Gini, KearnsMansour, Misclassification, Accuracy, Loss,
                                    Hybrid, CustomImpurity>;

// Who judges the gains of an impurity.
[[nodiscard]] inline Judged judged_by(const AnyImpurity& impurity) noexcept {
    return std::visit(
        []<class I>(const I& i) -> Judged {
            if constexpr (std::is_base_of_v<Judged, I>) return i;
            return {};
        },
        impurity);
}

// An impurity over these classes only: costs are told apart by class.
[[nodiscard]] inline AnyImpurity over(const AnyImpurity& impurity,
                                      std::span<const std::size_t> codes) {
    const auto* const loss = std::get_if<Loss>(&impurity);
    return loss ? AnyImpurity(Loss{{}, loss->costs.of_classes(codes)}) : impurity;
}

[[nodiscard]] inline Measure measure(const AnyImpurity& impurity) noexcept {
    return std::visit([](const auto& i) { return i.measure; }, impurity);
}

[[nodiscard]] inline double gain_range(const AnyImpurity& impurity, std::size_t classes) {
    return std::visit([&](const auto& i) { return i.gain_range(classes); }, impurity);
}

}  // namespace riparian
