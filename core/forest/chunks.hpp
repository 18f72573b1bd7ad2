// Trees that each learn one chunk of the stream, weighted by their errors on the last chunk
// [wang2003].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../growth/snapshot.hpp"
#include "chunk.hpp"
#include "ensemble.hpp"
#include "votes.hpp"

namespace riparian {

struct ChunkSettings {
    TreeSettings tree;
    std::size_t rows = 500;   // of a chunk
    std::size_t voting = 15;  // members that vote
    std::size_t stored = 30;  // members that are kept
    std::size_t folds = 10;   // of the estimate for the newest
    std::size_t epochs = 1;   // passes of a member over its chunk
    std::size_t max_bytes = SIZE_MAX;
    std::size_t threads = 1;
};

// The whole state as flat arrays, and the trees: those that are kept, then the one that learns.
struct ChunkSnapshot : SchemaSnapshot {
    std::vector<double> chunk_numbers;         // [numeric feature][row]
    std::vector<std::int32_t> chunk_codes;     // [categorical feature][row]
    std::vector<std::int32_t> chunk_labels;    // [row]
    std::vector<double> chunk_weights;         // [row]
    std::vector<double> member_weights;        // [member], the largest first
    std::vector<std::uint64_t> member_chunks;  // [member]: which chunk it learned
    std::vector<std::uint64_t> chunks;         // [1] so far

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        SchemaSnapshot::each(s, visit);
        visit("chunk_numbers", s.chunk_numbers);
        visit("chunk_codes", s.chunk_codes);
        visit("chunk_labels", s.chunk_labels);
        visit("chunk_weights", s.chunk_weights);
        visit("member_weights", s.member_weights);
        visit("member_chunks", s.member_chunks);
        visit("chunks", s.chunks);
    }

    std::vector<Snapshot> trees;
};

// What a forest reports of a member.
struct ChunkRecord {
    std::shared_ptr<Tree> tree;
    double weight = 0.0;      // by the last chunk
    double vote = 0.0;        // what its vote counts; 0 if it has none
    std::uint64_t chunk = 0;  // which one it learned
    bool kept = true;         // false for the one that learns the first chunk
};

// With costs, predictions are chosen by them, and members are weighted by the costs that they save.
class ChunkForest final : public Ensemble {
public:
    explicit ChunkForest(const ChunkSettings&);

    // With a `moment`, which is filled, one state predicts all rows, and learners wait for it.
    void predict(const Batch&, const Predictions&, Stop* stop = nullptr,
                 Moment* moment = nullptr) const;
    void votes(const Batch&, std::size_t width, std::vector<double>& shares,
               std::vector<double>& weights) const;

    [[nodiscard]] std::size_t memory_bytes() const;
    // The stored members; before the first chunk is full, the one that learns it.
    [[nodiscard]] std::size_t n_members() const;
    [[nodiscard]] std::shared_ptr<Tree> tree(std::size_t member) const;
    [[nodiscard]] std::vector<ChunkRecord> records() const;

    [[nodiscard]] ChunkSnapshot snapshot() const;
    [[nodiscard]] static std::unique_ptr<ChunkForest> restore(const ChunkSettings&,
                                                              const ChunkSnapshot&);

private:
    struct StoredTree {
        std::shared_ptr<Tree> tree;
        double weight = 0.0;
        std::uint64_t chunk = 0;
    };

    void give_features(const std::vector<Kind>&) override;
    void give_classes(std::size_t) override;
    void give_limit(std::size_t) override;
    [[nodiscard]] bool has_room(std::size_t limit) const noexcept override;
    [[nodiscard]] std::size_t bytes_of_a_tree(std::size_t limit) const noexcept override;
    [[nodiscard]] std::size_t limit_for(std::size_t of_a_tree) const noexcept override;
    [[nodiscard]] std::vector<std::shared_ptr<Tree>> trees() const override;
    [[nodiscard]] std::vector<TreeSettings> settings_of_trees() const override {
        return {settings_.tree};
    }
    void run(const Batch&, const std::int32_t* y, const double* w, const Predictions*,
             Stop*) override;
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const override;
    // `known`: how many classes there are, for each row from `first` on; 0 before one is learned.
    void predict_rows(const Batch&, const Predictions&, std::size_t first,
                      const std::vector<std::uint32_t>& known, Stop* = nullptr) const;
    void add_to_chunk(const Batch&, std::size_t row, std::int32_t y, double w);
    void end_chunk();
    [[nodiscard]] std::shared_ptr<Tree> fresh() const;
    void learn_chunk(Tree&, const Chunk&) const;
    // The sum over rows of what a tree loses on them: (1 - P(y | x))^2, or costs.
    [[nodiscard]] double loss(const Tree&, const Chunk&) const;
    [[nodiscard]] double random_loss() const;
    // Those that are kept, the one that learns, and those of the folds.
    [[nodiscard]] std::size_t most_trees() const noexcept {
        return settings_.stored + 1 + settings_.folds;
    }
    [[nodiscard]] std::size_t bytes_of_a_chunk() const noexcept;
    // The members that vote, with their weights.
    [[nodiscard]] std::vector<StoredTree> voting_members() const;

    const ChunkSettings settings_;  // as it was made
    Chunk chunk_;
    std::uint64_t chunks_ = 0;      // so far
    std::vector<StoredTree> kept_;  // the largest weight first
    std::shared_ptr<Tree> learner_;
};

}  // namespace riparian
