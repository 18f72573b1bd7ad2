// The contract of leaf predictors: what a leaf predicts with, and what it keeps for that.
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

namespace riparian {

class PredictorState;

// Two numbers that the predictor keeps in the record of every leaf. Each lies between 0 and the
// weight of the leaf. A choice among several predictors counts there which were right.
using LeafNumbers = std::array<double, 2>;

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
    const LeafNumbers& numbers;
    PredictorState* state;  // null if the predictor keeps none, or the leaf is inactive
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
    // For predictors that keep state, which size them. What is in them lasts for one call.
    std::array<HeldDoubles, 5> rooms;

    void fit(const Shape& s, bool costs) {
        const std::size_t whole = (s.class_stride + 3) / 4 * 4;  // vectors
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
        if (s.derived == Derived::found_when_asked) range.assign(bayes_leaf_planes * s.stride, 0.0);
        known.assign(s.categorical, nullptr);
        cells.assign(whole, nullptr);
        classes.assign(whole, 0);
    }
};

// What a predictor keeps at an active leaf. It allocates through the Held types only, so that
// max_bytes counts it, and nothing before the first row. It may point to its predictor, which
// outlives it. OverLimit may leave it half changed: the leaf becomes inactive then.
class PredictorState : public HeldObject {
public:
    PredictorState() = default;
    PredictorState(const PredictorState&) = delete;
    PredictorState& operator=(const PredictorState&) = delete;
    virtual ~PredictorState() = default;

    // Learns a row of class y, which is below n_classes.
    virtual void learn(const Shape&, const Row&, std::size_t y, double w, std::size_t n_classes,
                       AnswerScratch&) = 0;
    // Bytes that learning the row may take before it gives old blocks back.
    [[nodiscard]] virtual std::size_t growth(const Shape&, const Row&,
                                             std::size_t n_classes) const noexcept = 0;
    // Moves to a shape with more features or classes.
    virtual void reshape(const Shape& from, const Shape& to) = 0;
    // Begins as the child of a leaf; this state is empty. The child of a child that has learned
    // nothing is equal to it.
    virtual void inherit(const Shape&, const PredictorState& parent) = 0;
    // Forgets all but a share of what it has learned.
    virtual void forget(const Shape&, double share) = 0;
    // Joins what another leaf has learned, whose weight is this share of both together.
    virtual void merge(const Shape&, const PredictorState& other, double share) = 0;

    // The state as numbers.
    virtual void save(const Shape&, std::vector<double>& out) const = 0;
    // And back: std::invalid_argument unless they can be the state of a leaf of this weight.
    virtual void restore(const Shape&, const std::int32_t* categories, std::size_t n_classes,
                         double weight, const double* numbers, std::size_t count) = 0;

    // Weight of the rows that the predictor was right about before it learned them, where it is
    // one of several.
    double right = 0.0;
};

// `answer` gives a class and `probabilities` n_classes numbers that sum to 1, for a row or for an
// example with uncertain values. `observe` is called before a row is learned: it gives the class
// too and, where `observes`, notes how good the prediction is. `predictor_at` is the name of the
// predictor that a leaf predicts with now: a predictor that chooses among others, or that has
// learned nothing, leaves it to another.
//
// A predictor with state has a member type State, made from the predictor, and a function
// fit(Shape, AnswerScratch&) that sizes the rooms of the scratch.
template <class L>
concept LeafPredictor =
    std::regular<L> && requires(const L l, const LeafView& view, const Row& row, Spread& spread,
                                AnswerScratch& scratch, LeafNumbers& numbers, double* out) {
        { L::name } -> std::convertible_to<std::string_view>;
        { L::observes } -> std::convertible_to<bool>;
        // Whether it reads the derived numbers of the statistics.
        { l.needs_derived() } -> std::same_as<bool>;
        { l.answer(view, row, scratch) } -> std::same_as<std::int32_t>;
        { l.observe(view, row, scratch, numbers, std::size_t{0}, 1.0) } -> std::same_as<std::int32_t>;
        { l.probabilities(view, row, scratch, out) } -> std::same_as<void>;
        { l.probabilities(view, spread, scratch, out) } -> std::same_as<void>;
        { l.predictor_at(view) } -> std::same_as<std::string_view>;
    };

// A predictor that notes how good its predictions are, also those for an example with uncertain
// values.
template <class L>
concept Observes = L::observes && requires(const L l, const LeafView& view, Spread& spread,
                                           AnswerScratch& scratch, LeafNumbers& numbers) {
    { l.observe(view, spread, scratch, numbers, std::size_t{0}, 1.0) } -> std::same_as<std::int32_t>;
};

// A predictor that can be one of several. Where several were right equally often, the one of the
// highest precedence predicts.
template <class L>
concept SinglePredictor =
    LeafPredictor<L> && !L::observes &&
    requires(const LeafView& view, const Row& row, Spread& spread, AnswerScratch& scratch) {
        { L::precedence } -> std::convertible_to<int>;
        { L::class_of(view, row, scratch) } -> std::same_as<std::int32_t>;
        { L::class_of(view, spread, scratch) } -> std::same_as<std::int32_t>;
    };

template <class L>
concept KeepsState = std::derived_from<typename L::State, PredictorState> &&
                     std::constructible_from<typename L::State, const L&> &&
                     requires(const L l, const Shape& shape, AnswerScratch& scratch) {
                         l.fit(shape, scratch);
                     };

// The class with the largest number, the first of equals; none if there is nothing above -inf.
[[nodiscard]] inline std::int32_t largest_class(const double* numbers, std::size_t n) noexcept {
    double top = -std::numeric_limits<double>::infinity();
    std::int32_t best = no_answer;
    for (std::size_t k = 0; k < n; ++k) {
        if (numbers[k] > top) {
            top = numbers[k];
            best = static_cast<std::int32_t>(k);
        }
    }
    return best;
}

}  // namespace riparian
