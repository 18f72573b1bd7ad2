// The rows of a batch as bins, and the class counts of those that reach a node [panda2009].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace riparian {

// Bin 0 of a feature is a missing value. A numeric value is in bin 1 + the number of cuts below it,
// so the cut after bin b is the test x <= cuts[b - 1].
struct RowBins {
    const std::uint8_t* bins;  // [row][feature]
    std::size_t features;
    std::size_t width;            // bins of a feature in tables, with that of missing values
    const std::uint16_t* labels;  // [row]
    std::size_t classes;
    const std::uint8_t* weights;  // [row], or null: every row counts once
};

// Writes the bins of a numeric column, `out_step` bytes apart. The cuts are sorted, at most 254.
void bin_numbers(const double* x, std::ptrdiff_t x_step, std::size_t rows,
                 std::span<const double> cuts, std::uint8_t* out, std::size_t out_step) noexcept;

// Adds the class counts of these rows to a table [feature][width][class]. Whole numbers: the sum
// does not depend on an order.
void count_rows(const RowBins&, std::span<const std::uint32_t> rows, std::uint64_t* table);

// Moves the rows whose bin of the feature is marked to the front. Both parts keep their order.
// Returns their number.
std::size_t divide_rows(const RowBins&, std::span<std::uint32_t> rows, std::size_t feature,
                        const std::uint8_t* goes_left);

// How often each row counts in a bootstrap sample: a Poisson number of rate 1, at most 255, that
// depends on the seed, the tree and the number of the row only.
void draw_weights(std::uint64_t seed, std::uint64_t tree, std::uint64_t first_row,
                  std::span<std::uint8_t> weights) noexcept;

}  // namespace riparian
