#include "sparse_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../simd/kernels.hpp"
#include "snapshot_rules.hpp"

namespace riparian {
namespace {

using Entry = SparseMoments::Entry;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool possible(const Entry& e) {
    const auto weight = [](double w) { return w >= 0.0 && w <= heaviest; };
    if (!weight(e.weight) || !weight(e.missing) || e.rows == 0) return false;
    if (e.weight == 0.0) {
        return e.missing > 0.0 && e.mean == 0.0 && e.squares == 0.0 && e.low == infinity &&
               e.high == -infinity;
    }
    return std::abs(e.mean) <= largest_value && e.squares >= 0.0 &&
           e.squares <= e.weight * 0x1.00001p902 && e.low >= -largest_value &&
           e.high <= largest_value && e.low <= e.high;
}

}  // namespace

void save_sparse(const SparseMoments& moments, std::size_t n_classes, Snapshot& s) {
    s.sparse_sizes.push_back(moments.entries().size());
    for (std::size_t k = 0; k < n_classes; ++k) s.sparse_rows.push_back(moments.rows(k));
    for (const Entry& e : moments.entries()) {
        s.sparse_features.push_back(e.feature);
        s.sparse_classes.push_back(e.label);
        s.sparse_pair_rows.push_back(e.rows);
        for (const double x : {e.weight, e.missing, e.mean, e.squares, e.low, e.high}) {
            s.sparse_moments.push_back(x);
        }
    }
}

SparseLeavesReader::SparseLeavesReader(const Snapshot& s, std::size_t n_leaves,
                                       std::size_t n_classes)
    : s_(s), n_classes_(n_classes) {
    demand_size(s.sparse, s.sparse.empty() ? 0 : n_leaves, "sparse");
    std::size_t leaves = 0;
    for (std::size_t i = 0; i < s.sparse.size(); ++i) {
        demand(s.sparse[i] <= 1, "sparse holds another value than 0 and 1");
        demand(s.sparse[i] == 0 || s.inactive[i] != 1,
               at_row("sparse", i) + "an inactive leaf with statistics");
        leaves += s.sparse[i];
    }
    demand_size(s.sparse_sizes, leaves, "sparse_sizes");
    demand_size(s.sparse_rows, leaves * n_classes, "sparse_rows");
    const std::size_t pairs = s.sparse_features.size();
    demand_size(s.sparse_classes, pairs, "sparse_classes");
    demand_size(s.sparse_pair_rows, pairs, "sparse_pair_rows");
    demand_size(s.sparse_moments, pairs * Snapshot::sparse_moments_each, "sparse_moments");
}

void SparseLeavesReader::restore(LeafStatistics& statistics, const Shape& shape,
                                 const double* counts, const Where& where) {
    demand(shape.categorical == 0 && !shape.derives(),
           where + "sparse statistics in a tree that needs all values");
    const std::size_t n = s_.sparse_sizes[leaf_];
    demand(n <= s_.sparse_features.size() - pair_, "sparse_features ends too early");
    const std::uint64_t* const first = s_.sparse_rows.data() + leaf_ * n_classes_;
    const std::vector<std::uint64_t> rows(first, first + n_classes_);
    bool any = false;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        demand(rows[k] <= most_seen && (rows[k] > 0) == (counts[k] > 0.0),
               where + "sparse_rows does not go with its class weights");
        any |= rows[k] > 0;
    }
    demand(any, where + "sparse statistics without a row");
    std::vector<Entry> entries;
    entries.reserve(n);
    for (std::size_t i = pair_; i < pair_ + n; ++i) {
        const double* const m = s_.sparse_moments.data() + i * Snapshot::sparse_moments_each;
        const Entry e{s_.sparse_features[i],
                      s_.sparse_classes[i],
                      s_.sparse_pair_rows[i],
                      m[0],
                      m[1],
                      m[2],
                      m[3],
                      m[4],
                      m[5]};
        demand(e.feature < shape.numeric && e.label < n_classes_,
               at_row("sparse_features", i) + "no such feature or class");
        const double all = counts[e.label], known = e.weight + e.missing;
        demand(possible(e), at_row("sparse_moments", i) + "impossible moments");
        demand(e.rows <= rows[e.label] &&
                   (nearly(known, all) || (known < all && e.rows < rows[e.label])),
               at_row("sparse_pair_rows", i) + "not the rows of its class");
        entries.push_back(e);
    }
    statistics.open(shape);
    demand(statistics.open_sparse(shape).restore(entries, rows),
           where + "a pair of feature and class comes twice");
    ++leaf_;
    pair_ += n;
}

void SparseLeavesReader::demand_end() const {
    demand(pair_ == s_.sparse_features.size(), "sparse_features is too long");
}

}  // namespace riparian
