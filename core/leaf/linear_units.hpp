#pragma once

#include "units.hpp"

namespace riparian {

struct LinearUnits;

// The units of one leaf [sutton1992, fig. 2]. One or two classes share one unit with the targets -1
// and +1. K > 2 classes have K units with the targets 0 and 1.
class LinearUnitsState final : public Units<3> {
public:
    explicit LinearUnitsState(const LinearUnits& predictor) noexcept : predictor_(&predictor) {}

    void learn(const Shape&, const Row&, std::size_t y, double w, std::size_t n_classes,
               PredictorScratch&) override;
    // Writes n_classes numbers that sum to 1. Returns false if the units have learned nothing about
    // these classes.
    [[nodiscard]] bool probabilities(const Shape&, const Row&, std::size_t n_classes,
                                     PredictorScratch&, double* out) const;
    [[nodiscard]] Formula formula(const Shape&, std::size_t n_classes) const;

private:
    [[nodiscard]] std::size_t units_for(std::size_t n_classes) const noexcept override {
        return n_classes > 2 ? n_classes : 1;
    }
    [[nodiscard]] double first(std::size_t plane) const noexcept override;
    [[nodiscard]] bool possible(std::size_t plane, double x) const noexcept override;
    void added(const Shape&, std::size_t before) override;
    void step(const Shape&, std::size_t constant, std::size_t unit, const Row&, double target,
              double w, PredictorScratch&);

    const LinearUnits* predictor_;
};

extern template class Units<3>;

// One linear unit per class that also learns its step sizes: incremental delta-bar-delta
// [sutton1992, fig. 2]. With the error d of the unit, for each input x_i, in this order:
//
//     b_i += theta d x_i h_i,   a_i = exp(b_i)
//     w_i += a_i d x_i
//     h_i  = h_i max(0, 1 - a_i x_i^2) + a_i d x_i
//
// One update changes b_i by at most 2 and keeps it within +-10. If sum a_i x_i^2 > 1, all a_i are
// scaled down. An example weight below 1 multiplies theta and a_i; a larger weight repeats the
// update. A leaf that has learned nothing, or whose units all give 0, predicts the majority class.
struct LinearUnits : UnitPredictor<LinearUnitsState> {
    static constexpr std::string_view name = "linear-units";
    static constexpr std::string_view about =
        "A linear unit per class that also learns its step sizes (IDBD).";
    static constexpr std::string_view unmergeable =
        "what it keeps at leaves depends on the order of the rows";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "linear units cannot forget an example"},
        Rule{is("leaf_features", "None"), "linear units use all features"},
    };
    static constexpr std::array sparse_rules = {reads_every_feature()};
    static constexpr int precedence = 2;  // it can already predict in a new leaf

    double step = 0.05;
    double meta_step = 0.01;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("step", self.step, Range{5e-5, 1.0}, "Initial step size of every weight.");
        visit("meta_step", self.meta_step, Range{0.0, 1.0},
              "Learning rate of the step sizes; 0 keeps them fixed.");
    }

    static void fit(const Shape& s, PredictorScratch& scratch) { State::fit(s, scratch, 5); }

    // For an example for which all units give 0, the majority class is predicted nevertheless.
    [[nodiscard]] static std::string_view predictor_at(const LeafView& leaf) noexcept {
        return has_learned(leaf) ? name : Majority::name;
    }

    bool operator==(const LinearUnits&) const = default;
};

static_assert(SinglePredictor<LinearUnits> && KeepsState<LinearUnits> && Describes<LinearUnits>);

}  // namespace riparian
