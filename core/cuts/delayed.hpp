#pragma once

#include "bins.hpp"
#include "roots.hpp"

namespace riparian {

// Uses bins to decide. Once a feature has won, the split is at the best of its winning bin and all
// its intersections [mirkhan2021, sec. 3.3].
struct Delayed {
    static constexpr std::string_view name = "delayed";
    static constexpr std::string_view about =
        "Bins to decide; then also the intersections of the winning feature.";
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
        return bins.candidates(classes);
    }
    void thresholds(const NumericView& view, double* out) const { bins.thresholds(view, out); }

    [[nodiscard]] std::vector<double> refined(const NumericView& view, std::size_t f) const {
        std::vector<double> out;
        all_crossings(view, f, equal_variance, out);
        return out;
    }

    bool operator==(const Delayed&) const = default;
};

static_assert(Cuts<Delayed> && Refines<Delayed>);

}  // namespace riparian
