// The step of linear weights gives the same bits in every instruction set that this machine has.
#include <algorithm>
#include <cmath>

#include "kernel_pairs.hpp"

using namespace riparian;
using namespace kernel_pairs;

namespace {

void check_step(const Kernels& baseline, const Kernels& other, std::uint64_t seed) {
    Dice dice(seed);
    const std::size_t n = dice.below(40);
    const std::size_t planes = 1 + dice.below(4), stride = (n + 4) / 4 * 4;
    AlignedDoubles x(stride), weights(planes * stride), factors(planes);
    for (double& input : x) input = std::ldexp(dice.normal(), int(dice.below(20)));
    for (double& weight : weights) weight = 1e3 * dice.normal();
    for (double& factor : factors) factor = std::ldexp(dice.normal(), int(dice.below(24)));
    AlignedDoubles one = weights, two = weights;
    baseline.step_along(one.data(), planes, stride, x.data(), n, factors.data());
    other.step_along(two.data(), planes, stride, x.data(), n, factors.data());
    CHECK(same(one, two));
    for (std::size_t k = 0; k < planes; ++k) {
        for (std::size_t i = 0; i < stride; ++i) {
            const std::size_t place = k * stride + i;
            const double moved = weights[place] + factors[k] * x[i];
            // Nothing is written after the last input.
            const double expected =
                i < n ? std::min(std::max(moved, -most_linear), most_linear) : weights[place];
            CHECK(same(one[place], expected));
        }
    }
}

CASE(steps_of_linear_weights_agree_with_the_baseline) {
    for_each_set([](const Kernels& baseline, const Kernels& other) {
        for (std::uint64_t seed = 0; seed < 3000; ++seed) check_step(baseline, other, seed);
    });
}

}  // namespace
