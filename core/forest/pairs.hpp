// A forest with a tree for every pair of classes [gama2004].
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "../drift/any.hpp"
#include "../growth/snapshot.hpp"
#include "../tree/turn.hpp"
#include "ensemble.hpp"
#include "history.hpp"

namespace riparian {

struct PairSettings {
    TreeSettings tree;   // of every pair; its short memory is what trees begin with
    bool shared = true;  // splits recall from the last rows of the forest, not of the tree
    std::optional<AnyDetector> drift;  // of errors: the tree starts over where they rise
    std::size_t max_bytes = SIZE_MAX;
    std::size_t threads = 1;
};

// The whole state of such a forest as flat arrays, and its trees.
struct PairSnapshot : SchemaSnapshot {
    std::vector<std::uint32_t> order;  // [class seen]: as they first came

    std::vector<double> memory_values;       // [example][numeric feature]
    std::vector<std::int32_t> memory_codes;  // [example][categorical feature]
    std::vector<std::int32_t> memory_labels;
    std::vector<double> memory_weights;

    std::vector<std::uint64_t> drifts;          // [pair]
    std::vector<std::uint64_t> detector_sizes;  // [pair]
    std::vector<double> detectors;

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        SchemaSnapshot::each(s, visit);
        visit("order", s.order);
        visit("memory_values", s.memory_values);
        visit("memory_codes", s.memory_codes);
        visit("memory_labels", s.memory_labels);
        visit("memory_weights", s.memory_weights);
        visit("drifts", s.drifts);
        visit("detector_sizes", s.detector_sizes);
        visit("detectors", s.detectors);
    }

    std::vector<Snapshot> trees;  // [pair]
};

// What a forest reports of a pair.
struct PairRecord {
    std::shared_ptr<Tree> tree;
    std::uint32_t low, high;  // codes of the classes
    std::uint64_t drifts;     // how often its tree started over
};

class PairForest final : public Ensemble {
public:
    explicit PairForest(const PairSettings&);

    // With a `moment`, which is filled, one state predicts all rows, and learners wait for it.
    void predict(const Batch&, const Predictions&, Stop* stop = nullptr,
                 Moment* moment = nullptr) const;
    // What the tree of each pair predicts for one row, [pair][width]. All votes have the same weight.
    void votes(const Batch&, std::size_t width, std::vector<double>& shares,
               std::vector<double>& weights) const;

    [[nodiscard]] std::size_t n_classes_seen() const;
    [[nodiscard]] std::size_t n_members() const;
    [[nodiscard]] std::size_t memory_bytes() const;
    [[nodiscard]] std::vector<PairRecord> records() const;
    [[nodiscard]] std::shared_ptr<Tree> tree(std::size_t pair) const;

    [[nodiscard]] PairSnapshot snapshot() const;
    // Throws std::invalid_argument, naming what is wrong, unless learning could have made it.
    [[nodiscard]] static std::unique_ptr<PairForest> restore(const PairSettings&,
                                                             const PairSnapshot&);

private:
    struct Pair {
        std::uint32_t low, high;
        std::shared_ptr<Tree> tree;
        std::optional<AnyDetector> drift;
        std::uint64_t drifts = 0;
        // Rows that its tree may recall: no older, no newer.
        std::uint64_t begin = 1, last = 0;

        [[nodiscard]] bool learns(std::size_t y) const noexcept { return y == low || y == high; }
    };
    // Rows that are learned together, as trees read them.
    struct Block {
        const Batch& batch;
        const std::int32_t* y;
        const double* w;                     // or null
        std::vector<std::uint64_t> numbers;  // [row]; 0: it is not learned
        std::vector<RowBuffer> buffers;      // one after the other
    };

    void give_features(const std::vector<Kind>&) override;
    void give_classes(std::size_t) override;
    void give_limit(std::size_t) override;
    [[nodiscard]] std::size_t bytes_of_a_tree(std::size_t limit) const noexcept override {
        return bytes_of_a_tree(limit, pairs_.size());
    }
    [[nodiscard]] std::size_t limit_for(std::size_t of_a_tree) const noexcept override;
    [[nodiscard]] std::vector<std::shared_ptr<Tree>> trees() const override;
    [[nodiscard]] TreeSettings settings_of_a_tree() const;
    [[nodiscard]] std::vector<TreeSettings> settings_of_trees() const override {
        return {settings_of_a_tree()};
    }
    [[nodiscard]] std::size_t classes_of_a_tree() const noexcept override { return 2; }
    void run(const Batch&, const std::int32_t* y, const double* w, const Predictions*,
             Stop*) override;
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const override;
    void run_block(Block&, const Predictions*, std::size_t first);
    void read(Block&);
    // `shares`: [row][lower, higher class], or null.
    void run_pair(Pair&, const Block&, double* shares);
    void add_class_seen(std::size_t y);
    void add_pair(std::size_t one, std::size_t other);
    void grow(Pair&);
    // Gives the tree of a pair the rows that the forest holds for it.
    [[nodiscard]] RowLearner::Elsewhere memory_of(const Pair&) const;
    void restart(Pair&, std::uint64_t number);
    void replay(Pair&, std::uint64_t from, std::uint64_t to);
    // `shares`: [pair][row][lower, higher class]; `codes`: classes from this on do not count.
    void combine(const std::vector<double>& shares, std::size_t rows, std::size_t codes,
                 const Predictions&, std::size_t first) const;

    // How many classes will have been seen after these rows.
    [[nodiscard]] std::size_t seen_after(const std::int32_t* y, const double* w,
                                         std::size_t rows) const;
    [[nodiscard]] std::size_t block_rows(bool predicting) const noexcept;
    [[nodiscard]] std::size_t without_trees(std::size_t pairs) const noexcept;
    [[nodiscard]] std::size_t bytes_of_a_tree(std::size_t limit, std::size_t pairs) const noexcept;
    void share_out(std::size_t limit, std::size_t pairs);

    const PairSettings settings_;  // as it was made
    Features features_;
    Shape shape_;                        // of rows
    std::vector<std::uint32_t> order_;   // classes seen, as they first came
    std::vector<std::uint8_t> known_;    // [class] 1: seen
    std::size_t to_see_ = 0;             // while a batch is learned: classes seen after it
    std::size_t tree_bytes_ = SIZE_MAX;  // limit of each
    History history_;
    std::deque<Pair> pairs_;  // their addresses last
};

}  // namespace riparian
