// One tree of hyperplanes and sigmoids: forward, backward, and a step against the gradient.
#pragma once

#include <cstddef>

#include "../memory/account.hpp"
#include "settings.hpp"

namespace riparian {

// The hyperplanes of a tree in heap order [basak2004]: node i has the children 2i and 2i + 1,
// and is at i - 1 here. Weights have length 1.
struct SoftTree {
    double* weights;  // [node][width]
    double* biases;   // [node]
    std::size_t width;  // whole vectors
};

// What one row does in one tree. With v = w x + theta and f = 1 / (1 + e^(-m v)), a row that
// reaches a node by u reaches its left child by u f, and its right one by u (1 - f). Left
// leaves are of the positive class, right ones of the negative.
//
// Instead of signed sums over leaves, sums of one class are formed: with p that of the right
// class, o = y (2p - 1), and no two large numbers are ever subtracted.
class SoftPass {
public:
    // Exponents beyond it are taken for it: all activations stay normal numbers.
    static constexpr double most_exponent = 60.0;
    // Of a gradient: planes below it stay where they are.
    static constexpr double least_gradient = 1e-8;
    static constexpr double most_bias = 1e6;

    void fit(std::size_t depth);

    void forward(const SoftTree&, const double* x, const GradientSettings&) noexcept;
    // The probability of the positive class, or of the negative one: they sum to 1.
    double mass_of(bool positive) noexcept;
    // dE/dv of each node, after mass_of() the class that the row has.
    void backward(const GradientSettings&) noexcept;
    // All planes at once, after all gradients are known.
    void move(const SoftTree&, const double* x, double rate, const GradientSettings&) noexcept;

    // By node, from 1 on.
    [[nodiscard]] double value(std::size_t i) const noexcept { return values_[i]; }
    [[nodiscard]] double left(std::size_t i) const noexcept { return left_[i]; }
    [[nodiscard]] double reached(std::size_t i) const noexcept { return reached_[i]; }
    [[nodiscard]] double gradient(std::size_t i) const noexcept { return gradients_[i]; }

private:
    static std::size_t room(std::size_t depth) noexcept {
        return depth < 2 ? 4 : std::size_t{1} << depth;
    }

    std::size_t n_ = 0;  // inner nodes, and one
    HeldDoubles dots_, values_, left_, right_, gradients_;  // [node]; 0 is none
    HeldDoubles reached_, mass_;                            // [node or leaf]
};

}  // namespace riparian
