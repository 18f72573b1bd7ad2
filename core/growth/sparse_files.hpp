// The statistics of leaves with sparse rows as arrays, and back.
#pragma once

#include <cstddef>
#include <string>

#include "../demand.hpp"
#include "../statistics/leaf_statistics.hpp"
#include "snapshot.hpp"

namespace riparian {

void save_sparse(const SparseMoments&, std::size_t n_classes, Snapshot&);

// Reads them leaf by leaf. Each function throws std::invalid_argument, naming what is wrong, unless the
// arrays are those of leaves that learning could have made.
class SparseLeavesReader {
public:
    SparseLeavesReader(const Snapshot&, std::size_t n_leaves, std::size_t n_classes);

    [[nodiscard]] bool is_sparse(std::size_t leaf) const noexcept {
        return !s_.sparse.empty() && s_.sparse[leaf] != 0;
    }
    // The next sparse leaf, which has these class weights. `where` begins an error.
    void restore(LeafStatistics&, const Shape&, const double* counts, const Where& where);
    void demand_end() const;

private:
    const Snapshot& s_;
    std::size_t n_classes_;
    std::size_t leaf_ = 0, pair_ = 0;  // that come next
};

}  // namespace riparian
