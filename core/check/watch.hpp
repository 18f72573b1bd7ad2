// What a leaf keeps besides Gaussians and counts, where a policy asks for it.
#pragma once

#include <cstddef>
#include <vector>

#include "../statistics/exhaustive.hpp"
#include "../statistics/hits.hpp"
#include "../statistics/intervals.hpp"
#include "../statistics/paired_gap.hpp"
#include "../settings.hpp"

namespace riparian {

struct Watch : HeldObject {
    Held<ExhaustiveValues> values;   // [numeric], exhaustive
    Held<IntervalCounts> intervals;  // [numeric], intervals
    Hits hits;                       // prequential and holdout
    PairedGap pair;                  // paired delta method

    // Room for all features and classes; what is there stays.
    void fit(const Settings&, const Shape&);
    // One row: before the statistics learn it, and after.
    void judge(const Settings&, const Shape&, const LeafStatistics&, const Row&, std::size_t y,
               double w, const double* counts, std::size_t classes);
    // `tracked` has the features of the shape, `row` all of them.
    void learn(const Shape&, const Row& row, const Row& tracked, std::size_t y, double w);
    // Only these numeric features stay.
    void keep(const std::vector<std::uint32_t>& numeric);

    // Class weights of a numeric feature at or below t; at infinity all of them.
    void left_mass(std::size_t slot, double t, std::size_t classes, double* out) const;

    // The state as numbers, and back; std::invalid_argument unless they can be one of a
    // leaf with these class weights. There are more numbers than features, or the watch is
    // of no feature.
    [[nodiscard]] std::vector<double> save(const Settings&, std::size_t classes) const;
    void restore(const Settings&, const Shape&, const Features&, const double* counts,
                 std::size_t classes, double weight, const double* numbers, std::size_t count);
};

}  // namespace riparian
