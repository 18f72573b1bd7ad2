// Four readers and one writer: every prediction is a distribution. ThreadSanitizer runs this
// program.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "../tree/description.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

constexpr std::size_t most_classes = 12;

struct Stream {
    std::vector<examples::Rows> stages;  // each with more features and classes than the last

    Stream() {
        for (std::size_t stage = 0; stage < 5; ++stage) {
            examples::Wanted wanted;
            wanted.rows = 3000;
            wanted.numeric = 2 + 2 * stage;
            wanted.categorical = 0;
            wanted.classes = 4 + 2 * stage;
            stages.push_back(examples::make_rows(wanted, stage));
        }
    }
};

void write(Tree& tree, const Stream& stream, const std::atomic<bool>& stop) {
    std::size_t features = tree.facts().n_features;
    for (std::size_t turn = 0; !stop; ++turn) {
        const std::size_t stage = std::min(turn / 8, stream.stages.size() - 1);
        const examples::Rows& rows = stream.stages[stage];
        if (rows.kinds.size() > features) {
            tree.add_features(
                {rows.kinds.begin() + static_cast<std::ptrdiff_t>(features), rows.kinds.end()});
            features = rows.kinds.size();
        }
        const std::size_t first = 100 * (turn % 25);
        tree.learn(rows.batch(first, 500), rows.y.data() + first, nullptr);
    }
}

void read(const Tree& tree, const Stream& stream, std::size_t reader, const std::atomic<bool>& stop,
          std::atomic<int>& wrong, std::atomic<std::size_t>& predicted) {
    std::vector<std::int32_t> classes(600);
    for (std::size_t turn = reader; !stop; ++turn) {
        const examples::Rows& rows = stream.stages[turn % stream.stages.size()];
        const std::size_t n = 1 + turn * 37 % 600;
        const Batch batch = rows.batch(turn * 11 % 2000, n);
        // There is room for the present classes; more may appear before the prediction.
        const std::size_t width = turn % 2 ? most_classes : tree.facts().n_classes;
        std::vector<double> probabilities(n * width);
        tree.predict(batch, {classes.data(), probabilities.data(), width});
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (std::size_t k = 0; k < width; ++k) sum += probabilities[i * width + k];
            if (!(std::abs(sum - 1.0) <= 1e-9)) ++wrong;
            if (classes[i] < 0 && width == most_classes) ++wrong;
        }
        predicted += n;
        if (turn % 40 == reader) {
            const Batch row = rows.batch(0, 1);
            const Description d = tree.describe(&row);
            if (d.test.size() != d.parent.size()) ++wrong;
            const auto end = static_cast<std::size_t>(d.ends.at(0));
            if (end >= d.test.size() || d.test[end] != Test::leaf) ++wrong;
            const Snapshot s = tree.snapshot();
            if (s.test.size() != s.parent.size()) ++wrong;
            if (tree.leaf_states().empty() || tree.memory_bytes() == 0) ++wrong;
            if (tree.certificates().size() > tree.size().n_nodes) ++wrong;
        }
        static_cast<void>(tree.facts().n_leaves + tree.facts().n_classes + tree.facts().n_features +
                          tree.size().depth);
    }
}

// The option seconds= says how long each case runs.
void read_while_learning(const AnyLeaf& leaf) {
    const double seconds = std::atof(checking::option("seconds", "1"));
    const Stream stream;
    Tree tree(examples::quick_settings(leaf));
    const examples::Rows& first = stream.stages[0];
    tree.add_features(first.kinds);
    tree.learn(first.batch(0, 100), first.y.data(), nullptr);
    std::atomic<bool> stop = false;
    std::atomic<int> wrong = 0;
    std::atomic<std::size_t> predicted = 0;
    std::vector<std::thread> threads;
    threads.emplace_back([&] { write(tree, stream, stop); });
    for (std::size_t reader = 0; reader < 4; ++reader) {
        threads.emplace_back([&, reader] { read(tree, stream, reader, stop, wrong, predicted); });
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
    for (std::thread& thread : threads) thread.join();
    std::printf("%zu rows predicted, %llu learned, %zu leaves\n", predicted.load(),
                static_cast<unsigned long long>(tree.facts().seen), tree.facts().n_leaves);
    CHECK(wrong == 0);
    CHECK(predicted > 0);
    CHECK(tree.facts().n_leaves > 2);
    // The last classes come after the first 100 rows and 32 turns of 500.
    CHECK(tree.facts().n_classes == most_classes || tree.facts().seen <= 16'100);
}

CASE(majority_leaves_are_read_while_learning) { read_while_learning(Majority{}); }

CASE(adaptive_leaves_are_read_while_learning) { read_while_learning(Adaptive{}); }

}  // namespace
