// Statistics with other codes.
#include <algorithm>

#include "relabelling.hpp"

namespace riparian {

LeafStatistics Relabelling::relabelled(const LeafStatistics& from, const Shape& there,
                                       const double* counts, const Shape& here,
                                       double* counts_here) const {
    std::fill_n(counts_here, here.class_stride, 0.0);
    for (std::size_t k = 0; k < classes.size(); ++k) counts_here[classes[k]] = counts[k];
    std::vector<std::uint32_t> values(here.categorical, 0);
    for (std::size_t c = 0; c < there.categorical; ++c) {
        std::uint32_t& needed = values[categorical[c]];
        const std::size_t n = from.starts(there)[c + 1] - from.starts(there)[c];
        for (std::size_t v = 0; v < n; ++v) needed = std::max(needed, category(c, v) + 1);
    }
    LeafStatistics made;
    made.open(here, counts_here, values.data());
    for (std::size_t k = 0; k < classes.size(); ++k) {
        if (!from.classes()[k] || !(counts[k] > 0.0)) continue;
        const std::size_t to = classes[k];
        double* const planes = made.classes()[to];
        for (std::size_t f = 0; f < there.numeric; ++f) {
            for (std::size_t p = 0; p < class_planes; ++p) {
                planes[p * here.numeric + numeric[f]] = from.classes()[k][p * there.numeric + f];
            }
        }
        // A feature that is not there was missing.
        if (here.numeric && (from.known_numbers(k) || there.numeric < here.numeric)) {
            double* const known = made.open_known_numbers(here, to);
            std::fill_n(known, here.stride, 0.0);
            for (std::size_t f = 0; f < there.numeric; ++f) {
                known[numeric[f]] = from.known_numbers(k) ? from.known_numbers(k)[f] : counts[k];
            }
        }
        for (std::size_t c = 0; c < there.categorical; ++c) {
            const std::uint32_t first = from.starts(there)[c], end = from.starts(there)[c + 1];
            double* const cells = made.cells(here, to) + made.starts(here)[categorical[c]];
            for (std::size_t v = first; v < end; ++v) {
                cells[category(c, v - first)] = from.cells(there, k)[v];
            }
        }
    }
    std::vector<bool> present(here.categorical, false);
    for (std::size_t c = 0; c < there.categorical; ++c) {
        present[categorical[c]] = true;
        if (!from.known_categories(c)) continue;
        double* const known = made.open_known_categories(here, categorical[c]);
        std::fill_n(known, here.class_stride, 0.0);
        for (std::size_t k = 0; k < classes.size(); ++k) {
            known[classes[k]] = from.known_categories(c)[k];
        }
    }
    for (std::size_t c = 0; c < here.categorical; ++c) {
        if (present[c]) continue;
        std::fill_n(made.open_known_categories(here, c), here.class_stride, 0.0);
    }
    return made;
}

}  // namespace riparian
