// Memory runs out at the n-th allocation, for many n. Learning then throws std::bad_alloc, and the
// model has learned a whole number of rows, can be saved and restored, and reaches the same end.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "../forest/chunks.hpp"
#include "../forest/forest.hpp"
#include "../forest/pairs.hpp"
#include "../gradient/gradient_trees.hpp"
#include "../gradient/snapshot.hpp"
#include "../restructuring/id4.hpp"
#include "../restructuring/tree.hpp"
#include "checking.hpp"
#include "examples.hpp"
#include "small_machine.hpp"

using namespace riparian;
namespace rs = riparian::restructuring;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t n_declared = 20;

// The next allocation that fails. The first `density` ones fail each in turn; the later ones are
// sampled with growing distances. With the option every=1 each one fails in turn.
std::size_t after(std::size_t n) {
    static const bool every = *checking::option("every", "") != '\0';
    static const std::size_t density = std::strtoul(checking::option("density", "40"), nullptr, 10);
    return n + 1 + (every ? 0 : n / density);
}

template <class T>
void append(Bytes& out, const std::vector<T>& v) {
    const auto* const p = reinterpret_cast<const unsigned char*>(v.data());
    out.insert(out.end(), p, p + v.size() * sizeof(T));
}

Bytes bytes_of(const Snapshot& s) {
    Bytes out;
    Snapshot::each_of_all(s, [&](const char*, const auto& v) { append(out, v); });
    return out;
}

template <class EngineSnapshot>
Bytes bytes_of(const EngineSnapshot& s) {
    Bytes out;
    EngineSnapshot::each(s, [&](const char* name, const auto& v) {
        // Counters of work are left out, because a tree that is built again counts it again.
        if (std::string(name) != "counters") append(out, v);
    });
    if constexpr (requires { s.trees; }) {
        for (const Snapshot& tree : s.trees) {
            const Bytes more = bytes_of(tree);
            out.insert(out.end(), more.begin(), more.end());
        }
    }
    return out;
}

// The stream: some features come late, and at the end a class is declared.
struct Stream {
    examples::Rows rows;
    std::size_t early;  // features of the first half
    bool uncertain = false;
    std::size_t at_once = 40;

    [[nodiscard]] std::vector<Kind> kinds(bool late) const {
        const auto middle = rows.kinds.begin() + static_cast<std::ptrdiff_t>(early);
        return late ? std::vector<Kind>(middle, rows.kinds.end())
                    : std::vector<Kind>(rows.kinds.begin(), middle);
    }
    [[nodiscard]] std::size_t half() const { return rows.size() / 2; }
};

// Normalises the weights to a sum of 1, as a window stores them.
Batch distributions(Batch batch) {
    for (const Uncertain& u : batch.uncertain) {
        double sum = 0.0;
        for (std::size_t i = 0; i < u.count; ++i) sum += batch.points[u.first + i].weight;
        for (std::size_t i = 0; i < u.count; ++i) batch.points[u.first + i].weight /= sum;
    }
    return batch;
}

template <class Engine, class EngineSettings>
class Trial {
public:
    Trial(std::string name, const EngineSettings& settings, const Stream& stream)
        : name_(std::move(name)), settings_(settings), stream_(stream) {}

    void run() {
        const auto whole = std::make_unique<Engine>(settings_);
        machine.arm(SIZE_MAX);
        go_on(*whole);
        const std::size_t all = machine.allocations;
        const Bytes end = bytes_of(whole->snapshot());
        std::size_t points = 0, thrown = 0;
        for (std::size_t n = 1; n <= all; n = after(n)) {
            ++points;
            thrown += fails_at(n, end);
        }
        const std::size_t others = saving_and_predicting(*whole);
        std::printf(
            "%-28s %5zu failures while learning (%zu reported), %zu while saving, "
            "restoring and predicting\n",
            name_.c_str(), points, thrown, others);
        std::fflush(stdout);
        CHECK(thrown > 0);
    }

private:
    // Continues from the present state to the end of the stream, as a caller would.
    void go_on(Engine& engine) const {
        while (step(engine)) {
        }
    }

    bool step(Engine& engine) const {
        const std::size_t done = engine.facts().seen, half = stream_.half();
        if (engine.facts().n_features < stream_.early) {
            engine.add_features(stream_.kinds(false));
            return true;
        }
        if (done >= half && engine.facts().n_features < stream_.rows.kinds.size()) {
            engine.add_features(stream_.kinds(true));
            return true;
        }
        if (done == stream_.rows.size()) {
            if (engine.facts().n_classes >= n_declared) return false;
            engine.declare_classes(n_declared);
            return true;
        }
        const std::size_t until = done < half ? half : stream_.rows.size();
        const std::size_t n = std::min(stream_.at_once, until - done);
        Batch batch = stream_.rows.batch(done, n);
        if (stream_.uncertain && done % 3 == 0 && done >= half) {
            batch = distributions(examples::blurred(stream_.rows, done, n, 5));
        }
        engine.learn(batch, stream_.rows.y.data() + done, stream_.rows.w.data() + done);
        return true;
    }

    bool fails_at(std::size_t n, const Bytes& end) const {
        const auto engine = std::make_unique<Engine>(settings_);
        bool thrown = false;
        machine.arm(n);
        try {
            go_on(*engine);
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        machine.heal();
        if (!CHECK(!engine->unfinished())) {
            std::fprintf(stderr, "%s: unfinished after allocation %zu, row %zu\n", name_.c_str(), n,
                         static_cast<std::size_t>(engine->facts().seen));
            return thrown;
        }
        const auto state = engine->snapshot();
        if (n % 3 == 0 && !stream_.uncertain) {
            if (!CHECK(bytes_of(state) == bytes_of(replayed(*engine)->snapshot()))) {
                std::fprintf(stderr, "%s: not %zu whole rows after allocation %zu\n", name_.c_str(),
                             static_cast<std::size_t>(engine->facts().seen), n);
            }
        }
        CHECK(bytes_of(Engine::restore(settings_, state)->snapshot()) == bytes_of(state));
        // Uncertain rows depend on the batch they are in, and the batches are different now.
        if (!stream_.uncertain) {
            go_on(*engine);
            if (!CHECK(bytes_of(engine->snapshot()) == end)) {
                std::fprintf(stderr, "%s: another end after allocation %zu\n", name_.c_str(), n);
            }
        }
        return thrown;
    }

    // An engine that has learned as many rows and knows as many features and classes.
    [[nodiscard]] std::unique_ptr<Engine> replayed(const Engine& like) const {
        auto engine = std::make_unique<Engine>(settings_);
        while (engine->facts().seen < like.facts().seen ||
               engine->facts().n_features < like.facts().n_features) {
            const std::size_t done = engine->facts().seen;
            if (engine->facts().n_features < stream_.early) {
                engine->add_features(stream_.kinds(false));
            } else if (engine->facts().n_features < like.facts().n_features &&
                       done >= stream_.half()) {
                engine->add_features(stream_.kinds(true));
            } else {
                engine->learn(stream_.rows.batch(done, 1), stream_.rows.y.data() + done,
                              stream_.rows.w.data() + done);
            }
        }
        if (like.facts().n_classes == n_declared) engine->declare_classes(n_declared);
        return engine;
    }

    std::size_t saving_and_predicting(Engine& engine) const {
        const auto state = engine.snapshot();
        const Bytes bytes = bytes_of(state);
        const std::size_t rows = stream_.rows.size(), width = engine.facts().n_classes;
        std::vector<std::int32_t> classes(rows);
        std::vector<double> probabilities(rows * width);
        const std::vector<std::function<void()>> calls = {
            [&] { static_cast<void>(engine.snapshot()); },
            [&] { static_cast<void>(Engine::restore(settings_, state)); },
            [&] {
                engine.predict(stream_.rows.batch(), {classes.data(), probabilities.data(), width});
            },
        };
        std::size_t points = 0;
        for (const auto& call : calls) {
            machine.arm(SIZE_MAX);
            call();
            const std::size_t all = machine.allocations;
            for (std::size_t n = 1; n <= all; n = after(n)) {
                machine.arm(n);
                try {
                    call();
                } catch (const std::bad_alloc&) {
                }
                machine.heal();
                ++points;
            }
        }
        CHECK(bytes_of(engine.snapshot()) == bytes);
        return points;
    }

    std::string name_;
    EngineSettings settings_;
    Stream stream_;
};

Stream mixed(std::size_t rows, bool noise = false) {
    examples::Wanted wanted;
    wanted.rows = rows;
    wanted.classes = 5;
    wanted.noise = noise;
    wanted.turning = rows / 3;
    return {examples::make_rows(wanted, 3), 3};
}

Stream categories(std::size_t rows) {
    examples::Wanted wanted;
    wanted.rows = rows;
    wanted.numeric = 0;
    wanted.categorical = 5;
    wanted.categories = 4;
    return {examples::make_rows(wanted, 4), 3};
}

CASE(trees_survive_failed_allocations) {
    const Stream stream = mixed(700), noise = mixed(400, true);
    const auto plain = [&](const char* name, const TreeSettings& s) {
        Trial<Tree, TreeSettings>(name, s, stream).run();
    };
    plain("majority", examples::quick_settings(Majority{}));
    plain("naive Bayes", examples::quick_settings(NaiveBayes{}));
    plain("best of three", examples::quick_settings(examples::best_of_three()));
    std::size_t number = 0;
    for (const TreeSettings& s : examples::settings_with_extras()) {
        // The costs are for three classes.
        Stream own = std::holds_alternative<Alternates>(s.adaptation) ? noise : stream;
        if (std::holds_alternative<Loss>(s.impurity)) {
            for (std::int32_t& y : own.rows.y) y %= 3;
        }
        Trial<Tree, TreeSettings>("composition " + std::to_string(number++), s, own).run();
    }
    TreeSettings window = examples::quick_settings(Adaptive{});
    Window how;
    how.size = 150;
    how.archive = 2;
    window.adaptation = how;
    plain("window", window);
    TreeSettings draws = examples::quick_settings(Adaptive{});
    draws.leaf_features.by = Subspace::By::count;
    draws.leaf_features.value = 2.0;
    plain("leaf features", draws);
    TreeSettings limited = examples::quick_settings(Adaptive{});
    limited.max_bytes = 100'000;
    plain("limited", limited);
    Stream blurred = stream;
    blurred.uncertain = true;
    Trial<Tree, TreeSettings>("uncertain", examples::quick_settings(Adaptive{}), blurred).run();
    Trial<Tree, TreeSettings>("uncertain window", window, blurred).run();
}

CASE(forests_survive_failed_allocations) {
    ForestSettings s;
    s.tree = examples::quick_settings(Adaptive{});
    s.tree.lean = true;
    s.members = 4;
    s.warning = Adwin(Adwin::Parameters{.delta = 0.3});
    s.drift = Adwin(Adwin::Parameters{.delta = 0.1});
    s.replacement = Replacement::background;
    const Stream stream = mixed(400);
    Trial<Forest, ForestSettings>("forest", s, stream).run();
    ForestSettings worst = s;
    worst.warning.reset();
    worst.replacement = Replacement::worst;
    Trial<Forest, ForestSettings>("forest, worst replaced", worst, stream).run();
    ForestSettings patches = s;
    patches.patch.by = Subspace::By::count;
    patches.patch.value = 2.0;
    Trial<Forest, ForestSettings>("patches", patches, stream).run();

    ChunkSettings chunks;
    chunks.tree = s.tree;
    chunks.rows = 80;
    chunks.folds = 3;
    chunks.stored = 3;
    Trial<ChunkForest, ChunkSettings>("chunks", chunks, stream).run();

    PairSettings pairs;
    pairs.tree = examples::quick_settings(NaiveBayes{});
    pairs.tree.short_memory = 60;
    pairs.drift = Adwin(Adwin::Parameters{.delta = 0.3});
    Trial<PairForest, PairSettings>("pairs", pairs, stream).run();
}

CASE(other_engines_survive_failed_allocations) {
    rs::Settings iti;
    iti.multiway = false;
    Trial<rs::Tree, rs::Settings>("restructuring", iti, mixed(120)).run();
    rs::Settings window = iti;
    window.max_examples = 40;
    Trial<rs::Tree, rs::Settings>("restructuring, bounded", window, mixed(120)).run();
    Trial<rs::Tree, rs::Settings>("multiway restructuring", {}, categories(150)).run();
    Trial<rs::Id4, rs::Id4Settings>("ID4", {0.3, false}, categories(300)).run();
    GradientSettings gradient;
    gradient.depth = 3;
    Trial<GradientTrees, GradientSettings>("gradient", gradient, mixed(150)).run();
}

}  // namespace
