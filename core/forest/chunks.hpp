// Trees that learn one chunk of the stream each, weighted by how they do on the last one
// [wang2003].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../tree/snapshot.hpp"
#include "../tree/tree.hpp"
#include "votes.hpp"

namespace riparian {

struct ChunkSettings {
    Settings tree;
    std::size_t rows = 500;    // of a chunk
    std::size_t voting = 15;   // members that vote
    std::size_t stored = 30;   // members that are kept
    std::size_t folds = 10;    // of the estimate for the newest
    std::size_t epochs = 1;    // passes of it over its chunk
    std::size_t max_bytes = SIZE_MAX;
    std::size_t threads = 1;
};

// The rows of the chunk at hand, column by column.
class Chunk {
public:
    void add_features(const std::vector<Kind>&);
    void add(const Batch&, std::size_t row, std::int32_t y, double w);
    void clear() noexcept;

    [[nodiscard]] std::size_t rows() const noexcept { return labels.size(); }
    [[nodiscard]] Batch batch() const;
    // Those that are, or are not, of a fold: row r is of fold r modulo the number of folds.
    [[nodiscard]] Chunk fold(std::size_t fold, std::size_t folds, bool in) const;
    [[nodiscard]] static std::size_t bytes(std::size_t rows, std::size_t numeric,
                                           std::size_t categorical) noexcept;

    std::vector<Kind> kinds;
    std::vector<std::vector<double>> numbers;       // [numeric feature][row]
    std::vector<std::vector<std::int32_t>> codes;   // [categorical feature][row]
    std::vector<std::int32_t> labels;
    std::vector<double> weights;
};

// The whole state as flat arrays, and the trees: those that are kept, then the one that learns.
struct ChunkSnapshot {
    std::vector<std::uint64_t> seen;        // [1] rows learned
    std::vector<std::uint32_t> classes;     // [1]
    std::vector<std::uint32_t> declared;    // [1] of them, by the user
    std::vector<std::uint8_t> kinds;        // [feature]
    std::vector<std::uint32_t> categories;  // [categorical feature]
    std::vector<double> chunk_numbers;        // [numeric feature][row]
    std::vector<std::int32_t> chunk_codes;    // [categorical feature][row]
    std::vector<std::int32_t> chunk_labels;   // [row]
    std::vector<double> chunk_weights;        // [row]
    std::vector<double> member_weights;       // [member], the largest first
    std::vector<std::uint64_t> member_chunks; // [member]: which chunk it learned
    std::vector<std::uint64_t> chunks;        // [1] so far

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        visit("seen", s.seen);
        visit("classes", s.classes);
        visit("declared", s.declared);
        visit("kinds", s.kinds);
        visit("categories", s.categories);
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

// Learning calls must not overlap each other; reading calls may overlap anything.
class ChunkForest {
public:
    explicit ChunkForest(const ChunkSettings&);
    ChunkForest(const ChunkForest&) = delete;
    ChunkForest& operator=(const ChunkForest&) = delete;

    void add_features(const std::vector<Kind>&);
    void declare_classes(std::size_t count);
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    void set_max_bytes(std::size_t);
    void set_threads(std::size_t threads) noexcept { settings_.threads = threads; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return settings_.max_bytes; }
    [[nodiscard]] std::size_t least_bytes() const;
    [[nodiscard]] bool surely_fits(std::size_t names) const;
    // Answers are chosen by them, and members are weighted by what they save.
    void set_costs(const double* matrix, std::size_t classes);

    void learn(const Batch&, const std::int32_t* y, const double* w);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Answers&);
    void predict(const Batch&, const Answers&) const;
    void votes(const Batch&, std::size_t width, std::vector<double>& shares,
               std::vector<double>& weights) const;

    [[nodiscard]] std::size_t n_features() const;
    [[nodiscard]] std::size_t n_classes() const;
    [[nodiscard]] std::uint64_t seen() const;
    [[nodiscard]] std::size_t memory_bytes() const;
    // Those that are kept; before the first chunk is full, the one that learns it.
    [[nodiscard]] std::size_t n_members() const;
    [[nodiscard]] std::shared_ptr<Tree> tree(std::size_t member) const;
    [[nodiscard]] std::vector<std::uint32_t> features_of(std::size_t member) const;
    [[nodiscard]] std::vector<double> weights() const;
    [[nodiscard]] std::vector<std::uint64_t> chunks_of() const;

    [[nodiscard]] ChunkSnapshot snapshot() const;
    [[nodiscard]] static std::unique_ptr<ChunkForest> restore(const ChunkSettings&,
                                                              const ChunkSnapshot&);

private:
    struct Kept {
        std::shared_ptr<Tree> tree;
        double weight = 0.0;
        std::uint64_t chunk = 0;
    };

    void run(const Batch&, const std::int32_t* y, const double* w, const Answers*);
    void answer(const Batch&, const Answers&, std::size_t first, std::size_t rows) const;
    void take(const Batch&, std::size_t row, std::int32_t y, double w);
    void end_chunk();
    [[nodiscard]] std::shared_ptr<Tree> fresh() const;
    void teach(Tree&, const Chunk&) const;
    // The sum over rows of what a tree loses on them: (1 - P(y | x))^2, or costs.
    [[nodiscard]] double loss(const Tree&, const Chunk&) const;
    [[nodiscard]] double random_loss() const;
    [[nodiscard]] std::size_t bytes_of_a_tree(std::size_t limit) const noexcept;
    void demand_room(std::size_t limit) const;
    // Who votes, and what it counts.
    [[nodiscard]] std::vector<Kept> electorate() const;

    ChunkSettings settings_;
    Chunk chunk_;
    std::vector<std::uint32_t> categories_;
    std::size_t n_classes_ = 0, declared_ = 0;
    std::uint64_t seen_ = 0, chunks_ = 0;
    std::size_t names_ = 0;
    std::vector<Kept> kept_;  // the largest weight first
    std::shared_ptr<Tree> learner_;
    Costs costs_;
    mutable Turnstile turnstile_;
};

}  // namespace riparian
