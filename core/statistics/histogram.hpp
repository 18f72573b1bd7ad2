#pragma once

#include <array>

#include "by_feature.hpp"
#include "class_histograms.hpp"
#include "contract.hpp"

namespace riparian {

// Stores a streaming histogram of each class in addition, as SPDT [benhaim2010]. Unlike a Gaussian
// it follows a distribution with several peaks. It takes 16 bytes per bin, feature and class.
struct HistogramStatistics {
    static constexpr std::string_view name = "histogram";
    static constexpr std::string_view about =
        "A streaming histogram of each class, as in SPDT: for distributions with several peaks.";
    static constexpr std::array rules = {
        Rule{is_not("adaptation", "window"), "single values cannot be forgotten"},
    };
    static constexpr std::array sparse_rules = {
        Rule{is("statistics", "gaussian"), "it stores the zeros of every feature",
             is("leaf_features", "None")},
    };

    std::size_t n_bins = 64;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("n_bins", self.n_bins, Range{2.0, 4096.0},
              "Largest number of bins of a feature and class, and number of parts between cuts.");
    }

    struct PerLeaf : ByFeature<ClassHistograms> {
        void fit(const HistogramStatistics& policy, const Shape& s) {
            ByFeature::fit(s.numeric, policy.n_bins);
        }
        // Adds the histograms of another leaf. `to` has the slot here of each numeric slot there,
        // and the class here of each class there.
        template <class Codes>
        void merge(const PerLeaf& other, const Codes& to) {
            for (std::size_t f = 0; f < other.values_.size(); ++f) {
                values_[to.numeric[f]].merge(other.values_[f], to.classes);
            }
        }
        void save(std::vector<double>&) const;
        void restore(const HistogramStatistics&, SavedNumbers&, const double* counts,
                     std::size_t classes);
    };
};

static_assert(Statistics<HistogramStatistics>);

}  // namespace riparian
