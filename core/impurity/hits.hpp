// How often the branches of each feature's cut predicted correctly, before they learned the
// example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "../data/row.hpp"
#include "loss.hpp"
#include "../simd/aligned.hpp"
#include "../statistics/leaf_statistics.hpp"

namespace riparian {

class Hits;

struct Judging : Judged {
    Costs costs;  // if empty, a prediction is right or wrong

    // What a leaf counts, unless gains are computed from the class counts.
    [[nodiscard]] std::optional<Hits> make_hits() const;

    bool operator==(const Judging&) const = default;
};

// For each feature the mean over examples of score(label of the child) - score(label of the leaf).
// It is a mean of independent terms, which Hoeffding's bound requires. A categorical feature has
// one child per category. A numeric feature has two, on the sides of a threshold that is fixed when
// the leaf has seen its first n0 examples, because a hit belongs to one test.
class Hits {
public:
    // Makes room for all features and classes, and keeps what is stored.
    void fit(const Shape&, Evaluator);

    // Evaluates one row that the statistics and counts do not include yet.
    void judge(const Judging&, const Shape&, const LeafStatistics&, const Row&, std::size_t y,
               double w, const double* counts, std::size_t classes);

    // Call this when classes or costs have changed: labels have to be computed again.
    void doubt_labels(Evaluator) noexcept;

    // Whether thresholds and labels are not fixed yet.
    [[nodiscard]] bool open() const noexcept { return fixed_ != fixed_; }
    // Fixes thresholds and labels at this weight of the leaf. Thresholds are per numeric slot; NaN
    // means that the feature never gets one. `sides` are the class weights on the two sides of each
    // threshold, [numeric][2][class_stride].
    void fix(const Judging&, const Shape&, const LeafStatistics&, const double* counts,
             std::size_t classes, double weight, const double* thresholds, const double* sides);
    struct Quality {
        double gain;
        double weight;  // of the examples in the mean; 0 if there are none
    };
    [[nodiscard]] Quality categorical(std::size_t slot, double weight) const noexcept;
    [[nodiscard]] Quality numeric(std::size_t slot, double weight) const noexcept;
    [[nodiscard]] double threshold(std::size_t slot) const noexcept { return threshold_[slot]; }
    // Weight of a class on one side of a threshold since it was fixed: at or below it (0), or above
    // it (1). The feature must have a threshold.
    [[nodiscard]] double side_weight(std::size_t slot, std::size_t side,
                                     std::size_t k) const noexcept {
        return sides_[place(slot, side, k)];
    }

    // Saves the state as numbers and restores it. restore() throws std::invalid_argument if the
    // numbers cannot be the state of a leaf with these class weights.
    void save(std::size_t classes, std::vector<double>& numbers) const;
    std::size_t restore(const Shape&, Evaluator, const double* numbers, std::size_t count,
                        const double* counts, std::size_t classes, double weight);

private:
    [[nodiscard]] std::size_t place(std::size_t slot, std::size_t side,
                                    std::size_t k) const noexcept {
        return (side * class_stride_ + k) * stride_ + slot;
    }
    // `scores` holds the score of each label for the row, followed by as much working memory.
    void judge_numeric(const Judging&, const Row&, std::size_t y, double w, std::size_t classes,
                       double leaf, double* scores);
    double judge_leaf(const Judging&, std::size_t y, double w, const double* counts,
                      std::size_t classes, const double* scores);
    [[nodiscard]] Quality quality(double sum, double start, double weight) const noexcept;
    void trim_all();

    std::size_t class_stride_ = 0;
    std::size_t categorical_ = 0;
    std::size_t numeric_ = 0;
    std::size_t stride_ = 0;
    // weight at which it was fixed; NaN if not yet
    double fixed_ = std::numeric_limits<double>::quiet_NaN();
    std::int32_t leaf_label_ = 0;      // for holdout
    Held<double> sum_, start_;         // [categorical]
    Held<Held<std::int32_t>> labels_;  // [categorical][category], for holdout
    HeldDoubles numeric_sum_;          // [stride]
    HeldDoubles threshold_;            // [stride]; NaN if there is none
    HeldDoubles sides_;                // [2][class_stride][stride], once fixed
    Held<std::int32_t> side_labels_;   // [numeric][2], fixed with the threshold, for holdout
    // A label stays valid while the cost that its branch collects is smaller than its lead, because
    // the cost of other labels can only grow. This is a cache and not saved; it follows from the
    // weights.
    HeldDoubles standing_;           // [2][stride] labels, then [2][stride] leads
    std::size_t leaf_standing_ = 0;  // label of the leaf
    double leaf_sure_ = 0.0;
};

inline std::optional<Hits> Judging::make_hits() const {
    return counts_hits() ? std::optional<Hits>(Hits{}) : std::nullopt;
}

}  // namespace riparian
