// The one list of numeric statistics. A new one is a file and a place here.
#pragma once

#include <array>
#include <cstddef>
#include <variant>

#include "../policy.hpp"

namespace riparian {

// Weight, mean, spread, minimum and maximum for each class.
struct GaussianStatistics {
    static constexpr std::string_view name = "gaussian";
    static constexpr std::string_view about =
        "Weight, mean, spread, minimum and maximum for each class.";
};

// In addition every value [gama2003].
struct ExhaustiveStatistics {
    static constexpr std::string_view name = "exhaustive";
    static constexpr std::string_view about =
        "Every value, as VFDTc keeps them; memory grows with the distinct values.";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "single values cannot be forgotten"},
    };
};

// In addition interval counts, exact where a cut may be the best [jin2003].
struct IntervalStatistics {
    static constexpr std::string_view name = "intervals";
    static constexpr std::string_view about =
        "Interval counts, with exact points where a cut may still be the best (NIP).";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "single values cannot be forgotten"},
    };

    std::size_t count = 100;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("count", self.count, Range{1.0, 65536.0}, "Intervals, and two open ones.");
    }
};

using AnyStatistics = std::variant<GaussianStatistics, ExhaustiveStatistics, IntervalStatistics>;

}  // namespace riparian
