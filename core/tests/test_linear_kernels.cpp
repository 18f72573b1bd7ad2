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
    const double factor = std::ldexp(dice.normal(), int(dice.below(24)));
    AlignedDoubles x(n + 1), weights(n + 1);
    for (std::size_t i = 0; i <= n; ++i) {
        x[i] = std::ldexp(dice.normal(), int(dice.below(20)));
        weights[i] = 1e3 * dice.normal();
    }
    AlignedDoubles one = weights, two = weights;
    baseline.step_along(one.data(), x.data(), n, factor);
    other.step_along(two.data(), x.data(), n, factor);
    CHECK(same(one, two));
    CHECK(same(one[n], weights[n]));  // nothing is written after the last one
    for (std::size_t i = 0; i < n; ++i) {
        const double moved = weights[i] + factor * x[i];
        CHECK(same(one[i], std::min(std::max(moved, -most_linear), most_linear)));
    }
}

CASE(steps_of_linear_weights_agree_with_the_baseline) {
    for_each_set([](const Kernels& baseline, const Kernels& other) {
        for (std::uint64_t seed = 0; seed < 3000; ++seed) check_step(baseline, other, seed);
    });
}

}  // namespace
