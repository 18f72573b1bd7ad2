// The one list of leaf predictors. A new one is a file and a place here.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "adaptive.hpp"
#include "best.hpp"
#include "idbd.hpp"
#include "majority.hpp"
#include "naive_bayes.hpp"

namespace riparian {

using AnyLeaf = std::variant<Majority, NaiveBayes, Adaptive, Idbd, Best>;

[[nodiscard]] inline bool needs_bayes(const AnyLeaf& leaf) noexcept {
    return std::visit([](const auto& l) { return l.bayes; }, leaf);
}

[[nodiscard]] inline bool needs_units(const AnyLeaf& leaf) noexcept {
    return std::visit([](const auto& l) { return l.linear; }, leaf);
}

// Whichever of these was right more often at a leaf; nothing if one cannot be among several.
[[nodiscard]] inline std::optional<AnyLeaf> best_of(const std::vector<AnyLeaf>& leaves) {
    if (leaves.size() == 1) return leaves[0];
    Best best;
    for (const AnyLeaf& leaf : leaves) {
        if (std::holds_alternative<Majority>(leaf)) {
            best.majority = true;
        } else if (std::holds_alternative<NaiveBayes>(leaf)) {
            best.bayes = true;
        } else if (std::holds_alternative<Idbd>(leaf)) {
            best.linear = true;
        } else {
            return std::nullopt;
        }
    }
    if (best.majority && best.bayes && !best.linear) return Adaptive{};
    return best;
}

}  // namespace riparian
