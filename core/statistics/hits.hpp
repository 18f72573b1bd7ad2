// How often the branches of each feature's cut were right, judged before they learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../impurity/loss.hpp"
#include "../tree/row.hpp"
#include "leaf_statistics.hpp"

namespace riparian {

// Who judges a quality gain [matuszyk2013, sec. 4.2].
enum class Evaluator : std::uint8_t {
    resubstitution,  // the counts themselves
    prequential,     // each example, before it is counted
    holdout,         // all examples after the first n0, which fix the labels
};

struct Judging {
    Evaluator evaluator = Evaluator::resubstitution;
    double holdout_examples = 30;
    Costs costs;  // none: an answer is right or wrong

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
    // Class weights beside a threshold since it was fixed, [2][class_stride]. Only of a
    // feature that has one.
    [[nodiscard]] const double* sides(std::size_t slot) const noexcept {
        return sides_.data() + slot * 2 * class_stride_;
    }

    // The state as numbers, and back; std::invalid_argument if they cannot be one of a leaf
    // with these class weights.
    void save(std::size_t classes, std::vector<double>& numbers) const;
    std::size_t restore(const Shape&, Evaluator, const double* numbers, std::size_t count,
                        const double* counts, std::size_t classes, double weight);

private:
    static std::vector<double>& scratch();
    [[nodiscard]] Quality quality(double sum, double start, double weight) const noexcept;
    void trim_all();
    void fix_one(const Judging&, std::size_t classes, std::size_t slot, double weight,
                 double threshold, const double* sides);

    std::size_t class_stride_ = 0;
    double fixed_ = std::numeric_limits<double>::quiet_NaN();  // at this weight; NaN: open
    std::int32_t leaf_label_ = 0;                   // holdout
    Held<double> sum_, start_;         // [categorical], [numeric] after them
    Held<double> threshold_;           // [numeric]; NaN: none
    Held<double> sides_;               // [numeric][2][class_stride], once fixed
    Held<std::int32_t> side_labels_;   // [numeric][2] (holdout)
    Held<Held<std::int32_t>> labels_;  // [categorical][value] (holdout)
    std::size_t categorical_ = 0;
};

}  // namespace riparian
