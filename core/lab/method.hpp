#pragma once

#include <cstdint>
#include <memory>

#include "../bound/any.hpp"
#include "../impurity/any.hpp"

namespace riparian {

// Where the labels come from that accuracy and loss judge.
enum class LabEvaluator : std::uint8_t {
    resubstitution,  // from the counts that are judged themselves
    prequential,     // from the examples before the one that is judged
    holdout,         // from the first examples, which are not judged
    fixed,           // from the true distribution: only a laboratory knows it
};

// How a leaf decides: all that may be compared in the laboratory.
struct LabMethod {
    AnyImpurity impurity;
    // Of a hybrid: asked where the first waits.
    std::shared_ptr<const AnyImpurity> second_impurity;
    LabEvaluator evaluator = LabEvaluator::resubstitution;
    std::int64_t holdout_examples = 30;
    AnyBound bound;
    double epsilons = 1.0;
    double delta = 0.05;
    bool spend_delta = false;  // delta / (j (j + 1)) at the j-th check
    std::int64_t grace_period = 1;
    std::int64_t first_check = 1;
    std::int64_t max_examples = 10'000'000;
    bool null_cut = false;  // whether "no split", with gain 0, competes
};

}  // namespace riparian
