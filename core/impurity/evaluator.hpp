// How the gain of an impurity that counts correct and wrong predictions is evaluated.
#pragma once

#include <array>
#include <cstdint>

#include "../policy.hpp"

namespace riparian {

// Which predictions a quality gain is computed from [matuszyk2013, sec. 4.2].
enum class Evaluator : std::uint8_t {
    resubstitution,  // the class counts themselves
    prequential,     // each example is predicted before it is counted
    holdout,         // the first examples fix the labels, and all later ones are evaluated
};

// The parameters and rules that impurities of this kind share.
struct Judged {
    Evaluator evaluator = Evaluator::resubstitution;
    double holdout_examples = 30;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("evaluator", self.evaluator, OneOf("resubstitution", "prequential", "holdout"),
              "What a gain is computed from: the class counts, or predictions of examples "
              "made before they are counted.");
        visit("holdout_examples", self.holdout_examples, Range{1.0, 9007199254740992.0},
              "How many first examples of a leaf fix the labels that are evaluated.");
    }

    static constexpr Condition judged = is_not("evaluator", "resubstitution");
    static constexpr std::array certain_only = {judged};
    static constexpr std::array sparse_rules = {
        Rule{is("impurity__evaluator", "resubstitution"), "hits are counted for all features",
             judged},
    };
    static constexpr std::array mean_gains = {
        MeanGain{is("evaluator", "prequential"),
                 "though the labels still change while they are evaluated"},
        MeanGain{is("evaluator", "holdout"), "the labels are fixed before they are evaluated"},
    };
    static constexpr std::array rules = {
        Rule{is("categorical_cuts", "multiway"), "hits are counted per category", judged},
        Rule{is("statistics", "gaussian"), "hits need the Gaussian statistics", judged},
        Rule{is_not("bound", "delta-method", "empirical-bernstein"),
             "its variance is derived for class counts", judged},
        Rule{is("drop_poor_features", "False"), "hits are counted for all features", judged},
        Rule{is("leaf_features", "None"), "hits are counted for all features", judged},
        Rule{is("short_memory", "0"), "a new leaf cannot be evaluated on past examples", judged},
        Rule{is_not("adaptation", "window"), "a hit cannot be forgotten again", judged},
        Rule{is_not("adaptation", "reevaluation", "options"), "hits are counted only at leaves",
             judged},
    };

    // Whether leaves count hits (hits.hpp), so that a gain is a mean over single examples.
    [[nodiscard]] bool counts_hits() const noexcept {
        return evaluator != Evaluator::resubstitution;
    }

    bool operator==(const Judged&) const = default;
};

}  // namespace riparian
