#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../memory/account.hpp"

namespace riparian {

// A sorted list of points with weights, the bins of a histogram.
struct SortedBins {
    std::vector<double> places, weights;

    [[nodiscard]] std::size_t size() const noexcept { return places.size(); }
    // Appends a bin that is not below the last one. Equal places become one bin.
    void append(double place, double weight);
    // Replaces the two closest neighbours by their weighted mean until `most` bins are left. Of
    // equal gaps the leftmost comes first.
    void reduce(std::size_t most);
};

// The streaming histogram of [benhaim2010]: at most `limit` points p_i with weights m_i, sorted. A
// new value is a bin of its own; then the two closest bins become one,
//
//     p = (p_i m_i + p_j m_j) / (m_i + m_j)    m = m_i + m_j
//
// of equal gaps the leftmost (the paper draws one at random). The smallest and the largest value
// and the total weight are exact. Until two bins have become one, the histogram is exact: its bins
// are the distinct values.
class StreamingHistogram {
public:
    // The limit is not stored here: all histograms of a tree have the same.
    // x must be finite and w > 0.
    void update(double x, double w, std::size_t limit);
    void merge(const StreamingHistogram& other, std::size_t limit);

    // The estimated weight of the values <= b: 0 below p_1, the total from the last p on, and
    // between p_i and p_i+1 the area of a trapezium,
    //
    //     m_b = m_i + (m_i+1 - m_i) z    z = (b - p_i) / (p_i+1 - p_i)
    //     sum = m_1 + ... + m_i-1 + m_i / 2 + z (m_i + m_b) / 2
    [[nodiscard]] double sum(double b) const noexcept;
    // The same, but if the histogram is exact, the exact weight.
    [[nodiscard]] double at_or_below(double b) const noexcept;

    [[nodiscard]] std::span<const double> places() const noexcept { return places_; }
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
    [[nodiscard]] double low() const noexcept { return low_; }
    [[nodiscard]] double high() const noexcept { return high_; }
    [[nodiscard]] double total() const noexcept { return total_; }
    [[nodiscard]] bool is_exact() const noexcept { return exact_; }

    // Restores what the functions above return. Throws std::invalid_argument for anything else.
    static StreamingHistogram restore(std::span<const double> places,
                                      std::span<const double> weights, double low, double high,
                                      double total, bool exact, std::size_t limit);

private:
    void set_bins(const SortedBins&, std::size_t limit);
    // Inserts a bin before that of number `at` and combines the two closest ones. x is no place.
    void insert_and_combine(std::size_t at, double x, double w) noexcept;

    static constexpr std::uint32_t unknown = UINT32_MAX;

    Held<double> places_, weights_;
    double low_ = 0.0, high_ = 0.0, total_ = 0.0;
    std::uint32_t closest_ = unknown;  // the first bin of the leftmost smallest gap
    bool exact_ = true;
};

// The points u_1 < u_2 < ... between `parts` parts of equal weight, at most parts - 1. Below the
// middle of the first bin they are interpolated to `low`, above the middle of the last to `high`.
[[nodiscard]] std::vector<double> uniform(const SortedBins&, double low, double high,
                                          std::size_t parts);

}  // namespace riparian
