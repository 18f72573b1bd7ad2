#include "class_histograms.hpp"

#include <algorithm>
#include <stdexcept>

#include "../demand.hpp"

namespace riparian {

StreamingHistogram& ClassHistograms::of_class(std::size_t y) {
    const auto label = static_cast<Label>(y);
    const auto place = std::lower_bound(classes_.begin(), classes_.end(), label) - classes_.begin();
    const auto i = static_cast<std::size_t>(place);
    if (i < classes_.size() && classes_[i] == label) return histograms_[i];
    set_room(classes_, classes_.size() + 1);
    set_room(histograms_, histograms_.size() + 1);
    classes_.insert(classes_.begin() + place, label);
    return *histograms_.insert(histograms_.begin() + place, StreamingHistogram());
}

void ClassHistograms::merge(const ClassHistograms& other, std::span<const std::uint32_t> classes) {
    for (std::size_t i = 0; i < other.classes_.size(); ++i) {
        of_class(classes[other.classes_[i]]).merge(other.histograms_[i], limit_);
    }
}

void ClassHistograms::left_mass(double t, std::size_t n_classes, double* out) const noexcept {
    std::fill_n(out, n_classes, 0.0);
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        out[classes_[i]] = histograms_[i].at_or_below(t);
    }
}

std::vector<double> ClassHistograms::thresholds() const {
    if (histograms_.empty()) return {};
    std::vector<std::pair<double, double>> points;
    bool exact = true;
    double low = histograms_[0].low(), high = histograms_[0].high();
    for (const StreamingHistogram& h : histograms_) {
        for (std::size_t i = 0; i < h.places().size(); ++i) {
            points.emplace_back(h.places()[i], h.weights()[i]);
        }
        exact = exact && h.is_exact();
        low = std::min(low, h.low());
        high = std::max(high, h.high());
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    SortedBins bins;
    for (const auto& [place, weight] : points) bins.append(place, weight);
    if (exact && bins.size() <= limit_) {
        bins.places.pop_back();
        return bins.places;
    }
    bins.reduce(limit_);
    return uniform(bins, low, high, limit_);
}

void ClassHistograms::save(std::vector<double>& out) const {
    const auto list = [](std::span<const double> x) { return std::vector(x.begin(), x.end()); };
    save_array(out, std::vector<std::int32_t>(classes_.begin(), classes_.end()));
    for (const StreamingHistogram& h : histograms_) {
        save_array(out, list(h.places()));
        save_array(out, list(h.weights()));
        save_array(out, std::vector{h.low(), h.high(), h.total(), h.is_exact() ? 1.0 : 0.0});
    }
}

void ClassHistograms::restore(SavedNumbers& in, SeenWeights& seen, std::size_t n_classes) {
    const auto codes = in.array<std::int32_t>();
    std::vector<double> totals;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        demand(static_cast<std::size_t>(codes[i]) < n_classes &&
                   (i == 0 || codes[i - 1] < codes[i]),
               "watch: the classes of a feature are wrong");
        const auto places = in.array<double>();
        const auto weights = in.array<double>();
        const auto facts = in.array<double>();
        demand(facts.size() == 4 && (facts[3] == 0.0 || facts[3] == 1.0),
               "watch: a histogram lacks its range");
        demand_values(places);
        demand_values(facts);
        of_class(static_cast<std::size_t>(codes[i])) = StreamingHistogram::restore(
            places, weights, facts[0], facts[1], facts[2], facts[3] == 1.0, limit_);
        totals.push_back(facts[2]);
    }
    seen.demand(codes, totals);
}

}  // namespace riparian
