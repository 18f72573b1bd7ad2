#pragma once

#include "bins.hpp"
#include "roots.hpp"

namespace riparian {

// Bins and intersections together [mirkhan2021, sec. 3.3].
struct Combined {
    static constexpr std::string_view name = "combined";
    static constexpr std::string_view about = "Bins and intersections together.";
    static constexpr std::array rules = {
        Rule{is("statistics", "gaussian"), "other statistics use the observed values as cuts"},
    };

    Bins bins;
    EqualVariance equal_variance = EqualVariance::linear;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("count", self.bins.count, Range{1.0, 10000.0},
              "Number of equally spaced thresholds.");
        visit("equal_variance", self.equal_variance, OneOf("linear", "skip"),
              "Cut between two classes of equal variance: where their densities cross, or none.");
    }

    [[nodiscard]] std::size_t candidates(std::size_t classes) const noexcept {
        return bins.candidates(classes) + most_crossings(classes);
    }

    void thresholds(const NumericView& view, double* out) const {
        bins.thresholds(view, out);
        all_crossings(view, equal_variance, out + bins.count * view.stride);
        kernels().sort_thresholds(out, candidates(view.n_classes), view.stride);
    }

    bool operator==(const Combined&) const = default;
};

static_assert(Cuts<Combined>);

}  // namespace riparian
