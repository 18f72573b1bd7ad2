// The shape and the learning rate of a gradient tree.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

struct GradientSettings {
    enum class Loss : std::uint8_t { squared, log };
    enum class Rate : std::uint8_t { constant, normalised };
    enum class Step : std::uint8_t { tangent, plain };

    std::size_t depth = 5;
    double slope = 3.0;
    double learning_rate = 2.0;  // at the first row
    double final_rate = 0.2;     // lower limit of the rate
    double settling = 100.0;     // rows per input after which the rate begins to fall
    Rate rate = Rate::normalised;
    Loss loss = Loss::log;
    Step step = Step::tangent;
    bool standardise = true;
    std::uint64_t seed = 0;
    std::size_t max_bytes = SIZE_MAX;

    [[nodiscard]] std::size_t inner_nodes() const noexcept { return (std::size_t{1} << depth) - 1; }
};

// There are at most 2^10 leaves. The product of ten sigmoids is still a normal number.
inline constexpr std::size_t max_gradient_depth = 10;

}  // namespace riparian
