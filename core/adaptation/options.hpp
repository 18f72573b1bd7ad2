#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "../policy.hpp"

namespace riparian {

class Adaptation;
class Growth;
class RowLearner;

// A node keeps its statistics after its split. When another feature is better than every test of the
// node, a further subtree with that test begins. All subtrees predict together [pfahringer2007].
struct Options {
    static constexpr std::string_view name = "options";
    static constexpr std::string_view about =
        "A node keeps its test and gets a better one in addition; all subtrees predict.";
    static constexpr std::array sparse_rules = {
        Rule{is("adaptation", "none", "alternates"),
             "inner nodes compare the gains of all features"},
    };

    double delta = 0.1;
    std::size_t max_paths = 5;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("delta", self.delta, Probability{},
              "Accepted probability that a further test is no better than those of the node.");
        visit("max_paths", self.max_paths, Range{1.0, 1000.0},
              "Leaves that one example may reach; with 1 there are no options.");
    }

    [[nodiscard]] std::unique_ptr<Adaptation> begin(Growth&, RowLearner&) const;
};

}  // namespace riparian
