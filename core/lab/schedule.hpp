#pragma once

#include <cstdint>
#include <vector>

#include "method.hpp"

namespace riparian {

// When a leaf checks, and by how much the best gain must then lead. Unless the bound needs a
// variance, this depends only on the impurity and the number of the check, and is computed once for
// all repetitions.
class Schedule {
public:
    Schedule(const LabMethod&, const AnyImpurity&, std::size_t classes, std::size_t features);

    // The first check that could decide, counted from 0. Before it the required lead is larger than
    // any gain.
    [[nodiscard]] std::int64_t first() const noexcept { return first_; }
    // One past the last check before `max_examples`.
    [[nodiscard]] std::int64_t end() const noexcept { return end_; }
    // Examples seen at a check.
    [[nodiscard]] std::int64_t seen(std::int64_t check) const noexcept {
        return start_ + check * method_.grace_period;
    }
    // The number of examples that a gain is a mean of.
    [[nodiscard]] double averaged(std::int64_t check) const noexcept {
        return static_cast<double>(seen(check) - held_out_);
    }
    [[nodiscard]] bool needs_variance() const noexcept { return needs_variance_; }

    [[nodiscard]] double lead(std::int64_t check) const {
        const auto place = static_cast<std::size_t>(check - first_);
        return place < leads_.size() ? leads_[place] : lead(check, not_known);
    }
    // The required lead for this per-example variance of the gap.
    [[nodiscard]] double lead(std::int64_t check, double variance) const;

private:
    static constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

    LabMethod method_;
    Measure measure_;
    double classes_;
    double features_;
    double gain_range_;
    bool needs_variance_;
    std::int64_t held_out_;
    std::int64_t start_;
    std::int64_t first_ = 0;
    std::int64_t end_ = 0;
    std::vector<double> leads_;  // starting with check `first`
};

}  // namespace riparian
