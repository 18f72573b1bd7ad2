// Poisson numbers: how often a member of a forest learns a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "philox.hpp"

namespace riparian {

// Counter-based Poisson numbers. The number of a row depends only on the seed, the member and the
// number of the row.
class Poisson {
public:
    static constexpr double most_rate = 64.0;

    // `none` is the probability of 0, e^-rate. It is passed in, so that it has the same bits on
    // every machine.
    Poisson(double rate, double none) noexcept {
        double share = none, below = none;
        for (std::size_t k = 0; k < below_.size(); ++k) {
            below_[k] = below;
            share *= rate / static_cast<double>(k + 1);
            below += share;
        }
    }

    [[nodiscard]] double operator()(double u) const noexcept {
        // Most draws are small. They are counted without a branch, which could not be predicted.
        constexpr std::size_t small = 16;
        std::size_t k = 0;
        for (std::size_t i = 0; i < small; ++i) k += u >= below_[i];
        if (k == small) [[unlikely]] {
            while (k < below_.size() && u >= below_[k]) ++k;
        }
        return static_cast<double>(k);
    }

private:
    std::array<double, 256> below_{};  // [k]: probability of k or less
};

// The uniform numbers of a member, by row number.
class Uniforms {
public:
    Uniforms(std::uint64_t seed, std::uint64_t member) noexcept : seed_(seed), member_(member) {}

    [[nodiscard]] double operator()(std::uint64_t row) noexcept {
        if (row / 4 != block_ || !ready_) {
            Philox numbers(seed_, member_, row / 4);
            for (double& u : four_) u = numbers.uniform();
            block_ = row / 4;
            ready_ = true;
        }
        return four_[row % 4];
    }

private:
    std::uint64_t seed_, member_;
    std::uint64_t block_ = 0;
    bool ready_ = false;
    std::array<double, 4> four_{};
};

}  // namespace riparian
