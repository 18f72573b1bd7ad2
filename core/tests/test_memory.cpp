// The bytes that a tree reports are the bytes that it holds, and a limit holds after every row.
#include <string>

#include "checking.hpp"
#include "examples.hpp"
#include "held.hpp"

using namespace riparian;

namespace {

std::vector<TreeSettings> all_settings() {
    std::vector<TreeSettings> all = examples::settings_with_extras();
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(LinearUnits{}),
                                AnyLeaf(examples::best_of_three()), AnyLeaf(Adaptive{})}) {
        all.push_back(examples::quick_settings(leaf));
        all.back().adaptive_grace = std::holds_alternative<LinearUnits>(leaf);
    }
    all.back().categorical_cuts = CategoricalCuts::both;
    all.back().inherit_counts = InheritCounts::count;
    return all;
}

examples::Wanted many_kinds() {
    examples::Wanted wanted;
    wanted.rows = 6000;
    wanted.categories = 40;
    wanted.classes = 5;
    wanted.weights = true;
    wanted.turning = 1500;
    return wanted;
}

void learn(Tree& tree, const examples::Rows& rows, std::size_t first, std::size_t n) {
    tree.learn(rows.batch(first, n), rows.y.data() + first, rows.w.data() + first);
}

std::unique_ptr<Tree> fresh(const TreeSettings& settings, const examples::Rows& rows) {
    auto tree = std::make_unique<Tree>(settings);
    tree->add_features(rows.kinds);
    return tree;
}

// The bytes that were allocated since `before`, without the reserve for the next row.
std::size_t held_since(std::size_t before) {
    const std::size_t set_aside = reserved_bytes();
    return held::bytes - before - (set_aside ? taken(set_aside) : 0);
}

// Every block of the tree is counted once, with the size that the system uses.
CASE(what_is_counted_is_what_is_held) {
    const examples::Rows rows = examples::make_rows(many_kinds(), 1);
    examples::Wanted more = many_kinds();
    more.rows = 500;
    more.numeric += 3;
    more.categorical += 3;
    more.classes = 30;
    const examples::Rows late = examples::make_rows(more, 2);
    const std::vector<Kind> late_kinds(
        late.kinds.begin() + static_cast<std::ptrdiff_t>(rows.kinds.size()), late.kinds.end());
    std::size_t inactive = 0;
    for (TreeSettings settings : all_settings()) {
        for (const std::size_t limit : {std::size_t{SIZE_MAX}, std::size_t{16'000}}) {
            settings.max_bytes = limit;
            for (const bool warm : {false, true}) {  // threads keep some working memory
                const std::size_t before = held::bytes;
                auto tree = fresh(settings, rows);
                // The tree and its adaptation count as Tree::object_bytes, which is at least their
                // size.
                const std::size_t spare = tree->memory_bytes() - held_since(before);
                CHECK(spare < taken(Tree::object_bytes));
                std::size_t wrong = 0;
                for (std::size_t i = 0; i < rows.size(); i += 500) {
                    learn(*tree, rows, i, 500);
                    wrong += tree->memory_bytes() != held_since(before) + spare;
                }
                inactive += tree->facts().n_leaves - tree->size().n_active_leaves;
                if (limit == SIZE_MAX) {
                    tree->add_features(late_kinds);
                    learn(*tree, late, 0, 500);
                }
                wrong += tree->memory_bytes() != held_since(before) + spare;
                CHECK(!warm || wrong == 0);
                CHECK(tree->memory_bytes() <= limit);
                tree.reset();
                CHECK(!warm || held::bytes == before);
            }
        }
    }
    CHECK(inactive > 0);
}

CASE(a_limit_holds_after_every_row) {
    const examples::Rows rows = examples::make_rows(many_kinds(), 3);
    for (TreeSettings settings : all_settings()) {
        const std::size_t least = [&] {
            settings.max_bytes = 1 << 20;
            return fresh(settings, rows)->least_bytes();
        }();
        for (const std::size_t limit : {least, least + 4'000, std::size_t{50'000}}) {
            settings.max_bytes = limit;
            const auto tree = fresh(settings, rows);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                learn(*tree, rows, i, 1);
                wrong += tree->memory_bytes() > limit;
                wrong += tree->size().n_active_leaves > tree->facts().n_leaves;
            }
            CHECK(wrong == 0);
            CHECK(limit < 50'000 || LeafExtras::wanted(settings) ||
                  tree->size().n_active_leaves > 0);
            CHECK(examples::predicts_well(*tree, rows.batch(0, 500), 5));
        }
    }
}

// There may be memory for the nodes of a split but not for the statistics of all its children.
CASE(a_split_of_many_branches_is_made) {
    examples::Wanted wanted;
    wanted.rows = 4000;
    wanted.numeric = 25;
    wanted.categorical = 1;
    wanted.categories = 60;
    wanted.classes = 4;
    wanted.missing = 0.01;
    examples::Rows rows = examples::make_rows(wanted, 6);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.y[i] = std::max(rows.codes[1][i], 0) % 4;
    std::vector<AnyLeaf> leaves{Majority{}, Adaptive{}, examples::best_of_three()};
    for (const AnyLeaf& leaf : leaves) {
        for (const InheritCounts inherit :
             {InheritCounts::none, InheritCounts::predict, InheritCounts::count}) {
            TreeSettings settings = examples::quick_settings(leaf);
            settings.grace_period = 300;
            settings.inherit_counts = inherit;
            settings.max_bytes = std::holds_alternative<Best>(leaf) ? 120'000 : 60'000;
            auto tree = fresh(settings, rows);
            std::size_t wrong = 0;
            bool in_part = false;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::size_t before = tree->facts().n_leaves;
                learn(*tree, rows, i, 1);
                wrong += tree->memory_bytes() > settings.max_bytes;
                if (before != 1 || tree->facts().n_leaves == 1) continue;
                CHECK(tree->facts().n_leaves > 20);
                CHECK(tree->size().n_active_leaves < tree->facts().n_leaves);
                in_part = tree->size().n_active_leaves > 0;
                auto again = Tree::restore(settings, tree->snapshot());
                CHECK(again->memory_bytes() == tree->memory_bytes());
                CHECK(examples::same(again->snapshot(), tree->snapshot()));
                tree = std::move(again);
            }
            CHECK(wrong == 0);
            CHECK(in_part);
            const auto whole = fresh(settings, rows);
            learn(*whole, rows, 0, rows.size());
            CHECK(examples::same(tree->snapshot(), whole->snapshot()));
            CHECK(examples::predicts_well(*tree, rows.batch(0, 500), 4));
        }
    }
}

// Decisions depend only on rows, not on batches or on saving and loading in between.
CASE(batches_and_files_make_no_difference) {
    const examples::Rows rows = examples::make_rows(many_kinds(), 4);
    for (TreeSettings settings : all_settings()) {
        for (const std::size_t limit :
             {std::size_t{16'000}, std::size_t{30'000}, std::size_t{SIZE_MAX}}) {
            settings.max_bytes = limit;
            const auto whole = fresh(settings, rows);
            learn(*whole, rows, 0, rows.size());
            for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
                auto tree = fresh(settings, rows);
                for (std::size_t i = 0; i < rows.size(); i += n) {
                    learn(*tree, rows, i, std::min(n, rows.size() - i));
                    if (n == 7 ? i % 700 == 0 : n == 1000) {
                        auto again = Tree::restore(settings, tree->snapshot());
                        if (limit != SIZE_MAX) CHECK(again->memory_bytes() == tree->memory_bytes());
                        CHECK(again->size().n_active_leaves == tree->size().n_active_leaves);
                        CHECK(examples::same(again->snapshot(), tree->snapshot()));
                        tree = std::move(again);
                    }
                }
                CHECK(examples::same(tree->snapshot(), whole->snapshot()));
                if (limit != SIZE_MAX) CHECK(tree->memory_bytes() == whole->memory_bytes());
            }
        }
    }
}

// Without a limit, every leaf becomes active again; with a higher limit, the most promising ones
// do.
CASE(the_most_promising_leaves_become_active_first) {
    const examples::Rows rows = examples::make_rows(many_kinds(), 5);
    TreeSettings settings = examples::quick_settings(Adaptive{});
    settings.max_bytes = 256'000;
    const auto tree = fresh(settings, rows);
    learn(*tree, rows, 0, rows.size());
    CHECK(tree->size().n_active_leaves < tree->facts().n_leaves);
    std::size_t before = tree->size().n_active_leaves;
    for (std::size_t limit = 280'000; before < tree->facts().n_leaves; limit += 40'000) {
        tree->set_max_bytes(limit);
        CHECK(tree->size().n_active_leaves >= before);
        before = tree->size().n_active_leaves;
        const Snapshot s = tree->snapshot();
        const std::size_t k = s.classes[0];
        double least_active = examples::nan, most_inactive = 0.0;
        for (std::size_t node = 0, leaf = 0; node < s.test.size(); ++node) {
            if (s.test[node] != 0) continue;
            double total = 0.0, most = 0.0;
            for (std::size_t c = 0; c < k; ++c) {
                const double n = s.counts[node * k + c] + s.inherited[node * k + c];
                total += n;
                most = std::max(most, n);
            }
            const double promise = total - most;
            if (s.inactive[leaf++] == 1) {
                most_inactive = std::max(most_inactive, promise);
            } else if (!(least_active <= promise)) {
                least_active = promise;
            }
        }
        // An active leaf has an advantage of a tenth.
        CHECK(most_inactive <= 1.1 * least_active);
        CHECK(tree->memory_bytes() <= limit);
    }
    bool refused = false;
    try {
        tree->set_max_bytes(2'000);
    } catch (const LimitTooLow& error) {
        refused = error.needed > 2'000;
    }
    CHECK(refused);
    CHECK(tree->size().n_active_leaves == tree->facts().n_leaves);
}

// A file must not contain inactive leaves if nothing would activate them.
CASE(inactive_leaves_need_a_limit) {
    const examples::Rows rows = examples::make_rows(many_kinds(), 5);
    TreeSettings settings = examples::quick_settings(Adaptive{});
    settings.max_bytes = 256'000;
    const auto tree = fresh(settings, rows);
    learn(*tree, rows, 0, rows.size());
    CHECK(tree->size().n_active_leaves < tree->facts().n_leaves);
    Snapshot s = tree->snapshot();
    CHECK(examples::same(Tree::restore(settings, s)->snapshot(), s));
    settings.max_bytes = SIZE_MAX;
    bool refused = false;
    try {
        (void)Tree::restore(settings, s);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace
