// Cuts of categorical features from the counts of a leaf.
#include <algorithm>

#include "check.hpp"

namespace riparian {

// All features at once, as far as they share the weight of their known values: most
// have few categories, and vectors would be half empty.
void Checker::categories(const LeafCase& leaf, const AnyImpurity& impurity) {
    const Shape& s = leaf.shape;
    const LeafStatistics& statistics = leaf.statistics;
    const std::uint32_t* const starts = statistics.starts(s);
    const std::size_t n_cells = starts[s.categorical] + 3;
    mass_.resize(n_cells);
    rest_.resize(n_cells);
    weight_.resize(n_cells);
    whole_.resize(s.categorical);
    scratch_.resize(std::max(scratch_.size(), 4 * 2 * leaf.n_classes));
    for (std::size_t c = 0, end = 0; c < s.categorical; c = end) {
        const double* const known = statistics.known_categories(c);
        for (end = c + 1; end < s.categorical && !known; ++end) {
            if (statistics.known_categories(end)) break;
        }
        cells_.clear();
        known_.clear();
        codes_.clear();
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (!statistics.classes()[k]) continue;
            cells_.push_back(statistics.cells(s, k) + starts[c]);
            known_.push_back(known ? known[k] : leaf.counts[k]);
            codes_.push_back(k);
        }
        const CategoricalCheck check{cells_.data(),
                                     starts[end] - starts[c],
                                     cells_.size(),
                                     known_.data(),
                                     scratch_.data(),
                                     mass_.data() + starts[c],
                                     rest_.data() + starts[c],
                                     weight_.data() + starts[c]};
        const AnyImpurity here = over(impurity, codes_);
        const double whole = std::visit(
            [&](const auto& i) { return kernels().categorical_masses[here.index()](&i, check); },
            here);
        std::fill(whole_.begin() + static_cast<std::ptrdiff_t>(c),
                  whole_.begin() + static_cast<std::ptrdiff_t>(end), whole);
    }
}

void Checker::rank_categorical(const LeafCase& leaf, const AnyImpurity& impurity,
                               std::size_t feature) {
    const Settings& settings = leaf.settings;
    const std::size_t slot = leaf.features[feature].slot;
    if (slot == 0) categories(leaf, impurity);
    if (leaf.is_watched(slot)) return;
    const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape) + slot;
    const double* const known = leaf.statistics.known_categories(slot);
    const double whole = whole_[slot];
    double total = 0.0;
    for (std::size_t k = 0; k < leaf.n_classes; ++k) total += known ? known[k] : leaf.counts[k];
    const double least = total * settings.min_branch_fraction;
    const auto f = static_cast<std::int32_t>(feature);
    if (settings.categorical_cuts != CategoricalCuts::one_against_rest && !leaf.used_up[slot]) {
        double parts = 0.0;
        std::size_t large = 0;
        for (std::size_t v = starts[0]; v < starts[1]; ++v) {
            parts += mass_[v];
            large += weight_[v] > least;
        }
        if (large >= 2) {
            offer({f, Test::every_value, 0.0, none, (whole - parts) / leaf.weight});
        }
    }
    if (settings.categorical_cuts != CategoricalCuts::multiway) {
        for (std::size_t v = starts[0]; v < starts[1]; ++v) {
            if (weight_[v] > least && total - weight_[v] > least) {
                offer({f, Test::one_value, 0.0, static_cast<std::int32_t>(v - starts[0]),
                       (whole - mass_[v] - rest_[v]) / leaf.weight});
            }
        }
    }
}

}  // namespace riparian
