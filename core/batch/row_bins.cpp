#include "row_bins.hpp"

#include <algorithm>
#include <vector>

#include "../random/poisson.hpp"

namespace riparian {
namespace {

constexpr std::size_t block = std::size_t{1} << 24;  // rows that fit into counts of 32 bits
constexpr std::size_t ahead = 24;                    // rows that are loaded in advance

template <bool weighted>
void count(const RowBins& b, std::span<const std::uint32_t> rows, std::uint32_t* table) {
    const std::size_t plane = b.width * b.classes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i + ahead < rows.size()) __builtin_prefetch(b.bins + rows[i + ahead] * b.features);
        const std::size_t row = rows[i];
        const std::uint8_t* const bins = b.bins + row * b.features;
        std::uint32_t* at = table + b.labels[row];
        const std::uint32_t w = weighted ? b.weights[row] : 1;
        for (std::size_t f = 0; f < b.features; ++f, at += plane) at[bins[f] * b.classes] += w;
    }
}

}  // namespace

void bin_numbers(const double* x, std::ptrdiff_t x_step, std::size_t rows,
                 std::span<const double> cuts, std::uint8_t* out, std::size_t out_step) noexcept {
    // A search without branches: the cuts are padded to a power of two with infinity.
    double padded[256];
    std::fill_n(padded, 256, __builtin_inf());
    std::copy(cuts.begin(), cuts.end(), padded);
    std::size_t half = 1;
    while (half < cuts.size() + 1) half *= 2;
    half /= 2;
    for (std::size_t i = 0; i < rows; ++i) {
        const double value = x[static_cast<std::ptrdiff_t>(i) * x_step];
        std::size_t below = 0;
        for (std::size_t step = half; step; step /= 2) {
            below += padded[below + step - 1] < value ? step : 0;
        }
        out[i * out_step] = value == value ? static_cast<std::uint8_t>(below + 1) : 0;
    }
}

void count_rows(const RowBins& b, std::span<const std::uint32_t> rows, std::uint64_t* table) {
    const std::size_t size = b.features * b.width * b.classes;
    std::vector<std::uint32_t> counts(size);
    for (std::size_t first = 0; first < rows.size(); first += block) {
        const auto part = rows.subspan(first, std::min(block, rows.size() - first));
        if (b.weights) count<true>(b, part, counts.data());
        else count<false>(b, part, counts.data());
        for (std::size_t i = 0; i < size; ++i) table[i] += counts[i];
        std::fill(counts.begin(), counts.end(), 0);
    }
}

std::size_t divide_rows(const RowBins& b, std::span<std::uint32_t> rows, std::size_t feature,
                        const std::uint8_t* goes_left) {
    std::vector<std::uint32_t> right(rows.size());
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t row = rows[i];
        const std::uint8_t left = goes_left[b.bins[row * b.features + feature]];
        rows[n_left] = row;
        right[n_right] = row;
        n_left += left;
        n_right += 1 - left;
    }
    std::copy_n(right.begin(), n_right, rows.begin() + static_cast<std::ptrdiff_t>(n_left));
    return n_left;
}

void draw_weights(std::uint64_t seed, std::uint64_t tree, std::uint64_t first_row,
                  std::span<std::uint8_t> weights) noexcept {
    const Poisson poisson(1.0, 0.36787944117144233);
    Uniforms uniforms(seed, tree);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<std::uint8_t>(std::min(poisson(uniforms(first_row + i)), 255.0));
    }
}

}  // namespace riparian
