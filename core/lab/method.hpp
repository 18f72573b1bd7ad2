#pragma once

#include <cstdint>
#include <memory>

#include "../bound/any.hpp"
#include "../impurity/any.hpp"

namespace riparian {

// Where the labels come from that accuracy and loss evaluate.
enum class LabEvaluator : std::uint8_t {
    resubstitution,  // from the counts that are evaluated
    prequential,     // from the examples before the one that is evaluated
    holdout,         // from the first examples, which are not evaluated
    fixed,           // from the true distribution, which only a laboratory knows
};

// How a leaf decides: everything that can be compared in the laboratory.
struct LabMethod {
    AnyImpurity impurity;
    // The second impurity of a hybrid, which is used if the first one waits.
    std::shared_ptr<const AnyImpurity> second_impurity;
    LabEvaluator evaluator = LabEvaluator::resubstitution;
    std::int64_t holdout_examples = 30;
    AnyBound bound;
    double epsilons = 1.0;
    double delta = 0.05;
    bool spend_delta = false;  // use delta / (j (j + 1)) at the j-th check
    std::int64_t grace_period = 1;
    std::int64_t first_check = 1;
    std::int64_t max_examples = 10'000'000;
    bool null_cut = false;  // whether not splitting, with gain 0, competes
    // Of races (bound "betting"), where not splitting always competes.
    double tau = 0.0;            // tolerance, on the scale of the gain
    bool random_checks = false;  // the next check after 1 to 2 * grace_period - 1 rows, at random
    std::int64_t workers = 1;    // each has its own rows, and their evidence is merged
};

}  // namespace riparian
