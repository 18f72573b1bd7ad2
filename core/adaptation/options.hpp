#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "../policy.hpp"

namespace riparian {

class Adaptation;
class RowLearner;

// A node keeps its statistics after its split. When another feature is better than every test of the
// node, a further subtree with that test begins. All subtrees predict together [pfahringer2007].
struct Options {
    static constexpr std::string_view name = "options";
    static constexpr std::string_view about =
        "A node keeps its test and gets a better one in addition; all subtrees predict.";
    static constexpr std::string_view unmergeable = "subtrees change between two rows";
    static constexpr std::array sparse_rules = {
        Rule{is("adaptation", "none", "alternates"),
             "inner nodes compare the gains of all features"},
    };

    enum class ReplaceBy : std::uint8_t { nothing, betting };

    double delta = 0.1;
    std::size_t max_paths = 5;
    ReplaceBy replace_by = ReplaceBy::nothing;
    double switch_delta = 0.05;
    double switch_after = 300;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("delta", self.delta, Probability{},
              "Accepted probability that a further test is no better than those of the node.");
        visit("max_paths", self.max_paths, Range{1.0, 1000.0},
              "Leaves that one example may reach; with 1 there are no options.");
        visit("replace_by", self.replace_by, OneOf("nothing", "betting"),
              "Whether a further test can replace that of its node, and be given up: never, or by "
              "bets on the rows that both predict, which hold at every row.");
        visit("switch_delta", self.switch_delta, Probability{},
              "With bets: probability at which a further test that is no better replaces that of "
              "its node, or one that is no worse is given up.");
        visit("switch_after", self.switch_after, Range{0.0, 9007199254740992.0},
              "With bets: predictions of both before the first bet.");
    }

    [[nodiscard]] std::unique_ptr<Adaptation> begin(RowLearner&) const;
};

}  // namespace riparian
