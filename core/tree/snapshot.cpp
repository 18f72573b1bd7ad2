// Taking a tree apart into arrays and putting it together again. Whether arrays
// from outside mean a tree is decided here and nowhere else.
#include "snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "../demand.hpp"
#include "tree.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = largest_value;

std::string at_row(const char* array, std::size_t i) {
    return std::string(array) + ", row " + std::to_string(i) + ": ";
}

void demand_weights(const std::vector<double>& v, const char* name) {
    for (std::size_t i = 0; i < v.size(); ++i) {
        demand(v[i] >= 0.0 && v[i] <= heaviest, at_row(name, i) + "not a weight");
    }
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-6 * (std::abs(a) + std::abs(b)); }

struct Sizes {
    std::size_t n_nodes, n_classes, n_leaves,  // n_leaves: all that keep statistics
        n_numeric, n_categorical;
    std::size_t numeric, categorical;  // over all leaves, of features not dropped
};

Sizes check_sizes(const Settings& settings, const Snapshot& s) {
    Sizes z{};
    demand_size(s.seen, 1, "seen");
    demand(s.seen[0] <= most_seen, "seen is too large");
    demand_size(s.classes, 1, "classes");
    z.n_classes = s.classes[0];
    demand(s.kinds.size() <= max_features, "there are too many features");
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "kinds holds an unknown kind");
        ++(kind == 0 ? z.n_numeric : z.n_categorical);
    }
    demand_size(s.categories, z.n_categorical, "categories");
    for (const std::uint32_t n : s.categories) demand(n <= max_categories, "categories is too large");
    z.n_nodes = s.test.size();
    demand(z.n_nodes >= 1 && z.n_nodes <= (1U << 30), "the tree has no node or too many");
    const auto leaves = static_cast<std::size_t>(std::count(s.test.begin(), s.test.end(), 0));
    z.n_leaves = settings.keeps() ? z.n_nodes : leaves;
    demand_size(s.parent, z.n_nodes, "parent");
    demand_size(s.branch, z.n_nodes, "branch");
    demand_size(s.feature, z.n_nodes, "feature");
    demand_size(s.category, z.n_nodes, "category");
    demand_size(s.heavy, z.n_nodes, "heavy");
    demand_size(s.threshold, z.n_nodes, "threshold");
    demand(z.n_classes <= max_classes, "classes is too large");
    demand_size(s.counts, z.n_nodes * z.n_classes, "counts");
    demand_size(s.inherited, z.n_nodes * z.n_classes, "inherited");
    demand_size(s.weight, z.n_leaves, "weight");
    demand_size(s.inherited_weight, z.n_leaves, "inherited_weight");
    demand_size(s.checked, z.n_leaves, "checked");
    demand_size(s.right_majority, z.n_leaves, "right_majority");
    demand_size(s.right_bayes, z.n_leaves, "right_bayes");
    z.numeric = z.n_leaves * z.n_numeric;
    z.categorical = z.n_leaves * z.n_categorical;
    demand(s.dropped.empty() || s.dropped.size() == z.n_leaves * s.kinds.size(),
           "dropped does not have a value for each feature of each leaf");
    for (std::size_t i = 0; i < s.dropped.size(); ++i) {
        demand(s.dropped[i] <= 1, "dropped holds another value than 0 and 1");
        (s.kinds[i % s.kinds.size()] == 0 ? z.numeric : z.categorical) -= s.dropped[i];
    }
    demand_size(s.values, z.categorical, "values");
    demand_size(s.table_gaps, z.categorical, "table_gaps");
    const std::size_t splits = z.n_nodes - leaves;
    demand_size(s.split_node, splits, "split_node");
    demand_size(s.split_seen, splits, "split_seen");
    demand_size(s.split_verdict, splits, "split_verdict");
    demand_size(s.split_n, splits, "split_n");
    demand_size(s.split_gain_range, splits, "split_gain_range");
    demand_size(s.split_epsilon, splits, "split_epsilon");
    demand_size(s.split_gain, splits, "split_gain");
    demand_size(s.second_feature, splits, "second_feature");
    demand_size(s.second_category, splits, "second_category");
    demand_size(s.second_test, splits, "second_test");
    demand_size(s.second_threshold, splits, "second_threshold");
    demand_size(s.second_gain, splits, "second_gain");
    demand_size(s.spent, 1, "spent");
    demand(s.spent[0] >= 0.0 && s.spent[0] <= heaviest, "spent is not a sum of deltas");
    demand_size(s.checks, z.n_leaves, "checks");
    demand_size(s.met, s.kinds.size(), "met");
    for (const std::uint8_t m : s.met) demand(m <= 1, "met holds another value than 0 and 1");
    demand_size(s.split_delta, splits, "split_delta");
    demand_size(s.split_spent, splits, "split_spent");
    demand_size(s.split_criterion, splits, "split_criterion");
    demand_size(s.rivals, splits, "rivals");
    std::size_t n_rivals = 0;
    for (const std::uint8_t n : s.rivals) n_rivals += n;
    demand_size(s.rival_feature, n_rivals, "rival_feature");
    demand_size(s.rival_category, n_rivals, "rival_category");
    demand_size(s.rival_test, n_rivals, "rival_test");
    demand_size(s.rival_threshold, n_rivals, "rival_threshold");
    demand_size(s.rival_gain, n_rivals, "rival_gain");
    demand_size(s.passes, 1, "passes");
    demand(s.passes[0] >= 1, "passes is 0");
    demand_size(s.split_pass, splits, "split_pass");
    demand_size(s.inactive, z.n_leaves, "inactive");
    std::size_t n_anew = 0;
    for (const std::uint8_t state : s.inactive) {
        demand(state <= 2, "inactive holds another value than 0, 1 and 2");
        n_anew += state == 2;
    }
    demand_size(s.recent, n_anew * z.n_classes, "recent");
    demand_size(s.ranked_at, 1, "ranked_at");
    demand(s.ranked_at[0] <= s.seen[0], "ranked_at is after the last example");
    demand_size(s.least_promise, 1, "least_promise");
    demand_weights(s.least_promise, "least_promise");
    demand_weights(s.recent, "recent");
    demand_weights(s.counts, "counts");
    demand_weights(s.inherited, "inherited");
    demand_weights(s.weight, "weight");
    demand_weights(s.inherited_weight, "inherited_weight");
    // Of a leaf that forgets: what arrived since may be more than is left.
    for (std::size_t i = 0; i < s.checked.size(); ++i) {
        demand(s.checked[i] >= (settings.forgets() ? -heaviest : 0.0) && s.checked[i] <= heaviest,
               at_row("checked", i) + "not a weight");
    }
    demand_weights(s.delay, "delay");
    demand_weights(s.recalled, "recalled");
    demand_weights(s.estimated, "estimated");
    demand_weights(s.right_majority, "right_majority");
    const std::size_t beside = settings.adapts() ? z.n_nodes : 0;
    demand_size(s.role, beside, "role");
    demand_size(s.born, beside, "born");
    demand_size(s.births, beside ? 1 : 0, "births");
    demand_size(s.monitor_sizes, beside, "monitor_sizes");
    demand(beside || s.monitors.empty(), "monitors is too long");
    const std::size_t changes = s.change_seen.size();
    demand(changes <= (beside ? most_changes : 0), "change_seen is too long");
    // Of kinds that came later there were none.
    demand(s.change_totals.size() <= n_change_kinds && s.change_totals.empty() == (beside == 0),
           "change_totals has other kinds than there are");
    demand_size(s.change_kind, changes, "change_kind");
    demand_size(s.change_places, changes * Snapshot::change_places_each, "change_places");
    demand_size(s.change_values, changes * Snapshot::change_values_each, "change_values");
    const std::size_t windowed = settings.forgets() ? z.n_nodes : 0;
    demand_size(s.since, windowed, "since");
    demand_size(s.there, windowed, "there");
    demand_size(s.recent_since, windowed ? n_anew : 0, "recent_since");
    demand_size(s.window, windowed ? 2 : 0, "window");
    const std::size_t held = s.window_labels.size();
    demand(held <= (windowed ? std::min<std::uint64_t>(s.window[0], s.seen[0]) : 0),
           "window_labels has more examples than the window");
    demand_size(s.window_values, held * z.n_numeric, "window_values");
    demand_size(s.window_codes, held * z.n_categorical, "window_codes");
    demand_size(s.window_weights, held, "window_weights");
    demand_size(s.window_uncertain, s.window_uncertain.empty() ? 0 : held, "window_uncertain");
    demand(s.window_numbers.empty() || !s.window_uncertain.empty(), "window_numbers is too long");
    for (const std::uint8_t u : s.window_uncertain) {
        demand(u <= 1, "window_uncertain holds another value than 0 and 1");
    }
    demand_size(s.on_trial, windowed, "on_trial");
    std::size_t on_trial = 0;
    for (const std::uint8_t t : s.on_trial) {
        demand(t <= 1, "on_trial holds another value than 0 and 1");
        on_trial += t;
    }
    demand_size(s.trials, on_trial * Snapshot::trial_values_each, "trials");
    const std::size_t archives = settings.archive_size() ? 1 : 0;
    demand_size(s.trial_from, archives * on_trial, "trial_from");
    demand_size(s.archived, archives, "archived");
    demand(s.archive.size() % Snapshot::archive_each == 0 &&
               s.archive.size() / Snapshot::archive_each <= settings.archive_size(),
           "archive has more subtrees than archive_size");
    demand_size(s.archive_places, s.archive_thresholds.size() * Snapshot::archive_places_each,
                "archive_places");
    demand_size(s.archive_splits, s.archive_evidence.size(), "archive_splits");
    demand(s.archive_gains.size() % 2 == 0, "archive_gains has half of a rival");
    demand_size(s.archive_rivals, s.archive_gains.size() / 2 * Snapshot::archive_rivals_each,
                "archive_rivals");
    demand(archives || (s.archive_thresholds.empty() && s.archive_evidence.empty() &&
                        s.archive_gains.empty()),
           "an archive without archive_size");
    demand_weights(s.right_bayes, "right_bayes");
    demand_weights(s.right_idbd, "right_idbd");
    demand_weights(s.known, "known");
    demand_weights(s.cells, "cells");
    demand_weights(s.table_known, "table_known");
    return z;
}

// A cut is possible with these features and categories.
bool possible(const Snapshot& s, const Features& features, std::uint8_t test,
              std::int32_t feature, double threshold, std::int32_t category) {
    if (feature < 0 || static_cast<std::size_t>(feature) >= features.size()) return false;
    const Feature& f = features[static_cast<std::size_t>(feature)];
    switch (static_cast<Test>(test)) {
        case Test::threshold:
            return f.kind == Kind::numeric && std::abs(threshold) <= largest && category == none;
        case Test::one_value:
            return f.kind == Kind::categorical && threshold == 0.0 && category >= 0 &&
                   static_cast<std::uint32_t>(category) < s.categories[f.slot];
        case Test::every_value:
            return f.kind == Kind::categorical && threshold == 0.0 && category == none;
        default: return false;
    }
}

// One plane of a class: what Welford's update can have left behind.
void check_planes(const double* p, const double* known, double weight, std::size_t n,
                  const std::string& where) {
    for (std::size_t f = 0; f < n; ++f) {
        const double w = known ? known[f] : weight;
        const double m = p[f], sq = p[n + f], lo = p[2 * n + f], hi = p[3 * n + f];
        if (w == 0.0) {
            demand(m == 0.0 && sq == 0.0 && lo == infinity && hi == -infinity,
                   where + "statistics without weight");
        } else {
            demand(std::abs(m) <= largest && sq >= 0.0 && sq <= w * 0x1.00001p902 && lo >= -largest &&
                       hi <= largest && lo <= hi,
                   where + "impossible moments");
        }
        demand(w <= weight || nearly(w, weight), where + "more known values than examples");
    }
}

}  // namespace

// Takes doubles off the front of an array.
class Tree::Reader {
public:
    Reader(const std::vector<double>& v, const char* name) : v_(v), name_(name) {}
    const double* take(std::size_t n) {
        demand(n <= v_.size() - used_, std::string(name_) + " ends too early");
        const double* const p = v_.data() + used_;
        used_ += n;
        return p;
    }
    [[nodiscard]] std::size_t left() const noexcept { return v_.size() - used_; }
    void demand_end() const { demand(used_ == v_.size(), std::string(name_) + " is too long"); }

private:
    const std::vector<double>& v_;
    const char* name_;
    std::size_t used_ = 0;
};

Snapshot Tree::snapshot(Aside* aside) const {
    const auto lock = turnstile_.reading();
    if (aside) {
        aside->speakers = speakers();
        if (aside->row) aside->path = path(*aside->row);
    }
    Snapshot s;
    const std::size_t n_classes = n_classes_;
    s.seen = {seen_};
    s.classes = {static_cast<std::uint32_t>(n_classes)};
    for (const Feature& f : features_) s.kinds.push_back(static_cast<std::uint8_t>(f.kind));
    for (const std::int32_t c : categories_) s.categories.push_back(static_cast<std::uint32_t>(c));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        const double* const counts = this->counts(static_cast<std::int32_t>(i));
        s.test.push_back(static_cast<std::uint8_t>(node.test));
        s.parent.push_back(node.parent);
        s.branch.push_back(node.branch);
        s.feature.push_back(node.feature);
        s.category.push_back(node.category);
        s.heavy.push_back(node.heavy);
        s.threshold.push_back(threshold(static_cast<std::int32_t>(i)));
        s.counts.insert(s.counts.end(), counts, counts + n_classes);
        const double* const inherited = counts + shape_.class_stride;
        s.inherited.insert(s.inherited.end(), inherited, inherited + n_classes);
        if (settings_.short_memory) {
            const std::size_t first = i * shape_.class_stride;
            const bool told = first < estimates_.size();
            const double* const estimate = told ? estimates_.data() + first : inherited;
            s.estimated.insert(s.estimated.end(), estimate, estimate + n_classes);
        }
        if (settings_.adapts()) {
            const Side& side = sides_[i];
            s.role.push_back(static_cast<std::uint8_t>(node.role));
            s.born.push_back(side.born);
            const std::size_t before = s.monitors.size();
            if (side.monitor) side.monitor->errors.save(s.monitors);
            s.monitor_sizes.push_back(s.monitors.size() - before);
            if (settings_.forgets()) {
                s.since.push_back(side.since);
                s.there.push_back(side.there);
                s.on_trial.push_back(side.trial != nullptr);
            }
            if (const Trial* const t = side.trial.get()) {
                s.trials.insert(s.trials.end(), {t->waited, t->tested, t->errors, t->own_tested,
                                                 t->own_errors, t->least});
                if (settings_.archive_size()) s.trial_from.push_back(t->from);
            }
        }
        if (record(static_cast<std::int32_t>(i)) == none) continue;

        const auto place = static_cast<std::size_t>(record(static_cast<std::int32_t>(i)));
        const NodeRecord& leaf = records_[place];
        const bool active = leaf.statistics.is_open();
        s.inactive.push_back(!active ? 1 : leaf.recent ? 2 : 0);
        if (leaf.recent) {
            const double* const since = leaf.recent->counts.data();
            s.recent.insert(s.recent.end(), since, since + n_classes);
            if (settings_.forgets()) s.recent_since.push_back(leaf.recent->since);
        }
        s.weight.push_back(leaf.weight);
        s.inherited_weight.push_back(leaf.inherited);
        s.checked.push_back(leaf.checked);
        s.checks.push_back(leaf.checks);
        if (settings_.adaptive_grace) s.delay.push_back(delay(place));
        if (settings_.selects()) {
            const std::size_t first = s.dropped.size();
            s.dropped.resize(first + features_.size(), 0);
            if (const Kept* const kept = this->kept(place)) {
                for (const std::int32_t f : kept->dropped(features_.size())) {
                    s.dropped[first + static_cast<std::size_t>(f)] = 1;
                }
            }
        }
        if (settings_.leaf_features.draws()) {
            s.draws = {draws_};
            const Kept* const kept = this->kept(place);
            s.draw_number.push_back(kept ? kept->draw.number : 0);
            s.draw_share.push_back(kept ? kept->draw.share : 0.0);
        }
        if (settings_.short_memory) s.recalled.push_back(recalled_[place]);
        if (const Watch* const w = watch(place)) {
            const std::vector<double> numbers = w->save(settings_, n_classes);
            s.watch_sizes.push_back(numbers.size());
            s.watch.insert(s.watch.end(), numbers.begin(), numbers.end());
        } else if (settings_.watches()) {
            s.watch_sizes.push_back(0);
        }
        s.right_majority.push_back(leaf.track.majority);
        s.right_bayes.push_back(leaf.track.bayes);
        if (shape_.linear) {
            const LinearUnits* const u = units(place);
            const std::size_t before = s.units.size();
            if (u) u->save(shape_, settings_.idbd, s.units);
            s.unit_sizes.push_back(s.units.size() - before);
            s.right_idbd.push_back(u ? u->right : 0.0);
        }
        if (!active) {
            s.values.insert(s.values.end(), shape_.categorical, 0);
            s.table_gaps.insert(s.table_gaps.end(), shape_.categorical, 0);
            continue;
        }
        const double* const own = own_counts(leaf);
        const Shape& shape = this->shape(place);
        const std::size_t n = shape.numeric;
        for (std::size_t k = 0; k < n_classes && n; ++k) {
            if (!(own[k] > 0.0)) continue;
            const GaussianClass c = leaf.statistics.gaussian(k, own);
            s.gaps.push_back(c.known != nullptr);
            for (std::size_t p = 0; p < class_planes; ++p) {
                s.gaussian.insert(s.gaussian.end(), c.planes + p * n, c.planes + (p + 1) * n);
            }
            if (c.known) s.known.insert(s.known.end(), c.known, c.known + n);
        }
        const std::uint32_t* const starts = leaf.statistics.starts(shape);
        const auto cell = [&](std::size_t k, std::size_t v) {
            return leaf.statistics.classes()[k] ? leaf.statistics.cells(shape, k)[v] : 0.0;
        };
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            std::size_t end = starts[c];  // cells beyond the last value seen are spare room
            for (std::size_t v = starts[c]; v < starts[c + 1]; ++v) {
                for (std::size_t k = 0; k < n_classes; ++k) {
                    if (cell(k, v) > 0.0) end = v + 1;
                }
            }
            s.values.push_back(static_cast<std::uint32_t>(end - starts[c]));
            for (std::size_t v = starts[c]; v < end; ++v) {
                for (std::size_t k = 0; k < n_classes; ++k) s.cells.push_back(cell(k, v));
            }
            const double* const known = leaf.statistics.known_categories(c);
            s.table_gaps.push_back(known != nullptr);
            if (known) s.table_known.insert(s.table_known.end(), known, known + n_classes);
        }
    }
    memory_.save(s.memory_values, s.memory_codes, s.memory_labels, s.memory_weights);
    s.spent = {spent_};
    s.passes = {passes_};
    s.met.assign(met_.begin(), met_.end());
    s.ranked_at = {ranked_at_};
    if (settings_.adapts()) {
        s.births = {born_};
        s.change_totals.assign(change_totals_.begin(), change_totals_.end());
    }
    if (settings_.forgets()) s.window = {window_, forgotten_};
    if (settings_.archive_size()) save_archive(s);
    examples_.save(s.window_values, s.window_codes, s.window_labels, s.window_weights);
    examples_.save_distributions(s.window_uncertain, s.window_numbers);
    for (const Change& c : changes_) {
        s.change_seen.push_back(c.seen);
        s.change_kind.push_back(static_cast<std::uint8_t>(c.kind));
        s.change_places.insert(s.change_places.end(), {c.depth, c.branch});
        for (const Cut& cut : {c.above, c.before, c.after}) {
            s.change_places.insert(s.change_places.end(),
                                   {static_cast<std::int32_t>(cut.test), cut.feature, cut.category});
            s.change_values.push_back(cut.threshold);
        }
        s.change_places.insert(s.change_places.end(), {static_cast<std::int32_t>(c.leaves_before),
                                                       static_cast<std::int32_t>(c.leaves_after)});
        s.change_values.insert(s.change_values.end(), {c.ours.value, c.ours.weight, c.theirs.value,
                                                       c.theirs.weight, c.bound});
    }
    s.least_promise = {least_promise_};
    auto rival = rivals_.begin();
    for (const Split& split : splits_) {
        s.split_node.push_back(split.node);
        s.split_seen.push_back(split.seen);
        s.split_verdict.push_back(static_cast<std::uint8_t>(split.verdict));
        s.split_n.push_back(split.n);
        s.split_gain_range.push_back(split.gain_range);
        s.split_epsilon.push_back(split.epsilon);
        s.split_gain.push_back(split.gain);
        s.split_delta.push_back(split.delta);
        s.split_spent.push_back(split.spent);
        s.split_criterion.push_back(split.criterion);
        s.split_pass.push_back(split.pass);
        const Rival nothing{0.0, 0.0, none, none, 0};
        const Rival& second = split.null_second ? nothing : *rival;
        s.second_feature.push_back(second.feature);
        s.second_category.push_back(second.category);
        s.second_test.push_back(static_cast<std::uint8_t>(second.test));
        s.second_threshold.push_back(second.threshold);
        s.second_gain.push_back(second.gain);
        // What stands behind the second; behind the null cut all that lost.
        const std::size_t told = split.null_second ? 0 : 1;
        s.rivals.push_back(static_cast<std::uint8_t>(split.rivals - told));
        for (std::size_t i = 0; i < split.rivals; ++i, ++rival) {
            if (i < told) continue;
            s.rival_feature.push_back(rival->feature);
            s.rival_category.push_back(rival->category);
            s.rival_test.push_back(static_cast<std::uint8_t>(rival->test));
            s.rival_threshold.push_back(rival->threshold);
            s.rival_gain.push_back(rival->gain);
        }
    }
    return s;
}

// Before format 3 data were presented once.
void fill_passes(Snapshot& s) {
    s.passes = {1};
    s.split_pass.assign(s.split_node.size(), 1);
}

// Files of format 1 know nothing of these.
void fill_later_arrays(const Settings& settings, Snapshot& s) {
    const auto leaves =
        static_cast<std::size_t>(std::count(s.test.begin(), s.test.end(), std::uint8_t{0}));
    s.spent = {0.0};
    s.checks.assign(leaves, 0);
    s.met.assign(s.kinds.size(), 1);
    s.split_delta.assign(s.split_node.size(), settings.delta);
    s.split_spent.assign(s.split_node.size(), 0.0);
    s.split_criterion.assign(s.split_node.size(), 0);
    s.rivals.assign(s.split_node.size(), 0);
    fill_passes(s);
    fill_arrays_since_3(s);
}

// Files before format 3 know no inactive leaves.
void fill_arrays_since_3(Snapshot& s) {
    s.inactive.assign(s.weight.size(), 0);
    s.ranked_at = {0};
    s.least_promise = {0.0};
}

std::unique_ptr<Tree> Tree::restore(const Settings& settings, const Snapshot& s) {
    const Sizes z = check_sizes(settings, s);
    demand_size(s.delay, settings.adaptive_grace ? z.n_leaves : 0, "delay");
    demand_size(s.recalled, settings.short_memory ? z.n_leaves : 0, "recalled");
    demand_size(s.estimated, settings.short_memory ? s.inherited.size() : 0, "estimated");
    const std::size_t stored = s.memory_labels.size();
    demand(stored <= (settings.short_memory_elsewhere ? 0 : settings.short_memory) &&
               stored <= s.seen[0],
           "memory_labels has more examples than the short memory");
    demand_size(s.memory_values, stored * z.n_numeric, "memory_values");
    demand_size(s.memory_codes, stored * z.n_categorical, "memory_codes");
    demand_size(s.memory_weights, stored, "memory_weights");
    const bool draws = settings.leaf_features.draws();
    demand_size(s.draws, draws ? 1 : 0, "draws");
    demand_size(s.draw_number, draws ? z.n_leaves : 0, "draw_number");
    demand_size(s.draw_share, draws ? z.n_leaves : 0, "draw_share");
    demand_size(s.dropped, settings.selects() ? z.n_leaves * s.kinds.size() : 0, "dropped");
    // A leaf that watches has room for each feature: not before there are numbers for it.
    const auto n_inactive =
        static_cast<std::size_t>(std::count(s.inactive.begin(), s.inactive.end(), std::uint8_t{1}));
    demand(n_inactive == 0 || settings.max_bytes != SIZE_MAX || settings.has_options(),
           "inactive leaves without max_bytes");
    for (std::size_t i = 0; i < s.dropped.size(); ++i) {
        demand(s.dropped[i] == 0 || s.inactive[i / s.kinds.size()] != 1,
               "inactive does not go with dropped");
    }
    const std::size_t n_active = z.n_leaves - n_inactive;
    const std::size_t watched =
        (settings.judges() ? n_active * s.kinds.size() : 0) +
        (settings.values == Values::gaussian ? 0 : z.numeric - n_inactive * z.n_numeric);
    demand(watched <= s.watch.size(), "watch ends too early");
    const std::size_t with_units = needs_units(settings.leaf) ? z.n_leaves : 0;
    demand_size(s.right_idbd, with_units, "right_idbd");
    demand_size(s.unit_sizes, with_units, "unit_sizes");
    // The limit comes last: what was below it is below it again.
    Settings unlimited = settings;
    unlimited.max_bytes = SIZE_MAX;
    auto tree = std::make_unique<Tree>(unlimited);
    std::vector<Kind> kinds;
    for (const std::uint8_t kind : s.kinds) kinds.push_back(static_cast<Kind>(kind));
    tree->add_features(kinds);
    tree->declare_classes(z.n_classes);
    tree->seen_ = s.seen[0];
    std::copy(s.met.begin(), s.met.end(), tree->met_.begin());
    tree->n_met_ = static_cast<std::size_t>(std::count(s.met.begin(), s.met.end(), 1));
    std::copy(s.categories.begin(), s.categories.end(), tree->categories_.begin());
    {
        const Charge charge(tree->structure_);
        tree->restore_nodes(s);
        if (draws) tree->draws_ = s.draws[0];
        tree->restore_leaves(s);
        tree->restore_certificates(s);
        if (settings.adapts()) tree->restore_sides(s);
        tree->restore_changes(s);
        tree->restore_memory(s);
        if (settings.forgets()) tree->restore_window(s);
        if (settings.archive_size()) tree->restore_archive(s);
    }
    tree->ranked_at_ = s.ranked_at[0];
    tree->least_promise_ = s.least_promise[0];
    tree->settings_.max_bytes = settings.max_bytes;
    for (const NodeRecord& leaf : tree->records_) {
        demand(tree->limited() || leaf.statistics.is_open() || !tree->asks(leaf.node),
               "inactive without max_bytes: a node that still uses its statistics");
    }
    tree->fits_ = tree->window_fits(settings.max_bytes, z.n_numeric, z.n_categorical,
                                    tree->examples_.numbers().size());
    tree->settle();
    tree->add_to_structure(0);
    return tree;
}

void Tree::restore_nodes(const Snapshot& s) {
    const std::size_t n_classes = n_classes_;
    // The root exists already; it becomes a leaf again only if it is one.
    sleep(0);
    records_.clear();
    watches_.clear();
    units_.clear();
    kept_.clear();
    std::size_t n_records = 0;
    demand(s.role.empty() || s.role[0] == 0, "the root stands beside a node");
    demand(s.parent[0] == none && s.branch[0] == 0, "the root has a parent");
    for (std::size_t i = 0; i < s.test.size(); ++i) {
        const std::string where = at_row("test", i);
        if (i > 0) {
            const std::int32_t parent = s.parent[i];
            demand(parent >= 0 && static_cast<std::size_t>(parent) < i, where + "no parent before it");
            const Node above = at(parent);
            demand(above.test != Test::leaf, where + "its parent is a leaf");
            const std::int32_t branch = s.branch[i];
            const auto role = static_cast<Role>(s.role.empty() ? 0 : s.role[i]);
            demand(role == Role::child || (role == Role::alternate && settings_.has_alternates()) ||
                       (role == Role::option && settings_.has_options()),
                   where + "an unknown role");
            const std::int32_t id = add_node(parent, branch, role);
            if (role != Role::child) {
                std::int32_t* last = &side(parent).first;
                const bool several = role == Role::option || settings_.forgets();
                demand(branch == 0 && (*last == none || several),
                       where + "beside a node that has another beside it");
                while (*last != none) last = &side(*last).next;
                *last = id;
            } else if (above.test == Test::every_value) {
                demand(branch >= 0 && branch < categories_[slot(above)],
                       where + "no such category");
                Ways& ways = ways_[static_cast<std::size_t>(above.place)];
                demand(ways.find(branch) == none, where + "a second child for one category");
                ways.add(branch, id);
            } else {
                demand(above.place == none ? branch == 0 : (branch == 1 && id == above.place + 1),
                       where + "children out of order");
                if (above.place == none) at(parent).place = id;
            }
        }
        Node& node = nodes_[i];
        double* const counts = this->counts(static_cast<std::int32_t>(i));
        std::copy_n(s.counts.data() + i * n_classes, n_classes, counts);
        std::copy_n(s.inherited.data() + i * n_classes, n_classes, counts + shape_.class_stride);
        if (s.test[i] == 0) {
            demand(s.feature[i] == none && s.category[i] == none && s.heavy[i] == none &&
                       s.threshold[i] == 0.0,
                   where + "a leaf with a test");
            open_leaf(static_cast<std::int32_t>(i), records_.size(), s.inactive[n_records++] != 1);
            continue;
        }
        if (settings_.keeps()) {
            side(static_cast<std::int32_t>(i)).record = static_cast<std::int32_t>(records_.size());
            open_leaf(static_cast<std::int32_t>(i), records_.size(), s.inactive[n_records++] != 1);
        }
        demand(possible(s, features_, s.test[i], s.feature[i], s.threshold[i], s.category[i]),
               where + "an impossible test");
        node.test = static_cast<Test>(s.test[i]);
        node.feature = s.feature[i];
        node.category = s.category[i];
        node.heavy = s.heavy[i];
        node.place = none;  // until its first child comes
        if (node.test == Test::every_value) {
            node.place = static_cast<std::int32_t>(ways_.size());
            make_room(ways_);
            ways_.emplace_back();
        }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.test == Test::leaf) continue;
        const std::string where = at_row("heavy", i);
        demand(node.heavy > static_cast<std::int32_t>(i) &&
                   static_cast<std::size_t>(node.heavy) < nodes_.size() &&
                   at(node.heavy).parent == static_cast<std::int32_t>(i) &&
                   at(node.heavy).role == Role::child,
               where + "not a child");
        if (node.test == Test::every_value) continue;
        const auto second = static_cast<std::size_t>(node.place) + 1;
        demand(node.place != none && second < nodes_.size() && nodes_[second].parent == static_cast<std::int32_t>(i) &&
                   nodes_[second].role == Role::child,
               where + "a test without its second child");
        set_gate(static_cast<std::int32_t>(i), s.threshold[i]);
    }
    n_leaves_ = answering_leaves();
    if (const auto* const how = std::get_if<Options>(&settings_.adaptation)) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            demand(nodes_[i].role == Role::child || nodes_[i].test != Test::leaf,
                   at_row("role", i) + "an option without a test");
        }
        count_paths();
        demand(static_cast<std::size_t>(side(0).paths) <= how->most,
               "role: more options than max_options");
    }
}

void Tree::restore_kept(std::size_t place, const Snapshot& s) {
    const std::size_t n = features_.size();
    const std::uint8_t* const dropped = s.dropped.data() + place * n;
    const Held<bool> poor(dropped, dropped + n);
    const auto count = static_cast<std::size_t>(std::count(poor.begin(), poor.end(), true));
    const bool draws = settings_.leaf_features.draws();
    if (draws ? s.inactive[place] == 1 : count == 0) return;
    demand(draws || n - count >= 2, at_row("dropped", place) + "fewer than two features are left");
    kept_[place] = std::make_unique<Kept>(features_, shape_);
    const Kept::Left left = kept_[place]->drop(poor, features_);
    if (Watch* const w = watch(place)) w->keep(left.numeric);
    if (!draws) return;
    kept_[place]->draw = {s.draw_number[place], s.draw_share[place]};
    demand(s.draw_number[place] < draws_ && s.draw_share[place] >= 0.0 && s.draw_share[place] <= 1.0,
           at_row("draw_number", place) + "no such draw");
}

void Tree::restore_leaves(const Snapshot& s) {
    const std::size_t n_classes = n_classes_;
    Reader gaussian(s.gaussian, "gaussian"), known(s.known, "known"), cells(s.cells, "cells"),
        table_known(s.table_known, "table_known");
    Reader recent(s.recent, "recent");
    std::size_t gap = 0, tables = 0, anew = 0;
    const Charge charge(statistics_);
    for (std::size_t i = 0; i < records_.size(); ++i) {
        NodeRecord& leaf = records_[i];
        const double* counts = this->counts(leaf.node);
        const std::string where = at_row("leaf", i);
        leaf.recent.reset();
        if (s.inactive[i] == 2) {
            const double* const since = recent.take(n_classes);
            leaf.recent = std::make_unique<Recent>();
            leaf.recent->counts.assign(shape_.class_stride, 0.0);
            std::copy_n(since, n_classes, leaf.recent->counts.data());
            bool earlier = false;
            for (std::size_t k = 0; k < n_classes; ++k) {
                demand(since[k] <= counts[k] || nearly(since[k], counts[k]),
                       where + "more since it began anew than in all");
                earlier |= counts[k] > 0.0;
            }
            demand(earlier || settings_.forgets(), where + "begins anew without an example");
            if (settings_.forgets()) {
                leaf.recent->since = s.recent_since[anew++];
                demand(leaf.recent->since <= seen_ + 1, where + "begins anew after the last example");
            }
            counts = leaf.recent->counts.data();
        }
        if (settings_.selects()) restore_kept(i, s);
        const Shape& shape = this->shape(i);
        const std::size_t n = shape.numeric;
        leaf.weight = s.weight[i];
        leaf.inherited = s.inherited_weight[i];
        leaf.checked = s.checked[i];
        leaf.checks = s.checks[i];
        leaf.track = {s.right_majority[i], s.right_bayes[i]};
        const bool active = s.inactive[i] != 1;
        double total = 0.0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            total += counts[k];
            leaf.classes += active && counts[k] > 0.0;
        }
        demand(nearly(total, leaf.weight) ||
                   (!active && (leaf.weight <= total || settings_.forgets())),
               where + "its weight is not that of its classes");
        demand(leaf.checked <= leaf.weight, where + "checked after its last example");
        demand(recalled_.empty() || s.recalled[i] <= leaf.checked,
               where + "recalled after its last check");
        const double most = std::max(leaf.track.majority, leaf.track.bayes);
        demand(most <= leaf.weight || nearly(most, leaf.weight), where + "more right than seen");
        const std::uint32_t* const numbers_of_values = s.values.data() + tables;
        if (!active) {
            for (std::size_t c = 0; c < shape_.categorical; ++c) {
                demand(numbers_of_values[c] == 0 && s.table_gaps[tables + c] == 0,
                       where + "an inactive leaf with statistics");
            }
            tables += shape_.categorical;
            continue;
        }
        std::vector<const double*> all_cells;
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            const std::size_t values = numbers_of_values[c];
            demand(values <= static_cast<std::size_t>(categories_[kept(i) ? kept(i)->slot_of(c, features_) : c]) &&
                       s.table_gaps[tables + c] <= 1,
                   where + "no such category");
            const double* const from = cells.take(values * n_classes);
            // Also keeps a file from asking for room that it has no numbers for.
            const double* const end = from + values * n_classes;
            demand(values == 0 || std::any_of(end - n_classes, end, [](double x) { return x > 0.0; }),
                   where + "a count table with an empty last row");
            all_cells.push_back(from);
        }
        leaf.statistics.open(shape, counts, numbers_of_values);
        for (std::size_t k = 0; k < n_classes && n; ++k) {
            if (!(counts[k] > 0.0)) continue;
            demand(gap < s.gaps.size() && s.gaps[gap] <= 1, "gaps does not fit the classes seen");
            const double* const from = gaussian.take(class_planes * n);
            const double* const weights = s.gaps[gap++] ? known.take(n) : nullptr;
            check_planes(from, weights, counts[k], n, where);
            std::copy_n(from, class_planes * n, leaf.statistics.classes()[k]);
            if (weights) std::copy_n(weights, n, leaf.statistics.open_known_numbers(shape, k));
        }
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            const std::size_t values = numbers_of_values[c];
            const double* const from = all_cells[c];
            const std::size_t start = leaf.statistics.starts(shape)[c];
            const double* weights = counts;
            if (s.table_gaps[tables + c]) {
                double* const to = leaf.statistics.open_known_categories(shape, c);
                weights = std::copy_n(table_known.take(n_classes), n_classes, to) - n_classes;
            }
            for (std::size_t k = 0; k < n_classes; ++k) {
                double sum = 0.0;
                for (std::size_t v = 0; v < values; ++v) {
                    sum += from[v * n_classes + k];
                    if (!leaf.statistics.classes()[k]) continue;
                    leaf.statistics.cells(shape, k)[start + v] = from[v * n_classes + k];
                }
                demand(nearly(sum, weights[k]) &&
                           (weights[k] <= counts[k] || nearly(weights[k], counts[k])),
                       where + "its categories do not add up");
            }
        }
        tables += shape.categorical;
        if (shape.bayes) leaf.statistics.find_bayes(shape, counts);
    }
    std::copy(s.delay.begin(), s.delay.end(), delays_.begin());
    std::copy(s.recalled.begin(), s.recalled.end(), recalled_.begin());
    restore_watches(s);
    restore_units(s);
    demand(gap == s.gaps.size(), "gaps does not fit the classes seen");
    gaussian.demand_end();
    known.demand_end();
    cells.demand_end();
    table_known.demand_end();
}

void Tree::restore_sides(const Snapshot& s) {
    std::span<const double> rest(s.monitors);
    born_ = s.births[0];
    demand(born_ >= nodes_.size() && born_ <= (1ULL << 62), "births is impossible");
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::int32_t parent = nodes_[i].parent;
        demand(s.born[i] < born_ && (parent == none || s.born[i] > side(parent).born),
               at_row("born", i) + "not after its parent");
        sides_[i].born = s.born[i];
        if (s.monitor_sizes[i] == 0) continue;
        demand(s.monitor_sizes[i] <= rest.size(), "monitors ends too early");
        std::span<const double> own = rest.first(s.monitor_sizes[i]);
        rest = rest.subspan(own.size());
        sides_[i].monitor = std::make_unique<Monitor>(monitor_parameters());
        sides_[i].monitor->errors = Adwin::restore(monitor_parameters(), own);
        demand(own.empty(), at_row("monitor_sizes", i) + "too long");
    }
    demand(rest.empty(), "monitors is too long");
}

void Tree::restore_window(const Snapshot& s) {
    demand(s.window[0] >= 1 && s.window[0] <= most_window, "window is impossible");
    window_ = fits_ = s.window[0];
    forgotten_ = s.window[1];
    demand(forgotten_ <= seen_, "window forgot more than was learned");
    Reader trials(s.trials, "trials");
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Side& side = sides_[i];
        const std::int32_t parent = nodes_[i].parent;
        side.since = s.since[i];
        demand(side.since <= seen_ + 1 && (parent == none || side.since >= this->side(parent).since),
               at_row("since", i) + "before its parent, or after the last example");
        side.there = s.there[i];
        demand(side.there <= side.since &&
                   (parent == none || side.there >= this->side(parent).since),
               at_row("there", i) + "after it began, or before its parent");
        demand((s.on_trial[i] == 1) == (side.first != none || nodes_[i].role == Role::alternate),
               at_row("on_trial", i) + "no trial where there is one, or one where there is none");
        if (!s.on_trial[i]) continue;
        const double* const t = trials.take(Snapshot::trial_values_each);
        for (std::size_t k = 0; k < Snapshot::trial_values_each; ++k) {
            demand(t[k] >= 0.0 && (t[k] <= heaviest || (k == 5 && t[k] == infinity)),
                   at_row("on_trial", i) + "not a weight");
        }
        side.trial = std::make_unique<Trial>();
        *side.trial = Trial{{}, t[0], t[1], t[2], t[3], t[4], t[5], 0};
    }
    const std::size_t numeric = shape_.numeric, categorical = shape_.categorical;
    examples_.begin(seen_ + 1 - s.window_labels.size());
    double total = 0.0;
    Reader numbers(s.window_numbers, "window_numbers");
    for (std::size_t i = 0; i < s.window_labels.size(); ++i) {
        const std::string where = at_row("window_labels", i);
        const double w = s.window_weights[i];
        total += w;
        const double* const x = s.window_values.data() + i * numeric;
        const Row row{x, s.window_codes.data() + i * categorical,
                      std::any_of(x, x + numeric, [](double v) { return v != v; })};
        demand_example(row, s.window_labels[i], w, where);
        const auto y = static_cast<std::size_t>(s.window_labels[i]);
        if (s.window_uncertain.empty() || !s.window_uncertain[i]) {
            examples_.push(row, y, w);
        } else {
            examples_.push(row, y, w, read_distributions(row, numbers, where));
        }
    }
    numbers.demand_end();
    if (!exact_in_steps(total)) return;
    // What is forgotten one day must be there.
    std::vector<double> counts(nodes_.size() * n_classes_, 0.0);
    Spread spread;
    std::size_t place = 0;
    for (std::size_t i = 0; i < s.window_labels.size(); ++i) {
        const std::uint64_t number = examples_.first() + i;
        const auto add = [&](std::int32_t node, double w) {
            counts[static_cast<std::size_t>(node) * n_classes_ + examples_.label(number)] += w;
        };
        const double w = examples_.weight(number);
        if (!examples_.is_uncertain(number)) {
            each_that_learned(examples_.row(number), number,
                              [&](std::int32_t node) { add(node, w); });
            continue;
        }
        place = examples_.distributions(place, spread.numbers);
        spread.begin(examples_.row(number), features_, shape_);
        retrace(spread, number);
        for (const Spread::Visit& v : spread.visits) add(v.node, part_of(v.share, w));
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        demand(nearly(counts[i], s.counts[i]),
               at_row("counts", i / n_classes_) + "not what the window holds");
    }
}

// As Spread::write has them; of values that the row does not have.
std::vector<double> Tree::read_distributions(const Row& row, Reader& numbers,
                                             const std::string& where) const {
    std::vector<double> all;
    const auto take = [&](std::size_t n) {
        const double* const taken = numbers.take(n);
        all.insert(all.end(), taken, taken + n);
        return taken;
    };
    const auto whole = [&](double most) {
        const double number = *take(1);
        demand(number >= 0.0 && number < most && number == std::floor(number),
               where + "not a distribution");
        return static_cast<std::size_t>(number);
    };
    const auto n_features = static_cast<double>(features_.size());
    const std::size_t n = whole(n_features + 1.0);
    demand(n > 0, where + "no distribution");
    std::size_t least = 0;  // features ascend
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t feature = whole(n_features);
        demand(feature >= least, where + "two distributions of one feature");
        least = feature + 1;
        Uncertain u;
        u.type = static_cast<Uncertain::Type>(whole(4.0));
        const std::size_t slot = features_[feature].slot;
        const bool categories = u.type == Uncertain::Type::categories;
        demand(categories ? features_[feature].kind == Kind::categorical && row.codes[slot] < 0
                          : features_[feature].kind == Kind::numeric && row.x[slot] != row.x[slot],
               where + "a distribution beside a value");
        std::vector<Point> points;
        if (u.type == Uncertain::Type::interval || u.type == Uncertain::Type::normal) {
            const double* const bounds = take(2);
            u.low = bounds[0];
            u.high = bounds[1];
            if (u.type == Uncertain::Type::normal) {
                const double* const moments = take(2);
                u.mean = moments[0];
                u.deviation = moments[1];
            }
        } else {
            u.count = whole(0x1p52);
            demand(u.count <= numbers.left() / 2, where + "not a distribution");
            const double* const pairs = take(2 * u.count);
            for (std::size_t p = 0; p < u.count; ++p) {
                points.push_back({pairs[2 * p], pairs[2 * p + 1]});
            }
        }
        demand(u.possible(points, categories ? categories_[slot] : 0), where + "not a distribution");
    }
    return all;
}

void Tree::restore_changes(const Snapshot& s) {
    std::copy(s.change_totals.begin(), s.change_totals.end(), change_totals_.begin());
    for (std::size_t i = 0; i < s.change_seen.size(); ++i) {
        const std::string where = at_row("change_seen", i);
        const std::int32_t* const p = s.change_places.data() + i * Snapshot::change_places_each;
        const double* const v = s.change_values.data() + i * Snapshot::change_values_each;
        Change c;
        c.seen = s.change_seen[i];
        demand(c.seen <= seen_ && (i == 0 || c.seen >= s.change_seen[i - 1]),
               where + "not in the order of time");
        demand(s.change_kind[i] < n_change_kinds, where + "an unknown kind");
        c.kind = static_cast<ChangeKind>(s.change_kind[i]);
        c.depth = p[0];
        c.branch = p[1];
        demand(c.depth >= 0 && c.branch >= 0, where + "no such place");
        const auto cut = [&](std::size_t k) {
            const std::int32_t* const q = p + 2 + 3 * k;
            if (q[0] == 0) {
                demand(q[1] == none && q[2] == none && v[k] == 0.0, where + "a leaf with a test");
                return Cut{};
            }
            demand(q[0] > 0 && q[0] <= 3 &&
                       possible(s, features_, static_cast<std::uint8_t>(q[0]), q[1], v[k], q[2]),
                   where + "an impossible test");
            return Cut{v[k], q[1], q[2], static_cast<Test>(q[0])};
        };
        c.above = cut(0);
        c.before = cut(1);
        c.after = cut(2);
        demand(p[11] >= 1 && p[12] >= 1, where + "no leaves");
        c.leaves_before = static_cast<std::uint32_t>(p[11]);
        c.leaves_after = static_cast<std::uint32_t>(p[12]);
        for (std::size_t k = 3; k < Snapshot::change_values_each; ++k) {
            demand(v[k] != v[k] || std::abs(v[k]) <= heaviest, where + "not a number");
        }
        c.ours = {v[3], v[4]};
        c.theirs = {v[5], v[6]};
        c.bound = v[7];
        make_room(changes_);
        changes_.push_back(c);
    }
}

void Tree::restore_watches(const Snapshot& s) {
    demand_size(s.watch_sizes, settings_.watches() ? records_.size() : 0, "watch_sizes");
    Reader numbers(s.watch, "watch");
    for (std::size_t i = 0; i < s.watch_sizes.size(); ++i) {
        const std::size_t n = s.watch_sizes[i];
        if (!watches_[i]) {
            demand(n == 0, "an inactive leaf that watches");
            continue;
        }
        watches_[i]->restore(settings_, shape(i), features_, own_counts(records_[i]), n_classes_,
                             records_[i].weight, numbers.take(n), n);
    }
    numbers.demand_end();
}

void Tree::restore_units(const Snapshot& s) {
    Reader numbers(s.units, "units");
    for (std::size_t i = 0; i < s.unit_sizes.size(); ++i) {
        const std::size_t n = s.unit_sizes[i];
        const double weight = records_[i].weight;
        if (!units_[i]) {
            demand(n == 0 && s.right_idbd[i] == 0.0, at_row("unit_sizes", i) + "an inactive leaf");
            continue;
        }
        demand(n > 0 || weight == 0.0, at_row("unit_sizes", i) + "no units");
        demand(s.right_idbd[i] <= weight || nearly(s.right_idbd[i], weight),
               at_row("right_idbd", i) + "more right than seen");
        units_[i]->restore(shape_, categories_.data(), n_classes_, settings_.idbd,
                           numbers.take(n), n);
        units_[i]->right = s.right_idbd[i];
    }
    numbers.demand_end();
}

// One that was learned before.
void Tree::demand_example(const Row& row, std::int32_t label, double w,
                          const std::string& where) const {
    for (std::size_t f = 0; f < shape_.numeric; ++f) {
        demand(row.x[f] != row.x[f] || std::abs(row.x[f]) <= largest,
               where + "a value is out of range");
    }
    for (std::size_t c = 0; c < shape_.categorical; ++c) {
        demand(row.codes[c] >= missing_code && row.codes[c] < categories_[c],
               where + "no such category");
    }
    demand(label >= 0 && static_cast<std::size_t>(label) < n_classes_, where + "no such class");
    demand(w > 0.0 && w <= heaviest, where + "not a weight");
}

void Tree::restore_memory(const Snapshot& s) {
    if (settings_.short_memory) {
        estimates_.resize(nodes_.size() * shape_.class_stride, 0.0);
    }
    for (std::size_t i = 0; i < s.estimated.size(); ++i) {
        estimates_[i / n_classes_ * shape_.class_stride + i % n_classes_] = s.estimated[i];
    }
    const std::size_t numeric = shape_.numeric, categorical = shape_.categorical;
    AlignedDoubles x(shape_.stride, 0.0);
    for (std::size_t i = 0; i < s.memory_labels.size(); ++i) {
        const std::string where = at_row("memory_labels", i);
        std::copy_n(s.memory_values.data() + i * numeric, numeric, x.data());
        const std::int32_t label = s.memory_labels[i];
        const double w = s.memory_weights[i];
        const Row row{x.data(), s.memory_codes.data() + i * categorical,
                      std::any_of(x.begin(), x.end(), [](double v) { return v != v; })};
        demand_example(row, label, w, where);
        memory_.keep(row, static_cast<std::size_t>(label), w, leaf_of(row));
    }
}

Rival Tree::demand_rival(const Snapshot& s, std::uint8_t test, std::int32_t feature, double threshold,
                         std::int32_t category, double gain, const std::string& where) const {
    demand(possible(s, features_, test, feature, threshold, category) && std::abs(gain) <= 1e300,
           where + "an impossible runner-up");
    return {threshold, gain, feature, category, test};
}

void Tree::demand_split(const Split& split, Test test, const std::string& where) const {
    const bool alone = split.null_second && split.rivals == 0;
    demand(split.verdict > Verdict::wait && split.verdict <= Verdict::seeded &&
               (split.verdict != Verdict::forced ||
                (settings_.missing_second == MissingSecond::minus_infinity && alone)),
           where + "no reason");
    demand(split.verdict != Verdict::seeded ||
               (test == Test::threshold && split.seen == 0 && split.epsilon == 0.0 &&
                split.delta == 0.0 && alone),
           where + "not a split of a batch tree");
    demand(split.pass >= 1 && split.pass <= passes_, where + "not in the order of passes");
    demand(split.criterion <= (settings_.second_impurity ? 1 : 0), where + "no criterion");
    demand(split.seen <= seen_, where + "not in the order of time");
    demand(split.n > 0.0 && split.n <= heaviest, where + "no examples");
    for (const double x : {split.gain_range, split.epsilon, split.gain}) {
        demand(std::abs(x) <= 1e300, where + "not a number");
    }
    demand(split.delta >= 0.0 && split.delta <= 1.0 && split.spent >= 0.0 && split.spent <= heaviest,
           where + "no delta");
    demand(split.rivals < Ranking::most, where + "too many rivals");
}

void Tree::restore_certificates(const Snapshot& s) {
    std::vector<bool> told(nodes_.size(), false);
    spent_ = s.spent[0];
    passes_ = s.passes[0];
    std::size_t next = 0;
    for (std::size_t i = 0; i < s.split_node.size(); ++i) {
        const std::string where = at_row("split_node", i);
        const auto add_rival = [&](std::int32_t feature, std::uint8_t test, double threshold,
                                   std::int32_t category, double gain) {
            make_room(rivals_);
            rivals_.push_back(demand_rival(s, test, feature, threshold, category, gain, where));
        };
        const std::int32_t id = s.split_node[i];
        demand(id >= 0 && static_cast<std::size_t>(id) < nodes_.size() &&
                   at(id).test != Test::leaf && !told[static_cast<std::size_t>(id)],
               where + "not a split, or told twice");
        told[static_cast<std::size_t>(id)] = true;
        const bool null_second = s.second_feature[i] == none;
        const std::size_t n_rivals = s.rivals[i] + (null_second ? 0U : 1U);
        demand(n_rivals < Ranking::most, where + "too many rivals");
        const Split split{s.split_seen[i],
                          s.split_n[i],
                          s.split_gain_range[i],
                          s.split_epsilon[i],
                          s.split_delta[i],
                          s.split_spent[i],
                          s.split_gain[i],
                          id,
                          static_cast<Verdict>(s.split_verdict[i]),
                          s.split_criterion[i],
                          static_cast<std::uint8_t>(n_rivals),
                          null_second,
                          s.split_pass[i]};
        demand_split(split, at(id).test, where);
        demand(split.verdict != Verdict::seeded || id == 0 || settings_.adapts() ||
                   told[static_cast<std::size_t>(at(id).parent)],
               where + "not a split of a batch tree");
        demand(i == 0 || s.split_pass[i - 1] <= split.pass, where + "not in the order of passes");
        demand(i == 0 || s.split_seen[i - 1] <= split.seen, where + "not in the order of time");
        if (null_second) {
            demand(s.second_test[i] == 0 && s.second_category[i] == none &&
                       s.second_threshold[i] == 0.0 && s.second_gain[i] == 0.0,
                   where + "an impossible runner-up");
        } else {
            add_rival(s.second_feature[i], s.second_test[i], s.second_threshold[i],
                      s.second_category[i], s.second_gain[i]);
        }
        for (std::size_t r = 0; r < s.rivals[i]; ++r, ++next) {
            add_rival(s.rival_feature[next], s.rival_test[next], s.rival_threshold[next],
                      s.rival_category[next], s.rival_gain[next]);
        }
        make_room(splits_);
        splits_.push_back(split);
    }
}

void Tree::save_archive(Snapshot& s) const {
    s.archived = {archived_};
    for (const Archived& a : archive_) {
        s.archive.insert(s.archive.end(),
                         {a.number, static_cast<std::uint64_t>(a.place), a.nodes.size()});
        for (const Archived::Node& n : a.nodes) {
            s.archive_places.insert(s.archive_places.end(),
                                    {static_cast<std::int32_t>(n.test), n.parent, n.branch,
                                     n.feature, n.category, n.heavy});
            s.archive_thresholds.push_back(n.threshold);
        }
        for (const Split& split : a.splits) {
            s.archive_splits.insert(
                s.archive_splits.end(),
                {split.seen, static_cast<std::uint64_t>(split.verdict), split.criterion,
                 split.rivals, split.null_second, split.pass});
            s.archive_evidence.insert(s.archive_evidence.end(),
                                      {split.n, split.gain_range, split.epsilon, split.delta,
                                       split.spent, split.gain});
        }
        for (const Rival& r : a.rivals) {
            s.archive_rivals.insert(s.archive_rivals.end(),
                                    {static_cast<std::int32_t>(r.test), r.feature, r.category});
            s.archive_gains.insert(s.archive_gains.end(), {r.threshold, r.gain});
        }
    }
}

// Nodes of an archived subtree, the children of every one of them found.
void Tree::restore_archived_nodes(const Snapshot& s, std::size_t first, std::size_t n, Archived& a,
                                  const std::string& where) const {
    std::vector<std::vector<std::int32_t>> children(n);  // their branches
    std::vector<std::int32_t> second(n, none);           // where it must stand
    a.nodes.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t* const p = s.archive_places.data() + (first + i) * Snapshot::archive_places_each;
        const double threshold = s.archive_thresholds[first + i];
        demand(p[0] >= 0 && p[0] <= 3, where + "an impossible test");
        const Archived::Node node{threshold, p[1], p[2], p[3], p[4], p[5], static_cast<Test>(p[0])};
        if (node.test == Test::leaf) {
            demand(i > 0 && node.feature == none && node.category == none && node.heavy == none &&
                       threshold == 0.0,
                   where + "a leaf with a test");
        } else {
            demand(possible(s, features_, static_cast<std::uint8_t>(p[0]), node.feature, threshold,
                            node.category),
                   where + "an impossible test");
        }
        a.nodes.push_back(node);
        if (i == 0) {
            demand(node.parent == none && node.branch == 0, where + "the root has a parent");
            continue;
        }
        demand(node.parent >= 0 && static_cast<std::size_t>(node.parent) < i,
               where + "no parent before it");
        const auto parent = static_cast<std::size_t>(node.parent);
        const Archived::Node& above = a.nodes[parent];
        auto& branches = children[parent];
        demand(above.test != Test::leaf, where + "its parent is a leaf");
        if (above.test == Test::every_value) {
            demand(node.branch >= 0 &&
                       node.branch < categories_[features_[static_cast<std::size_t>(above.feature)].slot] &&
                       std::find(branches.begin(), branches.end(), node.branch) == branches.end(),
                   where + "no such category, or twice");
        } else {
            demand(node.branch == static_cast<std::int32_t>(branches.size()) && node.branch < 2 &&
                       (node.branch == 0 || second[parent] == static_cast<std::int32_t>(i)),
                   where + "children out of order");
            second[parent] = static_cast<std::int32_t>(i) + 1;
        }
        branches.push_back(node.branch);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Archived::Node& node = a.nodes[i];
        if (node.test == Test::leaf) continue;
        demand(node.heavy > 0 && static_cast<std::size_t>(node.heavy) < n &&
                   a.nodes[static_cast<std::size_t>(node.heavy)].parent == static_cast<std::int32_t>(i) &&
                   (node.test == Test::every_value || children[i].size() == 2),
               where + "a test without its children");
    }
}

void Tree::restore_archive(const Snapshot& s) {
    archived_ = s.archived[0];
    demand(archived_ <= (1ULL << 62), "archived is impossible");
    std::size_t node = 0, split = 0, rival = 0;
    for (std::size_t i = 0; i < s.archive.size() / Snapshot::archive_each; ++i) {
        const std::uint64_t* const p = s.archive.data() + i * Snapshot::archive_each;
        const std::string where = at_row("archive", i);
        demand(p[0] >= 1 && p[0] <= archived_ && (i == 0 || p[0] > archive_.back().number),
               where + "not in the order of time");
        demand(p[1] < nodes_.size() && nodes_[p[1]].test != Test::leaf &&
                   nodes_[p[1]].role == Role::child,
               where + "no such place");
        demand(p[2] <= s.archive_thresholds.size() - node, "archive_thresholds ends too early");
        demand(p[2] >= 1, where + "no nodes");
        Archived a;
        a.number = p[0];
        a.place = static_cast<std::int32_t>(p[1]);
        restore_archived_nodes(s, node, p[2], a, where);
        node += p[2];
        for (std::size_t k = 0; k < a.nodes.size(); ++k) {
            if (a.nodes[k].test == Test::leaf) continue;
            demand((split + 1) * Snapshot::archive_evidence_each <= s.archive_evidence.size(),
                   "archive_evidence ends too early");
            const std::uint64_t* const q = s.archive_splits.data() + split * Snapshot::archive_splits_each;
            const double* const e = s.archive_evidence.data() + split * Snapshot::archive_evidence_each;
            ++split;
            demand(q[1] <= 255 && q[2] <= 255 && q[3] <= 255 && q[4] <= 1 && q[5] <= passes_,
                   where + "an impossible split");
            const Split told{q[0], e[0], e[1], e[2], e[3], e[4], e[5], static_cast<std::int32_t>(k),
                             static_cast<Verdict>(q[1]), static_cast<std::uint8_t>(q[2]),
                             static_cast<std::uint8_t>(q[3]), q[4] == 1,
                             static_cast<std::uint32_t>(q[5])};
            demand_split(told, a.nodes[k].test, where);
            demand(told.null_second || told.rivals > 0, where + "no runner-up");
            a.splits.push_back(told);
            for (std::size_t r = 0; r < told.rivals; ++r, ++rival) {
                demand(2 * rival < s.archive_gains.size(), "archive_gains ends too early");
                const std::int32_t* const t = s.archive_rivals.data() + rival * Snapshot::archive_rivals_each;
                demand(t[0] >= 0 && t[0] <= 3, where + "an impossible runner-up");
                a.rivals.push_back(demand_rival(s, static_cast<std::uint8_t>(t[0]), t[1],
                                                s.archive_gains[2 * rival], t[2],
                                                s.archive_gains[2 * rival + 1], where));
            }
        }
        trim(a.splits);
        trim(a.rivals);
        make_room(archive_);
        archive_.push_back(std::move(a));
    }
    demand(node == s.archive_thresholds.size() &&
               split * Snapshot::archive_evidence_each == s.archive_evidence.size() &&
               2 * rival == s.archive_gains.size(),
           "archive does not fit what is in it");
    std::size_t trial = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!sides_[i].trial) continue;
        const std::uint64_t from = s.trial_from[trial++];
        demand(from <= archived_ && (from == 0 || nodes_[i].role == Role::alternate),
               at_row("trial_from", i) + "not in the archive");
        sides_[i].trial->from = from;
    }
}

}  // namespace riparian
