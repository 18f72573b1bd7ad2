#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "../policy.hpp"

namespace riparian {

class Adaptation;
class RowLearner;

// Every node keeps statistics. From time to time the test of an inner node is checked again. If it is
// no longer the best one, the node gets a better test with new children, or becomes a leaf
// [manapragada2018].
struct Reevaluation {
    static constexpr std::string_view name = "reevaluation";
    static constexpr std::string_view about =
        "An inner node whose test is no longer the best gets a better one (EFDT).";
    static constexpr std::string_view unmergeable = "subtrees change between two rows";
    static constexpr std::array sparse_rules = {
        Rule{is("adaptation", "none", "alternates"),
             "inner nodes compare the gains of all features"},
    };

    enum class ReplaceBy : std::uint8_t { gain, betting };

    double every = 2000;  // as in MOA
    ReplaceBy replace_by = ReplaceBy::gain;
    double switch_delta = 0.05;
    double switch_after = 300;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("every", self.every, Range{1.0, 9007199254740992.0},
              "Weight of the examples between two checks of an inner node.");
        visit("replace_by", self.replace_by, OneOf("gain", "betting"),
              "How a doubted test is replaced: at once, by the gain of a better one; or by bets on "
              "the rows that its subtree and an alternate with the better test both predict, which "
              "hold at every row.");
        visit("switch_delta", self.switch_delta, Probability{},
              "With bets: probability at which an alternate that is no better replaces its "
              "subtree, or one that is no worse is given up.");
        visit("switch_after", self.switch_after, Range{0.0, 9007199254740992.0},
              "With bets: predictions of both before the first bet.");
    }

    [[nodiscard]] std::unique_ptr<Adaptation> begin(RowLearner&) const;
};

}  // namespace riparian
