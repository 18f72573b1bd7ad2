// Who judges the gain of an impurity that counts right and wrong predictions.
#pragma once

#include <array>
#include <cstdint>

#include "../policy.hpp"

namespace riparian {

// Who judges a quality gain [matuszyk2013, sec. 4.2].
enum class Evaluator : std::uint8_t {
    resubstitution,  // the counts themselves
    prequential,     // each example, before it is counted
    holdout,         // all examples after the first ones, which fix the labels
};

// The parameters that impurities of this kind share, and what they need.
struct Judged {
    Evaluator evaluator = Evaluator::resubstitution;
    double holdout_examples = 30;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("evaluator", self.evaluator, OneOf("resubstitution", "prequential", "holdout"),
              "Who judges a gain: the counts themselves, or each example before it is counted.");
        visit("holdout_examples", self.holdout_examples, Range{1.0, 9007199254740992.0},
              "First examples of a leaf, which fix the labels that are judged.");
    }

    static constexpr Condition judged = is_not("evaluator", "resubstitution");
    static constexpr std::array certain_only = {judged};
    static constexpr std::array mean_gains = {
        MeanGain{is("evaluator", "prequential"), "though labels still settle while they are judged"},
        MeanGain{is("evaluator", "holdout"), "labels are fixed before they are judged"},
    };
    static constexpr std::array rules = {
        Rule{is("categorical_cuts", "multiway"), "hits are counted for each value", judged},
        Rule{is("statistics", "gaussian"), "hits are counted beside Gaussians", judged},
        Rule{is_not("bound", "delta-method"), "its variance is that of counts", judged},
        Rule{is("drop_poor_features", "False"), "hits are counted for all features", judged},
        Rule{is("leaf_features", "None"), "hits are counted for all features", judged},
        Rule{is("short_memory", "0"), "examples of the past cannot judge a leaf that is new", judged},
        Rule{is_not("adaptation", "window"), "what an example judged cannot be forgotten", judged},
        Rule{is_not("adaptation", "reevaluation", "options"),
             "hits are counted for the labels of a leaf", judged},
    };

    // Whether leaves count hits (hits.hpp), so that gains are means over single examples.
    [[nodiscard]] bool counts_hits() const noexcept {
        return evaluator != Evaluator::resubstitution;
    }

    bool operator==(const Judged&) const = default;
};

}  // namespace riparian
