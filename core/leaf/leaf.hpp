// What a leaf answers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../data/predictions.hpp"
#include "../policy.hpp"
#include "../statistics/leaf_statistics.hpp"
#include "linear_units.hpp"

namespace riparian {

// How often each predictor of a leaf would have been right, before learning.
struct Track {
    double majority = 0.0;
    double bayes = 0.0;
};

// Class weights that a node answers with: seen there, and estimated for it by
// the split above.
struct ClassWeights {
    const double* seen = nullptr;
    const double* inherited = nullptr;

    [[nodiscard]] double operator[](std::size_t k) const noexcept { return seen[k] + inherited[k]; }
};

// A leaf, as its predictor sees it.
struct LeafView {
    const Shape& shape;
    const LeafStatistics& statistics;
    const double* counts;      // [class]: weight seen here
    ClassWeights own;
    ClassWeights parent;       // empty at the root
    const std::int32_t* categories;  // [categorical feature]: values seen by the tree
    std::size_t n_classes;
    const Track& track;
    LinearUnits* units;  // null unless the predictor asks for them
};

// Room for one answer; sized once for a shape, then reused row by row.
struct AnswerScratch {
    Held<double> scores;
    Held<double> shares;  // [class], where answers are chosen by costs
    Held<double> categorical;
    Held<double> usable;
    Held<double> pooled;
    Held<double> freedom;
    Held<double> range;   // the leaf's planes, where leaves keep none
    bool ranged = false;  // of the row that was answered last, before it was learned
    Held<double> before;  // scores that only the class of the row will change, or
    bool stays = false;   // false: others may change too
    Held<const double*> known;
    Held<const double*> cells;
    Held<std::size_t> classes;
    LinearScratch linear;

    void fit(const Shape& s, bool costs) {
        const std::size_t whole = (s.class_stride + 3) / 4 * 4;  // vectors
        if (s.linear) linear.fit(s);
        if (costs) shares.resize(whole);
        if (scores.size() == whole && usable.size() == s.stride &&
            known.size() == s.categorical) {
            return;
        }
        scores.assign(whole, 0.0);
        before.assign(whole, 0.0);
        categorical.assign(whole, 0.0);
        usable.assign(s.stride, 0.0);
        pooled.assign(s.stride, 0.0);
        freedom.assign(s.stride, 0.0);
        if (s.lean) range.assign(bayes_leaf_planes * s.stride, 0.0);
        known.assign(s.categorical, nullptr);
        cells.assign(whole, nullptr);
        classes.assign(whole, 0);
    }
};

// Who speaks for a leaf: predictors that choose among others, or know nothing yet, leave it
// to one of these.
enum class Speaker : std::uint8_t { none, majority, naive_bayes, idbd };

// `answer` gives a class, `observe` gives it too and notes on the track how good
// each predictor was on a row about to be learned, `probabilities` fills
// n_classes numbers that sum to 1, `speaker` tells by whom.
template <class L>
concept LeafModel = std::regular<L> && requires(const L l, const LeafView& view, const Row& row,
                                                AnswerScratch& scratch, Track& track,
                                                double* out) {
    { L::name } -> std::convertible_to<std::string_view>;
    { L::bayes } -> std::convertible_to<bool>;
    { L::linear } -> std::convertible_to<bool>;
    { L::observes } -> std::convertible_to<bool>;
    { l.answer(view, row, scratch) } -> std::same_as<std::int32_t>;
    { l.observe(view, row, scratch, track, std::size_t{0}, 1.0) } -> std::same_as<std::int32_t>;
    { l.probabilities(view, row, scratch, out) } -> std::same_as<void>;
    { l.speaker(view) } -> std::same_as<Speaker>;
};

}  // namespace riparian
