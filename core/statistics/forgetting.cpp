// Removes single rows that a leaf has learned. Their weights are the ones that were added, so
// counts return to what they were. Moments are updated by the inverse of Welford's step, which
// leaves rounding errors. Memory is freed too: after forgetting, statistics use as many bytes as
// statistics that never learned the rows.
#include <algorithm>

#include "leaf_statistics.hpp"

namespace riparian {
namespace {

double less(double sum, double part) noexcept { return std::max(0.0, sum - part); }

}  // namespace

bool LeafStatistics::forget_rare(const Shape& s, const Row& row, std::size_t y, double w,
                                 const double* counts, bool bayes) {
    if (!classes()[y]) return true;
    if (!(counts[y] > 0.0)) {
        forget_class(s, y, counts, bayes);
        return true;
    }
    bool fits = true;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::uint32_t* const starts = this->starts(s) + c;
        const auto code = static_cast<std::uint32_t>(row.codes[c]);
        if (code >= starts[1] - starts[0]) continue;  // missing
        double& cell = cells(s, y)[starts[0] + code];
        cell = less(cell, w);
        if (cell == 0.0) fits &= room_for(values(s, c)) == starts[1] - starts[0];
        if (known_categories(c)) {
            double& known = gaps_->categories[c][y];
            known = less(known, w);
        }
    }
    if (!fits) close_up(s, counts);
    if (s.numeric == 0) {
        if (bayes) refresh(s, y, counts);
        return true;
    }
    const bool precise = keeps_precision(s, row, y, w, counts);
    if (known_numbers(y)) {
        const bool emptied =
            kernels().forget_known(classes()[y], gaps_->numbers[y].data(), s.numeric, row.x, w);
        if (emptied && bayes) {
            find_bayes(s, counts);
            return precise;
        }
    } else if (!row.gap) {
        kernels().forget(classes()[y], s.numeric, row.x, w, w / counts[y]);
    }
    if (bayes) refresh(s, y, counts);
    return precise;
}

// Called before the row is subtracted from the weights of known values.
bool LeafStatistics::keeps_precision(const Shape& s, const Row& row, std::size_t y, double w,
                                     const double* counts) const noexcept {
    const double* const known = known_numbers(y);
    if (!known) return row.gap || w <= much_more * counts[y];
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double left = known[f] - w;
        if (row.x[f] == row.x[f] && left > 0.0 && w > much_more * left) return false;
    }
    return true;
}

// Removes the last row of a class.
void LeafStatistics::forget_class(const Shape& s, std::size_t y, const double* counts, bool bayes) {
    for (std::size_t c = 0; c < s.categorical; ++c) {
        if (known_categories(c)) gaps_->categories[c][y] = 0.0;
    }
    if (known_numbers(y)) {
        gaps_->numbers[y] = Held<double>();
        const auto empty = [](const Held<double>& known) { return known.empty(); };
        const auto none_left = [&](const Held<Held<double>>& lists) {
            return std::all_of(lists.begin(), lists.end(), empty);
        };
        if (none_left(gaps_->numbers)) gaps_->numbers = Held<Held<double>>();
        if (gaps_->numbers.empty() && none_left(gaps_->categories)) gaps_.reset();
    }
    if (s.categorical || !remove_part(s, y)) close_up(s, counts);
    if (bayes) find_bayes(s, counts);
}

// The number of categories of a feature up to the last one that has weight.
std::size_t LeafStatistics::values(const Shape& s, std::size_t c) const noexcept {
    const std::uint32_t* const starts = this->starts(s) + c;
    std::size_t end = starts[1];
    const auto weighs = [&](const double* part) {
        return part && part[s.cells_place() + end - 1] > 0.0;
    };
    while (end > starts[0] && std::none_of(classes(), classes() + s.class_stride, weighs)) --end;
    return end - starts[0];
}

void LeafStatistics::find_bayes(const Shape& s, const double* counts) const noexcept {
    if (s.keeps_derived())
        kernels().find_range(classes(), s.class_stride, s.numeric, leaf_planes(s));
    refresh_all(s, counts);
}

}  // namespace riparian
