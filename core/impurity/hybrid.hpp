#pragma once

#include <array>

#include "../policy.hpp"

namespace riparian {

// Two impurities: misclassification decides, and if it waits, Gini decides [jaworski2018].
struct Hybrid {
    static constexpr std::string_view name = "hybrid";
    static constexpr std::string_view about =
        "Misclassification first; if it decides to wait, Gini.";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "reevaluation", "options"),
             "the gains of two impurities cannot be compared"},
    };

    bool legacy_gain = false;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("legacy_gain", self.legacy_gain, TrueOrFalse{},
              "Compute gains as the released code of mDT does, with rounding errors of 1e-17 "
              "that count as gains.");
    }
};

}  // namespace riparian
