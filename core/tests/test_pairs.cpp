// A forest of pairwise trees on four threads, with two readers. Every prediction is a distribution,
// and the forest is equal to that of one thread. ThreadSanitizer runs this program.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "../forest/pairs.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

constexpr std::size_t n_classes = 6, n_rows = 4000;

PairSettings settings(std::size_t threads, bool shared) {
    PairSettings s;
    s.tree = examples::quick_settings(NaiveBayes{});
    s.tree.short_memory = 150;
    s.shared = shared;
    s.drift = Adwin(Adwin::Parameters{.delta = 0.2});
    s.threads = threads;
    return s;
}

void learn(PairForest& forest, const examples::Rows& rows, std::size_t at_once) {
    for (std::size_t first = 0; first < n_rows; first += at_once) {
        forest.learn(rows.batch(first, at_once), rows.y.data() + first, nullptr);
    }
}

void read(const PairForest& forest, const examples::Rows& rows, const std::atomic<bool>& stop,
          std::atomic<int>& wrong) {
    std::vector<std::int32_t> classes(300);
    std::vector<double> probabilities(300 * n_classes);
    while (!stop) {
        forest.predict(rows.batch(100, 300), {classes.data(), probabilities.data(), n_classes});
        for (std::size_t i = 0; i < 300; ++i) {
            double sum = 0.0;
            for (std::size_t k = 0; k < n_classes; ++k) sum += probabilities[i * n_classes + k];
            if (!(std::abs(sum - 1.0) <= 1e-9) || classes[i] < 0) ++wrong;
        }
        const PairSnapshot s = forest.snapshot();
        if (s.trees.size() != s.drifts.size() || forest.memory_bytes() == 0) ++wrong;
        for (std::size_t p = 0; p < s.trees.size(); ++p) {
            if (forest.tree(p)->facts().n_classes != 2) ++wrong;
        }
    }
}

bool same(const PairSnapshot& a, const PairSnapshot& b) {
    bool all = a.trees.size() == b.trees.size() && a.detectors == b.detectors &&
               a.drifts == b.drifts && a.order == b.order && a.memory_labels == b.memory_labels;
    for (std::size_t p = 0; all && p < a.trees.size(); ++p) {
        all = examples::same(a.trees[p], b.trees[p]);
    }
    return all;
}

void threads_make_no_difference(bool shared) {
    examples::Wanted wanted;
    wanted.rows = n_rows;
    wanted.numeric = 4;
    wanted.categorical = 1;
    wanted.classes = n_classes;
    const examples::Rows rows = examples::make_rows(wanted, 1);
    PairForest one(settings(1, shared)), many(settings(4, shared));
    for (PairForest* const forest : {&one, &many}) forest->add_features(rows.kinds);
    learn(one, rows, 50);
    std::atomic<bool> stop = false;
    std::atomic<int> wrong = 0;
    {
        many.learn(rows.batch(0, 1), rows.y.data(), nullptr);
        std::vector<std::jthread> readers;
        for (int reader = 0; reader < 2; ++reader) {
            readers.emplace_back([&] { read(many, rows, stop, wrong); });
        }
        many.learn(rows.batch(1, n_rows - 1), rows.y.data() + 1, nullptr);
        stop = true;
    }
    CHECK(wrong == 0);
    CHECK(one.records().size() == n_classes * (n_classes - 1) / 2);
    CHECK(same(one.snapshot(), many.snapshot()));
    const auto restored = PairForest::restore(settings(2, shared), one.snapshot());
    CHECK(same(one.snapshot(), restored->snapshot()));
}

CASE(threads_make_no_difference_to_shared_trees) { threads_make_no_difference(true); }

CASE(threads_make_no_difference_to_separate_trees) { threads_make_no_difference(false); }

}  // namespace
