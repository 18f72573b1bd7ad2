#include "race_rounds.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "check.hpp"

namespace riparian {
namespace {

// A leader that fewer rows chose is often the wrong one.
constexpr double fewest = 30.0;

bool same_cut(const Candidate& a, const Candidate& b) noexcept {
    return a.feature == b.feature && a.test == b.test && a.threshold == b.threshold &&
           a.category == b.category;
}

Nominee nominee(WaitingCheck& check, const Candidate& cut) {
    Nominee n;
    n.cut = cut;
    n.slot = check.features[static_cast<std::size_t>(cut.feature)].slot;
    n.table = check.branches(cut);
    const std::size_t branches = n.table.size() / check.n_classes;
    // Categories that were not seen yet share a branch.
    n.branches = cut.test == Test::every_value ? branches + 1 : 2;
    return n;
}

}  // namespace

Decision Checker::decide_by_race(const LeafCase& leaf, bool all) {
    nominees_.clear();
    const Race& race = *leaf.race;
    const Settings& settings = leaf.settings;
    RaceStanding standing;
    if (race.runs()) standing = race.closest();
    Decision d;
    d.evidence = evidence(leaf, settings.impurity);
    d.epsilon = half_width(settings.bound, d.evidence);  // it has none: infinite
    const bool won = race.is_won();
    if (!race.runs() || (!won && race.is_stale(leaf.weight, standing.within))) {
        nominees_.assign(leaf.features.size(), Candidate{});
        rank(leaf, settings.impurity);
        refine_nominees(leaf);
        if (!race.runs()) {
            d.ranking = ranking_;
            if (ranking_.size() > 0) d.best = ranking_[0];
            if (ranking_.size() > 1) d.second = ranking_[1];
            return d;
        }
    }
    const auto place = [&](Candidate c) {
        if (leaf.kept) c.feature = leaf.kept->place_of(c.feature);
        return c;
    };
    d.best = place(race.contender(0));
    d.second = place(race.contender(standing.closest));
    d.heavy = race.heavy();
    d.evidence.n = race.rows();
    d.evidence.delta = race.stakes().alpha;
    d.evidence.log_evidence = standing.within;
    d.evidence.log_threshold = race.stakes().log_threshold;
    d.ranking.clear(RunnerUp::cut);
    for (std::size_t i = 1; (all || won) && i + 1 < race.size(); ++i) {
        if (i != standing.closest) d.ranking.offer(place(race.contender(i)));
    }
    const Ranking others = d.ranking;
    d.ranking.clear(RunnerUp::cut);
    d.ranking.append(d.best);
    if (d.second.feature != none) d.ranking.append(d.second);
    for (std::size_t i = 0; i < others.size(); ++i) d.ranking.append(others[i]);
    if (won) {
        d.verdict = race.is_clear() ? Verdict::better : Verdict::within;
        d.epsilon = 0.0;
    }
    return d;
}

// The cut that is certified is the cut that is made, so it is refined before its race.
void Checker::refine_nominees(const LeafCase& leaf) {
    Decision d;
    for (Candidate& c : nominees_) {
        d.best = c;
        refine(leaf, d);
        c.threshold = d.best.threshold;
    }
}

void next_race(const Settings& settings, WaitingCheck& check, Race& race) {
    // A race begins at a check, so there were never more races than checks.
    if (race.is_new()) race.count_from(check.number - 1, check.weight);
    if (race.runs()) {
        race.note(check.weight, check.evidence);
        if (!race.is_stale(check.weight, check.evidence)) return;
    }
    if (check.weight < fewest) return;
    race.nominate(check.weight);
    std::vector<Candidate> cuts = check.nominees();
    bool moved = false;  // the leader has another cut now
    for (Candidate& c : cuts) {
        for (std::size_t i = 0; i + 1 < race.size(); ++i) {
            if (race.feature_of(i) != c.feature) continue;
            const Candidate counted = race.contender(i);
            const bool same = same_cut(counted, c);
            // What was counted is worth more than an estimate, but it is about the old cut.
            c.gain = same ? counted.gain : 0.5 * (counted.gain + c.gain);
            moved |= i == 0 && !same;
        }
    }
    const auto best =
        std::max_element(cuts.begin(), cuts.end(),
                         [](const Candidate& a, const Candidate& b) { return a.gain < b.gain; });
    if (best == cuts.end() || !(best->gain > settings.min_gain)) return;
    if (race.runs() && !moved && best->feature == race.contender(0).feature) return;
    std::rotate(cuts.begin(), best, best + 1);
    std::vector<Nominee> nominees;
    nominees.reserve(cuts.size());
    for (const Candidate& c : cuts) nominees.push_back(nominee(check, c));
    const bool labels = check.measure != Measure::gini;
    const std::uint32_t number = race.stakes().number + 1;
    Stakes stakes =
        std::get<Betting>(settings.bound).stakes(settings.delta, check.depth, check.node, number);
    stakes.tolerance = labels ? settings.tau : 0.5 * settings.tau;
    stakes.begun = check.weight;
    stakes.labels = labels;
    race.begin(stakes, nominees, check.n_classes);
    check.spent += stakes.alpha;
}

}  // namespace riparian
