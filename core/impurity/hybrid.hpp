#pragma once

#include <array>

#include "../policy.hpp"

namespace riparian {

// Two impurities: misclassification decides, and where it waits Gini is asked [jaworski2018].
struct Hybrid {
    static constexpr std::string_view name = "hybrid";
    static constexpr std::string_view about = "Misclassification; where it waits, Gini.";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "reevaluation", "options"), "gains of two impurities differ"},
    };

    bool legacy_gain = false;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("legacy_gain", self.legacy_gain, TrueOrFalse{},
              "Round as the released code of mDT does, so that noise of 1e-17 is a gain.");
    }
};

}  // namespace riparian
