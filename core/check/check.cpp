#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../bound/influence.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// An impurity over these classes only: costs are told apart by class.
AnyImpurity over(const AnyImpurity& impurity, const Held<std::size_t>& codes) {
    const auto* const loss = std::get_if<Loss>(&impurity);
    return loss ? AnyImpurity(Loss{{}, loss->costs.of_classes(codes)}) : impurity;
}

}  // namespace

// ---- Gaussians ----

NumericCheck Checker::numeric_check(const LeafCase& leaf) {
    const Shape& s = leaf.shape;
    classes_.clear();
    codes_.clear();
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (!(leaf.counts[k] > 0.0)) continue;
        classes_.push_back(leaf.statistics.gaussian(k, leaf.counts));
        codes_.push_back(k);
    }
    scratch_.resize(std::max(scratch_.size(), numeric_scratch(classes_.size())));
    NumericCheck check{};
    check.classes = classes_.data();
    check.n_classes = classes_.size();
    check.n_features = s.numeric;
    check.stride = s.stride;
    check.total = leaf.weight;
    check.min_branch_fraction = leaf.settings.min_branch_fraction;
    check.clip_to_range = leaf.settings.clip_to_range;
    check.variance = leaf.settings.variance;
    check.scratch = scratch_.data();
    return check;
}

NumericCheck Checker::numeric_cuts(const LeafCase& leaf) {
    NumericCheck check = numeric_check(leaf);
    low_.assign(check.stride, infinity);
    high_.assign(check.stride, -infinity);
    for (const GaussianClass& c : classes_) {
        for (std::size_t f = 0; f < check.n_features; ++f) {
            low_[f] = std::min(low_[f], c.planes[low * check.n_features + f]);
            high_[f] = std::max(high_[f], c.planes[high * check.n_features + f]);
        }
    }
    const NumericView view{classes_.data(), classes_.size(), check.n_features,       check.stride,
                           low_.data(),     high_.data(),    leaf.settings.variance};
    std::visit(
        [&](const auto& cuts) {
            check.n_candidates = cuts.candidates(classes_.size());
            thresholds_.resize(check.n_candidates * check.stride);
            cuts.thresholds(view, thresholds_.data());
        },
        leaf.settings.cuts);
    // Few pairs of classes cross as often as they might.
    const auto none_at = [&](std::size_t candidate) {
        const auto first = thresholds_.begin() + static_cast<std::ptrdiff_t>(candidate * check.stride);
        return std::all_of(first, first + static_cast<std::ptrdiff_t>(check.stride),
                           [](double t) { return t != t; });
    };
    while (check.n_candidates && none_at(check.n_candidates - 1)) --check.n_candidates;
    gains_.resize(check.n_candidates * check.stride);
    check.thresholds = thresholds_.data();
    check.gains = gains_.data();
    return check;
}

void Checker::numeric(const LeafCase& leaf, const AnyImpurity& impurity) {
    const NumericCheck check = numeric_cuts(leaf);
    const AnyImpurity here = over(impurity, codes_);
    std::visit([&](const auto& i) { kernels().numeric_gains[here.index()](&i, check); }, here);
}

void Checker::rank_numeric(const LeafCase& leaf, std::size_t feature) {
    const std::size_t stride = leaf.shape.stride;
    for (std::size_t i = leaf.features[feature].slot; i < gains_.size(); i += stride) {
        if (gains_[i] == -infinity) continue;
        offer({static_cast<std::int32_t>(feature), Test::threshold, thresholds_[i], none,
                        gains_[i]});
    }
}

void Checker::best_thresholds(const LeafCase& leaf, std::vector<double>& thresholds,
                              std::vector<double>& sides) {
    const Shape& s = leaf.shape;
    thresholds.assign(s.numeric, nan);
    sides.assign(s.numeric * 2 * s.class_stride, 0.0);
    if (s.numeric == 0) return;
    numeric(leaf, leaf.settings.impurity);
    const NumericCheck check = numeric_check(leaf);
    std::vector<double> left(classes_.size());
    for (std::size_t f = 0; f < s.numeric; ++f) {
        double best = -infinity;
        for (std::size_t i = f; i < gains_.size(); i += s.stride) {
            if (gains_[i] > best) {
                best = gains_[i];
                thresholds[f] = thresholds_[i];
            }
        }
        if (thresholds[f] != thresholds[f]) continue;
        kernels().left_masses(check, f, thresholds[f], left.data());
        double* const out = sides.data() + f * 2 * s.class_stride;
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const double all = classes_[i].known ? classes_[i].known[f] : classes_[i].weight;
            out[codes_[i]] = left[i];
            out[s.class_stride + codes_[i]] = all - left[i];
        }
    }
}

// The better of the cut that won and all that its feature has besides.
void Checker::refine(const LeafCase& leaf, Decision& d) {
    if (d.best.test != Test::threshold) return;
    std::visit(
        [&]<class C>(const C& cuts) {
            if constexpr (Refines<C>) {
                if (leaf.values || leaf.hits) return;
                NumericCheck check = numeric_cuts(leaf);
                const std::size_t slot = leaf.features[static_cast<std::size_t>(d.best.feature)].slot;
                const NumericView view{classes_.data(), classes_.size(), check.n_features,
                                       check.stride,    low_.data(),     high_.data(),
                                       leaf.settings.variance};
                const std::vector<double> more = cuts.refined(view, slot);
                check.n_candidates = more.size();
                thresholds_.assign(more.size() * check.stride, nan);
                gains_.assign(more.size() * check.stride, -infinity);
                for (std::size_t i = 0; i < more.size(); ++i) {
                    thresholds_[i * check.stride + slot] = more[i];
                }
                check.thresholds = thresholds_.data();
                check.gains = gains_.data();
                const AnyImpurity& impurity = d.criterion == 0 ? leaf.settings.impurity
                                                               : *leaf.settings.second_impurity;
                const AnyImpurity here = over(impurity, codes_);
                const auto kernel = kernels().numeric_gains[here.index()];
                if (!kernel) return;
                std::visit([&](const auto& i) { kernel(&i, check); }, here);
                double best = d.best.gain;
                for (std::size_t i = slot; i < gains_.size(); i += check.stride) {
                    if (gains_[i] > best) {
                        best = gains_[i];
                        d.best.threshold = thresholds_[i];
                    }
                }
            }
        },
        leaf.settings.cuts);
}

// ---- categories ----

// All features at once, as far as they share the weight of their known values: most
// have few categories, and vectors would be half empty.
void Checker::categories(const LeafCase& leaf, const AnyImpurity& impurity) {
    const Shape& s = leaf.shape;
    const LeafStatistics& statistics = leaf.statistics;
    const std::uint32_t* const starts = statistics.starts(s);
    const std::size_t n_cells = starts[s.categorical] + 3;
    mass_.resize(n_cells);
    rest_.resize(n_cells);
    weight_.resize(n_cells);
    whole_.resize(s.categorical);
    scratch_.resize(std::max(scratch_.size(), 4 * 2 * leaf.n_classes));
    for (std::size_t c = 0, end = 0; c < s.categorical; c = end) {
        const double* const known = statistics.known_categories(c);
        for (end = c + 1; end < s.categorical && !known; ++end) {
            if (statistics.known_categories(end)) break;
        }
        cells_.clear();
        known_.clear();
        codes_.clear();
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (!statistics.classes()[k]) continue;
            cells_.push_back(statistics.cells(s, k) + starts[c]);
            known_.push_back(known ? known[k] : leaf.counts[k]);
            codes_.push_back(k);
        }
        const CategoricalCheck check{cells_.data(),          starts[end] - starts[c],
                                     cells_.size(),          known_.data(),
                                     scratch_.data(),        mass_.data() + starts[c],
                                     rest_.data() + starts[c], weight_.data() + starts[c]};
        const AnyImpurity here = over(impurity, codes_);
        const double whole = std::visit(
            [&](const auto& i) { return kernels().categorical_masses[here.index()](&i, check); },
            here);
        std::fill(whole_.begin() + static_cast<std::ptrdiff_t>(c),
                  whole_.begin() + static_cast<std::ptrdiff_t>(end), whole);
    }
}

void Checker::rank_categorical(const LeafCase& leaf, const AnyImpurity& impurity,
                               std::size_t feature) {
    const Settings& settings = leaf.settings;
    const std::size_t slot = leaf.features[feature].slot;
    if (slot == 0) categories(leaf, impurity);
    const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape) + slot;
    const double* const known = leaf.statistics.known_categories(slot);
    const double whole = whole_[slot];
    double total = 0.0;
    for (std::size_t k = 0; k < leaf.n_classes; ++k) total += known ? known[k] : leaf.counts[k];
    const double least = total * settings.min_branch_fraction;
    const auto f = static_cast<std::int32_t>(feature);
    if (settings.categorical_cuts != CategoricalCuts::one_against_rest && !leaf.used_up[slot]) {
        double parts = 0.0;
        std::size_t large = 0;
        for (std::size_t v = starts[0]; v < starts[1]; ++v) {
            parts += mass_[v];
            large += weight_[v] > least;
        }
        if (large >= 2) {
            offer({f, Test::every_value, 0.0, none, (whole - parts) / leaf.weight});
        }
    }
    if (settings.categorical_cuts != CategoricalCuts::multiway) {
        for (std::size_t v = starts[0]; v < starts[1]; ++v) {
            if (weight_[v] > least && total - weight_[v] > least) {
                offer({f, Test::one_value, 0.0, static_cast<std::int32_t>(v - starts[0]),
                                (whole - mass_[v] - rest_[v]) / leaf.weight});
            }
        }
    }
}

// ---- deciding ----

Evidence Checker::evidence(const LeafCase& leaf, const AnyImpurity& impurity) {
    Evidence e{leaf.n, gain_range(impurity, leaf.classes_here), leaf.settings.delta};
    if (leaf.settings.spend_delta) e.delta /= leaf.number * (leaf.number + 1.0);
    e.measure = measure(impurity);
    e.classes = static_cast<double>(leaf.classes_here);
    e.depth = leaf.depth;
    e.seen = leaf.seen;
    e.features = leaf.known_features;
    return e;
}

Decision Checker::check(const LeafCase& leaf) {
    const Settings& settings = leaf.settings;
    if (leaf.shape.stride && !leaf.values && !leaf.hits && !settings.second_impurity &&
        !needs_variance(settings.bound) && !settings.drop_poor_features) {
        Decision d;
        d.evidence = evidence(leaf, settings.impurity);
        d.epsilon = half_width(settings.bound, d.evidence);
        double least = d.epsilon;
        if (leaf.horizon > 0.0) {
            // The gap itself matters, unless it is too small up to the next check.
            least = std::min(least, half_width(settings.bound, later(d.evidence, leaf.horizon)));
        }
        if (!(least < settings.tau) && surely_waits(leaf, settings.epsilons * least)) return d;
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
        const bool here = f != first && f != second && tops_[f] > -infinity &&
                          d.best.gain - tops_[f] > behind;
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

double Checker::gain_of_branches(const LeafCase& leaf, const std::vector<double>& table) {
    const std::size_t n = leaf.n_classes, row = table.size() / n, branches = row - 3;
    known_.assign(n, 0.0);
    cells_.clear();
    codes_.clear();
    double total = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        cells_.push_back(table.data() + k * row);
        codes_.push_back(k);
        for (std::size_t b = 0; b < branches; ++b) known_[k] += table[k * row + b];
        total += known_[k];
    }
    if (!(total > 0.0)) return 0.0;
    if (const auto* const custom = std::get_if<CustomImpurity>(&leaf.settings.impurity)) {
        std::vector<double> tables(2 * branches * n, 0.0), impurities(2 * branches);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t b = 0; b < branches; ++b) tables[b * n + k] = table[k * row + b];
            tables[branches * n + k] = known_[k];
        }
        custom->function->impurities(tables.data(), 2, branches, n, impurities.data());
        double mass = 0.0;
        for (std::size_t b = 0; b < branches; ++b) {
            double weight = 0.0;
            for (std::size_t k = 0; k < n; ++k) weight += tables[b * n + k];
            if (weight > 0.0) mass += weight * impurities[b];
        }
        return impurities[branches] - mass / total;
    }
    mass_.resize(row);
    rest_.resize(row);
    weight_.resize(row);
    scratch_.resize(std::max(scratch_.size(), 4 * 2 * n));
    const CategoricalCheck check{cells_.data(),   branches,     n,
                                 known_.data(),   scratch_.data(), mass_.data(),
                                 rest_.data(),    weight_.data()};
    const AnyImpurity here = over(leaf.settings.impurity, codes_);
    double parts = std::visit(
        [&](const auto& i) { return kernels().categorical_masses[here.index()](&i, check); }, here);
    for (std::size_t b = 0; b < branches; ++b) parts -= mass_[b];
    return parts / total;
}

double Checker::gain_of_threshold(const LeafCase& leaf, const Candidate& c) {
    const std::vector<double> table = this->table(leaf, c);
    const std::size_t width = leaf.shape.class_stride, n = leaf.n_classes;
    double gains[4];
    if (const auto* const custom = std::get_if<CustomImpurity>(&leaf.settings.impurity)) {
        std::vector<double> tables(4 * n, 0.0);  // both branches; all, and an empty one
        double weights[2] = {}, all = 0.0;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            const double w = table[i / n * width + i % n];
            tables[i] = w;
            tables[2 * n + i % n] += w;
            weights[i / n] += w;
            all += w;
        }
        custom->function->impurities(tables.data(), 2, 2, n, gains);
        const double mass = (weights[0] > 0.0 ? weights[0] * gains[0] : 0.0) +
                            (weights[1] > 0.0 ? weights[1] * gains[1] : 0.0);
        return (all * gains[2] - mass) / leaf.weight;
    }
    known_.resize(n);
    for (std::size_t k = 0; k < n; ++k) known_[k] = table[k] + table[width + k];
    scratch_.resize(std::max(scratch_.size(), numeric_scratch(n)));
    const ListCheck check{table.data(), 1,   n,
                          known_.data(), leaf.weight, 0.0,
                          scratch_.data(), gains};
    const AnyImpurity& impurity = leaf.settings.impurity;
    std::visit([&](const auto& i) { kernels().list_gains[impurity.index()](&i, check); }, impurity);
    return gains[0] == -infinity ? 0.0 : gains[0];
}

double Checker::delay(const LeafCase& leaf, const Decision& d) {
    const Settings& settings = leaf.settings;
    if (d.verdict != Verdict::wait) return settings.grace_period;
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
    ranking_.clear(leaf.settings.runner_up);
    if (leaf.settings.drop_poor_features) tops_.assign(leaf.features.size(), -infinity);
    if (leaf.hits) {
        rank_hits(leaf);
    } else if (const auto* const custom = std::get_if<CustomImpurity>(&impurity)) {
        rank_by_function(leaf, *custom->function);
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
    return conclude(leaf, impurity);
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
    if (d.gap() > settings.epsilons * d.epsilon) {
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

std::vector<double> Checker::branches(const LeafCase& leaf, const Candidate& c) {
    Candidate here = c;
    if (leaf.kept) here.feature = leaf.kept->place_of(c.feature);
    return table(leaf, here);
}

std::vector<double> Checker::table(const LeafCase& leaf, const Candidate& c) {
    const std::size_t width = leaf.shape.class_stride;
    const std::size_t slot = leaf.features[static_cast<std::size_t>(c.feature)].slot;
    if (c.test == Test::threshold && leaf.values) {
        std::vector<double> out(2 * width, 0.0);
        left_mass(*leaf.values, slot, c.threshold, width, out.data());
        left_mass(*leaf.values, slot, infinity, width, out.data() + width);
        for (std::size_t k = 0; k < width; ++k) {
            out[width + k] = std::max(out[width + k] - out[k], 0.0);
        }
        return out;
    }
    if (c.test == Test::threshold && leaf.hits) {
        std::vector<double> out(2 * width, 0.0);
        for (std::size_t i = 0; i < 2 * width; ++i) {
            out[i] = leaf.hits->beside(slot, i / width, i % width);
        }
        return out;
    }
    if (c.test == Test::threshold) {
        std::vector<double> out(2 * width, 0.0);
        const NumericCheck check = numeric_check(leaf);
        std::vector<double> left(classes_.size());
        kernels().left_masses(check, slot, c.threshold, left.data());
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const double all = classes_[i].known ? classes_[i].known[slot] : classes_[i].weight;
            out[codes_[i]] = left[i];
            out[width + codes_[i]] = all - left[i];
        }
        return out;
    }
    const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape) + slot;
    const double* const known = leaf.statistics.known_categories(slot);
    const bool every = c.test == Test::every_value;
    std::vector<double> out((every ? starts[1] - starts[0] : 2) * width, 0.0);
    for (std::size_t k = 0; k < width; ++k) {
        if (!leaf.statistics.classes()[k]) continue;
        const double* const cells = leaf.statistics.cells(leaf.shape, k) + starts[0];
        if (every) {
            for (std::size_t v = 0; v < starts[1] - starts[0]; ++v) out[v * width + k] = cells[v];
        } else {
            out[k] = cells[c.category];
            out[width + k] = (known ? known[k] : leaf.counts[k]) - cells[c.category];
        }
    }
    return out;
}

}  // namespace riparian
