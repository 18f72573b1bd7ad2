#pragma once

#include "majority.hpp"

namespace riparian {

// A linear unit a class whose step sizes are learned too: incremental delta-bar-delta
// [sutton1992, fig. 2]. With the error d of the unit, for each input x_i, in this order:
//
//     b_i += theta d x_i h_i,   a_i = exp(b_i)
//     w_i += a_i d x_i
//     h_i  = h_i max(0, 1 - a_i x_i^2) + a_i d x_i
//
// A step changes b_i by at most 2 and keeps it within +-10, and all a_i are scaled down
// where sum a_i x_i^2 > 1. A weight below 1 multiplies theta and a_i, a larger one repeats
// the step. A leaf that has learned nothing, or whose units are all at 0, answers by
// majority.
struct Idbd {
    static constexpr std::string_view name = "linear-units";
    static constexpr std::string_view about =
        "A linear unit per class, which learns its step sizes too (IDBD).";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "linear units cannot forget an example"},
        Rule{is("leaf_features", "None"), "linear units take all features"},
    };
    static constexpr bool bayes = false;
    static constexpr bool linear = true;
    static constexpr bool observes = false;

    double step = 0.05;
    double meta_step = 0.01;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("step", self.step, Range{5e-5, 1.0}, "The step size that each weight begins with.");
        visit("meta_step", self.meta_step, Range{0.0, 1.0},
              "Step size of the step sizes; with 0 they stay as they are.");
    }

    [[nodiscard]] std::int32_t answer(const LeafView& leaf, const Row& row,
                                      AnswerScratch& scratch) const {
        return class_of(leaf, row, scratch);
    }

    std::int32_t observe(const LeafView& leaf, const Row& row, AnswerScratch& scratch, Track&,
                         std::size_t, double) const {
        return class_of(leaf, row, scratch);
    }

    void probabilities(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                       double* out) const {
        if (!known(leaf, row, scratch, out)) {
            Majority{}.probabilities(leaf, row, scratch, out);
        }
    }

    // Where all units are at 0 for an example it is the majority after all.
    [[nodiscard]] static Speaker speaker(const LeafView& leaf) noexcept {
        return leaf.units && !leaf.units->empty() ? Speaker::idbd : Speaker::majority;
    }

    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf, const Row& row,
                                               AnswerScratch& scratch) {
        double* const shares = scratch.scores.data();
        if (!known(leaf, row, scratch, shares)) {
            return Majority::class_of(leaf);
        }
        std::size_t best = 0;
        for (std::size_t k = 1; k < leaf.n_classes; ++k) {
            if (shares[k] > shares[best]) best = k;
        }
        return static_cast<std::int32_t>(best);
    }

    // Whether the units have an answer; an inactive leaf has none.
    [[nodiscard]] static bool known(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                                    double* out) {
        return leaf.units &&
               leaf.units->probabilities(leaf.shape, row, leaf.n_classes, scratch.linear, out);
    }

    bool operator==(const Idbd&) const = default;
};

static_assert(LeafModel<Idbd>);

}  // namespace riparian
