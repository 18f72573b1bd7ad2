// What every row passes: routing, answering, learning.
#include <algorithm>
#include <array>
#include <limits>

#include "tree.hpp"

namespace riparian {

// ---- routing ----

// The child that a row goes to; a leaf itself; none for a category without a branch.
inline std::int32_t Tree::step(std::int32_t i, const Row& row) const noexcept {
    const Gate& gate = gates_[static_cast<std::size_t>(i)];
    if (gate.first != i) [[likely]] {
        const double x = row.x[gate.slot];
        return x == x ? gate.first + (x <= gate.threshold ? 0 : 1) : at(i).heavy;
    }
    const Node& node = at(i);
    if (node.test == Test::leaf) return i;
    const std::int32_t code = row.codes[slot(node)];
    if (code == missing_code) return node.heavy;
    if (node.test == Test::one_value) return node.place + (code != node.category ? 1 : 0);
    return ways_[static_cast<std::size_t>(node.place)].find(code);
}

// One row's walk waits for memory at every step; eight of them wait together.
void Tree::descend(const RowBuffer& buffer, std::size_t n, std::int32_t* starts) const noexcept {
    constexpr std::size_t together = 8;
    const Gate* const gates = gates_.data();
    std::size_t i = 0;
    for (; shape_.stride != 0 && i + together <= n; i += together) {
        const double* x[together];
        std::int32_t at[together] = {};
        for (std::size_t l = 0; l < together; ++l) x[l] = buffer.row(i + l).x;
        std::int32_t moved = 1;
        while (moved) {
            moved = 0;
            for (std::size_t l = 0; l < together; ++l) {
                const Gate& gate = gates[at[l]];
                const std::int32_t next = gate.first + (x[l][gate.slot] > gate.threshold ? 1 : 0);
                moved |= next ^ at[l];
                at[l] = next;
            }
        }
        // A missing value must not pass as small: such a row walks alone.
        for (std::size_t l = 0; l < together; ++l) starts[i + l] = buffer.row(i + l).gap ? 0 : at[l];
    }
    std::fill(starts + i, starts + n, 0);
}

std::int32_t Tree::route(std::int32_t i, const Row& row) const noexcept {
    for (;;) {
        const std::int32_t next = step(i, row);
        if (next == i || next == none) return i;  // a leaf, or the deepest node reached
        i = next;
    }
}

std::int32_t Tree::route_learning(std::int32_t i, const Row& row) {
    for (;;) {
        std::int32_t next = step(i, row);
        if (next == i) return i;
        if (next == none) next = add_branch(i, row.codes[slot(at(i))]);
        i = next;
    }
}

// ---- answering ----

ClassWeights Tree::weights(std::int32_t node) const noexcept {
    if (node == none) return {};
    return {counts(node), counts(node) + shape_.class_stride};
}

LeafView Tree::view(std::int32_t node) const noexcept {
    const bool is_leaf = at(node).test == Test::leaf;
    const Leaf& leaf = leaves_[is_leaf ? static_cast<std::size_t>(at(node).place) : 0];
    return {shape_,
            leaf.statistics,
            is_leaf ? own_counts(leaf) : counts(node),
            weights(node),
            weights(at(node).parent),
            categories_.data(),
            n_classes_,
            leaf.track};
}

template <class Policy>
void Tree::answer(const Policy& policy, std::int32_t start, const Row& row,
                  AnswerScratch& scratch, const Answers& answers, std::size_t i) const {
    const std::int32_t node = route(start, row);
    LeafView leaf = view(node);
    const bool is_leaf = at(node).test == Test::leaf;
    // Classes that came after the question was asked are not part of the answer.
    if (answers.probabilities) leaf.n_classes = std::min(leaf.n_classes, answers.width);
    if (answers.classes) {
        answers.classes[i] = is_leaf ? policy.answer(leaf, row, scratch) : Majority::class_of(leaf);
    }
    if (answers.probabilities) {
        double* const out = answers.probabilities + i * answers.width;
        std::fill_n(out, answers.width, 0.0);
        if (is_leaf) {
            policy.probabilities(leaf, row, scratch, out);
        } else {
            Majority{}.probabilities(leaf, row, scratch, out);
        }
    }
}

void Tree::predict(const Batch& batch, const Answers& answers) const {
    std::optional<RowBuffer> buffer;
    AnswerScratch scratch;
    std::vector<std::int32_t> starts;
    for (std::size_t first = 0; first < batch.rows;) {
        // A learner may come in between blocks, and may have added features.
        const auto lock = turnstile_.reading();
        if (!buffer || !buffer->reads(shape_)) buffer.emplace(batch, features_, shape_);
        scratch.fit(shape_);
        const std::size_t n = std::min(buffer->capacity(), batch.rows - first);
        buffer->read(first, n);
        starts.resize(n);
        descend(*buffer, n, starts.data());
        std::visit(
            [&](const auto& policy) {
                for (std::size_t i = 0; i < n; ++i) {
                    answer(policy, starts[i], buffer->row(i), scratch, answers, first + i);
                }
            },
            settings_.leaf);
        first += n;
    }
}

std::vector<std::int32_t> Tree::path(const Batch& batch) const {
    const auto lock = turnstile_.reading();
    RowBuffer buffer(batch, features_, shape_);
    buffer.read(0, 1);
    std::vector<std::int32_t> ids;
    for (std::int32_t i = route(0, buffer.row(0)); i != none; i = at(i).parent) ids.push_back(i);
    std::reverse(ids.begin(), ids.end());
    return ids;
}

// ---- learning ----

template <class Policy, bool answering>
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
                if (answers.probabilities || !learned || !Policy::observes) {
                    answer(policy, starts[i], row, scratch_, answers, r);
                }
            }
            if (!learned) continue;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t id = route_learning(starts[i], row);
            if constexpr (Policy::observes) {
                const std::int32_t before =
                    policy.observe(view(id), row, scratch_, track(id), label, std::min(weight, 1.0));
                if (answering && !answers.probabilities) answers.classes[r] = before;
            }
            learn(id, row, label, weight);
            if (limited() && working_.held) {
                // The room of a check is not kept where memory is scarce.
                const Charge room(working_);
                checker_ = {};
                used_up_ = Held<bool>();
            }
            if constexpr (Policy::observes) {
                // A weight of 3 is three examples: the second and the third met a leaf
                // that knew the first.
                if (weight > 1.0 && at(id).test == Test::leaf &&
                    leaves_[static_cast<std::size_t>(at(id).place)].weight > 0.0) {
                    policy.observe(view(id), row, scratch_, track(id), label, weight - 1.0);
                }
            }
        }
    }
}

// A column counts from its first value on, wherever its batch began.
void Tree::meet(const Row& row) noexcept {
    for (std::size_t f = 0; f < features_.size(); ++f) {
        const std::size_t slot = features_[f].slot;
        const bool known = features_[f].kind == Kind::numeric ? row.x[slot] == row.x[slot]
                                                              : row.codes[slot] >= 0;
        if (known && !met_[f]) {
            met_[f] = 1;
            ++n_met_;
        }
    }
}

void Tree::learn(std::int32_t id, const Row& row, std::size_t y, double w) {
    ++seen_;
    if (n_met_ < features_.size()) meet(row);
    if (y >= n_classes_) meet_class(y);
    for (std::size_t c = 0; c < shape_.categorical; ++c) {
        if (row.codes[c] >= categories_[c]) meet_category(c, row.codes[c]);
    }
    const auto place = static_cast<std::size_t>(at(id).place);
    const Leaf& leaf = leaves_[place];
    if (limited() && leaf.statistics.is_open()) {
        make_room_for(leaf.statistics.growth(shape_, row, y), none);
    }
    const double after = counts(id)[y] + w;
    if (leaf.statistics.is_open()) [[likely]] {
        try {
            learn_active(place, row, y, w);
            return;
        } catch (const OverLimit&) {
            // What it keeps may be half of a row: it is to begin anew.
            sleep(place);
        }
    }
    counts(id)[y] = after;
    learn_inactive(place, w);
}

void Tree::learn_active(std::size_t place, const Row& row, std::size_t y, double w) {
    Leaf& leaf = leaves_[place];
    double* counts = this->counts(leaf.node);
    if (leaf.recent) {
        counts[y] += w;
        counts = leaf.recent->counts.data();
    }
    const double before = counts[y];
    Watch* const watched = watch(place);
    if (watched) {
        watched->judge(settings_, shape_, leaf.statistics, row, y, w, counts, n_classes_);
    }
    if (before == 0.0) ++leaf.classes;
    counts[y] += w;
    leaf.weight += w;
    leaf.statistics.learn(shape_, row, y, w, before, counts);
    if (watched) {
        watched->learn(shape_, row, y, w);
        if (settings_.judges()) fix_hits(place);
    }
    if (leaf.weight - leaf.checked >= settings_.grace_period && leaf.classes >= 2 &&
        may_split(leaf)) {
        leaf.checked = leaf.weight;
        check(place);
    }
}

void Tree::learn(const Batch& batch, const std::int32_t* y, const double* w) {
    std::visit([&](const auto& policy) {
        run<std::decay_t<decltype(policy)>, false>(policy, batch, y, w, {});
    }, settings_.leaf);
}

void Tree::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                       const Answers& answers) {
    std::visit([&](const auto& policy) {
        run<std::decay_t<decltype(policy)>, true>(policy, batch, y, w, answers);
    }, settings_.leaf);
}

}  // namespace riparian
