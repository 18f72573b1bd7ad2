// A member of a forest: its tree, the detectors of its errors, and the tree that may replace it.
#pragma once

#include <algorithm>
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

// Rows that every member predicts or learns. Those that are learned have a number.
struct Block {
    const Batch& batch;
    const std::int32_t* y;
    const double* w;                     // or null
    std::vector<std::uint64_t> numbers;  // [row]; 0: it is not learned
    std::vector<std::uint32_t> known;    // [row]: classes before it; 0: nothing was learned

    [[nodiscard]] double weight(std::size_t row) const noexcept { return w ? w[row] : 1.0; }
};

// A tree, and the features that it sees.
struct GrownTree {
    std::shared_ptr<Tree> tree;
    std::uint64_t generation = 0;
    Draw draw;                         // of its features
    std::vector<std::uint32_t> patch;  // the features that it sees, ascending, where it draws some
    std::size_t known = 0;             // features that were in the draw, or came later

    // The place of a feature in the tree, if it sees that; `draws`: whether it sees only its patch.
    [[nodiscard]] std::optional<std::size_t> place_of(std::size_t feature,
                                                      bool draws) const noexcept {
        if (!draws) return feature;
        const auto found = std::lower_bound(patch.begin(), patch.end(), feature);
        if (found == patch.end() || *found != feature) return std::nullopt;
        return static_cast<std::size_t>(found - patch.begin());
    }
};

class Member {
public:
    Member(const ForestSettings&, std::uint64_t number);

    // How its errors rose in a block, where the worst member is replaced.
    struct Rises {
        std::vector<double> errors;    // [row]: estimate of its detector after it
        std::vector<std::uint8_t> at;  // [row] 1: they rose
    };
    void run(const Block&, std::size_t first, const Schema&, const Votes&, Rises*);
    // Starts over after a row that has this number.
    void restart(const Schema&, std::uint64_t number);

    void add_features(const Schema&);
    void declare_classes(std::size_t);
    void set_max_bytes(std::size_t of_a_tree);
    void predict(const Batch&, const Votes&) const;

    [[nodiscard]] const GrownTree& front() const noexcept { return front_; }
    [[nodiscard]] const GrownTree& back() const noexcept { return back_; }
    [[nodiscard]] double weight() const noexcept;
    [[nodiscard]] double accuracy() const noexcept { return accuracy_.share(); }
    [[nodiscard]] const ForestSettings& settings() const noexcept { return *settings_; }
    [[nodiscard]] std::uint64_t warnings() const noexcept { return warnings_; }
    [[nodiscard]] std::uint64_t drifts() const noexcept { return drifts_; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    friend class Forest;

    [[nodiscard]] GrownTree grow(const Schema&, std::uint64_t number);
    void add_schema(GrownTree&, const Schema&);
    // Whether no tree of the member has drawn from features that had a value.
    [[nodiscard]] bool draws_first() const noexcept { return !(front_.draw.share > 0.0); }
    [[nodiscard]] Batch columns_for(const GrownTree&, const Batch&) const;
    // Updates the detectors with a prediction. Returns whether a tree was begun or replaced.
    bool update_detectors(const Schema&, std::uint64_t number, bool wrong);
    void start_over(GrownTree&&);

    const ForestSettings* settings_;
    std::uint64_t number_;
    Uniforms uniforms_;
    Poisson poisson_;
    GrownTree front_, back_;
    std::uint64_t generations_ = 0;
    std::optional<AnyDetector> warning_, drift_;
    RightShare accuracy_;
    std::uint64_t warnings_ = 0, drifts_ = 0;
    std::size_t tree_bytes_ = SIZE_MAX;
};

}  // namespace riparian
