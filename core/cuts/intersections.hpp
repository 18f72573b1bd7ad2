#pragma once

#include "roots.hpp"

namespace riparian {

// The points where the weighted normal densities of two classes are equal [mirkhan2021, sec. 3.2].
// For misclassification the best cut is one of them, if any cut has a gain and class weights come
// from the whole distribution (clip_to_range off).
struct Intersections {
    static constexpr std::string_view name = "intersections";
    static constexpr std::string_view about =
        "The points where the weighted normal densities of two classes are equal.";
    static constexpr std::array rules = {
        Rule{is("statistics", "gaussian"), "other statistics use the observed values as cuts"},
    };

    EqualVariance equal_variance = EqualVariance::linear;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("equal_variance", self.equal_variance, OneOf("linear", "skip"),
              "Cut between two classes of equal variance: where their densities cross, or none.");
    }

    [[nodiscard]] std::size_t candidates(std::size_t classes) const noexcept {
        return most_crossings(classes);
    }

    void thresholds(const NumericView& view, double* out) const {
        all_crossings(view, equal_variance, out);
        kernels().sort_thresholds(out, candidates(view.n_classes), view.stride);
    }

    bool operator==(const Intersections&) const = default;
};

static_assert(Cuts<Intersections>);

}  // namespace riparian
