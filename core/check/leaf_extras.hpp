// What policies keep at a leaf in addition to Gaussians and counts.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "../bound/any.hpp"
#include "../impurity/hits.hpp"
#include "../statistics/any.hpp"
#include "../settings.hpp"

namespace riparian {

// A part for each policy that can keep something, made by that policy. Memory limits count this
// object, so its size may not change: a limited model would become another.
struct LeafExtras : HeldObject {
    explicit LeafExtras(const Settings&);
    // Whether any policy keeps something.
    [[nodiscard]] static bool wanted(const Settings&) noexcept;

    // Room for all features and classes; what is there stays.
    void fit(const Settings&, const Shape&);
    // One row: before the statistics learn it, and after.
    void judge(const Settings& settings, const Shape& s, const LeafStatistics& statistics,
               const Row& row, std::size_t y, double w, const double* counts, std::size_t classes) {
        if (hits) hits->judge(settings.judging, s, statistics, row, y, w, counts, classes);
    }
    // `tracked` has the features of the shape, `row` all of them.
    void learn(const Shape&, const Row& row, const Row& tracked, std::size_t y, double w);
    // Whether the Gaussians of a leaf of this weight are now to fix cuts for good.
    [[nodiscard]] bool wants_cuts(const Settings& settings, double weight) const noexcept {
        return hits && hits->open() && weight >= settings.judging.holdout_examples;
    }
    // Fixes them; `sides` are the class weights of the two sides of each, [numeric][2][class_stride].
    void fix_cuts(const Settings& settings, const Shape& s, const LeafStatistics& statistics,
                  const double* counts, std::size_t classes, double weight,
                  const double* thresholds, const double* sides) {
        hits->fix(settings.judging, s, statistics, counts, classes, weight, thresholds, sides);
    }
    // Classes or costs have changed.
    void change_labels(const Settings&) noexcept;
    // Whether any part changes after a check that does not split, and that change.
    [[nodiscard]] bool follows_checks() const noexcept;
    void after_check(const Settings&, WaitingCheck&);
    // Only these numeric features stay.
    void keep(const std::vector<std::uint32_t>& numeric);

    // The state as numbers, and back; std::invalid_argument unless they can be that of a leaf
    // with these class weights.
    [[nodiscard]] std::vector<double> save(std::size_t classes) const;
    void restore(const Settings&, const Shape&, const Features&, const double* counts,
                 std::size_t classes, double weight, const double* numbers, std::size_t count);
    // All leaves together save at least this many numbers.
    [[nodiscard]] static std::size_t least_numbers(const Settings&, std::size_t features,
                                                   std::size_t numeric) noexcept;

    AnyLeafValues values;      // of the statistics
    std::optional<Hits> hits;  // of the impurity's evaluator
    BoundState bound;          // of the bound
};

static_assert(sizeof(LeafExtras) == 2 * sizeof(Held<double>) + sizeof(Hits) + sizeof(PairedGap));

}  // namespace riparian
