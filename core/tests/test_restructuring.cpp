// Restructuring trees are equal to the batch tree after every example, whatever is added or
// removed.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../restructuring/id4.hpp"
#include "../restructuring/tree.hpp"
#include "checking.hpp"

using namespace riparian;
namespace rs = riparian::restructuring;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A generator that gives the same rows on every machine.
struct Dice {
    std::uint64_t state;
    std::uint32_t roll(std::uint32_t sides) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::uint32_t>(state >> 33) % sides;
    }
};

struct Rows {
    std::vector<Kind> kinds;
    std::vector<std::vector<double>> numbers;      // [feature][row]
    std::vector<std::vector<std::int32_t>> codes;  // [feature][row]
    std::vector<std::int32_t> y;
    std::vector<double> w;

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
};

Rows mixed(std::size_t n, std::uint64_t seed, bool numeric) {
    Dice dice{seed};
    Rows rows;
    rows.kinds = {numeric ? Kind::numeric : Kind::categorical, Kind::categorical,
                  numeric ? Kind::numeric : Kind::categorical, Kind::categorical};
    rows.numbers.resize(4);
    rows.codes.resize(4);
    const std::uint32_t values = 2 + dice.roll(6);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t drawn[4];
        for (std::size_t f = 0; f < 4; ++f) {
            drawn[f] = dice.roll(numeric && f == 2 ? 40 : values);
            const bool gap = dice.roll(25) == 0;
            rows.numbers[f].push_back(gap ? nan : drawn[f] * 0.5);
            rows.codes[f].push_back(gap ? missing_code : static_cast<std::int32_t>(drawn[f]));
        }
        const std::uint32_t label = drawn[0] > values / 2 ? drawn[1] % 2 : (drawn[2] > 1 ? 2 : 0);
        rows.y.push_back(static_cast<std::int32_t>(dice.roll(8) == 0 ? dice.roll(3) : label));
        rows.w.push_back(dice.roll(3) == 0 ? 0.25 * (1 + dice.roll(9)) : 1.0);
    }
    return rows;
}

bool same(const rs::Tree& a, const rs::Tree& b) {
    const rs::Description x = a.describe(), y = b.describe();
    return x.test == y.test && x.feature == y.feature && x.category == y.category &&
           x.threshold == y.threshold && x.parent == y.parent && x.branch == y.branch &&
           x.missing == y.missing && x.totals == y.totals;
}

void equals_the_batch_tree(rs::Settings settings, const Rows& rows) {
    rs::Settings batch = settings;
    batch.rebuild = batch.lazy = true;
    rs::Tree tree(settings), oracle(batch);
    tree.add_features(rows.kinds);
    oracle.add_features(rows.kinds);
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
        const Batch row = rows.batch(i, 1);
        tree.learn(row, &rows.y[i], &rows.w[i]);
        oracle.learn(row, &rows.y[i], &rows.w[i]);
        if (!CHECK(same(tree, oracle))) return;
    }
    const auto again = rs::Tree::restore(settings, tree.snapshot());
    CHECK(same(*again, oracle));
    CHECK(again->counters().scores == tree.counters().scores);
}

CASE(every_kind_of_tree) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        for (const std::size_t window : {rs::most_examples, std::size_t{1}, std::size_t{37}}) {
            rs::Settings s;
            s.max_examples = window;
            equals_the_batch_tree(s, mixed(150, seed, false));
            for (const rs::Metric metric : {rs::Metric::entropy, rs::Metric::gain_ratio}) {
                s.multiway = false;
                s.metric = metric;
                equals_the_batch_tree(s, mixed(150, seed, true));
                s.multiway = true;
            }
        }
    }
}

// Ever larger numbers of alternating classes make a chain. Nothing may recurse on it.
CASE(a_long_chain_does_not_recurse) {
    rs::Settings s;
    s.multiway = false;
    s.lazy = true;
    rs::Tree tree(s);
    tree.add_features({Kind::numeric});
    constexpr std::size_t n = 3000;
    std::vector<double> x(n);
    std::vector<std::int32_t> y(n);
    double value = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = value += 1.0;
        y[i] = static_cast<std::int32_t>(i % 2);
    }
    Batch b;
    b.rows = n;
    b.columns.push_back({x.data(), sizeof(double), Column::Type::f64});
    tree.learn(b, y.data(), nullptr);
    CHECK(tree.n_leaves() == n);
    std::vector<std::int32_t> predictions(n);
    tree.predict(b, {predictions.data(), nullptr, 0});
    CHECK(predictions == y);
}

bool refused(const std::function<void()>& what) {
    try {
        what();
        return false;
    } catch (const std::invalid_argument&) {
        return true;
    }
}

CASE(impossible_snapshots_are_refused) {
    rs::Settings s;
    s.multiway = false;
    rs::Tree tree(s);
    const Rows rows = mixed(60, 3, true);
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(0, 60), rows.y.data(), rows.w.data());
    const rs::Snapshot good = tree.snapshot();
    const std::vector<std::function<void(rs::Snapshot&)>> wrongs = {
        [](rs::Snapshot& x) { x.seen.clear(); },
        [](rs::Snapshot& x) { x.seen[0] = 59; },
        [](rs::Snapshot& x) { x.seen[0] = 61; },
        [](rs::Snapshot& x) { x.seen[0] = ~0ULL; },
        [](rs::Snapshot& x) { x.counters.pop_back(); },
        [](rs::Snapshot& x) { x.classes[0] = 2; },
        [](rs::Snapshot& x) { x.classes[0] = 1U << 31; },
        [](rs::Snapshot& x) { x.kinds[0] = 2; },
        [](rs::Snapshot& x) { x.kinds[0] = 1; },
        [](rs::Snapshot& x) { x.categories[0] = -1; },
        [](rs::Snapshot& x) { x.categories[0] = 0; },
        [](rs::Snapshot& x) { x.categories.push_back(1); },
        [](rs::Snapshot& x) { x.numbers[7] = std::numeric_limits<double>::infinity(); },
        [](rs::Snapshot& x) { x.numbers.pop_back(); },
        [](rs::Snapshot& x) { x.codes[3] = -2; },
        [](rs::Snapshot& x) { x.codes[3] = 1 << 30; },
        [](rs::Snapshot& x) { x.labels[5] = -1; },
        [](rs::Snapshot& x) { x.labels[5] = 3; },
        [](rs::Snapshot& x) { x.labels.pop_back(); },
        [](rs::Snapshot& x) { x.weights[0] = 0.0; },
        [](rs::Snapshot& x) { x.weights[0] = -1.0; },
        [](rs::Snapshot& x) { x.weights[0] = nan; },
        [](rs::Snapshot& x) { x.weights[0] = 1e-9; },
        [](rs::Snapshot& x) { x.weights[0] = 0x1p40; },
    };
    for (const auto& wrong : wrongs) {
        rs::Snapshot bad = good;
        wrong(bad);
        CHECK(refused([&] { static_cast<void>(rs::Tree::restore(s, bad)); }));
    }
    rs::Settings fewer = s;
    fewer.max_examples = 59;
    CHECK(refused([&] { static_cast<void>(rs::Tree::restore(fewer, good)); }));
}

CASE(impossible_counts_are_refused) {
    rs::Id4 tree({0.5, true});
    const Rows rows = mixed(400, 4, false);
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(0, 400), rows.y.data(), rows.w.data());
    const rs::Id4Snapshot good = tree.snapshot();
    CHECK(good.parent.size() > 3);
    const rs::Id4Snapshot again = rs::Id4::restore({0.5, true}, good)->snapshot();
    CHECK(again.counts == good.counts && again.weights == good.weights &&
          again.parent == good.parent && again.sizes == good.sizes);
    const std::vector<std::function<void(rs::Id4Snapshot&)>> wrongs = {
        [](rs::Id4Snapshot& x) { x.seen[0] = 0; },
        [](rs::Id4Snapshot& x) { x.counters.clear(); },
        [](rs::Id4Snapshot& x) { x.classes[0] = 4; },
        [](rs::Id4Snapshot& x) { x.kinds[0] = 0; },
        [](rs::Id4Snapshot& x) { x.categories[0] = 0; },
        [](rs::Id4Snapshot& x) { x.parent[0] = 0; },
        [](rs::Id4Snapshot& x) { x.parent[1] = 1; },
        [](rs::Id4Snapshot& x) { x.parent[1] = -1; },
        [](rs::Id4Snapshot& x) { x.parent[1] = 1 << 30; },
        [](rs::Id4Snapshot& x) { x.branch[1] = 1 << 20; },
        [](rs::Id4Snapshot& x) { x.branch[2] = x.branch[1]; },
        [](rs::Id4Snapshot& x) { x.feature[0] = 4; },
        [](rs::Id4Snapshot& x) { x.feature[0] = -2; },
        [](rs::Id4Snapshot& x) { x.feature[0] = none; },
        [](rs::Id4Snapshot& x) { x.feature[1] = x.feature[0]; },
        [](rs::Id4Snapshot& x) { x.counts[0] = -1.0; },
        [](rs::Id4Snapshot& x) { x.counts[0] = nan; },
        [](rs::Id4Snapshot& x) { x.counts[0] = 0.0; },
        [](rs::Id4Snapshot& x) { x.sizes[0] = -1; },
        [](rs::Id4Snapshot& x) { x.sizes[0] += 1; },
        [](rs::Id4Snapshot& x) { x.sizes.pop_back(); },
        [](rs::Id4Snapshot& x) { x.values[0] = -2; },
        [](rs::Id4Snapshot& x) { x.values[1] = x.values[0]; },
        [](rs::Id4Snapshot& x) { x.weights[0] = 1e9; },
        [](rs::Id4Snapshot& x) { x.weights[0] = -1.0; },
        [](rs::Id4Snapshot& x) { x.weights.push_back(0.0); },
    };
    for (std::size_t i = 0; i < wrongs.size(); ++i) {
        rs::Id4Snapshot bad = good;
        wrongs[i](bad);
        if (!CHECK(refused([&] { static_cast<void>(rs::Id4::restore({0.5, true}, bad)); }))) {
            std::fprintf(stderr, "the wrong number %zu\n", i);
        }
    }
}

}  // namespace
