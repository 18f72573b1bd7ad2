// The crossings of all features at once equal those of one pair of classes after another, in every
// instruction set.
#include <algorithm>
#include <bit>
#include <vector>

#include "../cuts/combined.hpp"
#include "../cuts/intersections.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;
using examples::Dice;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A leaf that includes classes with equal means, equal variances, no variance and no values.
struct Leaf {
    std::size_t features, stride, n_classes;
    std::vector<std::vector<double>> planes, known;
    std::vector<GaussianClass> classes;
    std::vector<double> low_of, high_of;

    explicit Leaf(Dice& dice)
        : features(1 + dice.below(9)),
          stride((features + 3) / 4 * 4),
          n_classes(1 + dice.below(6)),
          planes(n_classes),
          known(n_classes),
          low_of(stride, infinity),
          high_of(stride, -infinity) {
        const bool gaps = dice.chance(0.3);
        const bool plain = dice.chance(0.5);
        for (std::size_t k = 0; k < n_classes; ++k) {
            planes[k].assign(class_planes * features + 3, 0.0);
            known[k].assign(stride, 0.0);
            const double weight = plain ? 20.0 + static_cast<double>(dice.below(80))
                                        : static_cast<double>(1 + dice.below(4));
            for (std::size_t f = 0; f < features; ++f) {
                known[k][f] = gaps && dice.chance(0.3) ? 0.0 : weight;
                const bool round = dice.chance(0.3);
                const double centre = round ? static_cast<double>(dice.below(2)) : dice.normal();
                const double spread = dice.chance(0.1) && !plain ? 0.0
                                      : round                    ? 1.0
                                                                 : 0.1 + dice.uniform();
                planes[k][mean * features + f] = centre;
                planes[k][squares * features + f] = spread * spread * (weight - 1.0);
                low_of[f] = std::min(low_of[f], centre - 2.0 * spread);
                high_of[f] = std::max(high_of[f], centre + 2.0 * spread);
            }
            classes.push_back({planes[k].data(), gaps ? known[k].data() : nullptr, weight});
        }
    }

    [[nodiscard]] NumericView view(Variance convention) const {
        return {classes.data(), n_classes,      features,  stride,
                low_of.data(),  high_of.data(), convention};
    }
};

// The thresholds of one feature.
std::vector<double> column(const std::vector<double>& rows, std::size_t stride, std::size_t f) {
    std::vector<double> out;
    for (std::size_t i = f; i < rows.size(); i += stride) {
        if (rows[i] == rows[i]) out.push_back(rows[i]);
    }
    return out;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x + 0.0) == std::bit_cast<std::uint64_t>(y + 0.0);
    });
}

void all_at_once_are_one_by_one(std::uint64_t seed) {
    Dice dice(seed);
    const Leaf leaf(dice);
    const auto convention = dice.chance(0.5) ? Variance::sample : Variance::population;
    const auto equal = dice.chance(0.5) ? EqualVariance::linear : EqualVariance::skip;
    const NumericView view = leaf.view(convention);

    const Intersections intersections{equal};
    std::vector<double> rows(intersections.candidates(leaf.n_classes) * leaf.stride);
    intersections.thresholds(view, rows.data());
    const Combined combined{{}, equal};
    std::vector<double> more(combined.candidates(leaf.n_classes) * leaf.stride);
    combined.thresholds(view, more.data());
    std::vector<double> bins(combined.bins.count * leaf.stride);
    combined.bins.thresholds(view, bins.data());
    for (std::size_t f = 0; f < leaf.stride; ++f) {
        std::vector<double> want;
        if (f < leaf.features) all_crossings(view, f, equal, want);
        CHECK(same(column(rows, leaf.stride, f), want));
        const std::vector<double> points = column(bins, leaf.stride, f);
        want.insert(want.end(), points.begin(), points.end());
        std::sort(want.begin(), want.end());
        want.erase(std::unique(want.begin(), want.end()), want.end());
        CHECK(same(column(more, leaf.stride, f), want));
    }
}

CASE(all_at_once_are_one_by_one_in_every_instruction_set) {
    for (const char* const name : kernel_names) {
        const Kernels* const set = kernels_named(name);
        if (!set) continue;
        use_kernels(*set);
        for (std::uint64_t seed = 0; seed < 3000; ++seed) all_at_once_are_one_by_one(seed);
    }
}

}  // namespace
