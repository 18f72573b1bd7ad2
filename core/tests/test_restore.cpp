// Snapshots that cannot be those of a tree are refused, one rule at a time.
#include "restoring.hpp"

using namespace riparian;
using namespace restoring;

namespace {

CASE(every_rule_is_checked) {
    TreeSettings settings = examples::quick_settings(Adaptive{});
    settings.categorical_cuts = CategoricalCuts::both;
    const Snapshot good = grown(settings);
    CHECK(!refused(settings, good));
    const std::size_t n = good.test.size();
    const std::size_t threshold = first_of(good, Test::threshold);
    const std::size_t leaf = first_of(good, Test::leaf);
    const auto last = static_cast<std::int32_t>(n - 1);

    const std::vector<std::function<void(Snapshot&)>> wrongs = {
        [](Snapshot& s) { s.seen.clear(); },
        [](Snapshot& s) { s.seen[0] = ~0ULL; },
        [](Snapshot& s) { s.seen[0] = 0; },
        [](Snapshot& s) { s.classes[0] = 0; },
        [](Snapshot& s) { s.classes[0] = 4; },
        [](Snapshot& s) { s.classes[0] = 0xFFFFFFFF; },
        [](Snapshot& s) { s.classes = {3, 3}; },
        [](Snapshot& s) { s.kinds[0] = 2; },
        [](Snapshot& s) { s.kinds[0] = 1; },
        [](Snapshot& s) { s.kinds.push_back(0); },
        [](Snapshot& s) { s.kinds.clear(); },
        [](Snapshot& s) { s.categories[0] = 0; },
        [](Snapshot& s) { s.categories[0] = 0xFFFFFFFF; },
        [](Snapshot& s) { s.test.clear(); },
        [](Snapshot& s) { s.test[0] = 0; },
        [&](Snapshot& s) { s.test[leaf] = 1; },
        [&](Snapshot& s) { s.test[threshold] = 4; },
        // Cycles, second roots, children of leaves.
        [](Snapshot& s) { s.parent[0] = 0; },
        [&](Snapshot& s) { s.parent[0] = last; },
        [](Snapshot& s) { s.parent[1] = 1; },
        [&](Snapshot& s) { s.parent[1] = last; },
        [](Snapshot& s) { s.parent[1] = -1; },
        [](Snapshot& s) { s.parent[1] = -2'000'000'000; },
        [&](Snapshot& s) { s.parent[n - 1] = static_cast<std::int32_t>(leaf); },
        [](Snapshot& s) { s.branch[1] = 2'000'000'000; },
        [](Snapshot& s) { s.branch[1] = -1; },
        [](Snapshot& s) { s.branch[0] = 1; },
        [](Snapshot& s) { s.heavy[0] = 0; },
        [](Snapshot& s) { s.heavy[0] = -1; },
        [&](Snapshot& s) { s.heavy[0] = last + 1; },
        [](Snapshot& s) { s.heavy[0] = 2'000'000'000; },
        [&](Snapshot& s) { s.heavy[leaf] = last; },
        [&](Snapshot& s) { s.feature[threshold] = 99; },
        [&](Snapshot& s) { s.feature[threshold] = -1; },
        [&](Snapshot& s) { s.feature[threshold] = 1; },  // categorical
        [&](Snapshot& s) { s.feature[leaf] = 0; },
        [&](Snapshot& s) { s.threshold[threshold] = examples::nan; },
        [&](Snapshot& s) { s.threshold[threshold] = infinity; },
        [&](Snapshot& s) { s.threshold[threshold] = 1e300; },
        [&](Snapshot& s) { s.threshold[leaf] = 1.0; },
        [&](Snapshot& s) { s.category[threshold] = 0; },
        [](Snapshot& s) { s.counts[0] = examples::nan; },
        [](Snapshot& s) { s.counts[0] = -1.0; },
        [](Snapshot& s) { s.counts[0] = infinity; },
        [](Snapshot& s) { s.counts[0] = 1e300; },
        [](Snapshot& s) { s.counts.pop_back(); },
        [&](Snapshot& s) { s.counts[leaf * 3] += 10.0; },
        [](Snapshot& s) { s.inherited.back() = examples::nan; },
        [](Snapshot& s) { s.inherited.back() = -1e-9; },
        [](Snapshot& s) { s.weight[0] += 10.0; },
        [](Snapshot& s) { s.weight[0] = 0.0; },
        [](Snapshot& s) { s.weight[0] = examples::nan; },
        [](Snapshot& s) { s.inherited_weight[0] = infinity; },
        [](Snapshot& s) { s.checked[0] = s.weight[0] + 1.0; },
        [](Snapshot& s) { s.checked[0] = examples::nan; },
        [](Snapshot& s) { s.right_majority[0] = s.weight[0] + 1.0; },
        [](Snapshot& s) { s.right_bayes[0] = -1.0; },
        [](Snapshot& s) { s.gaps[0] = 2; },
        [](Snapshot& s) { s.gaps[0] ^= 1; },
        [](Snapshot& s) { s.gaps.push_back(0); },
        [](Snapshot& s) { s.gaps.pop_back(); },
        [](Snapshot& s) { s.gaussian[0] = examples::nan; },
        [](Snapshot& s) { s.gaussian[0] = infinity; },
        [](Snapshot& s) { s.gaussian.push_back(0.0); },
        [](Snapshot& s) { s.gaussian.pop_back(); },
        [](Snapshot& s) { s.gaussian.clear(); },
        [](Snapshot& s) { s.gaussian[3] = examples::nan; },  // squares
        [](Snapshot& s) { s.gaussian[3] = infinity; },
        [](Snapshot& s) { s.gaussian[6] = 1e9; },       // low above high
        [](Snapshot& s) { s.gaussian[9] = infinity; },  // high
        [](Snapshot& s) { s.known[0] = -1.0; },
        [](Snapshot& s) { s.known[0] = 1e9; },
        [](Snapshot& s) { s.known[0] = 0.0; },
        [](Snapshot& s) { s.known.push_back(1.0); },
        [](Snapshot& s) { s.values[0] = 0xFFFFFFFF; },
        [](Snapshot& s) { s.values[0] += 1; },
        [](Snapshot& s) { s.values.pop_back(); },
        [](Snapshot& s) { s.table_gaps[0] = 7; },
        [](Snapshot& s) { s.table_gaps[0] ^= 1; },
        [](Snapshot& s) { s.cells[0] = examples::nan; },
        [](Snapshot& s) { s.cells[0] += 5.0; },
        [](Snapshot& s) { s.cells.push_back(0.0); },
        [](Snapshot& s) { s.table_known[0] += 5.0; },
        [](Snapshot& s) { s.table_known.push_back(1.0); },
        [&](Snapshot& s) { s.split_node[0] = static_cast<std::int32_t>(leaf); },
        [](Snapshot& s) { s.split_node[0] = -1; },
        [](Snapshot& s) { s.split_node[0] = 2'000'000'000; },
        [](Snapshot& s) { s.split_node[1] = s.split_node[0]; },
        [](Snapshot& s) { s.split_seen[0] = s.seen[0] + 1; },
        [](Snapshot& s) { s.split_seen.back() = 0; },
        [](Snapshot& s) { s.split_verdict[0] = 0; },
        [](Snapshot& s) { s.split_verdict[0] = 3; },
        [](Snapshot& s) { s.split_verdict[0] = 4; },
        [](Snapshot& s) { s.split_verdict[0] = 5; },
        [](Snapshot& s) { s.split_verdict[0] = 7; },
        [](Snapshot& s) { s.passes[0] = 0; },
        [](Snapshot& s) { s.split_pass[0] = 0; },
        [](Snapshot& s) { s.split_pass[0] = 2; },
        [](Snapshot& s) { s.split_n[0] = 0.0; },
        [](Snapshot& s) { s.split_n[0] = examples::nan; },
        [](Snapshot& s) { s.split_epsilon[0] = examples::nan; },
        [](Snapshot& s) { s.split_epsilon[0] = infinity; },
        [](Snapshot& s) { s.split_gain[0] = examples::nan; },
        [](Snapshot& s) { s.split_gain_range[0] = infinity; },
        [](Snapshot& s) { s.second_feature[0] = 99; },
        [](Snapshot& s) { s.second_test[0] = 9; },
        [](Snapshot& s) { s.second_gain[0] = examples::nan; },
        [](Snapshot& s) { s.second_threshold[0] = examples::nan; },
        [](Snapshot& s) { s.second_category[0] = 2'000'000'000; },
    };
    for (std::size_t i = 0; i < wrongs.size(); ++i) {
        Snapshot bad = good;
        wrongs[i](bad);
        if (!CHECK(refused(settings, bad))) std::fprintf(stderr, "wrong number %zu\n", i);
    }
}

// Every array is one value too short or too long.
CASE(every_length_is_checked) {
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(Adaptive{})}) {
        const TreeSettings settings = examples::quick_settings(leaf);
        const Snapshot good = grown(settings);
        std::size_t arrays = 0;
        Snapshot::each_of_all(good, [&](const char*, const auto&) { ++arrays; });
        for (std::size_t wanted = 0; wanted < arrays; ++wanted) {
            for (const bool longer : {false, true}) {
                Snapshot bad = good;
                bool changed = false;
                std::size_t i = 0;
                const char* which = "";
                Snapshot::each_of_all(bad, [&](const char* name, auto& v) {
                    if (i++ != wanted || (!longer && v.empty())) return;
                    which = name;
                    changed = true;
                    if (longer) {
                        v.push_back(v.empty() ? 0 : v.back());
                    } else {
                        v.pop_back();
                    }
                });
                if (changed && !CHECK(refused(settings, bad))) {
                    std::fprintf(stderr, "%s, %s\n", which, longer ? "longer" : "shorter");
                }
            }
        }
    }
}

// A tree as deep as it has nodes must not overflow the stack.
CASE(a_deep_chain_is_a_tree) {
#ifdef RIPARIAN_SANITIZE
    constexpr std::size_t depth = 10'000;  // each block is allocated separately
#else
    constexpr std::size_t depth = 200'000;
#endif
    TreeSettings settings;
    settings.leaf = Majority{};
    Snapshot s;
    s.seen = {depth};
    s.classes = {2};
    s.kinds = {0};
    for (std::size_t i = 0; i < depth; ++i) {
        // A test, then its second child, a leaf; its first child is the next test.
        const auto id = static_cast<std::int32_t>(2 * i);
        const bool end = i + 1 == depth;
        s.test.push_back(end ? 0 : 1);
        s.parent.push_back(i == 0 ? none : id - 2);
        s.branch.push_back(i == 0 ? 0 : 1);
        s.feature.push_back(end ? none : 0);
        s.category.push_back(none);
        s.heavy.push_back(end ? none : id + 2);
        s.threshold.push_back(end ? 0.0 : static_cast<double>(i));
        if (end) break;
        s.test.push_back(0);
        s.parent.push_back(id);
        s.branch.push_back(0);
        s.feature.push_back(none);
        s.category.push_back(none);
        s.heavy.push_back(none);
        s.threshold.push_back(0.0);
        s.split_node.push_back(id);
        s.split_seen.push_back(i + 1);
        s.split_verdict.push_back(1);
        s.split_n.push_back(1.0);
        s.split_gain_range.push_back(1.0);
        s.split_epsilon.push_back(0.1);
        s.split_gain.push_back(0.5);
        s.second_feature.push_back(none);
        s.second_category.push_back(none);
        s.second_test.push_back(0);
        s.second_threshold.push_back(0.0);
        s.second_gain.push_back(0.0);
    }
    const std::size_t n = s.test.size();
    s.counts.assign(2 * n, 0.0);
    s.inherited.assign(2 * n, 1.0);
    for (auto* const v :
         {&s.weight, &s.inherited_weight, &s.checked, &s.right_majority, &s.right_bayes}) {
        v->assign(depth, 0.0);
    }
    fill_later_arrays(settings, s);
    const std::unique_ptr<Tree> tree = Tree::restore(settings, s);
    CHECK(tree->size().depth == depth - 1);
    const double x[] = {1e300, -1.0, 1000.5, examples::nan};
    const std::int32_t y[] = {0, 1, 1, 0};
    Batch batch;
    batch.rows = 4;
    batch.columns.push_back({x, sizeof(double), Column::Type::f64});
    CHECK(examples::predicts_well(*tree, batch, 2));
    tree->learn(batch, y, nullptr);
    CHECK(tree->leaf_states().size() == depth);
}

}  // namespace
