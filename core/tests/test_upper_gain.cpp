// U(I), compared with every cut that the examples inside an interval allow.
#include "../statistics/upper_gain.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"
#include "gains.hpp"

using namespace riparian;
using examples::Dice;
using gains::entropy_mass, gains::error_mass, gains::gini_mass, gains::Gain;

namespace {

// The gain of every cut inside an interval, with its examples in any order.
CASE(no_cut_inside_beats_the_upper_gain) {
    Dice dice(3);
    for (int round = 0; round < 4000; ++round) {
        const std::size_t n_classes = 2 + dice.below(round % 10 == 0 ? 20 : 8);
        std::vector<double> left(n_classes), inside(n_classes), right(n_classes);
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < n_classes; ++k) {
            if (dice.chance(0.7)) left[k] = static_cast<double>(dice.below(50));
            if (dice.chance(0.7)) right[k] = static_cast<double>(dice.below(50));
            if (dice.chance(0.7)) inside[k] = static_cast<double>(dice.below(12));
            order.insert(order.end(), static_cast<std::size_t>(inside[k]), k);
        }
        for (double (*mass)(const double*, std::size_t) : {entropy_mass, gini_mass, error_mass}) {
            const Gain gain{mass, n_classes};
            const double upper = upper_gain(gain, left, inside, right);
            double best = 0.0;
            for (int shuffle = 0; shuffle < 4; ++shuffle) {
                for (std::size_t i = order.size(); i > 1; --i) {
                    std::swap(order[i - 1], order[dice.below(i)]);
                }
                if (shuffle == 0) std::sort(order.begin(), order.end());
                std::vector<double> a = left, b = right;
                for (std::size_t k = 0; k < n_classes; ++k) b[k] += inside[k];
                best = std::max(best, gain(a.data(), b.data()));
                for (const std::size_t k : order) {
                    a[k] += 1.0;
                    b[k] -= 1.0;
                    best = std::max(best, gain(a.data(), b.data()));
                }
            }
            CHECK(best <= upper + 1e-12);
        }
    }
}

CASE(the_upper_gain_by_hand) {
    using Weights = std::vector<double>;
    const auto is = [](double got, double want) { return std::abs(got - want) <= 1e-12; };
    const Gain entropy{entropy_mass, 2}, gini{gini_mass, 2};
    CHECK(is(upper_gain(entropy, Weights{0, 0}, Weights{3, 3}, Weights{0, 0}), 1.0));
    CHECK(is(upper_gain(gini, Weights{1, 0}, Weights{1, 0}, Weights{0, 2}), 0.5));
    // The two inside move to their own sides, and the gain is the whole entropy.
    CHECK(is(upper_gain(entropy, Weights{4, 0}, Weights{1, 1}, Weights{0, 4}), 1.0));
    // [1, 2 | 1, 0 | 0, 0]: 4 with one bit; the best cut leaves 3 with H(1/3).
    const double third = -std::log2(1.0 / 3.0) / 3.0 - 2.0 * std::log2(2.0 / 3.0) / 3.0;
    CHECK(is(upper_gain(entropy, Weights{1, 2}, Weights{1, 0}, Weights{0, 0}), 1.0 - 0.75 * third));
    // Nine classes by themselves gain everything.
    CHECK(is(upper_gain(Gain{entropy_mass, 9}, Weights(9), Weights(9, 1.0), Weights(9)),
             std::log2(9.0)));
}

}  // namespace
