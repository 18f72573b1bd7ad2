// Predictions stay within the given memory, and are valid for extreme numbers.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "checking.hpp"
#include "../tree/turn.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

// The caller passes room for the present number of classes. Another thread may add a class before
// the rows are predicted; nothing may be written past the room.
CASE(a_class_that_came_in_between_is_left_out) {
    examples::Wanted wanted;
    wanted.classes = 6;
    const examples::Rows rows = examples::make_rows(wanted, 1);
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{})}) {
        Tree tree(examples::quick_settings(leaf));
        tree.add_features(rows.kinds);
        tree.learn(rows.batch(), rows.y.data(), nullptr);
        const std::size_t n = 300, width = 5;
        constexpr double untouched = -123.0;
        std::vector<double> room((n + 1) * width + 64, untouched);
        tree.predict(rows.batch(0, n), {nullptr, room.data(), width});
        CHECK(std::all_of(room.begin() + n * width, room.end(),
                          [](double x) { return x == untouched; }));
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (std::size_t k = 0; k < width; ++k) sum += room[i * width + k];
            CHECK(std::abs(sum - 1.0) <= 1e-9);
        }
        Tree learner(examples::quick_settings(leaf));
        learner.add_features(rows.kinds);
        std::fill(room.begin(), room.end(), untouched);
        learner.prequential(rows.batch(0, n), rows.y.data(), nullptr,
                            {nullptr, room.data(), width});
        CHECK(std::all_of(room.begin() + n * width, room.end(),
                          [](double x) { return x == untouched; }));
    }
}

CASE(the_state_that_predicts_is_named) {
    const examples::Rows rows = examples::make_rows({}, 5);
    Tree tree(examples::quick_settings(Adaptive{}));
    tree.add_features(rows.kinds);
    Moment moment{9, 9};
    std::vector<std::int32_t> classes(rows.size());
    tree.predict(rows.batch(), {classes.data(), nullptr, 0}, nullptr, &moment);
    CHECK(moment.seen == 0 && moment.classes == 0 && classes[0] == no_prediction);
    tree.learn(rows.batch(0, 100), rows.y.data(), nullptr);
    tree.predict(rows.batch(), {classes.data(), nullptr, 0}, nullptr, &moment);
    CHECK(moment.seen == 100 && moment.classes == tree.facts().n_classes);
}

CASE(more_room_than_classes_is_filled_with_zeros) {
    const examples::Rows rows = examples::make_rows({}, 2);
    Tree tree(examples::quick_settings(Adaptive{}));
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(), rows.y.data(), nullptr);
    std::vector<double> room(rows.size() * 9, -1.0);
    tree.predict(rows.batch(), {nullptr, room.data(), 9});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 3; k < 9; ++k) CHECK(room[i * 9 + k] == 0.0);
    }
}

// A caller may pass fewer columns than features, or none at all.
CASE(absent_columns_are_missing) {
    const examples::Rows rows = examples::make_rows({}, 3);
    Tree tree(examples::quick_settings(Adaptive{}));
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(), rows.y.data(), nullptr);
    Batch batch = rows.batch(0, 100);
    while (true) {
        CHECK(examples::predicts_well(tree, batch, 3));
        if (batch.columns.empty()) break;
        batch.columns.pop_back();
    }
    batch = rows.batch(0, 100);
    for (Column& column : batch.columns) column.data = nullptr;
    CHECK(examples::predicts_well(tree, batch, 3));
}

CASE(unknown_codes_are_predicted) {
    examples::Rows rows = examples::make_rows({}, 4);
    for (const auto cuts : {CategoricalCuts::multiway, CategoricalCuts::one_against_rest}) {
        TreeSettings settings = examples::quick_settings(Adaptive{});
        settings.categorical_cuts = cuts;
        Tree tree(settings);
        tree.add_features(rows.kinds);
        tree.learn(rows.batch(), rows.y.data(), nullptr);
        examples::Rows asked = rows;
        for (auto& codes : asked.codes) {
            for (std::size_t i = 0; i < codes.size(); ++i) {
                const std::int32_t wild[] = {unseen_code, 5,          6,
                                             1'000'000,   0x7FFFFFFF, missing_code};
                codes[i] = wild[i % 6];
            }
        }
        CHECK(examples::predicts_well(tree, asked.batch(), 3));
    }
}

CASE(extreme_values_are_learned_and_predicted) {
    examples::Dice dice(5);
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{})}) {
        for (int round = 0; round < 30; ++round) {
            examples::Wanted wanted;
            wanted.rows = 600;
            examples::Rows rows = examples::make_rows(wanted, static_cast<std::uint64_t>(round));
            const double wild[] = {1.7e308, -1.7e308, 5e-324, -5e-324, 0.0, 1e9, 1e-300};
            for (auto& numbers : rows.numbers) {
                for (double& x : numbers) {
                    if (dice.chance(0.3)) x = wild[dice.below(7)];
                }
            }
            for (double& w : rows.w) {
                if (dice.chance(0.1)) w = dice.chance(0.5) ? 1e-300 : 0x1p52;
            }
            Tree tree(examples::quick_settings(leaf));
            tree.add_features(rows.kinds);
            tree.learn(rows.batch(), rows.y.data(), rows.w.data());
            CHECK(examples::predicts_well(tree, rows.batch(), 3));
            for (const LeafState& state : tree.leaf_states()) {
                CHECK(std::isfinite(state.decision.best.gain));
                CHECK(state.decision.epsilon == state.decision.epsilon);
            }
        }
    }
}

// A member of a forest predicts a row before and after learning it. Usually little changes, so the
// second prediction is derived from the first; it must be equal to a new prediction by the tree.
// Categories and classes keep appearing, ranges widen, numbers are missing, and leaves track some
// of the features.
CASE(the_prediction_after_learning_is_that_of_the_present_tree) {
    std::size_t alike = 0, other = 0, leaves = 0;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        examples::Wanted wanted;
        wanted.rows = 3000;
        wanted.numeric = seed % 4 == 3 ? 0 : 1 + seed % 7;
        wanted.categorical = seed % 3 == 2 ? 0 : 1 + seed % 5;
        wanted.categories = 300;
        wanted.classes = 2 + seed % 6;
        wanted.missing = seed % 5 == 4 ? 0.02 : 0.0;
        wanted.noise = seed % 2 == 1;
        examples::Rows rows = examples::make_rows(wanted, seed);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows.y[i] = std::min(rows.y[i], static_cast<std::int32_t>(i / 400));
            for (auto& codes : rows.codes) {
                if (codes.empty() || codes[i] < 0) continue;
                codes[i] = seed % 2 ? static_cast<std::int32_t>(i)
                                    : std::min(codes[i], static_cast<std::int32_t>(i / 10));
            }
        }
        TreeSettings settings = examples::quick_settings(Adaptive{});
        settings.lean = seed % 2 == 0;
        settings.inherit_counts = InheritCounts::count;
        if (seed % 3 == 0) settings.leaf_features = {Subspace::By::share, 0.6, seed};
        Tree tree(settings);
        tree.add_features(rows.kinds);
        const Batch batch = rows.batch();
        std::optional<Turn> turn(std::in_place, tree);
        examples::Dice dice(seed);
        std::vector<double> shares(8), again(8);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            RowBuffer buffer = turn->buffer_of(batch);
            buffer.read(i, 1);
            const Row row = buffer.row(0);
            const double w = seed % 6 == 5 ? 0.3 + dice.uniform() : 1.0 + double(dice.below(9));
            const bool asked = dice.chance(0.5);
            const Predicted predicted = turn->learn(
                Turn::alone, row, static_cast<std::size_t>(rows.y[i]), {w, w},
                asked ? RowRequest{true, shares.data(), shares.size()} : RowRequest{true}, true);
            CHECK(predicted.after ==
                  turn->predict(Turn::alone, row, {true, again.data(), again.size()}));
            const double most = *std::max_element(again.begin(), again.end());
            CHECK(predicted.after >= 0 && again[static_cast<std::size_t>(predicted.after)] == most);
            ++(predicted.after == predicted.before ? alike : other);
        }
        turn.reset();
        leaves += tree.facts().n_leaves;
    }
    CHECK(alike > 1000 && other > 1000 && leaves > 100);
}

// A new category may change the scores of all classes. This happens in young leaves, whose classes
// have little weight and few categories.
CASE(a_new_category_counts_for_every_class) {
    std::size_t fresh = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        examples::Dice dice(seed);
        examples::Wanted wanted;
        wanted.rows = 20;
        wanted.numeric = seed % 2;
        wanted.categorical = 1 + dice.below(12);
        wanted.classes = 3;
        wanted.missing = 0.0;
        examples::Rows rows = examples::make_rows(wanted, seed);
        TreeSettings settings = examples::quick_settings(Adaptive{});
        settings.lean = true;
        Tree tree(settings);
        tree.add_features(rows.kinds);
        std::vector<std::int32_t> next(rows.kinds.size(), 1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t f = 0; f < rows.kinds.size(); ++f) {
                if (rows.kinds[f] != Kind::categorical) continue;
                const bool comes = dice.chance(0.1);
                fresh += comes;
                rows.codes[f][i] = comes ? next[f]++
                                         : static_cast<std::int32_t>(
                                               dice.below(static_cast<std::uint64_t>(next[f])));
            }
        }
        const Batch batch = rows.batch();
        std::optional<Turn> turn(std::in_place, tree);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            RowBuffer buffer = turn->buffer_of(batch);
            buffer.read(i, 1);
            const Row row = buffer.row(0);
            const double w = 1.0 + double(dice.below(9));
            const auto y = static_cast<std::size_t>(rows.y[i]);
            CHECK(turn->learn(Turn::alone, row, y, {w, w}, {true}, true).after ==
                  turn->predict(Turn::alone, row, {true}));
        }
    }
    CHECK(fresh > 1000);
}

}  // namespace
