// The one list of leaf predictors. A new one is a file and a place here.
#pragma once

#include <variant>

#include "adaptive.hpp"
#include "majority.hpp"
#include "naive_bayes.hpp"

namespace riparian {

using AnyLeaf = std::variant<Majority, NaiveBayes, Adaptive>;

[[nodiscard]] inline bool needs_bayes(const AnyLeaf& leaf) noexcept {
    return std::visit([](const auto& l) { return l.bayes; }, leaf);
}

}  // namespace riparian
