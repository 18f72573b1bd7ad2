// Intervals, together with the examples that they have learned.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../statistics/interval_counts.hpp"
#include "checking.hpp"
#include "examples.hpp"
#include "gains.hpp"

namespace interval_examples {

using namespace riparian;
using examples::Dice;
using gains::entropy_mass, gains::gini_mass, gains::Gain;
using Detail = IntervalCounts::Detail;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double greatest = std::numeric_limits<double>::max();

struct Labelled {
    double x;
    std::size_t y;
    double w;
};

struct ExactCut {
    double threshold;
    std::vector<double> left;
    bool operator==(const ExactCut&) const = default;
};

inline std::vector<ExactCut> cuts(const IntervalCounts& v, std::size_t n_classes) {
    std::vector<ExactCut> all;
    v.each_cut(n_classes,
               [&](double t, const double* left) { all.push_back({t, {left, left + n_classes}}); });
    return all;
}

inline std::vector<double> at_or_below(const std::vector<Labelled>& all, double t,
                                       std::size_t n_classes) {
    std::vector<double> left(n_classes);
    for (const Labelled& e : all) {
        if (e.x <= t) left[e.y] += e.w;
    }
    return left;
}

inline bool close(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (std::abs(a[k] - b[k]) > 1e-9 * (a[k] + b[k])) return false;
    }
    return true;
}

inline IntervalArrays saved(const IntervalCounts& v) {
    IntervalArrays a;
    v.save(a);
    return a;
}

template <class A, class Visit>
inline void each(A& a, Visit&& visit) {
    visit(a.sizes);
    visit(a.range);
    visit(a.detail);
    visit(a.point_values);
    visit(a.point_classes);
    visit(a.point_weights);
    visit(a.cell_intervals);
    visit(a.cell_classes);
    visit(a.cell_weights);
}

inline bool same(const IntervalArrays& a, const IntervalArrays& b) {
    return a.sizes == b.sizes && a.range == b.range && a.detail == b.detail &&
           a.point_values == b.point_values && a.point_classes == b.point_classes &&
           a.point_weights == b.point_weights && a.cell_intervals == b.cell_intervals &&
           a.cell_classes == b.cell_classes && a.cell_weights == b.cell_weights;
}

inline IntervalSpans spans(const IntervalArrays& a) {
    return {a.sizes,         a.range,          a.detail,       a.point_values, a.point_classes,
            a.point_weights, a.cell_intervals, a.cell_classes, a.cell_weights};
}

inline IntervalCounts restored(const IntervalArrays& a, std::size_t n, std::size_t n_classes) {
    IntervalSpans s = spans(a);
    IntervalCounts v = IntervalCounts::restore(n, s, n_classes);
    each(s, [](const auto& rest) { CHECK(rest.empty()); });
    return v;
}

enum class Distribution { uniform, whole, skewed, far, tiny, extreme, mixed_signs };
inline constexpr Distribution distributions[] = {
    Distribution::uniform, Distribution::whole,   Distribution::skewed,     Distribution::far,
    Distribution::tiny,    Distribution::extreme, Distribution::mixed_signs};

inline double draw(Dice& dice, Distribution shape) {
    switch (shape) {
        case Distribution::uniform: return dice.uniform();
        case Distribution::whole: return static_cast<double>(dice.below(101));
        case Distribution::skewed: return 1.0 / (dice.uniform() + 1e-6);
        case Distribution::far: return 1e9 + 1e-6 * static_cast<double>(dice.below(20));
        case Distribution::tiny: return 5e-324 * static_cast<double>(dice.below(50)) - 1e-322;
        case Distribution::extreme: return (dice.uniform() * 2.0 - 1.0) * greatest;
        default: return std::ldexp(dice.normal(), static_cast<int>(dice.below(40)) - 20);
    }
}

inline std::vector<Labelled> drawn(Dice& dice, Distribution shape, std::size_t n,
                                   std::size_t n_classes, bool whole) {
    std::vector<Labelled> all;
    const double middle = draw(dice, shape);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = draw(dice, shape);
        const bool told = dice.chance(0.5) && n_classes > 1;
        const std::size_t y = told ? (x > middle) : dice.below(n_classes);
        const double w = whole ? 1.0 + static_cast<double>(dice.below(3)) : dice.uniform() + 1e-6;
        all.push_back({x, y, w});
    }
    return all;
}

// Thresholds ascend and have examples on both sides, and their weights are correct.
inline void check_cuts(const IntervalCounts& v, const std::vector<Labelled>& all,
                       std::size_t n_classes, bool whole) {
    double before = -infinity;
    std::vector<double> mass(n_classes);
    const std::vector<double> total = at_or_below(all, infinity, n_classes);
    const std::vector<ExactCut> offered = cuts(v, n_classes);
    for (std::size_t i = 0; i < offered.size(); ++i) {
        const auto& [t, left] = offered[i];
        CHECK(t > before);
        before = t;
        if (i % (1 + offered.size() / 100) != 0) continue;
        const std::vector<double> want = at_or_below(all, t, n_classes);
        CHECK(whole ? left == want : close(left, want));
        CHECK(std::any_of(want.begin(), want.end(), [](double w) { return w > 0.0; }));
        CHECK(want != total);
        v.left_mass(t, n_classes, mass.data());
        CHECK(mass == left);
    }
    v.left_mass(infinity, n_classes, mass.data());
    CHECK(whole ? mass == total : close(mass, total));
}

}  // namespace interval_examples
