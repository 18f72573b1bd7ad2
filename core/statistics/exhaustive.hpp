#pragma once

#include <array>

#include "by_feature.hpp"
#include "contract.hpp"
#include "exhaustive_values.hpp"

namespace riparian {

// Stores every value of every numeric feature in addition [gama2003].
struct ExhaustiveStatistics {
    static constexpr std::string_view name = "exhaustive";
    static constexpr std::string_view about =
        "Every distinct value, as in VFDTc. Memory grows with their number.";
    static constexpr std::string_view unmergeable = "what it keeps at leaves cannot be merged";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "single values cannot be forgotten"},
    };
    static constexpr std::array sparse_rules = {
        Rule{is("statistics", "gaussian"), "it stores the zeros of every feature",
             is("leaf_features", "None")},
    };

    struct PerLeaf : ByFeature<ExhaustiveValues> {
        void fit(const ExhaustiveStatistics&, const Shape& s) { ByFeature::fit(s.numeric); }
        void save(std::vector<double>&) const;
        void restore(const ExhaustiveStatistics&, SavedNumbers&, const double* counts,
                     std::size_t classes);
    };
};

static_assert(Statistics<ExhaustiveStatistics>);

}  // namespace riparian
