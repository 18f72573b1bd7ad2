// The one list of leaf predictors. A new one is a file and a place here.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../named.hpp"
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

// The best of these, by their names; nothing if one cannot be among several.
[[nodiscard]] inline std::optional<AnyLeaf> best_of(const std::vector<std::string>& names) {
    if (names.size() == 1) return by_name<AnyLeaf>(names[0]);
    Best best;
    for (const std::string& name : names) {
        if (name == Majority::name) {
            best.majority = true;
        } else if (name == NaiveBayes::name) {
            best.bayes = true;
        } else if (name == Idbd::name) {
            best.linear = true;
        } else {
            return std::nullopt;
        }
    }
    if (best.majority && best.bayes && !best.linear) return Adaptive{};
    return best;
}

}  // namespace riparian
