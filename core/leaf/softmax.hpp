#pragma once

#include "units.hpp"

namespace riparian {

struct Softmax;

// The units of one leaf: one per class.
class SoftmaxState final : public Units<1> {
public:
    explicit SoftmaxState(const Softmax& predictor) noexcept : predictor_(&predictor) {}

    void learn(const Shape&, const Row&, std::size_t y, double w, std::size_t n_classes,
               PredictorScratch&) override;
    // Writes n_classes numbers that sum to 1. Returns false if the units have learned nothing.
    [[nodiscard]] bool probabilities(const Shape&, const Row&, std::size_t n_classes,
                                     PredictorScratch&, double* out) const;
    // The class with the largest of these numbers; no_prediction if the units have learned nothing.
    [[nodiscard]] std::int32_t class_of(const Shape&, const Row&, std::size_t n_classes,
                                        PredictorScratch&) const;
    [[nodiscard]] Formula formula(const Shape&, std::size_t n_classes) const;

private:
    [[nodiscard]] std::size_t units_for(std::size_t n_classes) const noexcept override {
        return n_classes > 1 ? n_classes : 1;
    }
    [[nodiscard]] double first(std::size_t) const noexcept override { return 0.0; }
    [[nodiscard]] bool possible(std::size_t plane, double x) const noexcept override;
    // Writes the outputs of this many classes to scratch.scores.
    void find_outputs(const Shape&, std::size_t constant, const Row&, std::size_t n_classes,
                      PredictorScratch&) const;
    // Turns them into probabilities.
    static void find_shares(std::size_t n_classes, PredictorScratch&);

    const Softmax* predictor_;
};

extern template class Units<1>;

// Multinomial logistic regression, trained by stochastic gradient descent on the log loss. With
// weights w_k and inputs x (units.hpp):
//
//     p_k  = exp(w_k x) / sum_j exp(w_j x)
//     w_k += a ([k = y] - p_k) x,   a = min(step, 1 / sum_i x_i^2)
//
// The upper limit of a prevents a step from overshooting. Weights are limited to a million. An
// example weight below 1 multiplies the step; a larger one repeats it. A class that appears later
// starts with weights of 0. A leaf that has learned nothing predicts the majority class.
struct Softmax : UnitPredictor<SoftmaxState> {
    static constexpr std::string_view name = "softmax";
    static constexpr std::string_view about =
        "Multinomial logistic regression, trained by stochastic gradient descent.";
    static constexpr std::string_view unmergeable =
        "what it keeps at leaves depends on the order of the rows";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "softmax leaves cannot forget an example"},
        Rule{is("leaf_features", "None"), "softmax leaves use all features"},
    };
    static constexpr std::array sparse_rules = {reads_every_feature()};
    static constexpr int precedence = 3;  // it can already predict in a new leaf

    double step = 0.02;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("step", self.step, Range{1e-6, 1.0}, "Step size of all weights.");
    }

    static void fit(const Shape& s, PredictorScratch& scratch) { State::fit(s, scratch, 2); }

    [[nodiscard]] static std::string_view predictor_at(const LeafView& leaf) noexcept {
        return has_learned(leaf) ? name : Majority::name;
    }

    bool operator==(const Softmax&) const = default;
};

static_assert(SinglePredictor<Softmax> && KeepsState<Softmax> && Describes<Softmax>);

}  // namespace riparian
