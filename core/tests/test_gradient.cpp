// Gradient trees: the numbers of the specification, gradients compared with finite differences, and
// the same bits with every instruction set.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../gradient/gradient_trees.hpp"
#include "../gradient/initial_weights.hpp"
#include "../gradient/snapshot.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

bool close(double a, double b, double within) { return std::abs(a - b) <= within; }

// One tree with its own memory; `x` and the weights are padded to whole vectors.
struct OneTree {
    GradientSettings settings;
    HeldDoubles x, weights;
    std::vector<double> biases;
    SoftPass pass;

    OneTree(std::size_t depth, std::size_t width) {
        settings.depth = depth;
        x.assign(width, 0.0);
        weights.assign(settings.inner_nodes() * width, 0.0);
        biases.assign(settings.inner_nodes(), 0.0);
        pass.fit(depth);
    }
    SoftTree tree() { return {weights.data(), biases.data(), x.size()}; }
    double loss(bool positive) {
        pass.forward(tree(), x.data(), settings);
        const double p = pass.mass_of(positive);
        return settings.loss == GradientSettings::Loss::log ? -std::log(p)
                                                            : 2.0 * (1.0 - p) * (1.0 - p);
    }
};

CASE(the_numbers_of_the_specification) {
    OneTree one(1, 4);
    one.settings.slope = 1.0;
    one.settings.loss = GradientSettings::Loss::squared;
    one.x[0] = one.x[1] = one.weights[0] = 1.0;
    CHECK(close(one.loss(true), 0.144658976, 1e-9));
    CHECK(close(one.pass.left(1), 0.731058579, 1e-9));
    CHECK(close(2.0 * one.pass.mass_of(true) - 1.0, 0.462117157, 1e-9));
    one.pass.backward(one.settings);
    CHECK(close(one.pass.gradient(1), -0.211508371, 1e-9));

    OneTree two(2, 4);
    two.settings.slope = 1.0;
    two.settings.loss = GradientSettings::Loss::squared;
    const std::array<double, 3> x{0.5, -1.0, 1.0};
    std::copy(x.begin(), x.end(), two.x.begin());
    two.weights[0] = 1.0;
    two.weights[4 + 1] = 1.0;
    two.weights[8 + 1] = 0.6;
    two.weights[8 + 2] = 0.8;
    two.loss(true);
    const std::array<double, 4> leaves{0.167405097, 0.455054234, 0.207584695, 0.169955974};
    for (std::size_t j = 0; j < 4; ++j) CHECK(close(two.pass.reached(4 + j), leaves[j], 1e-9));
    const double o = 2.0 * two.pass.mass_of(true) - 1.0;
    CHECK(close(o, -0.250020415, 1e-9));
    two.pass.backward(two.settings);
    const std::array<double, 3> slopes{-0.132021596, 0.244765865, 0.186895145};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(close(two.pass.gradient(i + 1) / -(1.0 - o), slopes[i], 1e-9));
    }
}

CASE(gradients_are_finite_differences) {
    examples::Dice dice(1);
    for (std::size_t depth = 1; depth <= 5; ++depth) {
        for (int turn = 0; turn < 40; ++turn) {
            OneTree t(depth, 8);
            t.settings.slope = 0.5 + 3.0 * dice.uniform();
            if (turn % 2) t.settings.loss = GradientSettings::Loss::squared;
            for (double& v : t.x) v = dice.normal();
            for (double& v : t.weights) v = 0.3 * dice.normal();
            for (double& v : t.biases) v = 0.5 * dice.normal();
            const bool positive = dice.chance(0.5);
            t.loss(positive);
            double sum = 0.0;
            for (std::size_t j = std::size_t{1} << depth; j < std::size_t{2} << depth; ++j) {
                sum += t.pass.reached(j);
            }
            CHECK(close(sum, 1.0, 1e-12));
            CHECK(close(t.pass.mass_of(true) + t.pass.mass_of(false), 1.0, 1e-12));
            t.pass.mass_of(positive);
            t.pass.backward(t.settings);
            std::vector<double> gradients;
            for (std::size_t i = 1; i <= t.settings.inner_nodes(); ++i) {
                gradients.push_back(t.pass.gradient(i));
            }
            constexpr double h = 1e-5;
            const auto slope_of = [&](double& parameter) {
                const double before = parameter;
                parameter = before + h;
                const double above = t.loss(positive);
                parameter = before - h;
                const double below = t.loss(positive);
                parameter = before;
                return (above - below) / (2.0 * h);
            };
            for (std::size_t i = 0; i < gradients.size(); ++i) {
                // dE/dtheta = dE/dv, and dE/dw = dE/dv x.
                CHECK(close(slope_of(t.biases[i]), gradients[i], 1e-6));
                const std::size_t j = dice.below(8);
                CHECK(close(slope_of(t.weights[i * 8 + j]), gradients[i] * t.x[j], 1e-6));
            }
        }
    }
}

CASE(planes_keep_their_length) {
    examples::Dice dice(2);
    for (const auto step : {GradientSettings::Step::tangent, GradientSettings::Step::plain}) {
        OneTree t(3, 8);
        t.settings.step = step;
        for (double& v : t.weights) v = dice.normal();
        for (int turn = 0; turn < 2000; ++turn) {
            for (double& v : t.x) v = turn % 100 ? dice.normal() : 1e6 * dice.normal();
            t.loss(turn % 3 == 0);
            t.pass.backward(t.settings);
            t.pass.move(t.tree(), t.x.data(), 0.3, t.settings);
        }
        for (std::size_t i = 0; i < 7; ++i) {
            double squares = 0.0;
            for (std::size_t j = 0; j < 8; ++j)
                squares += t.weights[i * 8 + j] * t.weights[i * 8 + j];
            CHECK(close(squares, 1.0, 1e-12));
        }
    }
}

std::vector<unsigned char> bytes_of(const GradientTrees& trees) {
    std::vector<unsigned char> out;
    const GradientSnapshot s = trees.snapshot();
    GradientSnapshot::each(s, [&](const char*, const auto& v) {
        const auto* const p = reinterpret_cast<const unsigned char*>(v.data());
        out.insert(out.end(), p, p + v.size() * sizeof(v[0]));
    });
    return out;
}

std::vector<unsigned char> learned(const GradientSettings& settings, const examples::Rows& rows,
                                   std::size_t size) {
    GradientTrees trees(settings);
    trees.add_features(rows.kinds);
    for (std::size_t first = 0; first < rows.size(); first += size) {
        const std::size_t n = std::min(size, rows.size() - first);
        trees.learn(rows.batch(first, n), rows.y.data() + first, rows.w.data() + first);
    }
    return bytes_of(trees);
}

CASE(every_instruction_set_and_every_batch_gives_the_same_bits) {
    examples::Wanted wanted;
    wanted.rows = 1500;
    wanted.numeric = 5;
    wanted.weights = true;
    const examples::Rows rows = examples::make_rows(wanted, 3);
    for (const std::size_t depth : {1, 2, 5}) {
        GradientSettings settings;
        settings.depth = depth;
        settings.standardise = depth != 2;
        const auto whole = learned(settings, rows, rows.size());
        for (const std::size_t size : {1, 7, 1000}) CHECK(learned(settings, rows, size) == whole);
        const Kernels& best = kernels();
        use_kernels(*kernels_named("baseline"));
        CHECK(learned(settings, rows, rows.size()) == whole);
        use_kernels(best);
    }
}

// Two trees predict the same as the one before.
CASE(a_third_class_changes_nothing_that_was_known) {
    examples::Wanted wanted;
    wanted.classes = 2;
    const examples::Rows rows = examples::make_rows(wanted, 4);
    GradientTrees trees(GradientSettings{});
    trees.add_features(rows.kinds);
    trees.learn(rows.batch(), rows.y.data(), nullptr);
    CHECK(trees.n_trees() == 1);
    std::vector<double> before(2 * rows.size()), after(2 * rows.size());
    trees.predict(rows.batch(), {nullptr, before.data(), 2});
    trees.declare_classes(3);
    CHECK(trees.n_trees() == 3);
    trees.predict(rows.batch(), {nullptr, after.data(), 2});
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(close(before[i], after[i], 1e-12));
}

CASE(initial_weights_depend_only_on_their_place) {
    InitialWeights a(7, 1, 3, InitialWeights::numeric), b(7, 1, 3, InitialWeights::numeric);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 20'000; ++i) {
        const double x = a.next();
        CHECK(x == b.next());
        sum += x;
        squares += x * x;
    }
    CHECK(close(sum / 20'000, 0.0, 0.03));
    CHECK(close(squares / 20'000, 1.0, 0.03));
    for (InitialWeights other : {InitialWeights(8, 1, 3, -1), InitialWeights(7, 2, 3, -1),
                                 InitialWeights(7, 1, 4, -1), InitialWeights(7, 1, 3, 0)}) {
        InitialWeights again(7, 1, 3, -1);
        CHECK(other.next() != again.next());
    }
}

CASE(a_restored_model_continues_as_if_never_saved) {
    examples::Wanted wanted;
    wanted.weights = true;
    const examples::Rows rows = examples::make_rows(wanted, 5);
    GradientTrees trees(GradientSettings{});
    trees.add_features(rows.kinds);
    trees.learn(rows.batch(0, 1000), rows.y.data(), rows.w.data());
    const auto again = GradientTrees::restore(GradientSettings{}, trees.snapshot());
    CHECK(bytes_of(*again) == bytes_of(trees));
    CHECK(again->memory_bytes() == trees.memory_bytes());
    for (GradientTrees* const t : {&trees, again.get()}) {
        t->learn(rows.batch(1000, 3000), rows.y.data() + 1000, rows.w.data() + 1000);
    }
    CHECK(bytes_of(*again) == bytes_of(trees));
}

}  // namespace
