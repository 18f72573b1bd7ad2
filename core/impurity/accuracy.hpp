#pragma once

#include "evaluator.hpp"
#include "misclassification.hpp"

namespace riparian {

// Accuracy gain, the quality gain of "is correct" [matuszyk2013, eq. 5-7]. With the labels of the
// branches taken from the same counts it equals the gain of misclassification. The other evaluators
// count hits instead (hits.hpp).
struct Accuracy : Judged {
    static constexpr std::string_view name = "accuracy";
    static constexpr std::string_view about = "The share of examples that are predicted correctly.";
    static constexpr Measure measure = Measure::misclassification;
    static constexpr double offset = 1.0;

    [[nodiscard]] double gain_range(std::size_t) const noexcept { return 1.0; }

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass(const Real* counts, std::size_t classes,
                                                           Real) const {
        return Real(0.0) - Misclassification::largest(counts, classes);
    }

    bool operator==(const Accuracy&) const = default;
};

static_assert(Impurity<Accuracy>);

}  // namespace riparian
