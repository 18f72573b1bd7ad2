// The kernel behind Hits::judge.
#include "functions.hpp"
#include "judging.hpp"

namespace riparian::RIPARIAN_ISA {
namespace {

// Scores all numeric features whose label cannot change with this row, and lets their branches
// learn it. Returns how many other features there are; these are unchanged.
std::size_t judge(const JudgedRow& row) {
    std::size_t n_open = 0;
    for (std::size_t f = 0; f < row.stride; f += width) {
        const Lanes x = Lanes::load(row.x + f);
        const Lanes t = Lanes::load(row.thresholds + f);
        const Mask below = x <= t;
        const Mask above = x > t;
        const Lanes sure_below = Lanes::load(row.sure + f);
        const Lanes sure_above = Lanes::load(row.sure + row.stride + f);
        const Lanes label =
            select(below, Lanes::load(row.labels + f), Lanes::load(row.labels + row.stride + f));
        Lanes::Vector of_label = {};
        for (std::size_t j = 0; j < width; ++j) {
            of_label[j] = row.scores[static_cast<std::ptrdiff_t>(label[j])];
        }
        const Lanes score(of_label);
        const Lanes sure = select(below, sure_below, sure_above) - (Lanes(1.0) - score) * row.w;
        const Mask learns = (below | above) & (sure > 0.0);
        const Mask open = (below | above) & (sure <= 0.0);
        Lanes sum = 0.0;
        double done = 0.0;
        for (int i = 0; i < row.units && done < row.w; ++i) {
            const double rest = row.w - done;
            const double unit = i + 1 < row.units && rest > 1.0 ? 1.0 : rest;
            sum += score * unit;
            done += unit;
        }
        const auto learn = [&](Mask here, double* weight, Lanes before,
                               double* sure_at) __attribute__((always_inline)) {
            (Lanes::load(weight + f) + select(here, row.w, 0.0)).store(weight + f);
            select(here, sure, before).store(sure_at + f);
        };
        const Lanes before = Lanes::load(row.sums + f);
        select(learns, before + (sum - row.leaf), before).store(row.sums + f);
        learn(learns & below, row.below, sure_below, row.sure);
        learn(learns & above, row.above, sure_above, row.sure + row.stride);
        if (!open.any()) continue;
        for (std::size_t j = 0; j < width; ++j) {
            if (open.v[j]) row.open[n_open++] = static_cast<std::uint32_t>(f + j);
        }
    }
    return n_open;
}

}  // namespace
}  // namespace riparian::RIPARIAN_ISA
