#pragma once

#include <memory>
#include <string_view>

#include "../policy.hpp"

namespace riparian {

class Adaptation;
class Growth;
class RowLearner;

// Every node keeps statistics. From time to time the test of an inner node is checked again. If it is
// no longer the best one, the node gets a better test with new children, or becomes a leaf
// [manapragada2018].
struct Reevaluation {
    static constexpr std::string_view name = "reevaluation";
    static constexpr std::string_view about =
        "An inner node whose test is no longer the best gets a better one (EFDT).";
    static constexpr std::array sparse_rules = {
        Rule{is("adaptation", "none", "alternates"),
             "inner nodes compare the gains of all features"},
    };

    double every = 2000;  // as in MOA

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("every", self.every, Range{1.0, 9007199254740992.0},
              "Weight of the examples between two checks of an inner node.");
    }

    [[nodiscard]] std::unique_ptr<Adaptation> begin(Growth&, RowLearner&) const;
};

}  // namespace riparian
