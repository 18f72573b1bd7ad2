// Statistics of a leaf whose rows are sparse: how they are learned, and how the zeros are added.
#include <algorithm>
#include <limits>
#include <numeric>

#include "leaf_statistics.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

SparseMoments& LeafStatistics::open_sparse(const Shape& s) {
    Gaps& gaps = open_gaps(s);
    gaps.sparse = std::make_unique<SparseMoments>();
    return *gaps.sparse;
}

void LeafStatistics::learn_sparse(const Shape& s, const Row& row, std::size_t y, double w) {
    if (!sparse()) open_sparse(s);
    gaps_->sparse->learn(row, s.numeric, y, w);
}

void LeafStatistics::unfold(const Shape& s, const SparseMoments& moments,
                            const std::vector<std::uint32_t>& features, std::size_t numeric,
                            const double* counts) {
    constexpr std::uint32_t nowhere = UINT32_MAX;
    std::vector<std::uint32_t> place(numeric, nowhere);
    for (std::uint32_t i = 0; i < features.size(); ++i) place[features[i]] = i;
    const std::size_t n = s.numeric;
    // Where a class has no entry, all of its values are 0.
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        double* const planes = classes()[k];
        if (!planes) continue;
        std::fill_n(planes + low * n, n, 0.0);
        std::fill_n(planes + high * n, n, 0.0);
    }
    for (const SparseMoments::Entry& e : moments.entries()) {
        const std::size_t f = place[e.feature];
        double* const planes = classes()[e.label];
        if (f == nowhere || !planes) continue;
        const bool zeros = moments.rows(e.label) > e.rows;
        const double all = counts[e.label];
        const double of_zeros = zeros ? std::max(all - e.weight - e.missing, 0.0) : 0.0;
        const double known = e.weight + of_zeros;
        if (e.missing > 0.0) {
            if (!known_numbers(e.label)) {
                std::fill_n(open_known_numbers(s, e.label), s.stride, all);
            }
            gaps_->numbers[e.label][f] = known;
        }
        planes[low * n + f] = zeros ? std::min(e.low, 0.0) : e.low;
        planes[high * n + f] = zeros ? std::max(e.high, 0.0) : e.high;
        if (!(known > 0.0)) {
            planes[low * n + f] = infinity;
            planes[high * n + f] = -infinity;
            continue;
        }
        const double share = of_zeros / known;
        planes[mean * n + f] = e.mean * (e.weight / known);
        planes[squares * n + f] = e.squares + e.mean * e.mean * (e.weight * share);
    }
}

LeafStatistics LeafStatistics::dense_copy(const Shape& s, const double* counts) const {
    LeafStatistics dense;
    const std::vector<std::uint32_t> no_values(s.categorical, 0);
    dense.open(s, counts, no_values.data());
    std::vector<std::uint32_t> features(s.numeric);
    std::iota(features.begin(), features.end(), 0U);
    dense.unfold(s, *sparse(), features, s.numeric, counts);
    return dense;
}

void LeafStatistics::make_dense(const Shape& from, const Shape& to, const double* counts) {
    LeafStatistics dense = dense_copy(to, counts);
    // In all rows learned before, a new categorical feature is missing.
    const bool learned =
        std::any_of(counts, counts + from.class_stride, [](double n) { return n > 0.0; });
    for (std::size_t c = from.categorical; learned && c < to.categorical; ++c) {
        dense.open_known_categories(to, c);
    }
    if (to.derives()) dense.find_bayes(to, counts);
    *this = std::move(dense);
}

}  // namespace riparian
