// Weights whose sums are exact, so that they can be subtracted again.
#pragma once

#include <algorithm>
#include <cmath>

namespace riparian {

// Multiples of this can be added and subtracted without rounding, as long as the sum has no more
// digits than a double.
inline constexpr double weight_step = 0x1p-20;
inline constexpr double most_steps = 0x1p53 - 1.0;

[[nodiscard]] inline bool exact_in_steps(double sum) noexcept { return sum < 0x1p53 * weight_step; }
[[nodiscard]] inline double in_steps(double w) noexcept {
    if (w == 1.0 || !exact_in_steps(w)) return w;
    return std::max(weight_step, std::nearbyint(w / weight_step) * weight_step);
}

// Divides a weight into shares, one after the other, each a multiple of the step if the weight is
// one. Equal shares give equal weights again when they are subtracted.
class SharesInSteps {
public:
    explicit SharesInSteps(double whole) noexcept : whole_(whole), exact_(exact_in_steps(whole)) {}

    [[nodiscard]] double next(double share) noexcept {
        if (!exact_) return share * whole_;
        constexpr double rounding = 1e-9;
        done_ += share;
        const double before = given_;
        given_ = done_ > 1.0 - rounding
                     ? whole_
                     : std::nearbyint(done_ * whole_ / weight_step) * weight_step;
        return given_ - before;
    }

private:
    double whole_;
    bool exact_;
    double done_ = 0.0, given_ = 0.0;
};

}  // namespace riparian
