#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "saved_numbers.hpp"
#include "streaming_histogram.hpp"

namespace riparian {

// One numeric feature of a leaf: a histogram for each class that was seen [benhaim2010].
//
// While all histograms are exact and have at most `limit` distinct values together, every value
// except the largest is a cut with exact class weights, as with exhaustive statistics. After that
// the cuts are the points that divide the histogram of all classes into `limit` parts of equal
// weight, with estimated class weights.
class ClassHistograms {
public:
    explicit ClassHistograms(std::size_t limit) : limit_(limit) {}

    void learn(double x, std::size_t y, double w) { of_class(y).update(x, w, limit_); }
    // Adds the histograms of another leaf, with the class `classes[y]` in place of each class y.
    void merge(const ClassHistograms& other, std::span<const std::uint32_t> classes);

    void left_mass(double t, std::size_t n_classes, double* out) const noexcept;
    // Calls f(threshold, class weights at or below it), ascending.
    template <class F>
    void each_cut(std::size_t n_classes, F&& f) const {
        std::vector<double> left(n_classes);
        for (const double t : thresholds()) {
            left_mass(t, n_classes, left.data());
            f(t, static_cast<const double*>(left.data()));
        }
    }

    void save(std::vector<double>& out) const;
    void restore(SavedNumbers&, SeenWeights&, std::size_t n_classes);

private:
    using Label = std::uint16_t;

    [[nodiscard]] StreamingHistogram& of_class(std::size_t y);
    [[nodiscard]] std::vector<double> thresholds() const;

    std::size_t limit_;
    Held<Label> classes_;  // ascending
    Held<StreamingHistogram> histograms_;
};

}  // namespace riparian
