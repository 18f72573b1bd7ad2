// Taking a tree apart into arrays, and arrays of older files as newer ones have them.
#include "snapshot.hpp"

#include <algorithm>

#include "tree.hpp"

namespace riparian {

Snapshot Tree::snapshot() const {
    const auto lock = turnstile_.reading();
    Snapshot s;
    const std::size_t n_classes = n_classes_;
    s.seen = {seen_};
    s.classes = {static_cast<std::uint32_t>(n_classes)};
    for (const Feature& f : features()) s.kinds.push_back(static_cast<std::uint8_t>(f.kind));
    for (const std::int32_t c : categories_) s.categories.push_back(static_cast<std::uint32_t>(c));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        const double* const counts = leaves_.counts(static_cast<std::int32_t>(i));
        s.test.push_back(static_cast<std::uint8_t>(node.test));
        s.parent.push_back(node.parent);
        s.branch.push_back(node.branch);
        s.feature.push_back(node.feature);
        s.category.push_back(node.category);
        s.heavy.push_back(node.heavy);
        s.threshold.push_back(nodes_.threshold(static_cast<std::int32_t>(i)));
        s.counts.insert(s.counts.end(), counts, counts + n_classes);
        const double* const inherited = counts + leaves_.shape().class_stride;
        s.inherited.insert(s.inherited.end(), inherited, inherited + n_classes);
        if (settings_.short_memory) {
            const double* const estimate = estimated(static_cast<std::int32_t>(i));
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
        const NodeRecord& leaf = leaves_[place];
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
            s.dropped.resize(first + features().size(), 0);
            if (const TrackedFeatures* const kept = leaves_.tracked_features(place)) {
                for (const std::int32_t f : kept->dropped(features().size())) {
                    s.dropped[first + static_cast<std::size_t>(f)] = 1;
                }
            }
        }
        if (settings_.leaf_features.draws()) {
            s.draws = {draws_};
            const TrackedFeatures* const kept = leaves_.tracked_features(place);
            s.draw_number.push_back(kept ? kept->draw.number : 0);
            s.draw_share.push_back(kept ? kept->draw.share : 0.0);
        }
        if (settings_.short_memory) s.recalled.push_back(leaves_.recalled(place));
        if (const LeafExtras* const extras = leaves_.extras(place)) {
            const std::vector<double> numbers = extras->save(n_classes);
            s.extras_sizes.push_back(numbers.size());
            s.extras.insert(s.extras.end(), numbers.begin(), numbers.end());
        } else if (leaves_.any_extras()) {
            s.extras_sizes.push_back(0);
        }
        s.right_majority.push_back(leaf.numbers[0]);
        s.right_bayes.push_back(leaf.numbers[1]);
        if (leaves_.any_states()) {
            const PredictorState* const state = leaves_.state(place);
            const std::size_t before = s.units.size();
            if (state) state->save(leaves_.shape(), s.units);
            s.unit_sizes.push_back(s.units.size() - before);
            s.right_idbd.push_back(state ? state->right : 0.0);
        }
        if (!active) {
            s.values.insert(s.values.end(), leaves_.shape().categorical, 0);
            s.table_gaps.insert(s.table_gaps.end(), leaves_.shape().categorical, 0);
            continue;
        }
        const double* const own = leaves_.own_counts(leaf);
        const Shape& shape = leaves_.shape(place);
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
    s.met.assign(known_.begin(), known_.end());
    s.ranked_at = {limit_.ranked_at()};
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
    s.least_promise = {limit_.least_promise()};
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

}  // namespace riparian
