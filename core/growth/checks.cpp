#include "checks.hpp"

#include <algorithm>
#include <memory>

#include "../check/waiting_leaf.hpp"

namespace riparian {
namespace {

// Working memory up to this size stays allocated between checks. With hundreds of features it would
// be as large as a leaf.
constexpr std::size_t most_working = 32 * 1024;

}  // namespace

bool Checks::may_split(const NodeRecord& leaf) const noexcept {
    const Settings& settings = state_.settings;
    return static_cast<std::size_t>(state_.nodes.at(leaf.node).depth) < settings.max_depth &&
           (state_.n_leaves < settings.max_leaves || !state_.nodes.predicts(leaf.node));
}

LeafCase Checks::leaf_case(const NodeRecord& leaf, CaseRoom& room, const Settings& settings) const {
    const Nodes& nodes = state_.nodes;
    const Leaves& leaves = state_.leaves;
    Held<bool>& used_up = room.used_up;
    used_up.assign(leaves.shape().categorical, false);
    for (std::int32_t i = nodes.above(leaf.node); i != none; i = nodes.above(i)) {
        if (nodes.at(i).test == Test::every_value) used_up[nodes.slot(nodes.at(i))] = true;
    }
    room.watched = state_.known.watched;
    const std::size_t place = leaves.place_of(leaf);
    const double recalled = state_.settings.short_memory_in_bound ? 0.0 : leaves.recalled(place);
    const double n = leaf.weight - recalled + leaf.inherited;
    const TrackedFeatures* kept = leaves.tracked_features(place);
    const bool sparse = leaf.statistics.sparse() != nullptr;
    if (sparse) kept = unfold(leaf, room);
    if (kept) {
        kept->narrow(used_up, nodes.features());
        if (!room.watched.empty()) kept->narrow(room.watched, nodes.features());
        kept->list(nodes.features(), room.features);
    }
    LeafCase c{settings,
               sparse ? kept->shape() : leaves.shape(place),
               kept ? room.features : nodes.features(),
               sparse ? room.unfolded : leaf.statistics,
               leaves.own_counts(leaf),
               leaf.weight,
               n,
               state_.known.n_classes,
               static_cast<std::size_t>(leaf.classes),
               used_up};
    c.node = static_cast<double>(leaf.node);
    c.depth = static_cast<double>(nodes.at(leaf.node).depth);
    c.seen = static_cast<double>(state_.seen);
    c.number = static_cast<double>(leaf.checks) + 1.0;
    c.known_features = static_cast<double>(state_.known.n_features);
    c.horizon = state_.settings.adaptive_grace ? longest_delay(state_.settings, leaf.weight) : 0.0;
    if (const LeafExtras* const extras = leaves.extras(place)) c.set_extras(*extras);
    c.kept = kept;
    if (!room.watched.empty()) c.watched = &room.watched;
    return c;
}

// A feature that is 0 in all rows of a leaf has no cut, so the check need not know it.
const TrackedFeatures* Checks::unfold(const NodeRecord& leaf, CaseRoom& room) const {
    const Shape& of_tree = state_.leaves.shape();
    const SparseMoments& moments = *leaf.statistics.sparse();
    const std::vector<std::uint32_t> touched = moments.features(of_tree.numeric);
    std::vector<std::uint8_t> left_out(state_.nodes.features().size(), 1);
    for (const std::uint32_t f : touched) left_out[f] = 0;
    room.touched = std::make_unique<TrackedFeatures>(state_.nodes.features(), of_tree, left_out);
    const double* const counts = state_.leaves.own_counts(leaf);
    room.unfolded = LeafStatistics();
    room.unfolded.open(room.touched->shape(), counts, nullptr);
    room.unfolded.unfold(room.touched->shape(), moments, touched, of_tree.numeric, counts);
    return room.touched.get();
}

void Checks::count(std::size_t place, const Settings& settings, const Evidence& evidence) noexcept {
    state_.spent += delta_of_check(settings, evidence);
    ++state_.leaves[place].checks;
}

Decision Checks::decide(std::size_t place) {
    const Decision decision =
        run(place, state_.settings,
            [](Checker& checker, const LeafCase& here) { return checker.check(here); });
    count(place, state_.settings, decision.evidence);
    return decision;
}

Decision Checks::check(std::size_t place) {
    const Decision decision =
        run(place, state_.settings, [&](Checker& checker, const LeafCase& here) {
            const Decision found = checker.check(here);
            if (state_.settings.adaptive_grace)
                state_.leaves.set_delay(place, checker.delay(here, found));
            return found;
        });
    count(place, state_.settings, decision.evidence);
    return decision;
}

std::vector<double> Checks::branches(std::size_t place, const Candidate& cut) {
    return run(place, state_.settings,
               [&](Checker& checker, const LeafCase& here) { return checker.branches(here, cut); });
}

void Checks::certify(std::int32_t node, const Decision& decision) {
    const Charge charge(state_.structure);
    const Ranking& ranking = decision.ranking;
    const std::size_t rivals =
        std::min(ranking.size() - 1, Certificates::most_rivals(state_.settings));
    for (std::size_t i = 1; i <= rivals; ++i) {
        const Candidate& c = ranking[i];
        state_.certificates.add_rival(
            {c.threshold, c.gain, c.feature, c.category, static_cast<std::uint32_t>(c.test)});
    }
    const Evidence& e = decision.evidence;
    state_.certificates.add({state_.seen, e.n, e.gain_range, decision.epsilon, e.delta,
                             state_.spent, decision.best.gain, node, decision.verdict,
                             decision.criterion, static_cast<std::uint8_t>(rivals),
                             decision.second.feature == none, state_.passes,
                             static_cast<float>(e.log_evidence)});
}

void Checks::note(std::size_t place, const Decision& decision) {
    NodeRecord& leaf = state_.leaves[place];
    if (leaf.last) {
        *leaf.last = LastCheck(decision);
        return;
    }
    const Charge charge(state_.leaves.account());
    leaf.last = std::make_unique<LastCheck>(decision);
}

Decision Checks::last_decision(const NodeRecord& leaf) const {
    const Settings& settings = state_.settings;
    Decision d = leaf.last->decision(settings);
    const AnyImpurity& impurity = d.criterion == 0 ? settings.impurity : *settings.second_impurity;
    const double variance = d.evidence.variance;
    d.evidence = make_evidence(settings, impurity, d.evidence.n,
                               static_cast<std::size_t>(leaf.classes), leaf.checks);
    d.evidence.variance = variance;
    d.evidence.depth = static_cast<double>(state_.nodes.at(leaf.node).depth);
    d.evidence.seen = static_cast<double>(state_.seen);
    d.evidence.features = static_cast<double>(state_.known.n_features);
    const LeafExtras* const extras = state_.leaves.extras(state_.leaves.place_of(leaf));
    if (const Race* const race = extras ? std::get_if<Race>(&extras->bound) : nullptr) {
        if (race->runs()) {
            d.evidence.log_evidence = race->evidence();
            d.evidence.log_threshold = race->stakes().log_threshold;
            d.evidence.delta = race->stakes().alpha;
        }
    }
    return d;
}

void Checks::after_waiting(std::size_t place, const Decision& d) {
    if (!state_.leaves.extras(place)->follows_checks()) return;
    const LeafCase leaf = [&] {
        const Charge charge(state_.working);
        return leaf_case(state_.leaves[place], room_);
    }();
    const Charge charge(state_.leaves.account());
    WaitingLeaf check(checker_, leaf, d, state_.nodes.features(), state_.working);
    check.number = state_.leaves[place].checks;
    state_.leaves.extras(place)->after_check(state_.settings, check);
    state_.spent += check.spent;
}

void Checks::fix_cuts(std::size_t place) {
    Leaves& leaves = state_.leaves;
    const NodeRecord& leaf = leaves[place];
    std::vector<double> thresholds, sides;
    const double* const counts =
        run(place, state_.settings, [&](Checker& checker, const LeafCase& here) {
            checker.best_thresholds(here, thresholds, sides);
            return here.counts;
        });
    const Charge charge(leaves.account());
    leaves.extras(place)->fix_cuts(state_.settings, leaves.shape(), leaf.statistics, counts,
                                   state_.known.n_classes, leaf.weight, thresholds.data(),
                                   sides.data());
}

void Checks::release() noexcept {
    const Charge charge(state_.working);
    checker_ = {};
    room_ = {};
}

void Checks::release_if_large() noexcept {
    if (state_.working.held > most_working) release();
}

}  // namespace riparian
