// Where the weighted densities of two classes meet.
#pragma once

#include <array>
#include <cstdint>

#include "cuts.hpp"

namespace riparian {

// What two classes of equal variance give.
enum class EqualVariance : std::uint8_t {
    linear,  // their one crossing
    skip,    // nothing, as the released code of mDT has it
};

struct Roots {
    std::array<double, 2> x{};
    int count = 0;
};

// The solutions of n1 phi(x; m1, s1) = n2 phi(x; m2, s2), ascending [mirkhan2021, eq.
// 34-35]. A class without spread has no density: the points just below and at its mean
// stand in, or the middle between two such classes.
[[nodiscard]] Roots crossings(const Moments&, const Moments&, EqualVariance);

// The crossings of all pairs of classes inside the range of one feature, ascending, each
// once: a threshold that came twice would be its own runner-up.
void all_crossings(const NumericView&, std::size_t feature, EqualVariance,
                   std::vector<double>& out);

// The same for all features, [most_crossings][stride], in no order; NaN: no more.
void all_crossings(const NumericView&, EqualVariance, double* out);

[[nodiscard]] inline std::size_t most_crossings(std::size_t classes) noexcept {
    return classes < 2 ? 0 : classes * (classes - 1);
}

}  // namespace riparian
