#include "check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "../bound/influence.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Evidence Checker::evidence(const LeafCase& leaf, const AnyImpurity& impurity) {
    Evidence e = make_evidence(leaf.settings, impurity, leaf.n, leaf.classes_here, leaf.number);
    e.depth = leaf.depth;
    e.seen = leaf.seen;
    e.features = leaf.known_features;
    return e;
}

Decision Checker::check(const LeafCase& leaf) {
    const Settings& settings = leaf.settings;
    if (leaf.race) {
        Decision d = decide_by_race(leaf, false);
        if (leaf.kept) leaf.kept->name(d);
        return d;
    }
    if (leaf.shape.stride && !leaf.values && !leaf.hits && !settings.second_impurity &&
        !needs_variance(settings.bound) && !splits_at_each_check(settings.bound) &&
        !settings.drop_poor_features) {
        Decision d;
        d.evidence = evidence(leaf, settings.impurity);
        d.epsilon = half_width(settings.bound, d.evidence);
        double least = d.epsilon;
        if (leaf.horizon > 0.0) {
            // The gap itself matters, unless it is too small up to the next check.
            least = std::min(least, half_width(settings.bound, later(d.evidence, leaf.horizon)));
        }
        if (!(least < settings.tau) && surely_waits(leaf, settings.epsilons * least, d)) return d;
    }
    Decision d = decide(leaf);
    if (d.verdict != Verdict::wait) {
        Candidate best = d.best;
        if (leaf.kept) d.best.feature = leaf.kept->place_of(best.feature);
        refine(leaf, d);
        d.best.feature = best.feature;
    }
    return d;
}

void Checker::offer(const Candidate& c) noexcept {
    if (tests_) {
        for (const Candidate& test : *tests_) {
            if (test.feature == c.feature) return;
        }
    }
    ranking_.offer(c);
    if (tested_.feature == c.feature) {
        if (own_.feature == none || c.gain > own_.gain) own_ = c;
        if (c.test == tested_.test && c.category == tested_.category) tested_.gain = c.gain;
    }
    if (!nominees_.empty()) {
        Candidate& own = nominees_[static_cast<std::size_t>(c.feature)];
        if (own.feature == none || c.gain > own.gain) own = c;
    }
    if (tops_.empty()) return;
    double& top = tops_[static_cast<std::size_t>(c.feature)];
    top = std::max(top, c.gain);
}

void Checker::find_poor(const LeafCase& leaf, const Decision& d) {
    std::size_t first = tops_.size(), second = first;
    for (std::size_t f = 0; f < tops_.size(); ++f) {
        if (first == tops_.size() || tops_[f] > tops_[first]) {
            second = std::exchange(first, f);
        } else if (second == tops_.size() || tops_[f] > tops_[second]) {
            second = f;
        }
    }
    const double behind = leaf.settings.epsilons * d.epsilon;
    for (std::size_t f = 0; f < tops_.size(); ++f) {
        const bool here =
            f != first && f != second && tops_[f] > -infinity && d.best.gain - tops_[f] > behind;
        poor_[f] = poor_[f] && here;
    }
}

Review Checker::review(const LeafCase& leaf, const Candidate& test) {
    tested_ = test;
    own_ = {};
    Review r;
    r.decision = decide_by(leaf, leaf.settings.impurity);
    r.own = own_;
    r.now = tested_.gain;  // of a threshold it is another's
    tested_ = {};
    Decision& d = r.decision;
    if (d.best.feature == none) return r;
    refine(leaf, d);
    if (test.test != Test::threshold) return r;
    r.now = gain_of_threshold(leaf, test);
    r.improves = d.best.feature == test.feature &&
                 gain_of_threshold(leaf, d.best) > r.now + leaf.settings.min_gain;
    return r;
}

Decision Checker::option(const LeafCase& leaf, const std::vector<Candidate>& tests) {
    tests_ = &tests;
    Decision d = decide_by(leaf, leaf.settings.impurity);
    tests_ = nullptr;
    d.verdict = Verdict::wait;
    d.second = {};
    for (const Candidate& test : tests) {
        if (test.gain > d.second.gain) d.second = test;
    }
    const bool has_gain = d.best.feature != none && d.best.gain > leaf.settings.min_gain;
    if (!has_gain || !(d.gap() > leaf.settings.epsilons * d.epsilon)) return d;
    d.verdict = Verdict::bound;
    refine(leaf, d);
    if (d.second.feature != none) d.ranking = ranked_against(d.second, d.ranking);
    return d;
}

double Checker::delay(const LeafCase& leaf, const Decision& d) {
    const Settings& settings = leaf.settings;
    if (d.verdict != Verdict::wait) return settings.grace_period;
    // Rough gains have shown that the leaf waits up to the horizon.
    if (d.gain_error > 0.0) return leaf.horizon;
    double needed = weight_to_decide(settings, d) - d.evidence.n;
    if (settings.second_impurity) {
        const Decision second = decide_by(leaf, *settings.second_impurity);
        needed = std::min(needed, weight_to_decide(settings, second) - second.evidence.n);
    }
    return std::clamp(needed, settings.grace_period, leaf.horizon);
}

Decision Checker::decide(const LeafCase& leaf) {
    if (leaf.settings.drop_poor_features) poor_.assign(leaf.features.size(), true);
    Decision d = decide_by(leaf, leaf.settings.impurity);
    if (d.verdict == Verdict::wait && leaf.settings.second_impurity) {
        Decision second = decide_by(leaf, *leaf.settings.second_impurity);
        second.criterion = 1;
        if (second.verdict != Verdict::wait) d = second;
    }
    if (leaf.kept) leaf.kept->name(d);
    return d;
}

Decision Checker::decide_by(const LeafCase& leaf, const AnyImpurity& impurity) {
    if (leaf.race) return decide_by_race(leaf, true);
    rank(leaf, impurity);
    return conclude(leaf, impurity);
}

void Checker::rank(const LeafCase& leaf, const AnyImpurity& impurity) {
    ranking_.clear(leaf.settings.runner_up);
    if (leaf.settings.drop_poor_features) tops_.assign(leaf.features.size(), -infinity);
    if (leaf.hits) {
        rank_hits(leaf);
    } else if (const ImpurityFunction* const function = function_of(impurity)) {
        rank_by_function(leaf, *function);
    } else {
        if (leaf.shape.stride && !leaf.values) numeric(leaf, impurity);
        for (std::size_t f = 0; f < leaf.features.size(); ++f) {
            if (leaf.features[f].kind == Kind::categorical) {
                rank_categorical(leaf, impurity, f);
            } else if (leaf.values) {
                rank_values(leaf, impurity, f);
            } else {
                rank_numeric(leaf, f);
            }
        }
    }
}

Decision Checker::conclude(const LeafCase& leaf, const AnyImpurity& impurity) {
    const Settings& settings = leaf.settings;
    Decision d;
    d.ranking = ranking_;
    d.evidence = evidence(leaf, impurity);
    if (ranking_.size() > 0) d.best = ranking_[0];
    if (settings.runner_up == RunnerUp::nothing) {
        // The null cut is the second.
    } else if (ranking_.size() > 1) {
        if (ranking_[1].gain > 0.0) d.second = ranking_[1];
    } else if (settings.missing_second == MissingSecond::minus_infinity) {
        d.second.gain = -infinity;
    }
    if (leaf.hits) {
        const auto judged = [&](const Candidate& c) {
            if (c.feature == none) return infinity;
            const Feature& f = leaf.features[static_cast<std::size_t>(c.feature)];
            return (f.kind == Kind::numeric ? leaf.hits->numeric(f.slot, leaf.weight)
                                            : leaf.hits->categorical(f.slot, leaf.weight))
                .weight;
        };
        const double least = std::min(judged(d.best), judged(d.second));
        if (least < infinity) d.evidence.n = least + (leaf.n - leaf.weight);
    }
    const bool has_gain = d.best.feature != none && d.best.gain > settings.min_gain;
    if (needs_variance(settings.bound) && d.best.feature != none) {
        d.evidence.variance = gap_variance(leaf, d.evidence.measure, d);
    }
    d.epsilon = half_width(settings.bound, d.evidence);
    if (settings.drop_poor_features) find_poor(leaf, d);
    if (!has_gain) return d;
    if (splits_at_each_check(settings.bound)) {
        d.verdict = Verdict::round;
    } else if (d.gap() > settings.epsilons * d.epsilon) {
        d.verdict = d.second.gain == -infinity ? Verdict::forced : Verdict::bound;
    } else if (d.epsilon < settings.tau) {
        d.verdict = Verdict::tie;
    }
    return d;
}

double Checker::gap_variance(const LeafCase& leaf, Measure measure, const Decision& d) {
    if (!has_influence(measure)) return nan;
    const std::size_t width = leaf.shape.class_stride;
    const auto variance = [&](const Candidate& c) {
        if (c.feature == none) return 0.0;
        const std::vector<double> table = this->table(leaf, c);
        return influence_variance(measure, table.data(), table.size() / width, width, leaf.weight);
    };
    const double first = variance(d.best);
    const double second = variance(d.second);
    if (leaf.pair) {
        // Too few examples in a cell of either table are too few for this one too.
        if (first != first || second != second) return nan;
        const auto id = [&](const Candidate& c) {
            return leaf.kept ? leaf.kept->id_of(c.feature) : c.feature;
        };
        return leaf.pair->leads(id(d.best), id(d.second)) ? leaf.pair->variance() : nan;
    }
    return variance_of_gap(pairing_of(leaf.settings.bound), first, second);
}

}  // namespace riparian
