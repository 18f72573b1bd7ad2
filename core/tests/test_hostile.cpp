// Mutated snapshots are refused, or are trees that can predict, learn and be saved.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;
using examples::Dice;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
T strange(Dice& dice, T old, std::size_t length) {
    if constexpr (std::is_floating_point_v<T>) {
        const double values[] = {
            examples::nan, infinity, -infinity, -1.0,     0.0,   -0.0,    5e-324,
            1e-310,        1e-300,   0.5,       1.0,      2.0,   0x1p53,  0x1p200,
            0x1p480,       -0x1p480, 0x1p510,   0x1p1020, 1e300, 1.7e308, old * (1.0 + 1e-12),
            old * 2.0,     -old,     old + 1.0, old / 3.0};
        return values[dice.below(std::size(values))];
    } else {
        const auto near = static_cast<T>(static_cast<std::uint64_t>(old) + dice.below(5) - 2);
        const T values[] = {T{0},
                            T{1},
                            T{2},
                            T{3},
                            static_cast<T>(-1),
                            static_cast<T>(-2),
                            near,
                            near,
                            static_cast<T>(dice.below(length + 2)),
                            static_cast<T>(dice.below(length + 2)),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::min(),
                            static_cast<T>(1'000'000),
                            static_cast<T>(dice.bits())};
        return values[dice.below(std::size(values))];
    }
}

template <class T>
void mutate(Dice& dice, std::vector<T>& v, std::size_t n_nodes) {
    const std::size_t way = dice.below(12);
    if (v.empty() || way == 0) {
        v.insert(v.begin() + static_cast<std::ptrdiff_t>(dice.below(v.size() + 1)),
                 strange<T>(dice, v.empty() ? T{} : v[0], n_nodes));
    } else if (way == 1) {
        v.erase(v.begin() + static_cast<std::ptrdiff_t>(dice.below(v.size())));
    } else if (way == 2) {
        std::swap(v[dice.below(v.size())], v[dice.below(v.size())]);
    } else if (way == 3) {
        auto* const bytes = reinterpret_cast<unsigned char*>(v.data());
        bytes[dice.below(v.size() * sizeof(T))] ^= static_cast<unsigned char>(1U << dice.below(8));
    } else if (way == 4) {
        v.resize(dice.below(2 * v.size() + 1));
    } else {
        T& place = v[dice.below(v.size())];
        place = strange<T>(dice, place, n_nodes);
    }
}

void mutate(Dice& dice, Snapshot& s) {
    const std::size_t n_nodes = s.test.size();
    std::size_t arrays = 0;
    Snapshot::each_of_all(s, [&](const char*, auto&) { ++arrays; });
    // What policies store at leaves is one array with many meanings.
    if (!s.extras.empty() && dice.chance(0.5)) return mutate(dice, s.extras, n_nodes);
    const std::size_t wanted = dice.below(arrays);
    std::size_t i = 0;
    Snapshot::each_of_all(s, [&](const char*, auto& v) {
        if (i++ == wanted) mutate(dice, v, n_nodes);
    });
}

// Changes that keep the sizes and sums correct, so that they pass the first checks.
void forge(Dice& dice, Snapshot& s) {
    const std::size_t n_classes = s.classes[0];
    switch (dice.below(8)) {
        case 0:
            std::swap(s.parent[dice.below(s.parent.size())], s.parent[dice.below(s.parent.size())]);
            break;
        case 1: {  // a leaf with almost no weight, or with the largest
            const double scale = dice.chance(0.5) ? 1e-305 : 0x1p180;
            for (double& x : s.counts) x *= scale;
            for (auto* const v : {&s.weight, &s.checked, &s.right_majority, &s.right_bayes,
                                  &s.known, &s.cells, &s.table_known}) {
                for (double& x : *v) x *= scale;
            }
            break;
        }
        case 2:
            for (double& x : s.gaussian) {
                if (x == x && std::abs(x) < 1e100 && dice.chance(0.5)) x = std::ldexp(x, 400);
            }
            break;
        case 3:
            for (double& x : s.threshold) x = x == 0.0 ? x : strange<double>(dice, x, 1);
            break;
        case 4:
            for (std::size_t k = 0; k < s.inherited.size(); ++k) s.inherited[k] = 0x1p200;
            break;
        case 5: {  // everything in one class
            for (std::size_t i = 0; i < s.test.size() && n_classes > 1; ++i) {
                if (s.test[i] != 0) std::swap(s.counts[i * n_classes], s.counts[i * n_classes + 1]);
            }
            break;
        }
        case 6: s.seen[0] = 1ULL << (52 + dice.below(3)); break;
        default:
            for (std::size_t i = 0; i < s.heavy.size(); ++i) {
                if (s.heavy[i] >= 0) s.heavy[i] += static_cast<std::int32_t>(dice.below(3)) - 1;
            }
    }
}

struct Sample {
    TreeSettings settings;
    Snapshot snapshot;
    examples::Rows rows;
};

std::vector<Sample> samples() {
    std::vector<Sample> all;
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{})}) {
        for (const bool multiway : {false, true}) {
            Sample s;
            s.settings = examples::quick_settings(leaf);
            s.settings.grace_period = 20;
            s.settings.categorical_cuts =
                multiway ? CategoricalCuts::multiway : CategoricalCuts::both;
            examples::Wanted wanted;
            wanted.rows = 500;
            wanted.numeric = multiway ? 2 : 1;
            s.rows = examples::make_rows(wanted, all.size());
            Tree tree(s.settings);
            tree.add_features(s.rows.kinds);
            tree.learn(s.rows.batch(), s.rows.y.data(), nullptr);
            CHECK(tree.facts().n_leaves >= 3);
            s.snapshot = tree.snapshot();
            all.push_back(s);
        }
    }
    std::size_t alternates = 0;
    for (const TreeSettings& settings : examples::settings_with_extras()) {
        Sample s;
        s.settings = settings;
        examples::Wanted wanted;
        // There are no intervals before 1,000 examples.
        wanted.rows = std::holds_alternative<IntervalStatistics>(settings.statistics) ? 2500 : 500;
        wanted.numeric = 2;
        if (settings.adaptation.index() != 0) {
            wanted.turning = 180;
            wanted.rows = 950;
        }
        s.rows = examples::make_rows(wanted, all.size());
        Tree tree(settings);
        tree.add_features(s.rows.kinds);
        tree.learn(s.rows.batch(), s.rows.y.data(), nullptr);
        s.snapshot = tree.snapshot();
        CHECK(std::holds_alternative<Alternates>(settings.adaptation) ||
                      std::holds_alternative<Window>(settings.adaptation)
                  ? !s.snapshot.change_seen.empty()
                  : tree.facts().n_leaves >= 2);
        alternates += s.snapshot.role.size() -
                      static_cast<std::size_t>(std::count(s.snapshot.role.begin(),
                                                          s.snapshot.role.end(), std::uint8_t{0}));
        s.rows = examples::make_rows({.rows = 300, .numeric = 2}, all.size());
        all.push_back(s);
    }
    CHECK(alternates > 0);  // some of them have alternates
    return all;
}

// The rows of a sample. Columns that this tree does not have are left out; others are missing.
Batch batch_for(const Snapshot& s, const examples::Rows& rows) {
    Batch batch;
    batch.rows = rows.size();
    std::vector<std::size_t> numeric, categorical;
    for (std::size_t f = 0; f < rows.kinds.size(); ++f) {
        (rows.kinds[f] == Kind::numeric ? numeric : categorical).push_back(f);
    }
    std::size_t next_numeric = 0, next_categorical = 0;
    for (const std::uint8_t kind : s.kinds) {
        Column c;
        if (kind == 0 && next_numeric < numeric.size()) {
            c = {rows.numbers[numeric[next_numeric++]].data(), sizeof(double), Column::Type::f64};
        } else if (kind == 1 && next_categorical < categorical.size()) {
            c = {rows.codes[categorical[next_categorical++]].data(), sizeof(std::int32_t),
                 Column::Type::code};
        }
        batch.columns.push_back(c);
    }
    return batch;
}

bool works(Tree& tree, const TreeSettings& settings, const Snapshot& s,
           const examples::Rows& rows) {
    const Batch batch = batch_for(s, rows);
    const std::size_t width = std::max<std::size_t>(3, s.classes[0]);
    if (width > 100) return true;
    if (tree.facts().n_classes > 0) CHECK(examples::predicts_well(tree, batch, width));
    tree.learn(batch, rows.y.data(), nullptr);
    CHECK(examples::predicts_well(tree, batch, width));
    for (const LeafState& state : tree.leaf_states()) {
        CHECK(state.decision.best.gain == state.decision.best.gain);
        CHECK(state.still_needed >= 0.0);
    }
    const Snapshot after = tree.snapshot();
    try {
        CHECK(examples::same(Tree::restore(settings, after)->snapshot(), after));
    } catch (const std::invalid_argument& error) {
        CHECK(!"a tree that learned was refused");
        if (checking::failures() <= checking::most_printed) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        return false;
    }
    return true;
}

// The option rounds= says how many snapshots are mutated.
CASE(mutated_snapshots_are_refused_or_work) {
    const int rounds = std::atoi(checking::option("rounds", "20000"));
    const std::vector<Sample> all = samples();
    int survived = 0;
    for (int round = 0; round < rounds; ++round) {
        Dice dice(static_cast<std::uint64_t>(round));
        const Sample& sample = all[dice.below(all.size())];
        Snapshot s = sample.snapshot;
        if (dice.chance(0.4)) forge(dice, s);
        for (std::size_t i = dice.below(3); i-- > 0;) mutate(dice, s);
        const int before = checking::failures();
        try {
            const std::unique_ptr<Tree> tree = Tree::restore(sample.settings, s);
            ++survived;
            works(*tree, sample.settings, s, sample.rows);
        } catch (const std::invalid_argument&) {
        } catch (const std::exception& error) {
            CHECK(!"another exception");
            std::fprintf(stderr, "%s\n", error.what());
        }
        if (checking::failures() != before && before < checking::most_printed) {
            std::fprintf(stderr, "in round %d\n", round);
        }
    }
    std::printf("%d of %d mutated snapshots were trees\n", survived, rounds);
    CHECK(survived > rounds / 20 && survived < rounds * 9 / 10);
}

}  // namespace
