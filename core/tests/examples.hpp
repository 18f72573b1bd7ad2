// Rows to learn, with mixed features, missing values and three or more classes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "../tree/settings.hpp"
#include "../growth/snapshot.hpp"
#include "../tree/tree.hpp"

namespace examples {

using namespace riparian;

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Best best_of_three() { return Best::of(Majority{}, NaiveBayes{}, LinearUnits{}); }

// Gives the same numbers with every standard library; the distributions of <random> do not.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t bits() { return engine_(); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    bool chance(double p) { return uniform() < p; }
    double normal() {
        double sum = -6.0;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum;
    }

private:
    std::mt19937_64 engine_;
};

struct Rows {
    std::vector<Kind> kinds;
    std::vector<std::vector<double>> numbers;      // [feature][row]; empty if categorical
    std::vector<std::vector<std::int32_t>> codes;  // [feature][row]; empty if numeric
    std::vector<std::int32_t> y;
    std::vector<double> w;

    [[nodiscard]] std::size_t size() const { return y.size(); }
    [[nodiscard]] Batch batch(std::size_t first, std::size_t n) const {
        Batch b;
        b.rows = n;
        for (std::size_t f = 0; f < kinds.size(); ++f) {
            if (kinds[f] == Kind::numeric) {
                b.columns.push_back({numbers[f].data() + first, sizeof(double), Column::Type::f64});
            } else {
                b.columns.push_back(
                    {codes[f].data() + first, sizeof(std::int32_t), Column::Type::code});
            }
        }
        return b;
    }
    [[nodiscard]] Batch batch() const { return batch(0, size()); }
};

struct Wanted {
    std::size_t rows = 4000;
    std::size_t numeric = 3;
    std::size_t categorical = 2;
    std::size_t categories = 5;
    std::size_t classes = 3;
    double missing = 0.05;
    bool weights = false;  // fractional weights, some of them 0
    bool noise = false;    // the features do not depend on the class
    // after this many rows each class takes the distribution of the next; 0 means never
    std::size_t turning = 0;
};

// Each class has its own means and favourite categories, with noise.
inline Rows make_rows(const Wanted& wanted, std::uint64_t seed) {
    Dice dice(seed);
    Rows rows;
    const std::size_t n_features = wanted.numeric + wanted.categorical;
    rows.numbers.resize(n_features);
    rows.codes.resize(n_features);
    for (std::size_t f = 0; f < n_features; ++f) {
        // The kinds alternate as long as there are both.
        const bool numeric = f < 2 * wanted.categorical ? f % 2 == 0 && f / 2 < wanted.numeric
                                                        : f >= 2 * wanted.categorical;
        rows.kinds.push_back(numeric ? Kind::numeric : Kind::categorical);
    }
    for (std::size_t i = 0; i < wanted.rows; ++i) {
        const std::size_t label = dice.below(wanted.classes);
        const std::size_t turns = wanted.turning ? i / wanted.turning : 0;
        const std::size_t told =
            wanted.noise ? dice.below(wanted.classes) : (label + turns) % wanted.classes;
        rows.y.push_back(static_cast<std::int32_t>(label));
        const double weight = dice.chance(0.05) ? 0.0 : 3.0 * dice.uniform();
        rows.w.push_back(wanted.weights ? weight : 1.0);
        for (std::size_t f = 0; f < n_features; ++f) {
            const bool known = !dice.chance(wanted.missing);
            if (rows.kinds[f] == Kind::numeric) {
                const double mean = static_cast<double>((told * (f + 1)) % wanted.classes);
                rows.numbers[f].push_back(known ? mean + 0.7 * dice.normal() : nan);
            } else {
                const std::size_t code = dice.chance(0.6) ? (told + f) % wanted.categories
                                                          : dice.below(wanted.categories);
                rows.codes[f].push_back(known ? static_cast<std::int32_t>(code) : missing_code);
            }
        }
    }
    return rows;
}

// The same rows, where the first feature (a number) and the second (a category) are distributions
// around their values.
inline Batch blurred(const Rows& rows, std::size_t first, std::size_t n, std::size_t categories) {
    Batch b = rows.batch(first, n);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = rows.numbers[0][first + i];
        const std::int32_t code = rows.codes[1][first + i];
        if (x == x) {
            Uncertain u{i, 0, static_cast<Uncertain::Type>(i % 3), x - 0.2, x + 0.3, x, 0.1, 0, 0};
            if (u.type == Uncertain::Type::numbers) {
                u.first = b.points.size();
                u.count = 3;
                for (const double step : {-0.2, 0.0, 0.4})
                    b.points.push_back({x + step, 0.5 + step});
            }
            b.uncertain.push_back(u);
        }
        if (code >= 0) {
            Uncertain u{i, 1, Uncertain::Type::categories, 0, 0, 0, 1, b.points.size(), 2};
            const auto other =
                static_cast<double>((static_cast<std::size_t>(code) + 1) % categories);
            b.points.push_back({static_cast<double>(code), 0.8});
            b.points.push_back({other, 0.2});
            b.uncertain.push_back(u);
        }
    }
    return b;
}

inline TreeSettings quick_settings(AnyLeaf leaf) {
    TreeSettings s;
    s.leaf = leaf;
    s.grace_period = 50;
    s.delta = 0.01;
    s.tau = 0.3;
    return s;
}

// One tree for each policy that stores more at leaves, one with a second impurity, two with
// everything that growth can remember, two that adapt so eagerly that noise is enough, two
// whose inner nodes learn, and three that bet.
inline std::vector<TreeSettings> settings_with_extras() {
    const double matrix[] = {0.0, 1.0, 0.5, 2.0, 0.0, 1.0, 1.0, 0.1, 0.0};
    const Costs costs = costs_of(matrix, 3);
    std::vector<TreeSettings> all(15, quick_settings(Majority{}));
    all[0].impurity = Accuracy{};
    all[0].judging.evaluator = Evaluator::prequential;
    all[1].impurity = Loss{{}, costs};
    all[1].judging = {Evaluator::holdout, 30, costs};
    all[2].bound = DeltaMethod{Pairing::paired};
    all[2].spend_delta = true;
    all[3].statistics = ExhaustiveStatistics{};
    all[3].leaf = Adaptive{};
    all[4].statistics = IntervalStatistics{4};
    all[5].impurity = Misclassification{};
    all[5].second_impurity = std::make_shared<const AnyImpurity>(Gini{});
    all[5].bound = Normal{};
    for (TreeSettings* const s : {&all[6], &all[7]}) {
        s->drop_poor_features = true;
        s->short_memory = 60;
        s->adaptive_grace = true;
        s->delta = 0.3;
        s->tau = 0.1;
    }
    all[7].statistics = ExhaustiveStatistics{};
    all[8].adaptation = all[9].adaptation =
        Alternates{.drift_delta = 0.9, .switch_delta = 0.9, .switch_after = 20.0};
    all[8].leaf = best_of_three();
    all[8].categorical_cuts = CategoricalCuts::both;
    all[9].statistics = ExhaustiveStatistics{};
    all[9].adaptive_grace = true;
    all[10].adaptation = Reevaluation{100};
    all[10].runner_up = RunnerUp::nothing;
    all[10].leaf = Adaptive{};
    all[11].adaptation = Options{0.9, 4};
    all[11].leaf = Adaptive{};
    for (TreeSettings* const s : {&all[12], &all[13]}) {
        s->bound = Betting{Budget::leaf};
        s->impurity = Gini{};
        s->delta = 0.5;
        s->tau = 0.2;
    }
    all[12].leaf = Adaptive{};
    all[13].impurity = Accuracy{};
    all[13].categorical_cuts = CategoricalCuts::both;
    all[14].adaptation = Alternates{.drift_delta = 0.9,
                                    .switch_delta = 0.9,
                                    .switch_after = 0.0,
                                    .replace_by = Alternates::ReplaceBy::betting};
    return all;
}

inline bool same(const Snapshot& a, const Snapshot& b) {
    std::vector<std::vector<unsigned char>> bytes[2];
    int side = 0;
    const auto keep = [&](const char*, const auto& v) {
        const auto* const p = reinterpret_cast<const unsigned char*>(v.data());
        bytes[side].emplace_back(p, p + v.size() * sizeof(v[0]));
    };
    Snapshot::each_of_all(a, keep);
    side = 1;
    Snapshot::each_of_all(b, keep);
    return bytes[0] == bytes[1];
}

// Whether every prediction is a distribution and every label a class.
inline bool predicts_well(const Tree& tree, const Batch& batch, std::size_t width) {
    std::vector<std::int32_t> classes(batch.rows);
    std::vector<double> probabilities(batch.rows * width);
    tree.predict(batch, {classes.data(), probabilities.data(), width});
    for (std::size_t i = 0; i < batch.rows; ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < width; ++k) {
            const double p = probabilities[i * width + k];
            if (!(p >= 0.0 && p <= 1.0)) return false;
            sum += p;
        }
        if (std::abs(sum - 1.0) > 1e-9) return false;
        if (classes[i] < 0 || static_cast<std::size_t>(classes[i]) >= width) return false;
    }
    return true;
}

}  // namespace examples
