// What every row passes: routing, answering, learning.
#include <algorithm>
#include <array>
#include <limits>

#include "tree.hpp"

namespace riparian {

// ---- routing ----

// One row's walk waits for memory at every step; eight of them wait together.
template <std::size_t stride>
void Tree::descend(const double* x, std::size_t n, std::int32_t* starts) const noexcept {
    constexpr std::size_t together = 8;
    const std::size_t apart = stride ? stride : shape_.stride;
    const Gate* const gates = gates_.data();
    for (std::size_t i = 0; i < n; i += together, x += together * apart) {
        const double* rows[together];
        for (std::size_t l = 0; l < together; ++l) rows[l] = x + l * apart;
        std::uint32_t at[together] = {};
        std::uint32_t moved = 1;
        while (moved) {
            moved = 0;
            for (std::size_t l = 0; l < together; ++l) {
                const Gate& gate = gates[at[l]];
                const double value = rows[l][static_cast<std::uint32_t>(gate.slot)];
                const std::uint32_t next =
                    static_cast<std::uint32_t>(gate.first) + (value > gate.threshold ? 1 : 0);
                moved |= next ^ at[l];
                at[l] = next;
            }
        }
        for (std::size_t l = 0; l < together; ++l) starts[i + l] = static_cast<std::int32_t>(at[l]);
    }
}

void Tree::descend(const RowBuffer& buffer, std::size_t n, std::int32_t* starts) const noexcept {
    const std::size_t whole = shape_.stride ? n / 8 * 8 : 0;
    const double* const x = buffer.row(0).x;
    switch (shape_.stride) {
        case 4: descend<4>(x, whole, starts); break;
        case 8: descend<8>(x, whole, starts); break;
        default: descend<0>(x, whole, starts); break;
    }
    // A missing value must not pass as small: such a row walks alone.
    for (std::size_t i = 0; i < whole; ++i) {
        if (buffer.row(i).gap) starts[i] = 0;
    }
    std::fill(starts + whole, starts + n, 0);
}

std::int32_t Tree::route(std::int32_t i, const Row& row) const noexcept {
    for (;;) {
        const std::int32_t next = step(i, row);
        if (next == i || next == none) return i;  // a leaf, or the deepest node reached
        i = next;
    }
}

std::int32_t Tree::leaf_of(const Row& row) const noexcept {
    std::int32_t i = route(0, row);
    while (at(i).test != Test::leaf) i = route(at(i).heavy, row);
    return i;
}

inline std::int32_t Tree::route_learning(std::int32_t start, const Row& row) {
    return at(start).test == Test::leaf ? start : route_on(start, row);
}

std::int32_t Tree::route_on(std::int32_t i, const Row& row) {
    for (;;) {
        std::int32_t next = step(i, row);
        if (next == i) return i;
        if (next == none) next = add_branch(i, row.codes[slot(at(i))]);
        i = next;
    }
}

// ---- answering ----

[[gnu::always_inline]] inline LeafView Tree::view(std::int32_t node) const noexcept {
    const bool is_leaf = at(node).test == Test::leaf;
    const std::size_t place = is_leaf ? static_cast<std::size_t>(at(node).place) : 0;
    const NodeRecord& leaf = records_[place];
    return {plain_ ? shape_ : shape(place),
            leaf.statistics,
            is_leaf ? own_counts(leaf) : counts(node),
            weights(node),
            weights(at(node).parent),
            categories_.data(),
            n_classes_,
            leaf.track,
            plain_ ? nullptr : units(place)};
}

[[gnu::always_inline]] inline Tree::Sight Tree::sight(std::int32_t node, const Row& row,
                                                      Asking& scratch) const {
    Sight seen{view(node), row};
    const Kept* const kept = plain_ || at(node).test != Test::leaf
                                 ? nullptr
                                 : this->kept(static_cast<std::size_t>(at(node).place));
    if (kept) scratch.gathered.gather(seen.row, seen.leaf.categories, *kept, features_);
    return seen;
}

template <class Policy>
void Tree::answer(const Policy& policy, std::int32_t start, const Row& row,
                  Asking& scratch, const Answers& answers, std::size_t i) const {
    const std::int32_t node = route(start, row);
    Sight seen = sight(node, row, scratch);
    LeafView& leaf = seen.leaf;
    const bool is_leaf = at(node).test == Test::leaf;
    // Classes that came after the question was asked are not part of the answer.
    if (answers.probabilities) leaf.n_classes = std::min(leaf.n_classes, answers.width);
    double* shares = nullptr;
    if (answers.probabilities) {
        shares = answers.probabilities + i * answers.width;
        std::fill_n(shares, answers.width, 0.0);
    } else if (costs_.classes) {
        shares = scratch.shares.data();
    }
    if (shares && is_leaf) {
        policy.probabilities(leaf, seen.row, scratch, shares);
    } else if (shares) {
        Majority{}.probabilities(leaf, row, scratch, shares);
    }
    if (!answers.classes) return;
    if (costs_.classes) {
        answers.classes[i] = seen_ ? costs_.cheapest(shares, leaf.n_classes) : no_answer;
    } else {
        answers.classes[i] = is_leaf ? policy.answer(leaf, seen.row, scratch) : Majority::class_of(leaf);
    }
}

void Tree::reach(const Row& row, Reached& found) const {
    found.roots.assign(1, 0);
    found.ends.clear();
    for (std::size_t f = 0; f < found.roots.size(); ++f) {
        for (std::int32_t i = found.roots[f];;) {
            for (std::int32_t o = side(i).first; o != none; o = side(o).next) {
                found.roots.push_back(o);
            }
            const std::int32_t next = step(i, row);
            if (next == i || next == none) {
                found.ends.push_back(i);
                break;
            }
            i = next;
        }
    }
}

// The mean of the class probabilities of all ends, of which `say` gives those of one.
template <class Say>
void Tree::vote(Reached& found, Say&& say) const {
    std::fill(found.all.begin(), found.all.end(), 0.0);
    for (const std::int32_t node : found.ends) {
        say(node, found.one.data());
        for (std::size_t k = 0; k < n_classes_; ++k) found.all[k] += found.one[k];
    }
    const auto n = static_cast<double>(found.ends.size());
    for (std::size_t k = 0; k < n_classes_; ++k) found.all[k] /= n;
}

template <class Policy>
void Tree::answer_by_all(const Policy& policy, const Row& row, Asking& scratch,
                         Reached& found, const Answers& answers, std::size_t i) const {
    reach(row, found);
    if (found.ends.size() == 1) {
        answer(policy, found.ends[0], row, scratch, answers, i);
        return;
    }
    found.fit(scratch.scores.size());
    vote(found, [&](std::int32_t node, double* shares) {
        const Sight seen = sight(node, row, scratch);
        if (at(node).test == Test::leaf) {
            policy.probabilities(seen.leaf, seen.row, scratch, shares);
        } else {
            Majority{}.probabilities(seen.leaf, row, scratch, shares);
        }
    });
    const double* const all = found.all.data();
    if (answers.probabilities) {
        double* const shares = answers.probabilities + i * answers.width;
        std::fill_n(shares, answers.width, 0.0);
        std::copy_n(all, std::min(n_classes_, answers.width), shares);
    }
    if (!answers.classes) return;
    answers.classes[i] = costs_.classes
                             ? costs_.cheapest(all, n_classes_)
                             : static_cast<std::int32_t>(std::max_element(all, all + n_classes_) - all);
}

std::vector<Speaker> Tree::speakers() const {
    std::vector<Speaker> out(nodes_.size(), Speaker::none);
    std::visit([&](const auto& policy) {
        for (const NodeRecord& leaf : records_) {
            if (at(leaf.node).test != Test::leaf) continue;
            out[static_cast<std::size_t>(leaf.node)] = policy.speaker(view(leaf.node));
        }
    }, settings_.leaf);
    return out;
}

void Tree::predict(const Batch& batch, const Answers& answers) const {
    if (!batch.uncertain.empty()) return predict_uncertain(batch, answers);
    std::optional<RowBuffer> buffer;
    Asking scratch;
    std::vector<std::int32_t> starts;
    Reached reached;
    for (std::size_t first = 0; first < batch.rows;) {
        // A learner may come in between blocks, and may have added features.
        const auto lock = turnstile_.reading();
        if (!buffer || !buffer->reads(shape_)) buffer.emplace(batch, features_, shape_);
        scratch.fit(shape_, costs_.classes > 0);
        if (settings_.selects()) scratch.gathered.fit(shape_);
        const std::size_t n = std::min(buffer->capacity(), batch.rows - first);
        buffer->read(first, n);
        starts.resize(n);
        descend(*buffer, n, starts.data());
        std::visit(
            [&](const auto& policy) {
                if (settings_.has_options()) {
                    for (std::size_t i = 0; i < n; ++i) {
                        answer_by_all(policy, buffer->row(i), scratch, reached, answers, first + i);
                    }
                    return;
                }
                for (std::size_t i = 0; i < n; ++i) {
                    answer(policy, starts[i], buffer->row(i), scratch, answers, first + i);
                }
            },
            settings_.leaf);
        first += n;
    }
}

std::vector<std::int32_t> Tree::path(const Batch& batch) const {
    RowBuffer buffer(batch, features_, shape_);
    buffer.read(0, 1);
    std::vector<std::int32_t> ids;
    const auto numbers = this->numbers();
    for (std::int32_t i = route(0, buffer.row(0)); i != none; i = at(i).parent) {
        ids.push_back(numbers[static_cast<std::size_t>(i)]);
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
}

// ---- learning ----

template <class Policy, bool answering, bool plain>
void Tree::run(const Policy& policy, const Batch& batch, const std::int32_t* y, const double* w,
               const Answers& answers) {
    RowBuffer buffer(batch, features_, shape_);
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    for (std::size_t first = 0; first < batch.rows; first += buffer.capacity()) {
        const std::size_t n = std::min(buffer.capacity(), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Charge charge(statistics_);
        descend(buffer, n, starts.data());
        for (std::size_t i = 0; i < n; ++i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            if constexpr (answering) {
                // A policy that observes answers while it is learning, once.
                if (answers.probabilities || !learned || !Policy::observes || costs_.classes) {
                    answer(policy, starts[i], row, scratch_, answers, r);
                }
            }
            if (!learned) continue;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t id = route_learning(starts[i], row);
            if constexpr (Policy::observes) {
                const Sight seen = plain ? Sight{view(id), row} : sight(id, row, scratch_);
                const std::int32_t before = policy.observe(seen.leaf, seen.row, scratch_, track(id),
                                                           label, std::min(weight, 1.0));
                if (answering && !answers.probabilities && !costs_.classes) {
                    answers.classes[r] = before;
                }
            }
            learn<plain>(id, row, label, weight);
            // The room of a check is not kept where memory is scarce.
            if (!plain && limited() && working_.held) leave_room();
            if constexpr (Policy::observes) {
                // A weight of 3 is three examples: the second and the third met a leaf
                // that knew the first.
                if (weight > 1.0 && at(id).test == Test::leaf &&
                    records_[static_cast<std::size_t>(at(id).place)].weight > 0.0) {
                    const Sight seen = plain ? Sight{view(id), row} : sight(id, row, scratch_);
                    policy.observe(seen.leaf, seen.row, scratch_, track(id), label, weight - 1.0);
                }
            }
        }
    }
}

// A column counts from its first value on, wherever its batch began.
void Tree::meet(const Row& row) {
    const bool first = n_met_ == 0;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        const std::size_t slot = features_[f].slot;
        const bool known = features_[f].kind == Kind::numeric ? row.x[slot] == row.x[slot]
                                                              : row.codes[slot] >= 0;
        if (known && !met_[f]) {
            met_[f] = 1;
            ++n_met_;
        }
    }
    if (first && n_met_ && settings_.leaf_features.draws()) draw_first();
}

// What an active leaf makes of an example, but for checks.
template <bool plain>
[[gnu::always_inline]] inline void Tree::count(std::size_t place, const Row& row, std::size_t y,
                                               double w, const Found& found) {
    NodeRecord& leaf = records_[place];
    double* counts = this->counts(leaf.node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if constexpr (plain) {
        if (before == 0.0) ++leaf.classes;
        counts[y] += w;
        leaf.weight += w;
        leaf.statistics.learn(shape_, row, y, w, before, counts);
        return;
    }
    Watch* const watched = watch(place);
    if (watched) {
        watched->judge(settings_, shape_, leaf.statistics, row, y, w, counts, n_classes_);
    }
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    if (const Kept* const kept = this->kept(place)) {
        const Row tracked = found.row ? *found.row : gathered_.of(row, *kept, features_);
        leaf.statistics.learn(kept->shape(), tracked, y, w, before, counts, found.range);
        if (watched) watched->learn(kept->shape(), row, tracked, y, w);
        return;
    }
    leaf.statistics.learn(shape_, row, y, w, before, counts, found.range);
    if (LinearUnits* const u = units(place)) {
        u->learn(shape_, row, y, w, n_classes_, settings_.idbd, scratch_.linear);
    }
    if (watched) {
        watched->learn(shape_, row, row, y, w);
        if (settings_.judges()) fix_hits(place);
    }
}

void Tree::meet_categories(const Row& row) {
    for (std::size_t c = 0; c < shape_.categorical; ++c) {
        if (row.codes[c] >= categories_[c]) meet_category(c, row.codes[c]);
    }
}

[[gnu::always_inline]] inline void Tree::arrive_here(const Row& row, std::size_t y) {
    ++seen_;
    if (n_met_ < features_.size()) meet(row);
    if (y >= n_classes_) meet_class(y);
    if (brings_category(row.codes, categories_.data(), shape_.categorical)) [[unlikely]] {
        meet_categories(row);
    }
}

template <bool plain>
[[gnu::always_inline]] inline void Tree::learn(std::int32_t id, const Row& row, std::size_t y,
                                               double w, Found found) {
    const std::size_t met = n_met_, classes = n_classes_;
    arrive_here(row, y);
    if (n_met_ != met || n_classes_ != classes) found = {};  // it may be another leaf now
    if (!plain && memory_.keeps()) {
        const Charge charge(structure_);
        if (memory_.keep(row, y, w, id)) settle();
    }
    const auto place = static_cast<std::size_t>(at(id).place);
    if (plain || !limited()) {  // every leaf is active
        count<plain>(place, row, y, w, found);
        check_if_due<plain>(place);
    } else {
        learn_limited(place, row, y, w);
    }
}

template <bool plain>
[[gnu::always_inline]] inline void Tree::check_if_due(std::size_t place) {
    NodeRecord& leaf = records_[place];
    const double grace = plain ? settings_.grace_period : delay(place);
    if (leaf.weight - leaf.checked >= grace && leaf.classes >= 2 && may_split(leaf)) {
        leaf.checked = leaf.weight;
        check(place);
    }
}

void Tree::learn_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    if (count_limited(place, row, y, w)) {
        try {
            check_if_due<false>(place);
            return;
        } catch (const OverLimit&) {
            sleep(place);
        }
    }
    learn_inactive(place, w);
}

// Whether the leaf is active after it; if not, its class counts know the example.
bool Tree::count_limited(std::size_t place, const Row& row, std::size_t y, double w) {
    const NodeRecord& leaf = records_[place];
    if (leaf.statistics.is_open()) {
        const Kept* const kept = this->kept(place);
        std::size_t more = leaf.statistics.growth(
            shape(place), kept ? gathered_.of(row, *kept, features_) : row, y);
        if (const LinearUnits* const u = units(place)) more += u->growth(shape_, row, n_classes_);
        make_room_for(more, none);
    }
    double& seen = counts(leaf.node)[y];
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
            // What it keeps may be half of a row: it is to begin anew.
            sleep(place);
        }
    }
    seen = after;
    return false;
}

// ---- what a tree that follows change does with a row, step by step ----

void Tree::arrive(const Row& row, std::size_t y) { arrive_here(row, y); }

std::int32_t Tree::observe(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    return std::visit(
        [&](const auto& policy) {
            const Sight seen = sight(leaf, row, scratch_);
            return policy.observe(seen.leaf, seen.row, scratch_, track(leaf), y, w);
        },
        settings_.leaf);
}

void Tree::answer(std::int32_t start, const Row& row, const Answers& answers, std::size_t i) {
    std::visit(
        [&](const auto& policy) {
            if (settings_.has_options()) {
                const Charge charge(working_);
                answer_by_all(policy, row, scratch_, reached_, answers, i);
            } else {
                answer(policy, start, row, scratch_, answers, i);
            }
        },
        settings_.leaf);
}

std::int32_t Tree::observe_all(const Row& row, std::size_t y, double w) {
    Reached& found = reached_;
    if (found.ends.size() == 1) return observe(found.ends[0], row, y, w);
    {
        const Charge charge(working_);
        found.fit(scratch_.scores.size());
    }
    std::visit(
        [&](const auto& policy) {
            vote(found, [&](std::int32_t leaf, double* shares) {
                const Sight seen = sight(leaf, row, scratch_);
                if constexpr (requires { policy.observe_shares(seen.leaf, seen.row, scratch_,
                                                               track(leaf), y, w, shares); }) {
                    policy.observe_shares(seen.leaf, seen.row, scratch_, track(leaf), y, w, shares);
                } else {
                    policy.probabilities(seen.leaf, seen.row, scratch_, shares);
                    policy.observe(seen.leaf, seen.row, scratch_, track(leaf), y, w);
                }
            });
        },
        settings_.leaf);
    const auto all = found.all.begin();
    return static_cast<std::int32_t>(
        std::max_element(all, all + static_cast<std::ptrdiff_t>(n_classes_)) - all);
}

void Tree::learn_at(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(at(leaf).place);
    if (limited()) {
        learn_limited(place, row, y, w);
    } else {
        count<false>(place, row, y, w);
        check_if_due<false>(place);
    }
    // A weight of 3 is three examples: the second and the third met a leaf that knew the first.
    if (w > 1.0 && at(leaf).test == Test::leaf && records_[place].weight > 0.0) {
        observe(leaf, row, y, w - 1.0);
    }
}

bool Tree::learn_inside(std::int32_t node, const Row& row, std::size_t y, double w) {
    if (at(node).rests) {
        counts(node)[y] += w;
        return false;
    }
    const auto place = static_cast<std::size_t>(record(node));
    if (!limited() && records_[place].statistics.is_open()) {
        count_inside(place, row, y, w);
        return true;
    }
    const bool active = count_limited(place, row, y, w);
    if (!active) learn_inactive(place, w);
    return active;
}

// Without what naive Bayes derives: nobody asks for it there.
void Tree::count_inside(std::size_t place, const Row& row, std::size_t y, double w) {
    if (settings_.watches() || shape_.linear || !kept_.empty()) {
        count<false>(place, row, y, w);
        return;
    }
    NodeRecord& leaf = records_[place];
    double* counts = this->counts(leaf.node);
    if (leaf.recent) [[unlikely]] {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    leaf.statistics.learn_silently(shape_, row, y, w, before, counts);
}

// The same again, after all was cleared that a node keeps.
void Tree::relearn(std::int32_t node, const Row& row, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(record(node));
    if (limited()) {
        count_limited(place, row, y, w);
    } else {
        count_inside(place, row, y, w);
    }
}

// ---- what an example with uncertain values does ----

std::int32_t Tree::next(std::int32_t node, const Row& row) const noexcept { return step(node, row); }

LeafView Tree::view_of(std::int32_t node) const noexcept { return view(node); }

bool Tree::learn_parts(std::int32_t id, Spread& spread, std::size_t y, double w) {
    const auto place = static_cast<std::size_t>(record(id));
    const bool answers = at(id).test == Test::leaf;
    const double seen = counts(id)[y] + w;
    const double own = own_counts(records_[place])[y] + w;
    const double weight = records_[place].weight + w;
    bool active = true;
    bool throughout = records_[place].statistics.is_open();
    each_part(spread, w, [&](const Row& part, double share) {
        const bool open = records_[place].statistics.is_open();
        if (limited() || !open) active = count_limited(place, part, y, share);
        else if (answers) count<false>(place, part, y, share);
        else count_inside(place, part, y, share);
        // One that slept and woke on the way begins with the next row.
        const Recent* const recent = records_[place].recent.get();
        throughout &= active && !(recent && recent->since > seen_);
    });
    // What the parts weigh together is less by rounding, and a check would come a row late.
    counts(id)[y] = seen;
    if (throughout) {
        own_counts(records_[place])[y] = own;
        records_[place].weight = weight;
    }
    if (active) {
        try {
            if (answers) check_if_due<false>(place);
            return true;
        } catch (const OverLimit&) {
            sleep(place);
        }
    }
    learn_inactive(place, w);
    return false;
}

void Tree::recall(std::int32_t child, const Row& row, std::size_t y, double w) {
    const Charge charge(statistics_);
    const auto place = static_cast<std::size_t>(at(child).place);
    if (limited()) {
        count_limited(place, row, y, w);
    } else {
        count<false>(place, row, y, w);
    }
}

// The children of a fresh split learn what the short memory holds of their parent.
void Tree::recall(std::int32_t node) {
    if (settings_.short_memory_elsewhere) {
        elsewhere_([&](const Row& row, std::size_t y, double w) {
            const std::int32_t leaf = leaf_of(row);
            if (at(leaf).parent == node) recall(leaf, row, y, w);
        });
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_.leaf(i) != node) continue;
        const Row row = memory_.row(i);
        std::int32_t child = step(node, row);
        // The cut was made on this example too, so its category has a branch, unless a
        // file says otherwise.
        if (child == none) child = at(node).heavy;
        memory_.move(i, child);
        recall(child, row, memory_.label(i), memory_.weight(i));
    }
    estimates_.resize(nodes_.size() * shape_.class_stride, 0.0);
    for (std::size_t i = nodes_.size(); i-- > 0 && nodes_[i].parent == node;) {
        const auto place = static_cast<std::size_t>(nodes_[i].place);
        NodeRecord& leaf = records_[place];
        recalled_[place] = leaf.checked = leaf.weight;
        // The split estimated their weight as well: no example answers twice.
        double* const seen = counts(leaf.node);
        double* const inherited = seen + shape_.class_stride;
        std::copy_n(inherited, shape_.class_stride, estimates_.data() + i * shape_.class_stride);
        double left = 0.0;
        for (std::size_t k = 0; k < shape_.class_stride; ++k) {
            left += inherited[k] = std::max(0.0, inherited[k] - seen[k]);
        }
        if (leaf.inherited > 0.0) leaf.inherited = left;
    }
}

// ---- row by row, for a forest ----

void Tree::find_starts(const RowBuffer& buffer, std::size_t n, std::int32_t* starts) const noexcept {
    descend(buffer, n, starts);
}

std::int32_t Tree::say(std::int32_t start, const Row& row, const Shares& shares) {
    std::int32_t said = no_answer;
    answer(start, row, {&said, shares.shares, shares.width}, 0);
    return said;
}

template <class Policy>
Tree::Said Tree::take(const Policy& policy, std::int32_t start, const Row& row, std::size_t y,
                      Weight weight, const Shares& asked, bool again) {
    Said said;
    const bool fits = n_classes_ <= asked.width || !asked.shares;
    start = route(start, row);
    // Once for both, where the answer is that of a leaf: what it says, and whether it is right.
    const bool at_leaf = at(start).test == Test::leaf;
    const bool apart = asked.shares && !(at_leaf && fits && !costs_.classes);
    if (apart || costs_.classes) {
        answer(policy, start, row, scratch_, {&said.before, asked.shares, asked.width}, 0);
    }
    const std::int32_t id = route_learning(start, row);
    constexpr bool knows_after =
        requires(const Sight& s) { policy.answer_after(s.leaf, s.row, scratch_, y); };
    const Sight seen = sight(id, row, scratch_);
    double* const shares = apart ? nullptr : asked.shares;
    if (shares) std::fill_n(shares, asked.width, 0.0);
    std::int32_t before = no_answer;
    if constexpr (knows_after) {
        before = policy.observe_shares(seen.leaf, seen.row, scratch_, track(id), y, weight.before,
                                       shares);
    } else {
        if (shares) policy.probabilities(seen.leaf, seen.row, scratch_, shares);
        before = policy.observe(seen.leaf, seen.row, scratch_, track(id), y, weight.before);
    }
    if (!costs_.classes && !apart) said.before = before;
    Found found;
    if constexpr (knows_after) found = {&seen.row, scratch_.ranged ? scratch_.range.data() : nullptr};
    learn<false>(id, row, y, weight.learned, found);
    if (limited() && working_.held) leave_room();
    const double rest = weight.learned - weight.before;
    if constexpr (knows_after) {
        // Asked about one class alone, where nothing else has changed.
        if (again && scratch_.stays && !(rest > 0.0) && !costs_.classes &&
            n_classes_ == seen.leaf.n_classes && at(id).test == Test::leaf) {
            LeafView now = view(id);
            now.categories = seen.leaf.categories;  // as the leaf tracks them: none is new
            said.after = policy.answer_after(now, seen.row, scratch_, y);
            return said;
        }
    }
    if (Policy::observes && rest > 0.0 && at(id).test == Test::leaf &&
        records_[static_cast<std::size_t>(at(id).place)].weight > 0.0) {
        const Sight seen = sight(id, row, scratch_);
        if constexpr (requires { policy.observe_again(seen.leaf, seen.row, scratch_, track(id), y,
                                                      rest); }) {
            said.after = policy.observe_again(seen.leaf, seen.row, scratch_, track(id), y, rest);
            again &= costs_.classes > 0;
        } else {
            policy.observe(seen.leaf, seen.row, scratch_, track(id), y, rest);
        }
    }
    if (again) answer(policy, id, row, scratch_, {&said.after, nullptr, 0}, 0);
    return said;
}

Tree::Said Tree::take(std::int32_t start, const Row& row, std::size_t y, Weight weight,
                      const Shares& asked, bool again) {
    const Charge charge(statistics_);
    if (!settings_.adapts()) {
        return std::visit([&](const auto& policy) { return take(policy, start, row, y, weight, asked, again); },
                          settings_.leaf);
    }
    Said said;
    if (asked.shares) said.before = say(start, row, asked);
    const std::int32_t before = adapt(start, row, y, weight.learned);
    if (!asked.shares) said.before = before;
    if (again) said.after = say(0, row, {});
    return said;
}

void Tree::teach(std::int32_t start, const Row& row, std::size_t y, double w) {
    const Charge charge(statistics_);
    if (settings_.adapts()) {
        adapt(start, row, y, w);
        return;
    }
    std::visit(
        [&]<class Policy>([[maybe_unused]] const Policy& policy) {
            if constexpr (Policy::observes) {
                take(policy, start, row, y, repeated(w), {}, false);
            } else {
                learn<false>(route_learning(start, row), row, y, w);
                if (limited() && working_.held) leave_room();
            }
        },
        settings_.leaf);
}

template <bool answering>
void Tree::run(const Batch& batch, const std::int32_t* y, const double* w,
               const Answers& answers) {
    if (settings_.adapts()) {
        run_adapting(batch, y, w, answers);
        return;
    }
    std::visit([&](const auto& policy) {
        using Policy = std::decay_t<decltype(policy)>;
        if (plain_ && !limited()) {
            run<Policy, answering, true>(policy, batch, y, w, answers);
        } else {
            run<Policy, answering, false>(policy, batch, y, w, answers);
        }
    }, settings_.leaf);
}

void Tree::learn(const Batch& batch, const std::int32_t* y, const double* w) {
    if (!batch.uncertain.empty()) return run_uncertain(batch, y, w, {});
    run<false>(batch, y, w, {});
}

void Tree::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                       const Answers& answers) {
    if (!batch.uncertain.empty()) return run_uncertain(batch, y, w, answers);
    run<true>(batch, y, w, answers);
}

}  // namespace riparian
