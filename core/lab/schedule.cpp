#include "schedule.hpp"

#include <algorithm>

namespace riparian {
namespace {

constexpr std::int64_t tabled = std::int64_t{1} << 16;

}  // namespace

Schedule::Schedule(const LabMethod& method, const AnyImpurity& impurity, std::size_t classes,
                   std::size_t features)
    : method_(method),
      measure_(measure(impurity)),
      classes_(static_cast<double>(classes)),
      features_(static_cast<double>(features)),
      gain_range_(gain_range(impurity, classes)),
      needs_variance_(riparian::needs_variance(method.bound)),
      held_out_(method.evaluator == LabEvaluator::holdout ? method.holdout_examples : 0),
      start_(method.first_check) {
    const std::int64_t step = method.grace_period;
    if (start_ <= held_out_) start_ += ((held_out_ - start_) / step + 1) * step;
    if (start_ > method.max_examples) return;
    end_ = (method.max_examples - start_) / step + 1;
    if (needs_variance_) return;
    // A gain of counts is in [0, R]; a gain of hits may be negative.
    const bool by_counts = method.evaluator == LabEvaluator::resubstitution;
    const double largest = by_counts ? gain_range_ : 2.0 * gain_range_;
    while (first_ < end_ && lead(first_, not_known) >= largest) ++first_;
    const std::int64_t count = std::min(tabled, end_ - first_);
    leads_.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) leads_.push_back(lead(first_ + i, not_known));
}

double Schedule::lead(std::int64_t check, double variance) const {
    const double j = static_cast<double>(check) + 1.0;
    Evidence e{.n = averaged(check),
               .gain_range = gain_range_,
               .delta = method_.spend_delta ? method_.delta / (j * (j + 1.0)) : method_.delta,
               .measure = measure_,
               .classes = classes_,
               .depth = 0.0,
               .seen = static_cast<double>(seen(check)),
               .features = features_,
               .variance = variance};
    return method_.epsilons * half_width(method_.bound, e);
}

}  // namespace riparian
