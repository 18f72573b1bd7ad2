// Moments compared with long double, for offsets, outliers and weights where plain sums fail.
#include "../statistics/leaf_statistics.hpp"

#include <cmath>
#include <vector>

#include "../data/batch.hpp"
#include "../statistics/exhaustive_values.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;
using examples::Dice;

namespace {

struct Moments {
    long double weight = 0, mean = 0, squares = 0;
};

Moments exact(const std::vector<double>& x, const std::vector<double>& w) {
    Moments m;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) continue;
        m.weight += w[i];
        m.mean += static_cast<long double>(w[i]) * x[i];
    }
    if (m.weight > 0) m.mean /= m.weight;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) continue;
        m.squares += w[i] * (x[i] - m.mean) * (x[i] - m.mean);
    }
    return m;
}

// The statistics of one class and one feature, from a tree with one leaf.
Snapshot learned(const std::vector<double>& x, const std::vector<double>& w, AnyLeaf leaf) {
    TreeSettings settings;
    settings.leaf = leaf;
    Tree tree(settings);
    tree.add_features({Kind::numeric});
    Batch batch;
    batch.rows = x.size();
    batch.columns.push_back({x.data(), sizeof(double), Column::Type::f64});
    const std::vector<std::int32_t> y(x.size(), 0);
    tree.learn(batch, y.data(), w.data());
    return tree.snapshot();
}

void moments_are_right(const std::vector<double>& x, const std::vector<double>& w,
                       double tolerance) {
    const Moments want = exact(x, w);
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(Adaptive{})}) {
        const Snapshot s = learned(x, w, leaf);
        if (!CHECK(s.gaussian.size() == 4)) continue;
        const long double spread = std::sqrt(want.squares / want.weight);
        CHECK(std::fabs(s.gaussian[0] - want.mean) <=
              tolerance * spread + 1e-15L * std::fabs(want.mean));
        CHECK(std::fabs(s.gaussian[1] - want.squares) <= tolerance * want.squares);
    }
}

CASE(large_offsets_and_first_outliers) {
    Dice dice(1);
    for (const double offset : {0.0, 1e9, -1e9, 1.7e9}) {
        for (const double first : {0.0, 1e12, -1e6}) {
            std::vector<double> x, w;
            if (first != 0.0) x.push_back(first);
            for (int i = 0; i < 2000; ++i) x.push_back(offset + dice.normal());
            for (std::size_t i = 0; i < x.size(); ++i) w.push_back(1.0);
            moments_are_right(x, w, 1e-6);
            for (double& each : w) each = 0.01 + dice.uniform();
            moments_are_right(x, w, 1e-6);
            for (std::size_t i = 5; i < x.size(); i += 9) x[i] = examples::nan;
            moments_are_right(x, w, 1e-6);
        }
    }
}

// A model that has learned can be saved, whatever the weights were.
CASE(what_was_learned_can_be_restored) {
    struct Case {
        const char* name;
        std::vector<double> x, w;
    };
    const double nan = examples::nan;
    std::vector<Case> cases = {
        {"a light row, then a heavy one", {1e17, 1.0}, {1e-20, 1.0}},
        {"a light row, then a heavy one without a value", {1.0, nan}, {1e-20, 1.0}},
        {"a heavy row, then a light one", {1.0, 1e17}, {1.0, 1e-20}},
        {"the lightest weights", {1.0, 2.0, nan, 3.0}, {5e-324, 5e-324, 1e-310, 1e-300}},
        {"the heaviest weights", {1.0, 2.0, nan, 3.0}, {0x1p52, 0x1p52, 0x1p52, 0x1p52}},
    };
    Case extreme{"the largest values with the heaviest weights", {}, {}};
    for (int i = 0; i < 2000; ++i) {
        extreme.x.push_back(i % 2 ? 1.7e308 : -1.7e308);
        extreme.w.push_back(0x1p52);
    }
    cases.push_back(extreme);
    Dice dice(4);
    for (int i = 0; i < 500; ++i) {
        Case c{"random weights of any size", {}, {}};
        for (std::size_t n = 1 + dice.below(20); n-- > 0;) {
            c.x.push_back(dice.chance(0.2) ? nan
                                           : std::ldexp(dice.normal(), int(dice.below(60)) - 30));
            c.w.push_back(std::ldexp(1.0 + dice.uniform(), int(dice.below(150)) - 100));
        }
        cases.push_back(c);
    }
    for (const Case& c : cases) {
        for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(Adaptive{})}) {
            TreeSettings settings;
            settings.leaf = leaf;
            const Snapshot s = learned(c.x, c.w, leaf);
            bool restored = true;
            try {
                CHECK(examples::same(Tree::restore(settings, s)->snapshot(), s));
            } catch (const std::invalid_argument& error) {
                std::fprintf(stderr, "%s: %s\n", c.name, error.what());
                restored = false;
            }
            CHECK(restored);
        }
    }
}

// The same for counts of categories, below the root, where tables are allocated at the first gap.
CASE(what_was_counted_can_be_restored) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Dice dice(seed);
        TreeSettings settings = examples::quick_settings(Adaptive{});
        settings.categorical_cuts = CategoricalCuts::one_against_rest;
        settings.delta = 0.05;
        settings.tau = 0.5;
        Tree tree(settings);
        tree.add_features({Kind::categorical, Kind::categorical});
        std::vector<std::int32_t> a, b, y;
        std::vector<double> w;
        for (int i = 0; i < 3000; ++i) {
            const auto label = static_cast<std::int32_t>(dice.below(4));
            y.push_back(label);
            a.push_back(dice.chance(0.01) ? missing_code : label % 2);
            b.push_back(label / 2);
            w.push_back(dice.uniform() + 1e-9);
        }
        Batch batch;
        batch.rows = y.size();
        batch.columns.push_back({a.data(), sizeof(std::int32_t), Column::Type::code});
        batch.columns.push_back({b.data(), sizeof(std::int32_t), Column::Type::code});
        tree.learn(batch, y.data(), w.data());
        CHECK(tree.facts().n_leaves >= 3);
        CHECK(examples::predicts_well(tree, batch, 4));
        const Snapshot s = tree.snapshot();
        bool restored = true;
        try {
            CHECK(examples::same(Tree::restore(settings, s)->snapshot(), s));
        } catch (const std::invalid_argument& error) {
            std::fprintf(stderr, "seed %d: %s\n", static_cast<int>(seed), error.what());
            restored = false;
        }
        CHECK(restored);
    }
}

// The statistics of some rows, without a tree.
struct Learned {
    Shape shape;
    std::vector<double> counts;
    LeafStatistics statistics;

    void merge(const Learned& other) {
        statistics.merge(shape, counts.data(), other.statistics, other.shape, other.counts.data());
    }
    void downdate(const Learned& other) {
        statistics.downdate(shape, counts.data(), other.statistics, other.shape,
                            other.counts.data());
    }
};

Learned learned(const examples::Rows& rows, std::size_t first, std::size_t n) {
    Learned out;
    Features features;
    for (const Kind kind : rows.kinds) {
        features.push_back(
            {kind, kind == Kind::numeric ? out.shape.numeric++ : out.shape.categorical++});
    }
    out.shape.stride = (out.shape.numeric + 3) / 4 * 4;
    out.shape.class_stride = 7;
    out.counts.resize(7, 0.0);
    out.statistics.open(out.shape);
    RowBuffer buffer(rows.batch(first, n), features, out.shape);
    for (std::size_t i = 0; i < n; i += buffer.capacity()) {
        const std::size_t some = std::min(buffer.capacity(), n - i);
        buffer.read(i, some);
        for (std::size_t j = 0; j < some; ++j) {
            const auto y = static_cast<std::size_t>(rows.y[first + i + j]);
            const double w = rows.w[first + i + j], before = out.counts[y];
            if (!(w > 0.0)) continue;
            out.counts[y] += w;
            out.statistics.learn(out.shape, buffer.row(j), y, w, before, out.counts.data());
        }
    }
    return out;
}

// Counts of two halves add up to those of the whole and can be subtracted again; moments nearly so.
CASE(two_halves_merge_to_the_whole) {
    const examples::Rows rows = examples::make_rows({.rows = 900, .classes = 7}, 12);
    const Learned whole = learned(rows, 0, 900);
    Learned merged = learned(rows, 0, 400);
    const Learned half = learned(rows, 400, 500);
    merged.merge(half);
    CHECK(merged.counts == whole.counts);
    const Shape& s = merged.shape;
    const std::size_t cells = merged.statistics.starts(s)[s.categorical];
    const auto nearly = [](double a, double b) {
        return std::fabs(a - b) <= 1e-9 * (1.0 + std::fabs(b));
    };
    for (std::size_t k = 0; k < 7; ++k) {
        const double* const got = merged.statistics.classes()[k];
        const double* const want = whole.statistics.classes()[k];
        for (std::size_t i = 0; i < s.cells_place(); ++i) CHECK(nearly(got[i], want[i]));
        for (std::size_t i = 0; i < cells; ++i) {
            CHECK(got[s.cells_place() + i] == want[s.cells_place() + i]);
        }
    }
    merged.downdate(half);
    CHECK(merged.counts == learned(rows, 0, 400).counts);
    bool refused = false;
    try {
        merged.downdate(whole);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

CASE(kept_values_are_merged_exactly) {
    Dice dice(3);
    ExhaustiveValues all, first, second;
    for (int i = 0; i < 3000; ++i) {
        const double x = static_cast<double>(dice.below(700)) - 350.0;
        const std::size_t y = dice.below(3);
        all.learn(x, y, 0.5);
        (i % 3 ? first : second).learn(x, y, 0.5);
    }
    const auto points = [](const ExhaustiveValues& v) {
        std::vector<double> x, w;
        std::vector<std::int32_t> y;
        v.save(x, y, w);
        x.insert(x.end(), w.begin(), w.end());
        x.insert(x.end(), y.begin(), y.end());
        return x;
    };
    const std::vector<double> before = points(first);
    first.merge(second);
    CHECK(points(first) == points(all));
    CHECK(first.values() == all.values() && first.points() == all.points());
    first.downdate(second);
    CHECK(points(first) == before);
    first.downdate(first);
    CHECK(first.points() == 0);
    bool refused = false;
    try {
        first.downdate(second);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

// Classes come and go around the numbers at which the capacity changes. The result equals that of
// the same rows in any other order of classes, in as many bytes.
CASE(many_classes_come_and_go) {
    for (const bool bayes : {false, true}) {
        Shape shape;
        shape.numeric = 3;
        shape.stride = 4;
        shape.class_stride = 200;
        shape.derived = bayes ? Derived::kept : Derived::none;
        Account account;
        const Charge charge(account);
        Dice dice(7);
        LeafStatistics leaf;
        leaf.open(shape);
        std::vector<double> counts(shape.class_stride, 0.0);
        std::vector<std::vector<double>> rows(shape.class_stride);  // the last row of each class
        const auto row_of = [&](std::size_t k) { return Row{rows[k].data(), nullptr, false}; };
        for (int step = 0; step < 6000; ++step) {
            const std::size_t k = dice.below(step % 2000 < 1000 ? 200 : 90);
            if (counts[k] > 0.0) {
                counts[k] = 0.0;
                CHECK(leaf.forget(shape, row_of(k), k, 1.0, counts.data()));
            } else {
                rows[k] = {dice.normal(), dice.normal(), static_cast<double>(k), 0.0};
                counts[k] = 1.0;
                leaf.learn(shape, row_of(k), k, 1.0, 0.0, counts.data());
            }
            if (step % 100 != 99) continue;
            const std::size_t held = account.held;
            LeafStatistics fresh;
            fresh.open(shape, counts.data(), nullptr);
            CHECK(account.held == 2 * held);
            for (std::size_t c = 0; c < shape.class_stride; ++c) {
                CHECK((leaf.classes()[c] != nullptr) == (counts[c] > 0.0));
                if (!leaf.classes()[c]) continue;
                for (std::size_t f = 0; f < shape.numeric; ++f) {
                    CHECK(leaf.classes()[c][f] == rows[c][f]);
                    CHECK(leaf.classes()[c][shape.numeric + f] == 0.0);
                }
            }
        }
    }
}

}  // namespace
