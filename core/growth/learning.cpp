// Rows of a tree, one at a time.

#include <algorithm>

#include "rows.hpp"

namespace riparian {

std::int32_t Growth::route_on(std::int32_t i, const Row& row) {
    for (;;) {
        std::int32_t next = nodes_.step(i, row);
        if (next == i) return i;
        if (next == none) next = add_branch(i, row.codes[nodes_.slot(at(i))]);
        i = next;
    }
}

void Growth::arrive(const Row& row, std::size_t y) { arrive_here(row, y); }

// A column counts from its first value on, wherever its batch began.
void Growth::note_known(const Row& row) {
    const bool first = n_known_ == 0;
    for (std::size_t f = 0; f < features().size(); ++f) {
        const std::size_t slot = features()[f].slot;
        const bool known = features()[f].kind == Kind::numeric ? row.x[slot] == row.x[slot]
                                                              : row.codes[slot] >= 0;
        if (known && !known_[f]) {
            known_[f] = 1;
            ++n_known_;
        }
    }
    if (first && n_known_ && settings_.leaf_features.draws()) draw_first();
}

void Growth::add_categories(const Row& row) {
    for (std::size_t c = 0; c < shape().categorical; ++c) {
        if (row.codes[c] >= categories_[c]) add_category(c, row.codes[c]);
    }
}

// ---- learning ----

void Growth::learn_at(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(at(leaf).place);
    if (limited()) {
        learn_limited(place, row, y, w);
    } else {
        count<false>(place, row, y, w);
        check_if_due<false>(place);
    }
    // A weight of 3 is three examples: the second and the third met a leaf that knew the first.
    if (w > 1.0 && at(leaf).test == Test::leaf && leaves_[place].weight > 0.0) {
        observe(leaf, row, y, w - 1.0);
    }
}

bool Growth::learn_inside(std::int32_t node, const Row& row, std::size_t y, double w) {
    if (at(node).rests) {
        leaves_.counts(node)[y] += w;
        return false;
    }
    const auto place = static_cast<std::size_t>(record(node));
    if (!limited() && leaves_[place].statistics.is_open()) {
        count_inside(place, row, y, w);
        return true;
    }
    const bool active = count_limited(place, row, y, w);
    if (!active) learn_inactive(place, w);
    return active;
}

// Without what naive Bayes derives: it does not predict there.
void Growth::count_inside(std::size_t place, const Row& row, std::size_t y, double w) {
    if (leaves_.any_extras() || leaves_.any_states() || leaves_.any_tracked_features()) {
        count<false>(place, row, y, w);
        return;
    }
    NodeRecord& leaf = leaves_[place];
    double* counts = leaves_.counts(leaf.node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    leaf.statistics.learn_silently(shape(), row, y, w, before, counts);
}

// The same again, after all was cleared that a node keeps.
void Growth::relearn(std::int32_t node, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(record(node));
    if (limited()) {
        count_limited(place, row, y, w);
    } else {
        count_inside(place, row, y, w);
    }
}

bool Growth::learn_parts(std::int32_t id, Spread& spread, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(record(id));
    const bool is_leaf = at(id).test == Test::leaf;
    const double seen = leaves_.counts(id)[y] + w;
    const double own = leaves_.own_counts(leaves_[place])[y] + w;
    const double weight = leaves_[place].weight + w;
    bool active = true;
    bool throughout = leaves_[place].statistics.is_open();
    each_part(spread, w, [&](const Row& part, double share) {
        const bool open = leaves_[place].statistics.is_open();
        if (limited() || !open) active = count_limited(place, part, y, share);
        else if (is_leaf) count<false>(place, part, y, share);
        else count_inside(place, part, y, share);
        // One that became inactive and active again on the way begins with the next row.
        const Recent* const recent = leaves_[place].recent.get();
        throughout &= active && !(recent && recent->since > seen_);
    });
    // What the parts weigh together is less by rounding, and a check would come a row late.
    leaves_.counts(id)[y] = seen;
    if (throughout) {
        leaves_.own_counts(leaves_[place])[y] = own;
        leaves_[place].weight = weight;
    }
    if (active) {
        try {
            if (is_leaf) check_if_due<false>(place);
            return true;
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
    learn_inactive(place, w);
    return false;
}

void Growth::learn_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    if (count_limited(place, row, y, w)) {
        try {
            check_if_due<false>(place);
            return;
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
    learn_inactive(place, w);
}

// Whether the leaf is active after it; if not, its class counts know the example.
bool Growth::count_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    const NodeRecord& leaf = leaves_[place];
    if (leaf.statistics.is_open()) {
        const TrackedFeatures* const kept = leaves_.tracked_features(place);
        std::size_t more = leaf.statistics.growth(
            leaves_.shape(place), kept ? gathered_.of(row, *kept, features()) : row, y);
        if (const PredictorState* const state = leaves_.state(place)) {
            more += state->growth(shape(), row, n_classes_);
        }
        make_room_for(more, none);
    }
    double& seen = leaves_.counts(leaf.node)[y];
    const double after = seen + w;
    if (leaf.statistics.is_open()) {
        if (leaf.recent && leaf.recent->since > seen_) {  // opened by this row, at another leaf
            seen = after;
            return true;
        }
        try {
            if (at(leaf.node).test == Test::leaf) {
                count<false>(place, row, y, w);
            } else {
                count_inside(place, row, y, w);
            }
            return true;
        } catch (const OverLimit&) {
            // What it keeps may be half of a row: it is to start over.
            leaves_.deactivate(place);
        }
    }
    seen = after;
    return false;
}

// ---- short memory ----

void Growth::recall(std::int32_t child, const Row& row, std::size_t y, double w) {
    const Charge charge(leaves_.account());
    const auto place = static_cast<std::size_t>(at(child).place);
    if (limited()) {
        count_limited(place, row, y, w);
    } else {
        count<false>(place, row, y, w);
    }
}

// The children of a fresh split learn what the short memory holds of their parent.
void Growth::recall(std::int32_t node) {
    if (settings_.short_memory_elsewhere) {
        elsewhere_([&](const Row& row, std::size_t y, double w) {
            const std::int32_t leaf = nodes_.leaf_of(row);
            if (at(leaf).parent == node) recall(leaf, row, y, w);
        });
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_.leaf(i) != node) continue;
        const Row row = memory_.row(i);
        std::int32_t child = nodes_.step(node, row);
        // The cut was made on this example too, so its category has a branch, unless a
        // file says otherwise.
        if (child == none) child = at(node).heavy;
        memory_.move(i, child);
        recall(child, row, memory_.label(i), memory_.weight(i));
    }
    estimates_.resize(nodes_.size() * shape().class_stride, 0.0);
    for (std::size_t i = nodes_.size(); i-- > 0 && nodes_[i].parent == node;) {
        const auto place = static_cast<std::size_t>(nodes_[i].place);
        NodeRecord& leaf = leaves_[place];
        leaf.checked = leaf.weight;
        leaves_.set_recalled(place, leaf.weight);
        // The split estimated their weight as well: no example counts twice.
        double* const seen = leaves_.counts(leaf.node);
        double* const inherited = seen + shape().class_stride;
        std::copy_n(inherited, shape().class_stride, estimates_.data() + i * shape().class_stride);
        double left = 0.0;
        for (std::size_t k = 0; k < shape().class_stride; ++k) {
            left += inherited[k] = std::max(0.0, inherited[k] - seen[k]);
        }
        if (leaf.inherited > 0.0) leaf.inherited = left;
    }
}

// ---- predictions ----

std::int32_t Growth::observe(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    return std::visit(
        [&](const auto& policy) {
            const LeafAndRow seen = leaf_and_row(leaf, row, scratch_);
            return policy.observe(seen.leaf, seen.row, scratch_, numbers(leaf), y, w);
        },
        settings_.leaf);
}

std::int32_t Growth::observe(Ends& found, const Row& row, std::size_t y, double w) {
    if (found.nodes.size() == 1) return observe(found.nodes[0], row, y, w);
    {
        const Charge charge(working_);
        found.fit(scratch_.scores.size());
    }
    std::visit(
        [&](const auto& policy) {
            vote(found, [&](std::int32_t leaf, double* shares) {
                const LeafAndRow seen = leaf_and_row(leaf, row, scratch_);
                if constexpr (requires { policy.observe_shares(seen.leaf, seen.row, scratch_,
                                                               numbers(leaf), y, w, shares); }) {
                    policy.observe_shares(seen.leaf, seen.row, scratch_, numbers(leaf), y, w, shares);
                } else {
                    policy.probabilities(seen.leaf, seen.row, scratch_, shares);
                    policy.observe(seen.leaf, seen.row, scratch_, numbers(leaf), y, w);
                }
            });
        },
        settings_.leaf);
    const auto all = found.all.begin();
    return static_cast<std::int32_t>(
        std::max_element(all, all + static_cast<std::ptrdiff_t>(n_classes_)) - all);
}

std::vector<std::string_view> Growth::predictors() const {
    std::vector<std::string_view> out(nodes_.size());
    std::visit([&](const auto& policy) {
        for (const NodeRecord& leaf : leaves_) {
            if (at(leaf.node).test != Test::leaf) continue;
            out[static_cast<std::size_t>(leaf.node)] = policy.predictor_at(view(leaf.node));
        }
    }, settings_.leaf);
    return out;
}

LeafView Growth::view_of(std::int32_t node) const noexcept { return view(node); }

void Growth::fit(Asking& scratch) const {
    riparian::fit(scratch, settings_.leaf, shape(), costs_.classes > 0);
    if (settings_.selects()) scratch.gathered.fit(shape());
}

}  // namespace riparian
