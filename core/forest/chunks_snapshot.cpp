// Saves and restores a forest of chunks as flat arrays. Their meaning is validated here only.
#include <cmath>

#include "../demand.hpp"
#include "chunks.hpp"

namespace riparian {

ChunkSnapshot ChunkForest::snapshot() const {
    const auto lock = turnstile_.reading();
    ChunkSnapshot s;
    save(s);
    for (const auto& column : chunk_.numbers) {
        s.chunk_numbers.insert(s.chunk_numbers.end(), column.begin(), column.end());
    }
    for (const auto& column : chunk_.codes) {
        s.chunk_codes.insert(s.chunk_codes.end(), column.begin(), column.end());
    }
    s.chunk_labels = chunk_.labels;
    s.chunk_weights = chunk_.weights;
    for (const StoredTree& k : kept_) {
        s.member_weights.push_back(k.weight);
        s.member_chunks.push_back(k.chunk);
        s.trees.push_back(k.tree->snapshot());
    }
    s.chunks = {chunks_};
    s.trees.push_back(learner_->snapshot());
    return s;
}

std::unique_ptr<ChunkForest> ChunkForest::restore(const ChunkSettings& settings,
                                                  const ChunkSnapshot& s) {
    auto forest = std::make_unique<ChunkForest>(settings);
    forest->restore_schema(s);
    demand_size(s.chunks, 1, "chunks");
    const std::size_t n = s.member_weights.size(), rows = s.chunk_labels.size();
    const std::size_t categorical = s.categories.size();
    const std::size_t numeric = s.kinds.size() - categorical;
    demand(n <= settings.stored, "member_weights has too many members");
    demand_size(s.member_chunks, n, "member_chunks");
    demand(s.trees.size() == n + 1, "a tree is absent");
    demand(rows < settings.rows, "chunk_labels has too many rows");
    demand_size(s.chunk_weights, rows, "chunk_weights");
    demand_size(s.chunk_numbers, rows * numeric, "chunk_numbers");
    demand_size(s.chunk_codes, rows * categorical, "chunk_codes");
    forest->chunks_ = s.chunks[0];
    demand(s.chunks[0] >= n && s.chunks[0] <= s.seen[0] / settings.rows &&
               rows + s.chunks[0] * settings.rows == s.seen[0],
           "chunks does not go with the rows seen");
    demand((n == 0) == (s.chunks[0] == 0), "no member of the chunks before");
    Chunk& chunk = forest->chunk_;
    for (std::size_t f = 0; f < numeric; ++f) {
        chunk.numbers[f].assign(s.chunk_numbers.begin() + static_cast<std::ptrdiff_t>(f * rows),
                                s.chunk_numbers.begin() +
                                    static_cast<std::ptrdiff_t>((f + 1) * rows));
        for (const double x : chunk.numbers[f]) demand(!std::isinf(x), "the chunk holds inf");
    }
    for (std::size_t f = 0; f < categorical; ++f) {
        chunk.codes[f].assign(s.chunk_codes.begin() + static_cast<std::ptrdiff_t>(f * rows),
                              s.chunk_codes.begin() + static_cast<std::ptrdiff_t>((f + 1) * rows));
        for (const std::int32_t code : chunk.codes[f]) {
            demand(code == missing_code ||
                       (code >= 0 && static_cast<std::uint32_t>(code) < s.categories[f]),
                   "the chunk holds an unknown category");
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        demand(s.chunk_labels[r] >= 0 &&
                   static_cast<std::uint32_t>(s.chunk_labels[r]) < s.classes[0],
               "the chunk holds an unknown class");
        demand(s.chunk_weights[r] > 0.0 && s.chunk_weights[r] <= heaviest,
               "the chunk holds an impossible weight");
    }
    chunk.labels = s.chunk_labels;
    chunk.weights = s.chunk_weights;
    const auto restored = [&](std::size_t t) {
        TreeSettings of_tree = forest->learner_->settings();
        of_tree.leaf_features.seed = t < n ? s.member_chunks[t] : s.chunks[0];
        return forest->restore_tree(of_tree, s.trees[t], forest->all_features());
    };
    for (std::size_t m = 0; m < n; ++m) {
        const double weight = s.member_weights[m];
        const std::uint64_t of = s.member_chunks[m];
        demand(weight >= 0.0 && weight <= heaviest, "member_weights holds an impossible weight");
        demand(of < s.chunks[0], "member_chunks holds a chunk to come");
        for (std::size_t i = 0; i < m; ++i) {
            demand(s.member_chunks[i] != of, "member_chunks holds a chunk twice");
        }
        // The newer one first where they count the same.
        demand(m == 0 || weight < s.member_weights[m - 1] ||
                   (weight == s.member_weights[m - 1] && of < s.member_chunks[m - 1]),
               "member_weights is not in order");
        const auto tree = restored(m);
        demand(tree->facts().seen == settings.rows * settings.epochs, "a member of another chunk");
        forest->kept_.push_back({tree, weight, of});
    }
    forest->learner_ = restored(n);
    demand(forest->learner_->facts().seen == rows, "a tree that has learned another chunk");
    return forest;
}

}  // namespace riparian
