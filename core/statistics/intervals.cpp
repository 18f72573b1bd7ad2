#include "intervals.hpp"

#include <limits>
#include <numeric>

namespace riparian {
namespace {

// Visits the arrays of saved intervals in a fixed order.
template <class Saved, class Visit>
void each_array(Saved& s, Visit&& visit) {
    visit(s.sizes);
    visit(s.range);
    visit(s.detail);
    visit(s.point_values);
    visit(s.point_classes);
    visit(s.point_weights);
    visit(s.cell_intervals);
    visit(s.cell_classes);
    visit(s.cell_weights);
}

}  // namespace

void IntervalStatistics::PerLeaf::after_check(WaitingCheck& check) {
    if (check.best.feature == none || !check.knows_gains) return;
    std::vector<double> all(check.n_classes);
    for (IntervalCounts& counts : values_) {
        if (!counts.has_intervals()) continue;
        counts.left_mass(std::numeric_limits<double>::infinity(), all.size(), all.data());
        const double known = std::accumulate(all.begin(), all.end(), 0.0);
        counts.prune(
            check.n_classes,
            [&](const double* left, const double* right) { return check.gain(left, right, known); },
            check.best.gain, check.epsilon);
    }
}

void IntervalStatistics::PerLeaf::save(std::vector<double>& out) const {
    for (const IntervalCounts& v : values_) {
        IntervalArrays arrays;
        v.save(arrays);
        each_array(arrays, [&](const auto& array) { save_array(out, array); });
    }
    for (const IntervalCounts& v : values_) save_array(out, v.block_sizes());
}

void IntervalStatistics::PerLeaf::restore(const IntervalStatistics& policy, SavedNumbers& in,
                                          const double* counts, std::size_t classes) {
    SeenWeights seen(counts, classes);
    for (IntervalCounts& v : values_) {
        IntervalArrays arrays;
        each_array(arrays, [&]<class T>(std::vector<T>& array) { array = in.array<T>(); });
        IntervalSpans spans{arrays.sizes,          arrays.range,         arrays.detail,
                            arrays.point_values,   arrays.point_classes, arrays.point_weights,
                            arrays.cell_intervals, arrays.cell_classes,  arrays.cell_weights};
        demand_values(arrays.range);
        demand_values(arrays.point_values);
        v = IntervalCounts::restore(policy.count, spans, classes);
        each_array(spans, [](const auto& span) {
            if (!span.empty()) throw std::invalid_argument("watch: intervals are too long");
        });
        if (v.has_intervals()) {
            seen.demand(arrays.cell_classes, arrays.cell_weights);
        } else {
            seen.demand(arrays.point_classes, arrays.point_weights);
        }
    }
    // Files of format 2 do not store the sizes of the blocks.
    if (!in.left()) return;
    for (IntervalCounts& v : values_) v.arrange(in.array<std::uint32_t>());
}

}  // namespace riparian
