// A tree grows on mixed data with gaps, new features and new classes. Saved and restored, it is the
// same tree and continues in the same way.
#include <algorithm>
#include <memory>
#include <vector>

#include "../tree/description.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

std::vector<TreeSettings> many_settings() {
    std::vector<TreeSettings> all;
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{})}) {
        for (const auto cuts : {CategoricalCuts::multiway, CategoricalCuts::one_against_rest,
                                CategoricalCuts::both}) {
            for (const auto inherit :
                 {InheritCounts::none, InheritCounts::predict, InheritCounts::count}) {
                TreeSettings s = examples::quick_settings(leaf);
                s.categorical_cuts = cuts;
                s.inherit_counts = inherit;
                if (all.size() % 2) s.impurity = Gini{};
                if (all.size() % 3 == 0) s.runner_up = RunnerUp::cut;
                all.push_back(s);
            }
        }
    }
    return all;
}

// The second half of the stream has more features, categories and classes than the first.
struct GrowingStream {
    examples::Rows first, second;

    explicit GrowingStream(std::uint64_t seed) {
        examples::Wanted wanted;
        wanted.rows = 1500;
        wanted.weights = seed % 2 == 1;
        first = examples::make_rows(wanted, seed);
        wanted.numeric = 6;
        wanted.categorical = 3;
        wanted.categories = 8;
        wanted.classes = 6;
        second = examples::make_rows(wanted, seed + 1000);
        // Columns keep their places: existing ones come first.
        const auto reorder = [&](auto& columns) {
            std::vector<std::size_t> order;
            std::vector<bool> used(columns.size(), false);
            for (const Kind kind : first.kinds) {
                for (std::size_t f = 0; f < used.size(); ++f) {
                    if (used[f] || second.kinds[f] != kind) continue;
                    order.push_back(f);
                    used[f] = true;
                    break;
                }
            }
            for (std::size_t f = 0; f < used.size(); ++f) {
                if (!used[f]) order.push_back(f);
            }
            auto moved = columns;
            for (std::size_t i = 0; i < order.size(); ++i) moved[i] = columns[order[i]];
            return moved;
        };
        auto numbers = reorder(second.numbers);
        auto codes = reorder(second.codes);
        auto kinds = reorder(second.kinds);
        second.numbers = std::move(numbers);
        second.codes = std::move(codes);
        second.kinds = std::move(kinds);
    }

    [[nodiscard]] std::vector<Kind> added() const {
        return {second.kinds.begin() + static_cast<std::ptrdiff_t>(first.kinds.size()),
                second.kinds.end()};
    }
};

void learn(Tree& tree, const examples::Rows& rows, std::size_t first, std::size_t n,
           std::size_t batch) {
    for (std::size_t i = first; i < first + n; i += batch) {
        const std::size_t size = std::min(batch, first + n - i);
        tree.learn(rows.batch(i, size), rows.y.data() + i, rows.w.data() + i);
    }
}

void grow_first(Tree& tree, const GrowingStream& stream, std::size_t batch) {
    tree.add_features(stream.first.kinds);
    learn(tree, stream.first, 0, stream.first.size(), batch);
}

void grow_second(Tree& tree, const GrowingStream& stream, std::size_t n, std::size_t batch) {
    tree.add_features(stream.added());
    learn(tree, stream.second, 0, n, batch);
}

CASE(a_tree_grows_and_predicts) {
    for (const TreeSettings& settings : many_settings()) {
        const GrowingStream stream(7);
        Tree tree(settings);
        CHECK(tree.facts().n_leaves == 1 && tree.size().n_nodes == 1 && tree.size().depth == 0);
        grow_first(tree, stream, 500);
        CHECK(tree.facts().n_leaves > 2);
        CHECK(tree.facts().n_classes == 3);
        CHECK(examples::predicts_well(tree, stream.first.batch(), 3));
        const std::size_t leaves = tree.facts().n_leaves;
        grow_second(tree, stream, stream.second.size(), 500);
        CHECK(tree.facts().n_leaves > leaves);
        CHECK(tree.facts().n_classes == 6);
        CHECK(tree.facts().n_features == 9);
        CHECK(examples::predicts_well(tree, stream.second.batch(), 6));
        // The first rows have no values for the new features.
        CHECK(examples::predicts_well(tree, stream.first.batch(), 6));
        CHECK(tree.certificates().size() == tree.size().n_nodes - tree.facts().n_leaves);
        CHECK(tree.leaf_states().size() == tree.facts().n_leaves);
        const Batch rows = stream.first.batch(0, 700);
        const Description described = tree.describe(&rows);
        CHECK(described.ends.size() == 700);
        for (const std::int32_t id : described.ends) {
            CHECK(id >= 0 && static_cast<std::size_t>(id) < tree.size().n_nodes);
            CHECK(described.test[static_cast<std::size_t>(id)] == Test::leaf);
        }
        const std::uint64_t learned =
            static_cast<std::uint64_t>(std::count_if(stream.first.w.begin(), stream.first.w.end(),
                                                     [](double w) { return w > 0.0; }) +
                                       std::count_if(stream.second.w.begin(), stream.second.w.end(),
                                                     [](double w) { return w > 0.0; }));
        CHECK(tree.facts().seen == learned);
    }
}

// The description of a tree shows what its snapshot contains.
CASE(a_tree_is_described) {
    for (const TreeSettings& settings : many_settings()) {
        const GrowingStream stream(3);
        Tree tree(settings);
        grow_first(tree, stream, 500);
        grow_second(tree, stream, stream.second.size(), 500);
        const Snapshot s = tree.snapshot();
        const Description d = tree.describe();
        const std::size_t k = d.classes, n = d.test.size();
        CHECK(n == tree.size().n_nodes && k == tree.facts().n_classes && d.ends.empty());
        // alternates are not part of the description
        if (settings.adaptation.index() != 0) continue;
        CHECK(d.parent == s.parent && d.branch == s.branch && d.heavy == s.heavy);
        CHECK(d.feature == s.feature && d.category == s.category && d.threshold == s.threshold);
        CHECK(d.counts == s.counts && d.inherited == s.inherited);
        CHECK(d.estimated == (s.estimated.empty() ? s.inherited : s.estimated));
        CHECK(*std::max_element(d.depth.begin(), d.depth.end()) ==
              static_cast<std::int32_t>(tree.size().depth));
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(d.predictor[i].empty() == (d.test[i] != Test::leaf));
            double weight = 0.0;
            for (std::size_t c = i * k; c < (i + 1) * k; ++c) {
                weight += s.counts[c] + s.inherited[c];
                if (weight > 0.0) CHECK(d.majority[c] == s.counts[c] + s.inherited[c]);
            }
            if (weight > 0.0 || i == 0) continue;
            const std::size_t above = static_cast<std::size_t>(d.parent[i]) * k;
            CHECK(std::equal(d.majority.begin() + static_cast<std::ptrdiff_t>(i * k),
                             d.majority.begin() + static_cast<std::ptrdiff_t>((i + 1) * k),
                             d.majority.begin() + static_cast<std::ptrdiff_t>(above)));
        }
    }
}

CASE(certificates_and_changes_since_a_number_of_examples) {
    for (const TreeSettings& settings : many_settings()) {
        const GrowingStream stream(7);
        Tree tree(settings);
        grow_first(tree, stream, 500);
        grow_second(tree, stream, stream.second.size(), 500);
        const std::vector<Certificate> all = tree.certificates();
        const Description d = tree.describe();
        for (const Certificate& c : all) {
            std::size_t children = 0;
            for (std::size_t i = 0; i < d.parent.size(); ++i) {
                if (d.parent[i] != c.node || (!d.option.empty() && d.option[i])) continue;
                CHECK(children < c.branches.size());
                if (children >= c.branches.size()) break;
                CHECK(std::equal(c.branches[children].begin(), c.branches[children].end(),
                                 d.estimated.begin() + static_cast<std::ptrdiff_t>(i * d.classes)));
                ++children;
            }
            CHECK(children == c.branches.size() && children >= 1);
        }
        for (const std::uint64_t since :
             {std::uint64_t{0}, all[all.size() / 2].seen, tree.facts().seen}) {
            std::vector<std::uint64_t> wanted, found;
            for (const Certificate& c : all) {
                if (c.seen > since) wanted.push_back(c.seen);
            }
            for (const Certificate& c : tree.certificates(since)) found.push_back(c.seen);
            CHECK(found == wanted);
            for (const Change& c : tree.changes(since)) CHECK(c.seen > since);
        }
    }
}

CASE(a_snapshot_is_the_tree) {
    std::uint64_t seed = 0;
    for (const TreeSettings& settings : many_settings()) {
        const GrowingStream stream(++seed);
        Tree tree(settings);
        CHECK(
            examples::same(Tree::restore(settings, tree.snapshot())->snapshot(), tree.snapshot()));
        grow_first(tree, stream, 1000);
        const Snapshot early = tree.snapshot();
        const std::unique_ptr<Tree> saved_early = Tree::restore(settings, early);
        CHECK(examples::same(saved_early->snapshot(), early));
        grow_second(tree, stream, 700, 1000);
        const Snapshot middle = tree.snapshot();
        const std::unique_ptr<Tree> saved = Tree::restore(settings, middle);
        CHECK(examples::same(saved->snapshot(), middle));

        // Trees that were saved never, once and twice end as the same tree.
        grow_second(*saved_early, stream, 700, 1000);
        CHECK(examples::same(saved_early->snapshot(), middle));
        const std::size_t rest = stream.second.size() - 700;
        learn(tree, stream.second, 700, rest, 1000);
        learn(*saved, stream.second, 700, rest, 1000);
        learn(*saved_early, stream.second, 700, rest, 1000);
        const Snapshot late = tree.snapshot();
        CHECK(examples::same(saved->snapshot(), late));
        CHECK(examples::same(saved_early->snapshot(), late));

        std::vector<double> predictions[2];
        for (int i = 0; i < 2; ++i) {
            const Tree& asked = i ? *saved : tree;
            predictions[i].resize(stream.second.size() * 6);
            asked.predict(stream.second.batch(), {nullptr, predictions[i].data(), 6});
        }
        CHECK(predictions[0] == predictions[1]);
    }
}

CASE(batches_do_not_matter) {
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(Adaptive{})}) {
        const TreeSettings settings = examples::quick_settings(leaf);
        const GrowingStream stream(5);
        Snapshot grown[4];
        const std::size_t sizes[] = {1, 7, 300, 100'000};
        for (int i = 0; i < 4; ++i) {
            Tree tree(settings);
            grow_first(tree, stream, sizes[i]);
            grow_second(tree, stream, stream.second.size(), sizes[i]);
            grown[i] = tree.snapshot();
        }
        for (int i = 1; i < 4; ++i) CHECK(examples::same(grown[0], grown[i]));
    }
}

// Predictions made while learning are those that the tree made just before each row.
CASE(prequential_is_predict_then_learn) {
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{})}) {
        const TreeSettings settings = examples::quick_settings(leaf);
        examples::Wanted wanted;
        wanted.rows = 1200;
        wanted.weights = true;
        const examples::Rows rows = examples::make_rows(wanted, 11);
        Tree slow(settings), fast(settings), faster(settings);
        for (Tree* const tree : {&slow, &fast, &faster}) {
            tree->add_features(rows.kinds);
        }
        const std::size_t n = rows.size();
        std::vector<std::int32_t> classes[3];
        std::vector<double> probabilities[2];
        for (auto& c : classes) c.resize(n);
        for (auto& p : probabilities) p.resize(n * 3);
        for (std::size_t i = 0; i < n; ++i) {
            slow.predict(rows.batch(i, 1), {&classes[0][i], &probabilities[0][i * 3], 3});
            slow.learn(rows.batch(i, 1), &rows.y[i], &rows.w[i]);
        }
        fast.prequential(rows.batch(), rows.y.data(), rows.w.data(),
                         {classes[1].data(), probabilities[1].data(), 3});
        faster.prequential(rows.batch(), rows.y.data(), rows.w.data(),
                           {classes[2].data(), nullptr, 0});
        CHECK(classes[0] == classes[1]);
        CHECK(classes[0] == classes[2]);
        // Before the first row there are no classes to have probabilities.
        CHECK(std::equal(probabilities[0].begin() + 30, probabilities[0].end(),
                         probabilities[1].begin() + 30));
        CHECK(examples::same(slow.snapshot(), fast.snapshot()));
        CHECK(examples::same(slow.snapshot(), faster.snapshot()));
    }
}

CASE(noise_is_not_split) {
    examples::Wanted wanted;
    wanted.rows = 50'000;
    wanted.noise = true;
    const examples::Rows rows = examples::make_rows(wanted, 13);
    TreeSettings settings;
    settings.tau = 0.0;
    settings.leaf = Majority{};
    Tree tree(settings);
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(), rows.y.data(), nullptr);
    CHECK(tree.facts().n_leaves == 1);
}

CASE(limits_hold) {
    const GrowingStream stream(17);
    TreeSettings settings = examples::quick_settings(Adaptive{});
    settings.max_depth = 2;
    Tree flat(settings);
    grow_first(flat, stream, 1000);
    CHECK(flat.size().depth <= 2);
    settings.max_depth = SIZE_MAX;
    for (const std::size_t most : {1, 2, 5, 6}) {
        settings.max_leaves = most;
        Tree small(settings);
        grow_first(small, stream, 1000);
        grow_second(small, stream, stream.second.size(), 1000);
        CHECK(small.facts().n_leaves <= most);
        CHECK(examples::predicts_well(small, stream.second.batch(), 6));
    }
}

}  // namespace
