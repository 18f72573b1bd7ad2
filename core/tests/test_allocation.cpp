// The row loop does not allocate: a long batch asks for memory as often as a short one.
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

// Not inlined: the compiler would miss the matching new.
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
constexpr std::size_t a_handful = 32;  // the row buffer, and scratch room

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

    Grown(TreeSettings settings, const examples::Wanted& wanted) : rows(examples::make_rows(wanted, 1)) {
        small = rows.batch(0, few);
        large = rows.batch(0, many);
        tree = std::make_unique<Tree>(settings);
        tree->add_features(rows.kinds);
        for (int warm = 0; warm < 3; ++warm) {
            tree->learn(rows.batch(), rows.y.data(), rows.w.data());
        }
    }

    void learns_and_answers_without_allocating() {
        const std::size_t leaves = tree->n_leaves();
        const std::size_t bytes = tree->memory_bytes();
        const double* const w = rows.w.data();
        const std::int32_t* const y = rows.y.data();
        std::vector<std::int32_t> classes(many);
        std::vector<double> probabilities(many * 3);
        const Answers answers{classes.data(), probabilities.data(), 3};

        const std::size_t learning = allocations_of([&] { tree->learn(large, y, w); });
        CHECK(learning == allocations_of([&] { tree->learn(small, y, w); }));
        CHECK(learning <= a_handful);
        const std::size_t testing = allocations_of([&] { tree->prequential(large, y, w, answers); });
        CHECK(testing == allocations_of([&] { tree->prequential(small, y, w, answers); }));
        CHECK(testing <= a_handful);
        const std::size_t answering = allocations_of([&] { tree->predict(large, answers); });
        CHECK(answering == allocations_of([&] { tree->predict(small, answers); }));
        CHECK(answering <= a_handful);
        std::printf("allocations a call: learn %zu, prequential %zu, predict %zu\n", learning,
                    testing, answering);
        CHECK(tree->n_leaves() == leaves);
        CHECK(tree->memory_bytes() == bytes);
    }

    // Below a limit of memory too. Now and then a detector gets a longer window, and all
    // statistics are counted anew.
    void follows_change_without_allocating() {
        const std::size_t nodes = tree->n_nodes();
        const std::size_t learning =
            allocations_of([&] { tree->learn(large, rows.y.data(), rows.w.data()); });
        std::printf("allocations while following change: %zu\n", learning);
        CHECK(learning <= many / 10);
        CHECK(tree->n_nodes() == nodes);
    }

    // Room for the points and shares of an example grows a few times, and serves all others.
    void takes_uncertain_rows_without_allocating() {
        const Batch batch = examples::blurred(rows, 0, many, 5);
        std::vector<std::int32_t> classes(many);
        const Answers answers{classes.data(), nullptr, 0};
        CHECK(allocations_of([&] { tree->learn(batch, rows.y.data(), rows.w.data()); }) <= 200);
        CHECK(allocations_of([&] { tree->predict(batch, answers); }) <= 200);
    }
};

void gradient_trees_learn_and_answer_without_allocating(const examples::Rows& rows) {
    GradientTrees trees(GradientSettings{});
    trees.add_features(rows.kinds);
    trees.learn(rows.batch(), rows.y.data(), nullptr);
    const Batch small = rows.batch(0, few), large = rows.batch(0, many);
    std::vector<std::int32_t> classes(many);
    std::vector<double> probabilities(many * 3);
    const Answers answers{classes.data(), probabilities.data(), 3};
    const auto same = [&](const auto& call) {
        const std::size_t of_many = allocations_of([&] { call(large); });
        CHECK(of_many == allocations_of([&] { call(small); }));
        CHECK(of_many <= a_handful);
    };
    same([&](const Batch& b) { trees.learn(b, rows.y.data(), nullptr); });
    same([&](const Batch& b) { trees.prequential(b, rows.y.data(), nullptr, answers); });
    same([&](const Batch& b) { trees.predict(b, answers); });
}

}  // namespace

int main() {
    examples::Wanted wanted;
    wanted.rows = many;
    gradient_trees_learn_and_answer_without_allocating(examples::make_rows(wanted, 1));
    for (const AnyLeaf& leaf : {AnyLeaf(Majority{}), AnyLeaf(NaiveBayes{}), AnyLeaf(Adaptive{}),
                                AnyLeaf(LinearUnits{}), AnyLeaf(examples::best_of_three())}) {
        for (const bool weights : {false, true}) {
            wanted.weights = weights;
            // A tree that may grow no more.
            TreeSettings full = examples::quick_settings(leaf);
            full.max_leaves = 10;
            Grown grown(full, wanted);
            CHECK(grown.tree->n_leaves() > 5);
            grown.learns_and_answers_without_allocating();
            wanted.missing = 0.0;  // a row without a distribution ends a run, and begins another
            Grown(full, wanted).takes_uncertain_rows_without_allocating();
            wanted.missing = examples::Wanted{}.missing;
            // A leaf that is checked again and again, and never split.
            wanted.noise = true;
            TreeSettings noise = full;
            noise.max_leaves = SIZE_MAX;
            noise.tau = 0.0;
            noise.delta = 1e-12;
            Grown checked(noise, wanted);
            CHECK(checked.tree->n_leaves() == 1);
            checked.learns_and_answers_without_allocating();
            wanted.noise = false;
        }
    }
    wanted.weights = false;
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
            adapting.max_depth = 2;  // no leaf below it is checked
            adapting.max_bytes = limit;
            Grown grown(adapting, wanted);
            CHECK(grown.tree->depth() == 2);
            grown.follows_change_without_allocating();
        }
    }
    return checking::failures();
}
