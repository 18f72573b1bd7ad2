// A tree of a forest, what watches it, and the tree that may take its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../random/poisson.hpp"
#include "../tree/tree.hpp"
#include "ensemble.hpp"
#include "settings.hpp"
#include "votes.hpp"

namespace riparian {

// Rows that every member takes; those that are learned have a number.
struct Block {
    const Batch& batch;
    const std::int32_t* y;
    const double* w;                     // or null
    std::vector<std::uint64_t> numbers;  // [row]; 0: it is not learned
    std::vector<std::uint32_t> known;    // [row]: classes before it; 0: nothing was learned

    [[nodiscard]] double weight(std::size_t row) const noexcept { return w ? w[row] : 1.0; }
};

// A tree over the features that it was given.
struct Grown {
    std::shared_ptr<Tree> tree;
    std::uint64_t generation = 0;
    Draw draw;                         // of its features
    std::vector<std::uint32_t> patch;  // those that it sees, ascending, where it draws
    std::size_t known = 0;             // features that were in the draw, or came later
};

class Member {
public:
    Member(const ForestSettings&, std::uint64_t number);

    // How its errors rose in a block, where the worst member is replaced.
    struct Rises {
        std::vector<double> errors;        // [row]: estimate of its detector after it
        std::vector<std::uint8_t> at;      // [row] 1: they rose
    };
    void run(const Block&, std::size_t first, const Schema&, const Votes&, Rises*);
    // Begins anew after a row that has this number.
    void begin_anew(const Schema&, std::uint64_t number);

    void add_features(const Schema&);
    void declare_classes(std::size_t);
    void set_max_bytes(std::size_t of_a_tree);
    void predict(const Batch&, const Votes&) const;

    [[nodiscard]] const Grown& front() const noexcept { return front_; }
    [[nodiscard]] const Grown& back() const noexcept { return back_; }
    [[nodiscard]] double weight() const noexcept;
    [[nodiscard]] double accuracy() const noexcept { return answered_ > 0.0 ? right_ / answered_ : 0.0; }
    [[nodiscard]] std::uint64_t warnings() const noexcept { return warnings_; }
    [[nodiscard]] std::uint64_t drifts() const noexcept { return drifts_; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    friend class Forest;

    [[nodiscard]] Grown grow(const Schema&, std::uint64_t number);
    void tell(Grown&, const Schema&);
    // No tree of it has drawn from features that had a value.
    [[nodiscard]] bool draws_first() const noexcept { return !(front_.draw.share > 0.0); }
    [[nodiscard]] Batch seen_by(const Grown&, const Batch&) const;
    // Whether other trees stand in its places than before.
    bool watch(const Schema&, std::uint64_t number, bool wrong);
    void start_over(Grown&&);

    const ForestSettings* settings_;
    std::uint64_t number_;
    Uniforms uniforms_;
    Poisson poisson_;
    Grown front_, back_;
    std::uint64_t generations_ = 0;
    std::optional<AnyDetector> warning_, drift_;
    double right_ = 0.0, answered_ = 0.0;
    std::uint64_t warnings_ = 0, drifts_ = 0;
    std::size_t tree_bytes_ = SIZE_MAX;
};

}  // namespace riparian
