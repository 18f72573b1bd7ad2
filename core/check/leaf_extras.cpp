#include "leaf_extras.hpp"

#include <stdexcept>

#include "race_rounds.hpp"

namespace riparian {

LeafExtras::LeafExtras(const Settings& settings)
    : values(make_values(settings.statistics)),
      hits(settings.judging.make_hits()),
      bound(make_state(settings.bound)) {}

bool LeafExtras::wanted(const Settings& settings) noexcept {
    return offers_cuts(settings.statistics) || settings.judging.counts_hits() ||
           make_state(settings.bound).index() != 0;
}

void LeafExtras::fit(const Settings& settings, const Shape& s) {
    if (hits) hits->fit(s, settings.judging.evaluator);
    with_policy(settings.statistics, values,
                [&](const auto& policy, auto& kept) { kept.fit(policy, s); });
}

void LeafExtras::learn(const Shape& s, const Row& row, const Row& tracked, std::size_t y,
                       double w) {
    if (auto* const pair = std::get_if<PairedGap>(&bound)) pair->learn(row, y, w);
    if (auto* const race = std::get_if<Race>(&bound)) race->learn(row, y);
    std::visit([&](auto& kept) { kept.learn(s, tracked, y, w); }, values);
}

void LeafExtras::change_labels(const Settings& settings) noexcept {
    if (hits) hits->doubt_labels(settings.judging.evaluator);
}

bool LeafExtras::follows_checks() const noexcept {
    return bound.index() != 0 ||
           std::visit([]<class P>(const P&) { return FollowsChecks<P>; }, values);
}

void LeafExtras::after_check(const Settings& settings, WaitingCheck& check) {
    if (auto* const pair = std::get_if<PairedGap>(&bound)) pair->after_check(check);
    if (auto* const race = std::get_if<Race>(&bound)) next_race(settings, check, *race);
    std::visit(
        [&]<class P>(P& kept) {
            if constexpr (FollowsChecks<P>) kept.after_check(check);
        },
        values);
}

void LeafExtras::keep(const std::vector<std::uint32_t>& numeric) {
    std::visit([&](auto& kept) { kept.keep(numeric); }, values);
}

std::vector<double> LeafExtras::save(std::size_t classes) const {
    std::vector<double> out;
    if (hits) hits->save(classes, out);
    if (const auto* const pair = std::get_if<PairedGap>(&bound)) pair->save(out);
    if (const auto* const race = std::get_if<Race>(&bound)) race->save(out);
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
    if (auto* const pair = std::get_if<PairedGap>(&bound)) {
        numbers.skip(pair->restore(numbers.rest(), numbers.left(), features, classes, weight));
    }
    if (auto* const race = std::get_if<Race>(&bound)) {
        numbers.skip(race->restore(numbers.rest(), numbers.left(), features, classes));
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
