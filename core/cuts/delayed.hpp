#pragma once

#include "bins.hpp"
#include "roots.hpp"

namespace riparian {

// Bins while deciding; once a feature has won, the better of the winning bin and all
// its intersections [mirkhan2021, sec. 3.3].
struct Delayed {
    static constexpr std::string_view name = "delayed";
    static constexpr std::string_view about = "Bins while deciding; then also the intersections of the winner.";
    static constexpr std::array rules = {
        Rule{is("statistics", "gaussian"), "with other statistics the cuts are the values themselves"},
    };

    Bins bins;
    EqualVariance equal_variance = EqualVariance::linear;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("count", self.bins.count, Range{1.0, 10000.0}, "How many equally spaced points.");
        visit("equal_variance", self.equal_variance, OneOf("linear", "skip"),
              "What two classes of equal variance give: their one crossing, or no cut.");
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
