// The initial weights of hyperplanes: normal numbers that depend only on the seed and their place.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../random/philox.hpp"
#include "../simd/scalar.hpp"

namespace riparian {

// One number for each node of a tree, in heap order, for one input: a numeric feature, or a
// category of a categorical one. An input that appears late gets the weights that it would have had
// from the beginning.
class InitialWeights {
public:
    InitialWeights(std::uint64_t seed, std::size_t tree, std::size_t feature,
                   std::int32_t category) noexcept
        : numbers_(seed, stream(tree, feature, category)) {}

    static constexpr std::int32_t numeric = -1;  // used instead of a category

    // A normal number, by the polar method [marsaglia1964].
    [[nodiscard]] double next() noexcept {
        if (has_second_) {
            has_second_ = false;
            return second_;
        }
        for (;;) {
            const double a = symmetric();
            const double b = symmetric();
            const double s = a * a + b * b;
            if (s >= 1.0) continue;
            const double factor = std::sqrt(-2.0 * ln(s) / s);
            second_ = b * factor;
            has_second_ = true;
            return a * factor;
        }
    }

private:
    // Enough for 65,536 trees, a million features and a million categories of each.
    static std::uint64_t stream(std::size_t tree, std::size_t feature,
                                std::int32_t category) noexcept {
        return static_cast<std::uint64_t>(tree) << 40 | static_cast<std::uint64_t>(feature) << 20 |
               static_cast<std::uint64_t>(category + 1);
    }
    // A number in (-1, 1) that is never 0.
    double symmetric() noexcept {
        return (static_cast<double>(numbers_.bits() >> 12) + 0.5) * 0x1p-51 - 1.0;
    }

    Philox numbers_;
    double second_ = 0.0;
    bool has_second_ = false;
};

}  // namespace riparian
