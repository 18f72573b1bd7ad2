#include "histogram.hpp"

namespace riparian {

void HistogramStatistics::PerLeaf::save(std::vector<double>& out) const {
    for (const ClassHistograms& v : values_) v.save(out);
}

void HistogramStatistics::PerLeaf::restore(const HistogramStatistics&, SavedNumbers& in,
                                           const double* counts, std::size_t classes) {
    SeenWeights seen(counts, classes);
    for (ClassHistograms& v : values_) v.restore(in, seen, classes);
}

}  // namespace riparian
