// Taking a tree apart into arrays.

#include "growth.hpp"
#include "snapshot.hpp"

namespace riparian {

void Growth::save(Snapshot& s) const {
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
        const std::int32_t place = record(static_cast<std::int32_t>(i));
        if (place != none) save_leaf(static_cast<std::size_t>(place), s);
    }
    memory_.save(s.memory_values, s.memory_codes, s.memory_labels, s.memory_weights);
    s.spent = {spent_};
    s.passes = {passes_};
    s.met.assign(known_.begin(), known_.end());
    s.ranked_at = {limit_.ranked_at()};
    s.least_promise = {limit_.least_promise()};
    certificates_.save(s);
}

void Growth::save_leaf(std::size_t place, Snapshot& s) const {
    const std::size_t n_classes = n_classes_;
    const NodeRecord& leaf = leaves_[place];
    const bool active = leaf.statistics.is_open();
    s.inactive.push_back(!active ? 1 : leaf.recent ? 2 : 0);
    if (leaf.recent) {
        const double* const since = leaf.recent->counts.data();
        s.recent.insert(s.recent.end(), since, since + n_classes);
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
        return;
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

}  // namespace riparian
