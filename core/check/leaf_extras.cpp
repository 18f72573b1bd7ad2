#include "leaf_extras.hpp"

#include <stdexcept>

namespace riparian {

LeafExtras::LeafExtras(const Settings& settings)
    : values(make_values(settings.statistics)),
      hits(settings.judging.make_hits()),
      pair(make_paired_gap(settings.bound)) {}

bool LeafExtras::wanted(const Settings& settings) noexcept {
    return offers_cuts(settings.statistics) || settings.judging.counts_hits() ||
           make_paired_gap(settings.bound).has_value();
}

void LeafExtras::fit(const Settings& settings, const Shape& s) {
    if (hits) hits->fit(s, settings.judging.evaluator);
    with_policy(settings.statistics, values,
                [&](const auto& policy, auto& kept) { kept.fit(policy, s); });
}

void LeafExtras::learn(const Shape& s, const Row& row, const Row& tracked, std::size_t y,
                       double w) {
    if (pair) pair->learn(row, y, w);
    std::visit([&](auto& kept) { kept.learn(s, tracked, y, w); }, values);
}

void LeafExtras::change_labels(const Settings& settings) noexcept {
    if (hits) hits->doubt_labels(settings.judging.evaluator);
}

void LeafExtras::after_check(WaitingCheck& check) {
    if (pair) pair->after_check(check);
    std::visit([&](auto& kept) { kept.after_check(check); }, values);
}

void LeafExtras::keep(const std::vector<std::uint32_t>& numeric) {
    std::visit([&](auto& kept) { kept.keep(numeric); }, values);
}

std::vector<double> LeafExtras::save(std::size_t classes) const {
    std::vector<double> out;
    if (hits) hits->save(classes, out);
    if (pair) pair->save(out);
    std::visit([&](const auto& kept) { kept.save(out); }, values);
    return out;
}

void LeafExtras::restore(const Settings& settings, const Shape& s, const Features& features,
                         const double* counts, std::size_t classes, double weight,
                         const double* first, std::size_t count) {
    SavedNumbers numbers(first, count);
    if (hits) {
        numbers.skip(hits->restore(s, settings.judging.evaluator, numbers.rest(), numbers.left(),
                                   counts, classes, weight));
    }
    if (pair) {
        numbers.skip(pair->restore(numbers.rest(), numbers.left(), features, classes, weight));
    }
    // A new leaf was opened for the features of another draw.
    values = make_values(settings.statistics);
    fit(settings, s);
    with_policy(settings.statistics, values, [&](const auto& policy, auto& kept) {
        kept.restore(policy, numbers, counts, classes);
    });
    if (numbers.left()) throw std::invalid_argument("watch: too many numbers");
}

std::size_t LeafExtras::least_numbers(const Settings& settings, std::size_t features,
                                      std::size_t numeric) noexcept {
    return (settings.judging.counts_hits() ? features : 0) +
           (offers_cuts(settings.statistics) ? numeric : 0);
}

}  // namespace riparian
