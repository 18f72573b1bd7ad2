#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sorted_values.hpp"

namespace riparian {

// Every distinct value of a numeric feature with its class weights, as in VFDTc [gama2003]. A cut
// is x <= value, never a midpoint. The search tree of the paper becomes a list if values arrive
// sorted; the sorted blocks used here do not. Memory grows with the number of distinct values.
class ExhaustiveValues {
public:
    // x must be finite, y < 65536 and w > 0.
    void learn(double x, std::size_t y, double w) { values_.learn(x, y, w); }

    // Adds or subtracts the values of another. Both are exact because these are counts.
    void merge(const ExhaustiveValues& other) { values_.merge(other.values_); }
    void downdate(const ExhaustiveValues& other) { values_.downdate(other.values_); }

    // Calls f(threshold, left) for every value except the largest, ascending. left[k] is the weight
    // of class k at or below the threshold.
    template <class F>
    void each_cut(std::size_t n_classes, F&& f) const {
        values_.each_cut(n_classes, std::forward<F>(f));
    }
    void left_mass(double t, std::size_t n_classes, double* out) const noexcept {
        values_.left_mass(t, n_classes, out);
    }

    [[nodiscard]] std::size_t values() const noexcept { return values_.values(); }
    [[nodiscard]] std::size_t points() const noexcept { return values_.points(); }
    [[nodiscard]] std::vector<std::uint32_t> block_sizes() const { return values_.block_sizes(); }
    void arrange(const std::vector<std::uint32_t>& sizes) { values_.arrange(sizes); }

    // Appends values, classes and weights, sorted by value and then by class.
    void save(std::vector<double>& values, std::vector<std::int32_t>& classes,
              std::vector<double>& weights) const {
        values_.save(values, classes, weights);
    }
    // Restores what `save` wrote. Throws std::invalid_argument for anything else.
    static ExhaustiveValues restore(std::span<const double> values,
                                    std::span<const std::int32_t> classes,
                                    std::span<const double> weights, std::size_t n_classes) {
        ExhaustiveValues restored;
        restored.values_ = SortedValues::restore(values, classes, weights, n_classes, "exhaustive");
        return restored;
    }

private:
    SortedValues values_;
};

}  // namespace riparian
