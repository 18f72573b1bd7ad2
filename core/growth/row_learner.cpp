#include "row_learner.ipp"

#include <algorithm>
#include <variant>

#include "statistics.hpp"

namespace riparian {

std::int32_t RowLearner::route_on(std::int32_t i, const Row& row) {
    Nodes& nodes = state.nodes;
    for (;;) {
        std::int32_t next = nodes.step(i, row);
        if (next == i) return i;
        if (next == none) next = add_branch(i, row.codes[nodes.slot(nodes.at(i))]);
        i = next;
    }
}

void RowLearner::arrive(const Row& row, std::size_t y) { arrive_inline(row, y); }

void RowLearner::arrive(const Spread& spread, std::size_t y) {
    arrive(spread.row(), y);
    for (const Uncertain& u : spread.values) {
        if (u.type != Uncertain::Type::categories) continue;
        const std::size_t slot = state.nodes.features()[u.feature].slot;
        for (std::size_t p = 0; p < u.count; ++p) {
            const auto code = static_cast<std::int32_t>(spread.points[u.first + p].value);
            if (code >= state.known.categories[slot]) add_category(slot, code);
        }
    }
}

// A feature is known from its first value on, no matter how rows were batched.
void RowLearner::note_known(const Row& row) {
    Known& known = state.known;
    const Features& features = state.nodes.features();
    const bool first = known.n_features == 0;
    for (std::size_t f = 0; f < features.size(); ++f) {
        const std::size_t slot = features[f].slot;
        const bool present =
            features[f].kind == Kind::numeric ? row.x[slot] == row.x[slot] : row.codes[slot] >= 0;
        if (present && !known.features[f]) {
            known.features[f] = 1;
            ++known.n_features;
        }
    }
    if (first && known.n_features && state.settings.leaf_features.draws()) draw_first(state);
}

void RowLearner::add_categories(const Row& row) {
    for (std::size_t c = 0; c < state.leaves.shape().categorical; ++c) {
        if (row.codes[c] >= state.known.categories[c]) add_category(c, row.codes[c]);
    }
}

// ---- learning ----

void RowLearner::learn_at(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(state.nodes.at(leaf).place);
    if (state.limited()) {
        learn_limited(place, row, y, w);
    } else {
        count<false>(leaf, place, row, y, w);
        check_if_due<false>(place);
    }
    // See observe_again().
    if (w > 1.0 && state.nodes.at(leaf).test == Test::leaf && state.leaves[place].weight > 0.0) {
        observe(leaf, row, y, w - 1.0);
    }
}

bool RowLearner::learn_inside(std::int32_t node, const Row& row, std::size_t y, double w) {
    if (state.nodes.at(node).retired) {
        state.leaves.counts(node)[y] += w;
        return false;
    }
    const auto place = static_cast<std::size_t>(state.record(node));
    if (!state.limited() && state.leaves[place].statistics.is_open()) {
        count_inside(place, row, y, w);
        return true;
    }
    const bool active = count_limited(place, row, y, w);
    if (!active) learn_inactive(place, w);
    return active;
}

// Inner nodes do not predict, so the values derived for naive Bayes are not updated.
void RowLearner::count_inside(std::size_t place, const Row& row, std::size_t y, double w) {
    Leaves& leaves = state.leaves;
    if (leaves.any_extras() || leaves.any_states() || leaves.any_tracked_features()) {
        count<false>(leaves[place].node, place, row, y, w);
        return;
    }
    NodeRecord& leaf = leaves[place];
    double* counts = leaves.counts(leaf.node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    leaf.statistics.learn_silently(leaves.shape(), row, y, w, before, counts);
}

void RowLearner::relearn(std::int32_t node, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(state.record(node));
    if (state.limited()) {
        count_limited(place, row, y, w);
    } else {
        count_inside(place, row, y, w);
    }
}

bool RowLearner::learn_parts(std::int32_t id, Spread& spread, std::size_t y, double w) {
    Leaves& leaves = state.leaves;
    const auto place = static_cast<std::size_t>(state.record(id));
    const bool is_leaf = state.nodes.at(id).test == Test::leaf;
    const double seen = leaves.counts(id)[y] + w;
    const double own = leaves.own_counts(leaves[place])[y] + w;
    const double weight = leaves[place].weight + w;
    bool active = true;
    bool throughout = leaves[place].statistics.is_open();
    each_part(spread, w, [&](const Row& part, double share) {
        const bool open = leaves[place].statistics.is_open();
        if (state.limited() || !open) active = count_limited(place, part, y, share);
        else if (is_leaf) count<false>(id, place, part, y, share);
        else count_inside(place, part, y, share);
        // If the node became inactive and active again in this loop, it starts with the next row.
        const Recent* const recent = leaves[place].recent.get();
        throughout &= active && !(recent && recent->since > state.seen);
    });
    // The rounded shares may sum to less than w. Without this, a check could come one row late.
    leaves.counts(id)[y] = seen;
    if (throughout) {
        leaves.own_counts(leaves[place])[y] = own;
        leaves[place].weight = weight;
    }
    if (active) {
        try {
            if (is_leaf) check_if_due<false>(place);
            return true;
        } catch (const OverLimit&) {
            leaves.deactivate(place);
        }
    }
    learn_inactive(place, w);
    return false;
}

void RowLearner::learn_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    if (count_limited(place, row, y, w)) {
        try {
            check_if_due<false>(place);
            return;
        } catch (const OverLimit&) {
            state.leaves.deactivate(place);
        }
    }
    learn_inactive(place, w);
}

bool RowLearner::count_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    Leaves& leaves = state.leaves;
    const NodeRecord& leaf = leaves[place];
    if (leaf.statistics.is_open()) {
        const TrackedFeatures* const kept = leaves.tracked_features(place);
        std::size_t more = leaf.statistics.growth(
            leaves.shape(place), kept ? state.gathered.of(row, *kept, state.nodes.features()) : row,
            y);
        if (const PredictorState* const predictor = leaves.state(place)) {
            more += predictor->growth(leaves.shape(), row, state.known.n_classes);
        }
        room.make_room_for(more, none);
    }
    double& seen = leaves.counts(leaf.node)[y];
    const double after = seen + w;
    if (leaf.statistics.is_open()) {
        // Opened while this row was learned at another leaf.
        if (leaf.recent && leaf.recent->since > state.seen) {
            seen = after;
            return true;
        }
        try {
            if (state.nodes.at(leaf.node).test == Test::leaf) {
                count<false>(leaf.node, place, row, y, w);
            } else {
                count_inside(place, row, y, w);
            }
            return true;
        } catch (const OverLimit&) {
            // The statistics may include half of a row, so the node starts over.
            leaves.deactivate(place);
        }
    }
    seen = after;
    return false;
}

void RowLearner::learn_inactive(std::size_t place, double w) {
    NodeRecord& leaf = state.leaves[place];
    const double weight = leaf.weight + w;
    const bool due = weight - leaf.checked >= state.settings.grace_period;
    // Also decided at the first row, because a loaded tree does not know which nodes rest.
    if ((due || leaf.weight == 0.0) && !state.hooks->uses_statistics(leaf.node)) {
        state.nodes.at(leaf.node).retired = true;
        leaf.weight = leaf.checked = 0.0;
        return;
    }
    leaf.weight = weight;
    if (!due) return;
    leaf.checked = leaf.weight;
    room.reconsider(place);
}

// ---- checks ----

void RowLearner::check(std::size_t place) {
    const Decision decision = checks.check(place);
    if (decision.verdict != Verdict::wait) {
        const std::int32_t node = state.leaves[place].node;
        split(place, decision);
        if (state.nodes.at(node).test == Test::leaf) {
            note(place, decision);
        } else if (state.settings.short_memory) {
            recall(node);
        }
    } else {
        note(place, decision);
        if (state.leaves.any_extras()) checks.after_waiting(place, decision);
        if (state.settings.drop_poor_features) drop_features(state, room, place, checks.poor());
    }
    checks.release_if_large();
}

void RowLearner::note(std::size_t place, const Decision& decision) {
    const NodeRecord& leaf = state.leaves[place];
    if (leaf.last || room.make_room_for(taken(sizeof(LastCheck)), leaf.node)) {
        checks.note(place, decision);
    }
}

// ---- short memory ----

void RowLearner::recall(std::int32_t child, const Row& row, std::size_t y, double w) {
    const Charge charge(state.leaves.account());
    const auto place = static_cast<std::size_t>(state.nodes.at(child).place);
    if (state.limited()) {
        count_limited(place, row, y, w);
    } else {
        count<false>(child, place, row, y, w);
    }
}

// The children of a new split learn the examples of their parent from the short memory.
void RowLearner::recall(std::int32_t node) {
    const Charge charge(state.structure);
    Leaves& leaves = state.leaves;
    Nodes& nodes = state.nodes;
    ShortMemory& memory = state.memory;
    if (state.settings.short_memory_elsewhere) {
        elsewhere_([&](const Row& row, std::size_t y, double w) {
            const std::int32_t leaf = nodes.leaf_of(row);
            if (nodes.at(leaf).parent == node) recall(leaf, row, y, w);
        });
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
        if (memory.leaf(i) != node) continue;
        const Row row = memory.row(i);
        std::int32_t child = nodes.step(node, row);
        // The cut counted this example, so its category has a branch, unless the tree comes from a
        // forged file.
        if (child == none) child = nodes.at(node).heavy;
        memory.move(i, child);
        recall(child, row, memory.label(i), memory.weight(i));
    }
    const std::size_t stride = leaves.shape().class_stride;
    state.estimates.resize(nodes.size() * stride, 0.0);
    for (std::size_t i = nodes.size(); i-- > 0 && nodes[i].parent == node;) {
        const auto place = static_cast<std::size_t>(nodes[i].place);
        NodeRecord& leaf = leaves[place];
        leaf.checked = leaf.weight;
        leaves.set_recalled(place, leaf.weight);
        // The estimate of the split includes these examples; they must not count twice.
        double* const seen = leaves.counts(leaf.node);
        double* const inherited = seen + stride;
        std::copy_n(inherited, stride, state.estimates.data() + i * stride);
        double left = 0.0;
        for (std::size_t k = 0; k < stride; ++k) {
            left += inherited[k] = std::max(0.0, inherited[k] - seen[k]);
        }
        if (leaf.inherited > 0.0) leaf.inherited = left;
    }
}

// ---- predictions ----

std::int32_t RowLearner::observe(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    return std::visit(
        [&](const auto& policy) {
            const auto seen = predictor.leaf_and_row(leaf, row, state.scratch);
            return policy.observe(seen.leaf, seen.row, state.scratch, numbers(leaf), y, w);
        },
        state.settings.leaf);
}

std::int32_t RowLearner::observe(Ends& ends, const Row& row, std::size_t y, double w) {
    if (ends.nodes.size() == 1) return observe(ends.nodes[0], row, y, w);
    {
        const Charge charge(state.working);
        ends.fit(state.scratch.scores.size());
    }
    std::visit(
        [&](const auto& policy) {
            predictor.vote(ends, [&](std::int32_t leaf, double* shares) {
                const auto seen = predictor.leaf_and_row(leaf, row, state.scratch);
                if constexpr (requires {
                                  policy.observe_shares(seen.leaf, seen.row, state.scratch,
                                                        numbers(leaf), y, w, shares);
                              }) {
                    policy.observe_shares(seen.leaf, seen.row, state.scratch, numbers(leaf), y, w,
                                          shares);
                } else {
                    policy.probabilities(seen.leaf, seen.row, state.scratch, shares);
                    policy.observe(seen.leaf, seen.row, state.scratch, numbers(leaf), y, w);
                }
            });
        },
        state.settings.leaf);
    const auto all = ends.all.begin();
    return static_cast<std::int32_t>(
        std::max_element(all, all + static_cast<std::ptrdiff_t>(state.known.n_classes)) - all);
}

void RowLearner::observe(std::int32_t node, Spread& spread, std::size_t y, double w) {
    std::visit(
        [&]<class Policy>(const Policy& policy) {
            if constexpr (Observes<Policy>) {
                policy.observe(predictor.view(node), spread, state.scratch, numbers(node), y, w);
            }
        },
        state.settings.leaf);
}

bool RowLearner::observes() const noexcept {
    return std::visit([](const auto& policy) { return policy.observes; }, state.settings.leaf);
}

void RowLearner::observe_again(std::int32_t leaf, Spread& spread, std::size_t y, double share,
                               double w) {
    if (w > 1.0 && observes() && state.nodes.at(leaf).test == Test::leaf &&
        state.leaves[static_cast<std::size_t>(state.nodes.at(leaf).place)].weight > 0.0) {
        const double more = state.hooks->traits().forgets ? part_of(share, w) - part_of(share, 1.0)
                                                          : share * (w - 1.0);
        observe(leaf, spread, y, more);
    }
}

}  // namespace riparian
