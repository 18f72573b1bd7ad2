// The contract of leaf predictors: how a leaf predicts, and what it stores for that.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "../data/predictions.hpp"
#include "../data/uncertain.hpp"
#include "../memory/account.hpp"
#include "../policy.hpp"
#include "../statistics/leaf_statistics.hpp"
#include "formula.hpp"

namespace riparian {

class PredictorState;

// Two numbers in the record of every leaf for its predictor. Each lies between 0 and the weight of
// the leaf. A choice among several predictors counts here how often they were right.
using LeafNumbers = std::array<double, 2>;

// Class weights that a node predicts with: those seen there, and those that the split above
// estimated.
struct ClassWeights {
    const double* seen = nullptr;
    const double* inherited = nullptr;

    [[nodiscard]] double operator[](std::size_t k) const noexcept { return seen[k] + inherited[k]; }
};

// A leaf as its predictor reads it.
struct LeafView {
    const Shape& shape;
    const LeafStatistics& statistics;
    const double* counts;  // [class]: weight seen here
    ClassWeights own;
    ClassWeights parent;             // empty at the root
    const std::int32_t* categories;  // [categorical feature]: categories seen by the tree
    std::size_t n_classes;
    const LeafNumbers& numbers;
    PredictorState* state;  // null if the predictor keeps none, or the leaf is inactive
};

// Working memory for one prediction. It is sized for a shape and reused for every row, or for rows of
// other trees.
struct PredictorScratch {
    Held<double> scores;
    Held<double> shares;  // [class], if classes are chosen by costs
    Held<double> categorical;
    Held<double> usable;
    Held<double> pooled;
    Held<double> freedom;
    Held<double> range;  // the leaf's planes, if leaves do not store them
    // whether `range` is that of the row predicted last, before it was learned
    bool ranged = false;
    Held<double> before;  // scores before learning; valid if `stays`
    bool stays = false;   // whether learning the row changes only the score of its class
    Held<const double*> known;
    Held<const double*> cells;  // [class]: cells of categories, or planes of squares
    Held<std::size_t> classes;
    // For predictors with state, which set their sizes. The contents are valid during one call.
    std::array<HeldDoubles, 5> rooms;

    void fit(const Shape& s, bool costs) {
        const std::size_t whole = (s.class_stride + 3) / 4 * 4;  // vectors
        if (costs) shares.resize(whole);
        const std::size_t planes =
            s.derived == Derived::found_when_asked ? bayes_leaf_planes * s.stride : 0;
        if (classes.size() == whole && usable.size() == s.stride && range.size() == planes &&
            known.size() == s.categorical) {
            return;
        }
        classes.clear();  // has its size again when all others have theirs
        scores.assign(whole, 0.0);
        before.assign(whole, 0.0);
        categorical.assign(whole, 0.0);
        usable.assign(s.stride, 0.0);
        pooled.assign(s.stride, 0.0);
        freedom.assign(s.stride, 0.0);
        range.assign(planes, 0.0);
        known.assign(s.categorical, nullptr);
        cells.assign(whole, nullptr);
        classes.assign(whole, 0);
    }
};

// What a predictor stores at an active leaf. It allocates only through the Held types, so that
// max_bytes counts it, and nothing before the first row. It may point to its predictor, which lives
// longer. OverLimit may leave it partly changed; the leaf then becomes inactive.
class PredictorState : public HeldObject {
public:
    PredictorState() = default;
    PredictorState(const PredictorState&) = delete;
    PredictorState& operator=(const PredictorState&) = delete;
    virtual ~PredictorState() = default;

    // Learns a row of class y, which is below n_classes.
    virtual void learn(const Shape&, const Row&, std::size_t y, double w, std::size_t n_classes,
                       PredictorScratch&) = 0;
    // The bytes that learning the row may allocate before old blocks are freed.
    [[nodiscard]] virtual std::size_t growth(const Shape&, const Row&,
                                             std::size_t n_classes) const noexcept = 0;
    // Changes to a shape with more features or classes.
    virtual void reshape(const Shape& from, const Shape& to) = 0;
    // Frees what belongs to a categorical feature, whose values are missing from now on.
    virtual void leave_out(const Shape&, std::size_t slot) = 0;
    // Starts as the child of a leaf; this state is empty. A child of a child that has learned
    // nothing is equal to it.
    virtual void inherit(const Shape&, const PredictorState& parent) = 0;
    // Forgets all but this share of what it has learned.
    virtual void forget(const Shape&, double share) = 0;
    // Adds what another leaf has learned. `share` is the weight of the other leaf divided by the
    // weight of both.
    virtual void merge(const Shape&, const PredictorState& other, double share) = 0;

    // Saves the state as numbers.
    virtual void save(const Shape&, std::vector<double>& out) const = 0;
    // Restores a saved state. Throws std::invalid_argument if the numbers cannot be the state of a
    // leaf of this weight.
    virtual void restore(const Shape&, const std::int32_t* categories, std::size_t n_classes,
                         double weight, const double* numbers, std::size_t count) = 0;

    // Weight of the rows that the predictor predicted correctly before they were learned. Only
    // counted if it is one of several predictors.
    double right = 0.0;
};

// `predict` predicts a class, and `probabilities` writes n_classes numbers that sum to 1. Both
// accept a row or an example with uncertain values. `observe` is called before a row is learned. It
// also returns the predicted class and, if `observes`, counts whether it is right. `predictor_at`
// names the predictor that a leaf uses now, which is another one if this predictor chooses among
// others or has learned nothing.
//
// A predictor with state has a member type State, which is constructed from the predictor, and a
// function fit(Shape, PredictorScratch&) that sizes the rooms of the scratch.
template <class L>
concept LeafPredictor =
    std::regular<L> && requires(const L l, const LeafView& view, const Row& row, Spread& spread,
                                PredictorScratch& scratch, LeafNumbers& numbers, double* out) {
        { L::name } -> std::convertible_to<std::string_view>;
        { L::observes } -> std::convertible_to<bool>;
        // Whether it reads numbers derived from the statistics.
        { l.needs_derived() } -> std::same_as<bool>;
        { l.predict(view, row, scratch) } -> std::same_as<std::int32_t>;
        {
            l.observe(view, row, scratch, numbers, std::size_t{0}, 1.0)
        } -> std::same_as<std::int32_t>;
        { l.probabilities(view, row, scratch, out) } -> std::same_as<void>;
        { l.probabilities(view, spread, scratch, out) } -> std::same_as<void>;
        { l.predictor_at(view) } -> std::same_as<std::string_view>;
    };

// A predictor whose predictions can be written as a formula. `describe` gives that of a leaf at this
// moment. Models with other predictors cannot be exported.
template <class L>
concept Describes = requires(const L l, const LeafView& view, PredictorScratch& scratch) {
    { l.describe(view, scratch) } -> std::same_as<Formula>;
};

// A predictor that counts how often it is right, also for examples with uncertain values.
template <class L>
concept Observes = L::observes && requires(const L l, const LeafView& view, Spread& spread,
                                           PredictorScratch& scratch, LeafNumbers& numbers) {
    {
        l.observe(view, spread, scratch, numbers, std::size_t{0}, 1.0)
    } -> std::same_as<std::int32_t>;
};

// A predictor that can be one of several. If several were right equally often, the one with the
// highest precedence predicts.
template <class L>
concept SinglePredictor =
    LeafPredictor<L> && !L::observes &&
    requires(const LeafView& view, const Row& row, Spread& spread, PredictorScratch& scratch) {
        { L::precedence } -> std::convertible_to<int>;
        { L::class_of(view, row, scratch) } -> std::same_as<std::int32_t>;
        { L::class_of(view, spread, scratch) } -> std::same_as<std::int32_t>;
    };

template <class L>
concept KeepsState = std::derived_from<typename L::State, PredictorState> &&
                     std::constructible_from<typename L::State, const L&> &&
                     requires(const L l, const Shape& shape, PredictorScratch& scratch) {
                         l.fit(shape, scratch);
                         { L::unmergeable } -> std::convertible_to<std::string_view>;
                     };

// Leaves that draw their features read those only. All others would read every feature of a sparse row.
[[nodiscard]] constexpr Rule reads_every_feature() {
    return {is("leaf", "majority"), "it reads every feature of a row", is("leaf_features", "None")};
}

// The class with the largest number, or the first of several. None if no number is above -inf.
[[nodiscard]] inline std::int32_t largest_class(const double* numbers, std::size_t n) noexcept {
    double top = -std::numeric_limits<double>::infinity();
    std::int32_t best = no_prediction;
    for (std::size_t k = 0; k < n; ++k) {
        if (numbers[k] > top) {
            top = numbers[k];
            best = static_cast<std::int32_t>(k);
        }
    }
    return best;
}

}  // namespace riparian
