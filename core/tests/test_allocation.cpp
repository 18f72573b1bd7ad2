// The row loop does not allocate: a long batch allocates as often as a short one.
#include <cstdlib>
#include <new>

#include "../gradient/gradient_trees.hpp"
#include "checking.hpp"
#include "examples.hpp"

namespace {

std::size_t allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const p = std::aligned_alloc(alignment, rounded ? rounded : alignment);
    if (!p) throw std::bad_alloc();
    return p;
}

// Not inlined, because the compiler would not find the matching new.
[[gnu::noinline]] void release(void* p) noexcept { std::free(p); }

}  // namespace

void* operator new(std::size_t n) { return counted(n, alignof(std::max_align_t)); }
void* operator new[](std::size_t n) { return counted(n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return counted(n, alignof(std::max_align_t));
}
void* operator new(std::size_t n, std::align_val_t a) {
    return counted(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return counted(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }

using namespace riparian;

namespace {

constexpr std::size_t few = 1000, many = 10'000;
constexpr std::size_t a_handful = 32;  // the row buffer and working memory

template <class Call>
std::size_t allocations_of(const Call& call) {
    const std::size_t before = allocations;
    call();
    return allocations - before;
}

struct Grown {
    examples::Rows rows;
    Batch small, large;
    std::unique_ptr<Tree> tree;

    Grown(TreeSettings settings, const examples::Wanted& wanted)
        : rows(examples::make_rows(wanted, 1)) {
        small = rows.batch(0, few);
        large = rows.batch(0, many);
        tree = std::make_unique<Tree>(settings);
        tree->add_features(rows.kinds);
        for (int warm = 0; warm < 3; ++warm) {
            tree->learn(rows.batch(), rows.y.data(), rows.w.data());
        }
    }

    void learns_and_predicts_without_allocating() {
        const std::size_t leaves = tree->facts().n_leaves;
        const std::size_t bytes = tree->memory_bytes();
        const double* const w = rows.w.data();
        const std::int32_t* const y = rows.y.data();
        std::vector<std::int32_t> classes(many);
        std::vector<double> probabilities(many * 3);
        const Predictions predictions{classes.data(), probabilities.data(), 3};

        const std::size_t learning = allocations_of([&] { tree->learn(large, y, w); });
        CHECK(learning == allocations_of([&] { tree->learn(small, y, w); }));
        CHECK(learning <= a_handful);
        const std::size_t testing =
            allocations_of([&] { tree->prequential(large, y, w, predictions); });
        CHECK(testing == allocations_of([&] { tree->prequential(small, y, w, predictions); }));
        CHECK(testing <= a_handful);
        const std::size_t predicting = allocations_of([&] { tree->predict(large, predictions); });
        CHECK(predicting == allocations_of([&] { tree->predict(small, predictions); }));
        CHECK(predicting <= a_handful);
        std::printf("allocations per call: learn %zu, prequential %zu, predict %zu\n", learning,
                    testing, predicting);
        CHECK(tree->facts().n_leaves == leaves);
        CHECK(tree->memory_bytes() == bytes);
    }

    // Holds with a memory limit too. Sometimes a detector gets a longer window, and all statistics
    // are counted again.
    void follows_change_without_allocating() {
        const std::size_t nodes = tree->size().n_nodes;
        const std::size_t learning =
            allocations_of([&] { tree->learn(large, rows.y.data(), rows.w.data()); });
        std::printf("allocations while adapting: %zu\n", learning);
        CHECK(learning <= many / 10);
        CHECK(tree->size().n_nodes == nodes);
    }

    // The memory for the points and shares of an example grows a few times and is then reused.
    void learns_uncertain_rows_without_allocating() {
        const Batch batch = examples::blurred(rows, 0, many, 5);
        std::vector<std::int32_t> classes(many);
        const Predictions predictions{classes.data(), nullptr, 0};
        CHECK(allocations_of([&] { tree->learn(batch, rows.y.data(), rows.w.data()); }) <= 200);
        CHECK(allocations_of([&] { tree->predict(batch, predictions); }) <= 200);
    }
};

CASE(gradient_trees_learn_and_predict_without_allocating) {
    examples::Wanted wanted;
    wanted.rows = many;
    const examples::Rows rows = examples::make_rows(wanted, 1);
    GradientTrees trees(GradientSettings{});
    trees.add_features(rows.kinds);
    trees.learn(rows.batch(), rows.y.data(), nullptr);
    const Batch small = rows.batch(0, few), large = rows.batch(0, many);
    std::vector<std::int32_t> classes(many);
    std::vector<double> probabilities(many * 3);
    const Predictions predictions{classes.data(), probabilities.data(), 3};
    const auto same = [&](const auto& call) {
        const std::size_t of_many = allocations_of([&] { call(large); });
        CHECK(of_many == allocations_of([&] { call(small); }));
        CHECK(of_many <= a_handful);
    };
    same([&](const Batch& b) { trees.learn(b, rows.y.data(), nullptr); });
    same([&](const Batch& b) { trees.prequential(b, rows.y.data(), nullptr, predictions); });
    same([&](const Batch& b) { trees.predict(b, predictions); });
}

template <class Test>
void for_each_leaf(const Test& test) {
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{}),
                                AnyLeaf(LinearUnits{}), AnyLeaf(examples::best_of_three())}) {
        for (const bool weights : {false, true}) {
            examples::Wanted wanted;
            wanted.rows = many;
            wanted.weights = weights;
            TreeSettings full = examples::quick_settings(leaf);
            full.max_leaves = 10;
            test(full, wanted);
        }
    }
}

CASE(a_tree_that_cannot_grow_learns_without_allocating) {
    for_each_leaf([](const TreeSettings& full, const examples::Wanted& wanted) {
        Grown grown(full, wanted);
        CHECK(grown.tree->facts().n_leaves > 5);
        grown.learns_and_predicts_without_allocating();
    });
}

CASE(uncertain_rows_are_learned_without_allocating) {
    for_each_leaf([](const TreeSettings& full, examples::Wanted wanted) {
        wanted.missing = 0.0;  // a row without a distribution ends a run and begins another
        Grown(full, wanted).learns_uncertain_rows_without_allocating();
    });
}

CASE(a_leaf_that_is_checked_but_never_split_does_not_allocate) {
    for_each_leaf([](TreeSettings noise, examples::Wanted wanted) {
        wanted.noise = true;
        noise.max_leaves = SIZE_MAX;
        noise.tau = 0.0;
        noise.delta = 1e-12;
        Grown checked(noise, wanted);
        CHECK(checked.tree->facts().n_leaves == 1);
        checked.learns_and_predicts_without_allocating();
    });
}

CASE(adaptation_allocates_rarely) {
    examples::Wanted wanted;
    wanted.rows = many;
    Window window;
    window.size = 2000;
    window.validity_period = many * 100;
    Alternates alternates;
    alternates.drift_delta = 1e-12;
    Reevaluation reevaluation;
    reevaluation.every = 1e12;
    Options options;
    options.max_paths = 1;
    for (const AnyAdaptation& how : {AnyAdaptation(alternates), AnyAdaptation(window),
                                     AnyAdaptation(reevaluation), AnyAdaptation(options)}) {
        for (const std::size_t limit : {SIZE_MAX, std::size_t{4} << 20}) {
            TreeSettings adapting = examples::quick_settings(AnyLeaf(Adaptive{}));
            adapting.adaptation = how;
            adapting.max_depth = 2;  // leaves at this depth are not checked
            adapting.max_bytes = limit;
            Grown grown(adapting, wanted);
            CHECK(grown.tree->size().depth == 2);
            grown.follows_change_without_allocating();
        }
    }
}

}  // namespace
