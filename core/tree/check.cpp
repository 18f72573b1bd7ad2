#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// The candidates come in the order of features, then cuts, so a tie stays with
// the lowest of both.
void Checker::propose(RunnerUp rule, const Candidate& c) {
    if (c.gain > best_.gain || best_.feature == none) {
        if (rule == RunnerUp::cut || best_.feature != c.feature) {
            if (best_.feature != none) second_ = best_;
        }
        best_ = c;
    } else if ((rule == RunnerUp::cut || best_.feature != c.feature) && c.gain > second_.gain) {
        second_ = c;
    }
}

NumericCheck Checker::numeric_check(const LeafCase& leaf) {
    const Shape& s = leaf.shape;
    classes_.clear();
    codes_.clear();
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (!(leaf.counts[k] > 0.0)) continue;
        classes_.push_back(leaf.statistics.gaussian(k, leaf.counts));
        codes_.push_back(k);
    }
    scratch_.resize(numeric_scratch(classes_.size()));
    NumericCheck check{};
    check.classes = classes_.data();
    check.n_classes = classes_.size();
    check.n_features = s.numeric;
    check.stride = s.stride;
    check.total = leaf.weight;
    check.min_branch_fraction = leaf.settings.min_branch_fraction;
    check.clip_to_range = leaf.settings.clip_to_range;
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
    const NumericView view{classes_.data(), classes_.size(), check.n_features,
                           check.stride,    low_.data(),     high_.data()};
    std::visit(
        [&](const auto& cuts) {
            check.n_candidates = cuts.candidates(classes_.size());
            thresholds_.resize(check.n_candidates * check.stride);
            cuts.thresholds(view, thresholds_.data());
        },
        leaf.settings.cuts);
    gains_.resize(check.n_candidates * check.stride);
    check.thresholds = thresholds_.data();
    check.gains = gains_.data();
    return check;
}

void Checker::numeric(const LeafCase& leaf) {
    const NumericCheck check = numeric_cuts(leaf);
    std::visit(
        [&](const auto& impurity) {
            kernels().numeric_gains[leaf.settings.impurity.index()](&impurity, check);
        },
        leaf.settings.impurity);
}

// The places of candidates that may be ahead of their rivals by more than `threshold`.
// The best cut so far is a rival of all but the other cuts of its own feature, which
// have the second for one.
template <class Impurity>
void Checker::select_open(const LeafCase& leaf, const NumericCheck& check,
                          const Impurity& impurity, double threshold) {
    constexpr double rounding = 1e-9;
    const double limit = impurity.ceiling(best_.gain + threshold - rounding).chi_square;
    places_.clear();
    for (std::size_t i = 0; i < gains_.size(); ++i) {
        if (chi_square_[i] > limit) places_.push_back(static_cast<std::uint32_t>(i));
    }
    const auto rival = static_cast<std::size_t>(best_.feature) - leaf.features.size();
    if (leaf.settings.runner_up == RunnerUp::cut || rival >= check.n_features) return;
    const double second = std::max(second_.gain, 0.0);
    const double own = impurity.ceiling(second + threshold - rounding).chi_square;
    for (std::size_t i = rival; i < gains_.size(); i += check.stride) {
        if (chi_square_[i] > own && !(chi_square_[i] > limit)) {
            places_.push_back(static_cast<std::uint32_t>(i));
        }
    }
}

void Checker::propose_at(const LeafCase& leaf, const NumericCheck& check) {
    std::visit(
        [&](const auto& impurity) {
            kernels().numeric_gains_at[leaf.settings.impurity.index()](
                &impurity, check, places_.data(), places_.size());
        },
        leaf.settings.impurity);
    for (const std::uint32_t place : places_) {
        chi_square_[place] = -infinity;  // known now: not to be proposed twice
        if (gains_[place] == -infinity) continue;
        const auto rival = static_cast<std::int32_t>(leaf.features.size() + place % check.stride);
        propose(leaf.settings.runner_up,
                {rival, Test::threshold, thresholds_[place], none, gains_[place]});
    }
}

// The most promising cut of each of the four most promising features.
void Checker::select_first(const NumericCheck& check) {
    places_.clear();
    for (std::size_t f = 0; f < check.n_features; ++f) {
        std::size_t top = f;
        for (std::size_t i = f; i < gains_.size(); i += check.stride) {
            if (chi_square_[i] > chi_square_[top]) top = i;
        }
        places_.push_back(static_cast<std::uint32_t>(top));
    }
    const auto first = places_.begin() + std::min<std::ptrdiff_t>(4, std::ssize(places_));
    std::partial_sort(places_.begin(), first, places_.end(), [&](auto a, auto b) {
        return chi_square_[a] > chi_square_[b];
    });
    places_.erase(first, places_.end());
}

// True if no cut can be ahead of all rivals by more than `threshold`: two rivals are
// known to be that close, and every other cut is surely no better than the first of
// them plus `threshold`. Features are only told apart here, not named.
bool Checker::surely_waits(const LeafCase& leaf, double threshold) {
    return std::visit(
        [&](const auto& impurity) {
            if constexpr (requires { impurity.ceiling(0.0); }) {
                for (std::size_t f = 0; f < leaf.features.size(); ++f) {
                    if (leaf.features[f].kind == Kind::categorical) categorical(leaf, f);
                }
                const NumericCheck check = numeric_cuts(leaf);
                chi_square_.resize(gains_.size());
                kernels().numeric_ceilings(check, impurity.ceiling(threshold).spread,
                                           chi_square_.data());
                select_open(leaf, check, impurity, threshold);
                if (!places_.empty()) {
                    select_first(check);
                    propose_at(leaf, check);
                    select_open(leaf, check, impurity, threshold);
                    if (2 * places_.size() > check.n_candidates * check.n_features) return false;
                    propose_at(leaf, check);
                }
                return best_.gain - std::max(second_.gain, 0.0) <= threshold;
            } else {
                return false;
            }
        },
        leaf.settings.impurity);
}

// All features at once, as far as they share the weight of their known values: most
// have few categories, and vectors would be half empty.
void Checker::categories(const LeafCase& leaf) {
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
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (!statistics.classes()[k]) continue;
            cells_.push_back(statistics.cells(s, k) + starts[c]);
            known_.push_back(known ? known[k] : leaf.counts[k]);
        }
        const CategoricalCheck check{cells_.data(),          starts[end] - starts[c],
                                     cells_.size(),          known_.data(),
                                     scratch_.data(),        mass_.data() + starts[c],
                                     rest_.data() + starts[c], weight_.data() + starts[c]};
        const double whole = std::visit(
            [&](const auto& impurity) {
                return kernels().categorical_masses[leaf.settings.impurity.index()](&impurity,
                                                                                    check);
            },
            leaf.settings.impurity);
        std::fill(whole_.begin() + static_cast<std::ptrdiff_t>(c),
                  whole_.begin() + static_cast<std::ptrdiff_t>(end), whole);
    }
}

void Checker::categorical(const LeafCase& leaf, std::size_t feature) {
    const Settings& settings = leaf.settings;
    const std::size_t slot = leaf.features[feature].slot;
    if (slot == 0) categories(leaf);
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
            propose(settings.runner_up,
                    {f, Test::every_value, 0.0, none, (whole - parts) / leaf.weight});
        }
    }
    if (settings.categorical_cuts != CategoricalCuts::multiway) {
        for (std::size_t v = starts[0]; v < starts[1]; ++v) {
            if (weight_[v] > least && total - weight_[v] > least) {
                propose(settings.runner_up,
                        {f, Test::one_value, 0.0, static_cast<std::int32_t>(v - starts[0]),
                         (whole - mass_[v] - rest_[v]) / leaf.weight});
            }
        }
    }
}

// What is known before any gain.
static Decision undecided(const LeafCase& leaf) {
    const Settings& settings = leaf.settings;
    Decision d;
    d.n = leaf.n;
    d.gain_range = std::visit([&](const auto& i) { return i.gain_range(leaf.classes_here); },
                              settings.impurity);
    d.epsilon = half_width(settings.bound, {leaf.n, d.gain_range, settings.delta});
    return d;
}

Decision Checker::check(const LeafCase& leaf) {
    const Settings& settings = leaf.settings;
    const Decision d = undecided(leaf);
    best_ = {};
    second_ = {};
    if (leaf.shape.stride && !(d.epsilon < settings.tau) &&
        surely_waits(leaf, settings.epsilons * d.epsilon)) {
        return d;
    }
    return decide(leaf);
}

Decision Checker::decide(const LeafCase& leaf) {
    const Settings& settings = leaf.settings;
    best_ = {};
    second_ = {};
    if (leaf.shape.stride) numeric(leaf);
    const std::size_t stride = leaf.shape.stride;
    const std::size_t n_candidates = stride ? gains_.size() / stride : 0;
    for (std::size_t f = 0; f < leaf.features.size(); ++f) {
        if (leaf.features[f].kind == Kind::categorical) {
            categorical(leaf, f);
            continue;
        }
        const std::size_t slot = leaf.features[f].slot;
        for (std::size_t c = 0; c < n_candidates; ++c) {
            const double gain = gains_[c * stride + slot];
            if (gain == -infinity) continue;
            propose(settings.runner_up, {static_cast<std::int32_t>(f), Test::threshold,
                                         thresholds_[c * stride + slot], none, gain});
        }
    }

    Decision d = undecided(leaf);
    d.best = best_;
    if (second_.feature != none && second_.gain > 0.0) d.second = second_;
    if (best_.feature != none && best_.gain > settings.min_gain) {
        if (d.gap() > settings.epsilons * d.epsilon) {
            d.verdict = Verdict::bound;
        } else if (d.epsilon < settings.tau) {
            d.verdict = Verdict::tie;
        }
    }
    return d;
}

std::vector<double> Checker::branches(const LeafCase& leaf, const Candidate& c) {
    const std::size_t width = leaf.shape.class_stride;
    const std::size_t slot = leaf.features[static_cast<std::size_t>(c.feature)].slot;
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

double weight_to_decide(const Settings& settings, const Decision& d) {
    if (d.best.feature == none || !(d.best.gain > settings.min_gain)) return infinity;
    const auto decides = [&](double n) {
        const double epsilon = half_width(settings.bound, {n, d.gain_range, settings.delta});
        return d.gap() > settings.epsilons * epsilon || epsilon < settings.tau;
    };
    if (decides(d.n)) return d.n;
    // Whole numbers from here on; past 2^53 not all of them exist.
    double low = std::floor(d.n);
    double high = std::max(1.0, low + 1.0);
    while (!decides(high)) {
        low = high;
        high *= 2.0;
        if (high > 0x1p53) return infinity;
    }
    while (low + 1.0 < high) {
        const double middle = std::floor(0.5 * (low + high));
        (decides(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace riparian
