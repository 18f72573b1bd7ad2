#pragma once

#include "roots.hpp"

namespace riparian {

// Where the weighted normal densities of two classes meet [mirkhan2021, sec. 3.2]. For
// misclassification the best cut is among them, if any cut gains at all and class
// weights come from the whole distribution (clip_to_range off).
struct Intersections {
    static constexpr std::string_view name = "intersections";
    static constexpr std::string_view about = "Where the weighted normal densities of two classes meet.";
    static constexpr std::array rules = {
        Rule{is("statistics", "gaussian"), "with other statistics the cuts are the values themselves"},
    };

    EqualVariance equal_variance = EqualVariance::linear;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("equal_variance", self.equal_variance, OneOf("linear", "skip"),
              "What two classes of equal variance give: their one crossing, or no cut.");
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
