// Whether a leaf splits, and how many examples it still needs.
#include <cmath>
#include <limits>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

bool decides(const TreeSettings& s, const Decision& d, double n) {
    const double epsilon = half_width(s.bound, {n, d.evidence.gain_range, s.delta});
    return d.gap() > s.epsilons * epsilon || epsilon < s.tau;
}

Decision waiting(double gain, double second, double n) {
    Decision d;
    d.best = {0, Test::threshold, 1.0, none, gain};
    d.second = {1, Test::threshold, 1.0, none, second};
    d.evidence = {n, 1.0, 1e-7};
    return d;
}

CASE(the_weight_needed_is_the_first_that_decides) {
    for (const int epsilons : {1, 2}) {
        for (const double tau : {0.0, 1e-6, 0.05}) {
            for (double gap = 0.9; gap > 1e-7; gap *= 0.7) {
                TreeSettings s;
                s.epsilons = epsilons;
                s.tau = tau;
                const Decision d = waiting(gap, 0.0, 10.0);
                const double n = weight_to_decide(s, d);
                CHECK(n >= 10.0 && n < 0x1p62);
                CHECK(decides(s, d, n));
                if (n > 10.0) CHECK(!decides(s, d, std::floor(n - 1.5)));
            }
        }
    }
}

// Neither the weights nor the start of the search need to be whole numbers.
CASE(fractional_weights_end_too) {
    examples::Dice dice(1);
    for (int i = 0; i < 20'000; ++i) {
        TreeSettings s;
        s.tau = dice.chance(0.5) ? 0.0 : 0.3 * dice.uniform();
        const Decision d = waiting(0.5 + 0.4 * dice.uniform() * dice.uniform(), 0.5,
                                   1e-3 + 300.0 * dice.uniform() * dice.uniform());
        const double n = weight_to_decide(s, d);
        CHECK(n >= d.evidence.n && decides(s, d, n));
        if (n > d.evidence.n + 2.0) CHECK(!decides(s, d, n - 2.0));
    }
}

// Above 2^53 not every whole number is a double, but the search must still end.
CASE(a_tiny_gap_needs_an_astronomic_weight) {
    TreeSettings s;
    s.tau = 0.0;
    for (double gap = 1e-7; gap > 1.1e-9; gap *= 0.93) {
        const Decision d = waiting(0.5 + gap, 0.5, 1000.0);
        const double n = weight_to_decide(s, d);
        CHECK(n > 1000.0);
        CHECK(n == std::numeric_limits<double>::infinity() || decides(s, d, n));
    }
}

CASE(no_gap_never_decides) {
    TreeSettings s;
    s.tau = 0.0;
    CHECK(weight_to_decide(s, waiting(0.5, 0.5, 100.0)) == std::numeric_limits<double>::infinity());
    CHECK(weight_to_decide(s, waiting(1e-10, 0.0, 100.0)) ==
          std::numeric_limits<double>::infinity());
    CHECK(weight_to_decide(s, {}) == std::numeric_limits<double>::infinity());
}

// The leaf has features of all strengths, some of them nearly equal.
CASE(a_rough_estimate_never_changes_a_decision) {
    int by_bound = 0, waiting = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        examples::Dice dice(seed);
        Shape shape;
        shape.numeric = 1 + dice.below(14);
        shape.stride = (shape.numeric + 3) / 4 * 4;
        const std::size_t classes = 2 + dice.below(5);
        shape.class_stride = 8;
        Features features;
        std::vector<double> strength;
        for (std::size_t f = 0; f < shape.numeric; ++f) {
            features.push_back({Kind::numeric, f});
            strength.push_back(dice.chance(0.5) ? 0.0
                                                : (dice.chance(0.5) ? 0.5 : 2.0) * dice.uniform());
        }
        TreeSettings settings;
        settings.delta = dice.chance(0.5) ? 1e-7 : 0.3;
        settings.tau = 0.0;
        settings.epsilons = dice.chance(0.3) ? 2 : 1;
        settings.clip_to_range = dice.chance(0.5);
        if (dice.chance(0.5)) settings.impurity = Gini{};
        if (dice.chance(0.3)) settings.runner_up = RunnerUp::cut;

        LeafStatistics statistics;
        statistics.open(shape);
        std::vector<double> counts(shape.class_stride, 0.0);
        AlignedDoubles x(shape.stride, 0.0);
        const std::size_t rows = 20 + dice.below(600);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t y = dice.below(classes);
            for (std::size_t f = 0; f < shape.numeric; ++f) {
                x[f] = dice.normal() + strength[f] * static_cast<double>((y + f) % classes);
            }
            Row row{};
            row.x = x.data();
            const double before = counts[y];
            counts[y] += 1.0;
            statistics.learn(shape, row, y, 1.0, before, counts.data());
        }
        const Held<bool> used_up;
        const auto n = static_cast<double>(rows);
        const LeafCase leaf{settings, shape, features, statistics, counts.data(),
                            n,        n,     classes,  classes,    used_up};
        Checker checker;
        const Decision quick = checker.check(leaf);
        const Decision full = checker.decide(leaf);
        CHECK(quick.verdict == full.verdict);
        CHECK(quick.epsilon == full.epsilon);
        if (full.verdict == Verdict::wait) {
            ++waiting;
        } else {
            ++by_bound;
            CHECK(quick.best.gain == full.best.gain && quick.best.feature == full.best.feature);
            CHECK(quick.second.gain == full.second.gain);
        }
    }
    CHECK(by_bound > 300 && waiting > 300);
}

}  // namespace
