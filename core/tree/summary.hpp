// What a leaf would remember of some rows, apart from any tree: made, merged and taken apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/batch.hpp"
#include "../statistics/leaf_statistics.hpp"

namespace riparian {

// A summary as dense arrays. A class without examples has zeros, and an empty range.
struct SummaryArrays {
    std::size_t classes = 0, numeric = 0;
    std::vector<double> counts;                             // [class]
    std::vector<double> known, mean, squares, low, high;    // [class][numeric feature]
    std::vector<std::vector<double>> cells;                 // [categorical feature]: [class][category]
};

// Merging in a fixed order gives the same bits. Features correspond by place: of two
// summaries one has the features of the other, and perhaps more after them.
class Summary {
public:
    explicit Summary(const std::vector<Kind>& kinds);

    void learn(const Batch&, const std::int32_t* y, const double* w);
    void merge(const Summary&);
    // Throws std::invalid_argument, and changes nothing, if the other cannot be part of this.
    void downdate(const Summary&);

    [[nodiscard]] SummaryArrays arrays() const;
    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const std::vector<double>& counts() const noexcept { return counts_; }
    [[nodiscard]] const LeafStatistics& statistics() const noexcept { return statistics_; }

private:
    void reshape(const Features&, std::size_t classes);

    Features features_;
    Shape shape_;
    std::vector<double> counts_;  // [class_stride]
    LeafStatistics statistics_;
};

}  // namespace riparian
