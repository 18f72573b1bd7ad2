// Where the weighted densities of two classes are equal.
#pragma once

#include <array>
#include <cstdint>

#include "cuts.hpp"

namespace riparian {

// What to do with two classes of equal variance.
enum class EqualVariance : std::uint8_t {
    linear,  // use their one crossing
    skip,    // use nothing, as the released code of mDT does
};

struct Roots {
    std::array<double, 2> x{};
    int count = 0;
};

// The solutions of n1 phi(x; m1, s1) = n2 phi(x; m2, s2), ascending [mirkhan2021, eq. 34-35]. A
// class without spread has no density. Then the result is its mean and the number just below it, or
// the middle if both classes have no spread.
[[nodiscard]] Roots crossings(const Moments&, const Moments&, EqualVariance);

// The crossings of all pairs of classes inside the range of one feature, ascending and without
// duplicates: a threshold that appears twice would be its own runner-up.
void all_crossings(const NumericView&, std::size_t feature, EqualVariance,
                   std::vector<double>& out);

// The crossings for all features as [most_crossings][stride], unordered and filled up with NaN.
void all_crossings(const NumericView&, EqualVariance, double* out);

[[nodiscard]] inline std::size_t most_crossings(std::size_t classes) noexcept {
    return classes < 2 ? 0 : classes * (classes - 1);
}

}  // namespace riparian
