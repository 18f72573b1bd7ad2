#include "exhaustive.hpp"

namespace riparian {

void ExhaustiveStatistics::PerLeaf::save(std::vector<double>& out) const {
    for (const ExhaustiveValues& v : values_) {
        std::vector<double> x, weights;
        std::vector<std::int32_t> classes;
        v.save(x, classes, weights);
        save_array(out, x);
        save_array(out, classes);
        save_array(out, weights);
    }
    for (const ExhaustiveValues& v : values_) save_array(out, v.block_sizes());
}

void ExhaustiveStatistics::PerLeaf::restore(const ExhaustiveStatistics&, SavedNumbers& in,
                                            const double* counts, std::size_t classes) {
    SeenWeights seen(counts, classes);
    for (ExhaustiveValues& v : values_) {
        const auto x = in.array<double>();
        const auto codes = in.array<std::int32_t>();
        const auto weights = in.array<double>();
        demand_values(x);
        v = ExhaustiveValues::restore(x, codes, weights, classes);
        seen.demand(codes, weights);
    }
    // Files of format 2 do not store the sizes of the blocks.
    if (!in.left()) return;
    for (ExhaustiveValues& v : values_) v.arrange(in.array<std::uint32_t>());
}

}  // namespace riparian
