// Weights whose sums are exact, so that they can be taken out again.
#pragma once

#include <algorithm>
#include <cmath>

namespace riparian {

// Weights in steps of this can be taken out of their sum again without rounding, as long as it
// has no more digits than a double.
inline constexpr double weight_step = 0x1p-20;
inline constexpr double most_steps = 0x1p53 - 1.0;

[[nodiscard]] inline bool exact_in_steps(double sum) noexcept { return sum < 0x1p53 * weight_step; }
[[nodiscard]] inline double in_steps(double w) noexcept {
    if (w == 1.0 || !exact_in_steps(w)) return w;
    return std::max(weight_step, std::nearbyint(w / weight_step) * weight_step);
}

// For each of some shares of a weight, one after the other: what it is of the whole, in steps as
// that is. Equal shares are equal again when they are taken out.
class SharesInSteps {
public:
    explicit SharesInSteps(double whole) noexcept : whole_(whole), exact_(exact_in_steps(whole)) {}

    [[nodiscard]] double next(double share) noexcept {
        if (!exact_) return share * whole_;
        constexpr double rounding = 1e-9;
        done_ += share;
        const double before = given_;
        given_ = done_ > 1.0 - rounding ? whole_
                                        : std::nearbyint(done_ * whole_ / weight_step) * weight_step;
        return given_ - before;
    }

private:
    double whole_;
    bool exact_;
    double done_ = 0.0, given_ = 0.0;
};

}  // namespace riparian
