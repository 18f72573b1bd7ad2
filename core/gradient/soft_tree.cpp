#include "soft_tree.hpp"

#include <algorithm>

#include "../simd/kernels.hpp"

namespace riparian {

void SoftPass::fit(std::size_t depth) {
    if (n_ == std::size_t{1} << depth) return;
    n_ = std::size_t{1} << depth;
    for (HeldDoubles* const part : {&dots_, &values_, &left_, &right_, &gradients_}) {
        part->assign(room(depth), 0.0);
    }
    reached_.assign(2 * n_, 0.0);
    mass_.assign(2 * n_, 0.0);
}

void SoftPass::forward(const SoftTree& tree, const double* x,
                       const GradientSettings& settings) noexcept {
    kernels().plane_values(tree.weights, n_ - 1, tree.width, tree.width, x, dots_.data() + 1);
    for (std::size_t i = 1; i < n_; ++i) values_[i] = dots_[i] + tree.biases[i - 1];
    kernels().sigmoids(values_.data(), values_.size(), settings.slope, most_exponent, left_.data(),
                       right_.data());
    reached_[1] = 1.0;
    for (std::size_t i = 1; i < n_; ++i) {
        reached_[2 * i] = reached_[i] * left_[i];
        reached_[2 * i + 1] = reached_[i] * right_[i];
    }
}

double SoftPass::mass_of(bool positive) noexcept {
    for (std::size_t j = n_; j < 2 * n_; ++j) {
        mass_[j] = (j % 2 == 0) == positive ? reached_[j] : 0.0;
    }
    for (std::size_t i = n_ - 1; i > 0; --i) mass_[i] = mass_[2 * i] + mass_[2 * i + 1];
    return mass_[1];
}

// dp/dv_i = m ((1 - f_i) Q_left - f_i Q_right), where Q is the mass of the row's class below a
// child. E = (1 - y o)^2 / 2 = 2 (1 - p)^2, or -ln p.
void SoftPass::backward(const GradientSettings& settings) noexcept {
    const double p = mass_[1];
    const double blame = settings.loss == GradientSettings::Loss::log ? -1.0 / p : -4.0 * (1.0 - p);
    const double scale = blame * settings.slope;
    for (std::size_t i = 1; i < n_; ++i) {
        gradients_[i] = scale * (right_[i] * mass_[2 * i] - left_[i] * mass_[2 * i + 1]);
    }
}

void SoftPass::move(const SoftTree& tree, const double* x, double rate,
                    const GradientSettings& settings) noexcept {
    const bool tangent = settings.step == GradientSettings::Step::tangent;
    for (std::size_t i = 1; i < n_; ++i) {
        const double g = gradients_[i];
        if (g < least_gradient && g > -least_gradient) continue;
        const double step = rate * g;
        kernels().plane_step(tree.weights + (i - 1) * tree.width, x, tree.width, step,
                             tangent ? dots_[i] : 0.0);
        tree.biases[i - 1] = std::clamp(tree.biases[i - 1] - step, -most_bias, most_bias);
    }
}

}  // namespace riparian
