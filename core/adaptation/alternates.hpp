#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "../policy.hpp"

namespace riparian {

class Adaptation;
class RowLearner;

// A detector at every node monitors the errors of its subtree. When the errors rise, an alternate
// grows next to the subtree and replaces it once it makes fewer errors [bifet2009].
struct Alternates {
    static constexpr std::string_view name = "alternates";
    static constexpr std::string_view about =
        "Where the errors of a subtree rise, another grows next to it and may replace it (HAT).";
    static constexpr std::string_view unmergeable = "subtrees change between two rows";

    enum class ReplaceBy : std::uint8_t { interval, betting };

    double drift_delta = 0.002;
    double switch_delta = 0.05;
    double switch_after = 300;
    bool bootstrap = false;
    ReplaceBy replace_by = ReplaceBy::interval;
    std::uint64_t seed = 0;  // of the bootstrap

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("drift_delta", self.drift_delta, Probability{},
              "Confidence of the drift detector (ADWIN) at each node.");
        visit(
            "replace_by", self.replace_by, OneOf("interval", "betting"),
            "How an alternate is compared with its subtree: by an interval around the difference "
            "of their errors, or by bets on the rows that both predict, which hold at every row.");
        visit("switch_delta", self.switch_delta, Probability{},
              "Confidence at which an alternate replaces its subtree, or is given up.");
        visit("switch_after", self.switch_after, Range{0.0, 9007199254740992.0},
              "Predictions of both before the two are compared.");
        visit("bootstrap", self.bootstrap, TrueOrFalse{},
              "Leaves learn a row as often as a Poisson variable of mean 1 says, at least once. "
              "MOA's do; the bound then counts more examples than there were.");
    }

    [[nodiscard]] std::unique_ptr<Adaptation> begin(RowLearner&) const;
};

}  // namespace riparian
