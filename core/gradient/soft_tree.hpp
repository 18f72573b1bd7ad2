// One tree of hyperplanes and sigmoids: forward pass, backward pass and gradient step.
#pragma once

#include <cstddef>

#include "../memory/account.hpp"
#include "settings.hpp"

namespace riparian {

// The hyperplanes of a tree in heap order [basak2004]: node i has the children 2i and 2i + 1 and is
// stored at i - 1. Weights have length 1.
struct SoftTree {
    double* weights;    // [node][width]
    double* biases;     // [node]
    std::size_t width;  // a multiple of the vector size
};

// One row in one tree. With v = w x + theta and f = 1 / (1 + e^(-m v)), if a share u of a row
// reaches a node, u f reaches its left child and u (1 - f) its right child. Left leaves belong to
// the positive class and right leaves to the negative class.
//
// Sums are formed over the leaves of one class instead of signed sums over all leaves. With p the
// sum of the correct class, o = y (2p - 1), and two large numbers are never subtracted.
class SoftPass {
public:
    // Larger exponents are clipped to this, so that all activations stay normal numbers.
    static constexpr double most_exponent = 60.0;
    // Planes with a smaller gradient are not moved.
    static constexpr double least_gradient = 1e-8;
    static constexpr double most_bias = 1e6;

    void fit(std::size_t depth);

    void forward(const SoftTree&, const double* x, const GradientSettings&) noexcept;
    // The probability of the positive or of the negative class; they sum to 1.
    double mass_of(bool positive) noexcept;
    // Computes dE/dv of each node. mass_of() must have been called with the class of the row.
    void backward(const GradientSettings&) noexcept;
    // Moves all planes, after all gradients are known.
    void move(const SoftTree&, const double* x, double rate, const GradientSettings&) noexcept;

    // Numbers by node, from 1.
    [[nodiscard]] double value(std::size_t i) const noexcept { return values_[i]; }
    [[nodiscard]] double left(std::size_t i) const noexcept { return left_[i]; }
    [[nodiscard]] double reached(std::size_t i) const noexcept { return reached_[i]; }
    [[nodiscard]] double gradient(std::size_t i) const noexcept { return gradients_[i]; }

private:
    static std::size_t room(std::size_t depth) noexcept {
        return depth < 2 ? 4 : std::size_t{1} << depth;
    }

    std::size_t n_ = 0;                                     // inner nodes plus one
    HeldDoubles dots_, values_, left_, right_, gradients_;  // [node]; entry 0 is unused
    HeldDoubles reached_, mass_;                            // [node or leaf]
};

}  // namespace riparian
