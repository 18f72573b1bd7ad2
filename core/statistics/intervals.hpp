#pragma once

#include <array>

#include "by_feature.hpp"
#include "contract.hpp"
#include "interval_counts.hpp"

namespace riparian {

// Stores interval counts in addition, with exact points where a cut may be the best [jin2003].
struct IntervalStatistics {
    static constexpr std::string_view name = "intervals";
    static constexpr std::string_view about =
        "Counts in intervals, with exact points where a cut may still be the best (NIP).";
    static constexpr std::string_view unmergeable = "what it keeps at leaves cannot be merged";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "single values cannot be forgotten"},
    };
    static constexpr std::array sparse_rules = {
        Rule{is("statistics", "gaussian"), "it stores the zeros of every feature",
             is("leaf_features", "None")},
    };

    std::size_t count = 100;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("count", self.count, Range{1.0, 65536.0},
              "Number of intervals, without the two unbounded ones.");
    }

    struct PerLeaf : ByFeature<IntervalCounts> {
        void fit(const IntervalStatistics& policy, const Shape& s) {
            ByFeature::fit(s.numeric, policy.count);
        }
        // Drops the exact points of intervals that cannot hold a cut within epsilon of the best.
        void after_check(WaitingCheck&);
        void save(std::vector<double>&) const;
        void restore(const IntervalStatistics&, SavedNumbers&, const double* counts,
                     std::size_t classes);
    };
};

static_assert(Statistics<IntervalStatistics>);

}  // namespace riparian
