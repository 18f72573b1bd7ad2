// Reads sparse rows into rows of zeros, and cleans up behind itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feature.hpp"
#include "row.hpp"
#include "sparse_rows.hpp"

namespace riparian {

// A row costs as much as it has non-zeros: only they are written, and set to 0 again before the next
// rows are read.
class SparseReader {
public:
    // `capacity`: how many rows are read at once.
    SparseReader(const SparseRows&, std::size_t rows, const Features&, const RowShape&,
                 std::size_t capacity);

    // Reads n rows into `values`, [row][stride], all of which were zeros at first.
    void read(std::size_t first, std::size_t n, double* values, std::size_t stride,
              std::uint8_t* gaps);
    [[nodiscard]] const NonZeros* row(std::size_t i) const noexcept { return lists_.data() + i; }

private:
    SparseRows rows_;
    std::vector<std::uint32_t> slots_of_columns_;  // empty: each column is its slot
    std::vector<std::uint32_t> absent_;            // slots that the matrix has no column for
    std::vector<std::uint32_t> slots_;             // of the rows that were read last
    std::vector<NonZeros> lists_;
    std::size_t filled_ = 0;  // rows that were read last
};

}  // namespace riparian
