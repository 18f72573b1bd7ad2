// How often the branches of each feature's cut were right, judged before they learned.
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
    Costs costs;  // none: a prediction is right or wrong

    // What a leaf counts, where gains are not of the counts themselves.
    [[nodiscard]] std::optional<Hits> make_hits() const;

    bool operator==(const Judging&) const = default;
};

// For each feature the mean over examples of score(child's label) - score(leaf's label),
// a mean of independent terms as Hoeffding asks for. A categorical feature has a child a
// value; a numeric one has two, beside a threshold that is fixed once the leaf has seen
// its first n0 examples: a hit belongs to one test.
class Hits {
public:
    // Room for all features and classes; what is there stays.
    void fit(const Shape&, Evaluator);

    // One row that the statistics and counts do not include yet.
    void judge(const Judging&, const Shape&, const LeafStatistics&, const Row&, std::size_t y,
               double w, const double* counts, std::size_t classes);

    // Classes or costs have changed: labels that were sure are so no more.
    void doubt_labels(Evaluator) noexcept;

    // Whether thresholds and labels are still to be fixed.
    [[nodiscard]] bool open() const noexcept { return fixed_ != fixed_; }
    // Fixes them, at this weight of the leaf; thresholds by numeric slot, NaN: none, ever.
    // `sides` are the class weights beside each, [numeric][2][class_stride].
    void fix(const Judging&, const Shape&, const LeafStatistics&, const double* counts,
             std::size_t classes, double weight, const double* thresholds, const double* sides);
    struct Quality {
        double gain;
        double weight;  // of the examples averaged; 0: none
    };
    [[nodiscard]] Quality categorical(std::size_t slot, double weight) const noexcept;
    [[nodiscard]] Quality numeric(std::size_t slot, double weight) const noexcept;
    [[nodiscard]] double threshold(std::size_t slot) const noexcept { return threshold_[slot]; }
    // Weight of a class beside a threshold since it was fixed: at or below (0), above (1).
    // Only of a feature that has one.
    [[nodiscard]] double beside(std::size_t slot, std::size_t side, std::size_t k) const noexcept {
        return sides_[place(slot, side, k)];
    }

    // The state as numbers, and back; std::invalid_argument if they cannot be one of a leaf
    // with these class weights.
    void save(std::size_t classes, std::vector<double>& numbers) const;
    std::size_t restore(const Shape&, Evaluator, const double* numbers, std::size_t count,
                        const double* counts, std::size_t classes, double weight);

private:
    [[nodiscard]] std::size_t place(std::size_t slot, std::size_t side,
                                    std::size_t k) const noexcept {
        return (side * class_stride_ + k) * stride_ + slot;
    }
    // `scores` of each label for the row, and as much room after them.
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
    double fixed_ = std::numeric_limits<double>::quiet_NaN();  // at this weight; NaN: open
    std::int32_t leaf_label_ = 0;                   // holdout
    Held<double> sum_, start_;               // [categorical]
    Held<Held<std::int32_t>> labels_; // [categorical][value] (holdout)
    HeldDoubles numeric_sum_;                    // [stride]
    HeldDoubles threshold_;                      // [stride]; NaN: none
    HeldDoubles sides_;                          // [2][class_stride][stride], once fixed
    Held<std::int32_t> side_labels_;         // [numeric][2], when fixed (holdout)
    // A label stays as long as its branch bears less cost than it was ahead by: what other
    // labels would have cost can only grow. None of this is state; it follows from weights.
    HeldDoubles standing_;                       // [2][stride] labels, [2][stride] sure
    std::size_t leaf_standing_ = 0;                 // the leaf's own label
    double leaf_sure_ = 0.0;
};

inline std::optional<Hits> Judging::make_hits() const {
    return counts_hits() ? std::optional<Hits>(Hits{}) : std::nullopt;
}

}  // namespace riparian
