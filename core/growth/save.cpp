// Saves a tree as arrays.
#include <algorithm>

#include "files.hpp"
#include "sparse_files.hpp"

namespace riparian {

namespace {

void save_leaf(const Growth& growth, std::size_t place, Snapshot& s) {
    const GrowthState& state = growth.state;
    const Leaves& leaves = state.leaves;
    const Settings& settings = state.settings;
    const std::size_t n_classes = state.known.n_classes;
    const NodeRecord& leaf = leaves[place];
    const bool active = leaf.statistics.is_open();
    s.inactive.push_back(!active ? 1 : leaf.recent ? 2 : 0);
    const SparseMoments* const moments = leaf.statistics.sparse();
    if (moments) {
        s.sparse.resize(s.inactive.size(), 0);
        s.sparse.back() = 1;
        save_sparse(*moments, n_classes, s);
    }
    if (leaf.recent) {
        const double* const since = leaf.recent->counts.data();
        s.recent.insert(s.recent.end(), since, since + n_classes);
    }
    s.weight.push_back(leaf.weight);
    s.inherited_weight.push_back(leaf.inherited);
    s.checked.push_back(leaf.checked);
    s.checks.push_back(leaf.checks);
    // Only an active leaf has evidence, and the counter of its checks may have started again at 0.
    const bool noted = leaf.last && leaf.statistics.is_open() &&
                       state.nodes.at(leaf.node).test == Test::leaf && leaf.last->n > 0.0;
    s.check_n.push_back(noted ? leaf.last->n : 0.0);
    if (noted) {
        const std::size_t numbers = s.check_numbers.size(), cuts = s.check_cuts.size();
        s.check_numbers.resize(numbers + LastCheck::numbers_each);
        s.check_cuts.resize(cuts + LastCheck::cuts_each);
        leaf.last->save(s.check_numbers.data() + numbers, s.check_cuts.data() + cuts);
    }
    if (settings.adaptive_grace) s.delay.push_back(growth.checks.delay(place));
    if (settings.selects()) {
        const std::size_t first = s.dropped.size();
        s.dropped.resize(first + state.nodes.features().size(), 0);
        if (const TrackedFeatures* const kept = leaves.tracked_features(place)) {
            for (const std::int32_t f : kept->dropped(state.nodes.features().size())) {
                s.dropped[first + static_cast<std::size_t>(f)] = 1;
            }
        }
    }
    if (settings.leaf_features.draws()) {
        s.draws = {state.draws};
        const TrackedFeatures* const kept = leaves.tracked_features(place);
        s.draw_number.push_back(kept ? kept->draw.number : 0);
        s.draw_share.push_back(kept ? kept->draw.share : 0.0);
    }
    if (settings.short_memory) s.recalled.push_back(leaves.recalled(place));
    if (const LeafExtras* const extras = leaves.extras(place)) {
        const std::vector<double> numbers = extras->save(n_classes);
        s.extras_sizes.push_back(numbers.size());
        s.extras.insert(s.extras.end(), numbers.begin(), numbers.end());
    } else if (leaves.any_extras()) {
        s.extras_sizes.push_back(0);
    }
    s.right_majority.push_back(leaf.numbers[0]);
    s.right_bayes.push_back(leaf.numbers[1]);
    if (leaves.any_states()) {
        const PredictorState* const predictor = leaves.state(place);
        const std::size_t before = s.units.size();
        if (predictor) predictor->save(leaves.shape(), s.units);
        s.unit_sizes.push_back(s.units.size() - before);
        s.right_idbd.push_back(predictor ? predictor->right : 0.0);
    }
    if (!active) {
        s.values.insert(s.values.end(), leaves.shape().categorical, 0);
        s.table_gaps.insert(s.table_gaps.end(), leaves.shape().categorical, 0);
        return;
    }
    const double* const own = leaves.own_counts(leaf);
    const Shape& shape = leaves.shape(place);
    const std::size_t n = shape.numeric;
    for (std::size_t k = 0; k < n_classes && n && !moments; ++k) {
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

// Makes room for the longest arrays: to let them grow takes longer than to fill them.
void reserve(const Growth& growth, Snapshot& s) {
    const Leaves& leaves = growth.state.leaves;
    const std::size_t nodes = growth.state.nodes.size();
    const std::size_t n_classes = growth.state.known.n_classes;
    s.counts.reserve(nodes * n_classes);
    s.inherited.reserve(nodes * n_classes);
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        const std::int32_t place = growth.state.record(static_cast<std::int32_t>(i));
        if (place == none) continue;
        const NodeRecord& leaf = leaves[static_cast<std::size_t>(place)];
        if (!leaf.statistics.is_open() || leaf.statistics.sparse()) continue;
        const double* const own = leaves.own_counts(leaf);
        const auto classes = std::count_if(own, own + n_classes, [](double n) { return n > 0.0; });
        numbers += static_cast<std::size_t>(classes) *
                   leaves.shape(static_cast<std::size_t>(place)).numeric;
    }
    s.gaussian.reserve(numbers * class_planes);
}

}  // namespace

void save(const Growth& growth, Snapshot& s) {
    const GrowthState& state = growth.state;
    const Nodes& nodes = state.nodes;
    const Leaves& leaves = state.leaves;
    const std::size_t n_classes = state.known.n_classes;
    reserve(growth, s);
    s.seen = {state.seen};
    s.classes = {static_cast<std::uint32_t>(n_classes)};
    for (const Feature& f : nodes.features()) s.kinds.push_back(static_cast<std::uint8_t>(f.kind));
    for (const std::int32_t c : state.known.categories) {
        s.categories.push_back(static_cast<std::uint32_t>(c));
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        const double* const counts = leaves.counts(static_cast<std::int32_t>(i));
        s.test.push_back(static_cast<std::uint8_t>(node.test));
        s.parent.push_back(node.parent);
        s.branch.push_back(node.branch);
        s.feature.push_back(node.feature);
        s.category.push_back(node.category);
        s.heavy.push_back(node.heavy);
        s.threshold.push_back(nodes.threshold(static_cast<std::int32_t>(i)));
        s.counts.insert(s.counts.end(), counts, counts + n_classes);
        const double* const inherited = counts + leaves.shape().class_stride;
        s.inherited.insert(s.inherited.end(), inherited, inherited + n_classes);
        if (state.settings.short_memory) {
            const double* const estimate = state.estimated(static_cast<std::int32_t>(i));
            s.estimated.insert(s.estimated.end(), estimate, estimate + n_classes);
        }
        const std::int32_t place = state.record(static_cast<std::int32_t>(i));
        if (place != none) save_leaf(growth, static_cast<std::size_t>(place), s);
    }
    if (s.check_numbers.empty()) s.check_n.clear();
    if (!s.sparse.empty()) s.sparse.resize(s.inactive.size(), 0);
    state.memory.save(s.memory_values, s.memory_codes, s.memory_labels, s.memory_weights);
    s.spent = {state.spent};
    s.passes = {state.passes};
    s.met.assign(state.known.features.begin(), state.known.features.end());
    s.ranked_at = {growth.room.limit().ranked_at()};
    s.least_promise = {growth.room.limit().least_promise()};
    state.certificates.save(s);
}

}  // namespace riparian
