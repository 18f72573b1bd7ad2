// What an impurity measures, for bounds whose constants depend on it.
#pragma once

#include <cstdint>

namespace riparian {

enum class Measure : std::uint8_t {
    entropy,
    gini,
    kearns_mansour,
    misclassification,
    loss,
    custom,
};

}  // namespace riparian
