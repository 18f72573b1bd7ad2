// How forests predict and learn a tree, row by row, and how a tree absorbs a summary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "tree.hpp"

namespace riparian {

class Summary;

// A turn at a tree: while it lasts, no other thread reads the tree or learns it. Rows are those of a
// buffer, which are routed together, or single rows.
class Turn {
public:
    static constexpr std::size_t alone = SIZE_MAX;

    // `held`: the examples of a short memory that the tree does not hold itself.
    explicit Turn(Tree&, RowLearner::Elsewhere held = {});
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    [[nodiscard]] RowBuffer buffer_of(const Batch&) const;
    void route(const RowBuffer&, std::size_t rows);

    // `i`: the place of the row in the buffer, or `alone`. Returns its class.
    std::int32_t predict(std::size_t i, const Row&, const RowRequest&);
    Predicted learn(std::size_t i, const Row&, std::size_t y, RowWeight, const RowRequest&,
                    bool again);
    // The tree absorbs a summary whose first codes are its own: what the summary has learned is added to
    // its leaves, and then those that are due are checked, in the order of nodes. Throws
    // std::invalid_argument if the summary is of another tree. After an error the tree can only be
    // discarded.
    void absorb(const Summary&);

private:
    [[nodiscard]] std::int32_t start(std::size_t i) const noexcept {
        return i != alone && (!adapting_ || routes_.hold(tree_)) ? routes_.starts[i] : 0;
    }

    Tree& tree_;
    const bool adapting_;
    std::unique_lock<std::shared_mutex> lock_;
    Routes routes_;
};

}  // namespace riparian
