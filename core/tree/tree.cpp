#include "tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "../bound/influence.hpp"

namespace riparian {
Tree::Tree(const Settings& settings) : settings_(settings) {
    shape_.bayes = needs_bayes(settings.leaf);
    shape_.class_stride = 2;
    open_leaf(add_node(none, 0), 0);
}

Tree::~Tree() = default;

// ---- the schema ----

void Tree::add_features(const std::vector<Kind>& kinds) {
    const auto lock = turnstile_.writing();
    Shape to = shape_;
    for (const Kind kind : kinds) {
        std::size_t& count = kind == Kind::numeric ? to.numeric : to.categorical;
        features_.push_back({kind, count++});
    }
    met_.resize(features_.size(), 0);
    to.stride = (to.numeric + 3) / 4 * 4;
    categories_.resize(to.categorical, 0);
    used_up_.resize(to.categorical, false);
    reshape(to);
}

void Tree::make_room_for_classes(std::size_t count) {
    const auto lock = turnstile_.writing();
    if (count <= shape_.class_stride) return;
    Shape to = shape_;
    to.class_stride = std::max(count, seen_ == 0 ? 0 : shape_.class_stride + shape_.class_stride / 2);
    reshape(to);
}

void Tree::declare_classes(std::size_t count) {
    make_room_for_classes(count);
    const auto lock = turnstile_.writing();
    n_classes_ = std::max(n_classes_, count);
    allow_labels();
}

void Tree::reshape(const Shape& to) {
    const Shape from = std::exchange(shape_, to);
    if (to.class_stride != from.class_stride) {
        std::vector<double> wider(2 * nodes_.size() * to.class_stride, 0.0);
        for (std::size_t row = 0; row < 2 * nodes_.size(); ++row) {
            std::copy_n(counts_.data() + row * from.class_stride, from.class_stride,
                        wider.data() + row * to.class_stride);
        }
        counts_ = std::move(wider);
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        Leaf& leaf = leaves_[i];
        leaf.statistics.reshape(from, to, counts(leaf.node));
        if (Watch* const w = watch(i)) w->fit(settings_, shape_);
    }
}

void Tree::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    const Costs costs{std::move(entries), classes, classes};
    if (auto* const loss = std::get_if<Loss>(&settings_.impurity)) {
        loss->costs = costs;
        if (settings_.judges()) settings_.judging.costs = costs;
        allow_labels();
    }
}

// A class that is still to come in a batch is not yet a label: batches make no difference.
void Tree::allow_labels() noexcept {
    auto* const loss = std::get_if<Loss>(&settings_.impurity);
    if (!loss) return;
    loss->costs.labels = std::min(loss->costs.classes, n_classes_);
    settings_.judging.costs.labels = std::min(settings_.judging.costs.classes, n_classes_);
}

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
        if (next == none) {
            const bool room = leaves_.size() < settings_.max_leaves;
            next = room ? add_branch(i, row.codes[slot(at(i))]) : at(i).heavy;
        }
        i = next;
    }
}

// ---- growing ----

std::int32_t Tree::add_node(std::int32_t parent, std::int32_t branch) {
    Node node;
    node.parent = parent;
    node.branch = branch;
    node.depth = parent == none ? 0 : at(parent).depth + 1;
    make_room(nodes_);
    make_room(gates_);
    make_room(counts_, 2 * shape_.class_stride);
    nodes_.push_back(node);
    const auto id = static_cast<std::int32_t>(nodes_.size() - 1);
    gates_.emplace_back();
    set_gate(id, 0.0);
    counts_.resize(counts_.size() + 2 * shape_.class_stride, 0.0);
    depth_ = std::max(depth_, static_cast<std::size_t>(node.depth));
    return id;
}

void Tree::set_gate(std::int32_t id, double threshold) noexcept {
    const Node& node = at(id);
    gates_[static_cast<std::size_t>(id)] =
        node.test == Test::threshold
            ? Gate{threshold, static_cast<std::int32_t>(slot(node)), node.place}
            : Gate{std::numeric_limits<double>::infinity(), 0, id};
}

void Tree::open_leaf(std::int32_t node, std::size_t place) {
    if (place == leaves_.size()) {
        make_room(leaves_);
        leaves_.emplace_back();
    }
    Leaf& leaf = leaves_[place];
    leaf = {};
    leaf.node = node;
    leaf.statistics.open(shape_);
    at(node).place = static_cast<std::int32_t>(place);
    if (settings_.watches()) open_watch(place);
}

void Tree::open_watch(std::size_t place) {
    if (place >= watches_.size()) {
        make_room(watches_);
        watches_.resize(place + 1);
    }
    watches_[place] = std::make_unique<Watch>();
    watches_[place]->fit(settings_, shape_);
}

std::int32_t Tree::add_branch(std::int32_t node, std::int32_t code) {
    const std::int32_t child = add_node(node, code);
    ways_[static_cast<std::size_t>(at(node).place)].add(code, child);
    open_leaf(child, leaves_.size());
    return child;
}

bool Tree::may_split(const Leaf& leaf) const noexcept {
    return static_cast<std::size_t>(at(leaf.node).depth) < settings_.max_depth &&
           leaves_.size() < settings_.max_leaves;
}

LeafCase Tree::leaf_case(const Leaf& leaf, std::vector<bool>& used_up) const {
    used_up.assign(shape_.categorical, false);
    for (std::int32_t i = at(leaf.node).parent; i != none; i = at(i).parent) {
        if (at(i).test == Test::every_value) used_up[slot(at(i))] = true;
    }
    const std::size_t place = static_cast<std::size_t>(at(leaf.node).place);
    LeafCase c{settings_, shape_, features_, leaf.statistics, counts(leaf.node),
               leaf.weight, leaf.weight + leaf.inherited, n_classes_,
               static_cast<std::size_t>(leaf.classes), used_up};
    c.depth = static_cast<double>(at(leaf.node).depth);
    c.seen = static_cast<double>(seen_);
    c.number = static_cast<double>(leaf.checks) + 1.0;
    c.known_features = static_cast<double>(n_met_);
    c.watch = watch(place);
    return c;
}

void Tree::check(std::size_t place) {
    const Decision decision = checker_.check(leaf_case(leaves_[place], used_up_));
    ++leaves_[place].checks;
    spent_ += delta_of_check(settings_, decision.evidence);
    if (decision.verdict != Verdict::wait) {
        split(place, decision);
    } else if (settings_.watches()) {
        after_check(place, decision);
    }
}

// What a leaf that waits makes of the check.
void Tree::after_check(std::size_t place, const Decision& d) {
    Watch& w = *watch(place);
    const LeafCase leaf = leaf_case(leaves_[place], used_up_);
    if (settings_.pairs() && d.best.feature != none &&
        !w.pair.leads(d.best.feature, d.second.feature)) {
        const auto leader = [&](const Candidate& c) {
            Leader out;
            out.cut = c;
            if (c.feature == none) return out;
            out.slot = features_[static_cast<std::size_t>(c.feature)].slot;
            out.classes = n_classes_;
            // Room to spare, for classes and for branches, is not part of the state.
            const std::vector<double> table = checker_.branches(leaf, c);
            const std::size_t width = shape_.class_stride;
            std::size_t rows = table.size() / width;
            const auto row = [&](std::size_t b) { return table.data() + b * width; };
            while (rows && std::all_of(row(rows - 1), row(rows), [](double x) { return x == 0.0; })) {
                --rows;
            }
            std::vector<double> seen;
            for (std::size_t b = 0; b < rows; ++b) seen.insert(seen.end(), row(b), row(b) + n_classes_);
            out.influence = influence(d.evidence.measure, seen.data(), rows, n_classes_);
            return out;
        };
        w.pair.lead(leader(d.best), leader(d.second));
    }
    for (IntervalCounts& counts : w.intervals) {
        if (!counts.has_intervals() || d.best.feature == none) continue;
        checker_.prune(leaf, counts, d);
    }
}

// Once a leaf has seen its first examples, what its hits are judged by is fixed.
void Tree::fix_hits(std::size_t place) {
    Watch& w = *watch(place);
    const Leaf& leaf = leaves_[place];
    if (!w.hits.open() || leaf.weight < settings_.judging.holdout_examples) return;
    std::vector<double> thresholds, sides;
    const LeafCase c = leaf_case(leaf, used_up_);
    checker_.best_thresholds(c, thresholds, sides);
    w.hits.fix(settings_.judging, shape_, leaf.statistics, c.counts, n_classes_, leaf.weight,
               thresholds.data(), sides.data());
}

void Tree::split(std::size_t place, const Decision& decision) {
    const Candidate& cut = decision.best;
    const std::int32_t id = leaves_[place].node;
    const std::vector<double> table =
        checker_.branches(leaf_case(leaves_[place], used_up_), cut);
    const std::size_t width = shape_.class_stride;
    const std::size_t rows = table.size() / width;
    std::vector<double> weights(rows);
    std::vector<std::size_t> branches;
    for (std::size_t b = 0; b < rows; ++b) {
        for (std::size_t k = 0; k < width; ++k) weights[b] += table[b * width + k];
        if (cut.test != Test::every_value || weights[b] > 0.0) branches.push_back(b);
    }
    if (leaves_.size() - 1 + branches.size() > settings_.max_leaves) return;

    const Ranking& ranking = decision.ranking;
    for (std::size_t i = 1; i < ranking.size(); ++i) {
        const Candidate& c = ranking[i];
        make_room(rivals_);
        rivals_.push_back({c.threshold, c.gain, c.feature, c.category,
                           static_cast<std::uint32_t>(c.test)});
    }
    make_room(splits_);
    const Evidence& e = decision.evidence;
    splits_.push_back({seen_, e.n, e.gain_range, decision.epsilon, e.delta, spent_, cut.gain, id,
                       decision.verdict, decision.criterion,
                       static_cast<std::uint8_t>(ranking.size() - 1),
                       decision.second.feature == none});
    leaves_[place].statistics.close();
    Node& node = at(id);
    node.test = cut.test;
    node.feature = cut.feature;
    node.category = cut.category;
    Ways ways;
    std::int32_t first = none;
    std::int32_t heavy = none;
    double most = -1.0;
    for (const std::size_t b : branches) {
        const std::int32_t child = add_node(id, static_cast<std::int32_t>(b));
        const std::size_t slot = first == none ? place : leaves_.size();
        open_leaf(child, slot);
        if (settings_.inherit_counts != InheritCounts::none) {
            std::copy_n(table.data() + b * width, width, counts(child) + width);
        }
        if (settings_.inherit_counts == InheritCounts::count) leaves_[slot].inherited = weights[b];
        if (first == none) first = child;
        if (cut.test == Test::every_value) ways.add(static_cast<std::int32_t>(b), child);
        if (weights[b] > most) {
            most = weights[b];
            heavy = child;
        }
    }
    if (cut.test == Test::every_value) {
        first = static_cast<std::int32_t>(ways_.size());
        ways_.push_back(std::move(ways));
    }
    at(id).place = first;
    at(id).heavy = heavy;
    set_gate(id, cut.threshold);
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
            counts(node),
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
    for (std::size_t first = 0; first < batch.rows; first += buffer.capacity()) {
        const std::size_t n = std::min(buffer.capacity(), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        scratch_.fit(shape_);
        starts_.resize(buffer.capacity());
        descend(buffer, n, starts_.data());
        for (std::size_t i = 0; i < n; ++i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            if constexpr (answering) {
                // A policy that observes answers while it is learning, once.
                if (answers.probabilities || !learned || !Policy::observes) {
                    answer(policy, starts_[i], row, scratch_, answers, r);
                }
            }
            if (!learned) continue;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t id = route_learning(starts_[i], row);
            if constexpr (Policy::observes) {
                const std::int32_t before =
                    policy.observe(view(id), row, scratch_, track(id), label, std::min(weight, 1.0));
                if (answering && !answers.probabilities) answers.classes[r] = before;
            }
            learn(id, row, label, weight);
            if constexpr (Policy::observes) {
                // A weight of 3 is three examples: the second and the third met a leaf
                // that knew the first.
                if (weight > 1.0 && at(id).test == Test::leaf) {
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
    if (y >= n_classes_) {
        n_classes_ = y + 1;
        allow_labels();
    }
    for (std::size_t c = 0; c < shape_.categorical; ++c) {
        categories_[c] = std::max(categories_[c], row.codes[c] + 1);
    }
    const auto place = static_cast<std::size_t>(at(id).place);
    Leaf& leaf = leaves_[place];
    double* const counts = this->counts(id);
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

// ---- looking inside ----

std::size_t Tree::n_features() const {
    const auto lock = turnstile_.reading();
    return features_.size();
}

std::size_t Tree::n_classes() const {
    const auto lock = turnstile_.reading();
    return n_classes_;
}

std::size_t Tree::n_nodes() const {
    const auto lock = turnstile_.reading();
    return nodes_.size();
}

std::size_t Tree::n_leaves() const {
    const auto lock = turnstile_.reading();
    return leaves_.size();
}

std::size_t Tree::depth() const {
    const auto lock = turnstile_.reading();
    return depth_;
}

std::uint64_t Tree::seen() const {
    const auto lock = turnstile_.reading();
    return seen_;
}

std::size_t Tree::memory_bytes() const {
    const auto lock = turnstile_.reading();
    std::size_t bytes = sizeof(Tree) + nodes_.capacity() * sizeof(Node) +
                        gates_.capacity() * sizeof(Gate) +
                        counts_.capacity() * sizeof(double) +
                        leaves_.capacity() * sizeof(Leaf) +
                        splits_.capacity() * sizeof(Split) +
                        features_.capacity() * sizeof(Feature) + met_.capacity() +
                        categories_.capacity() * sizeof(categories_[0]) +
                        ways_.capacity() * sizeof(ways_[0]);
    bytes += rivals_.capacity() * sizeof(Rival) + watches_.capacity() * sizeof(watches_[0]);
    for (const Ways& ways : ways_) bytes += ways.bytes();
    for (const auto& w : watches_) bytes += w->bytes();
    for (const Leaf& leaf : leaves_) bytes += leaf.statistics.bytes(shape_);
    return bytes;
}

std::vector<Certificate> Tree::certificates() const {
    const auto lock = turnstile_.reading();
    std::vector<Certificate> out;
    auto rival = rivals_.begin();
    for (const Split& s : splits_) {
        const Node& node = at(s.node);
        Certificate c;
        c.node = s.node;
        c.depth = node.depth;
        c.seen = s.seen;
        c.spent = s.spent;
        Decision& d = c.decision;
        d.verdict = s.verdict;
        d.criterion = s.criterion;
        d.best = {node.feature, node.test, threshold(s.node), node.category, s.gain};
        d.ranking.clear(RunnerUp::cut);
        d.ranking.offer(d.best);
        for (std::uint8_t i = 0; i < s.rivals; ++i, ++rival) {
            d.ranking.offer({rival->feature, static_cast<Test>(rival->test), rival->threshold,
                             rival->category, rival->gain});
        }
        if (!s.null_second) {
            d.second = d.ranking[1];
        } else if (s.verdict == Verdict::forced) {
            d.second.gain = -std::numeric_limits<double>::infinity();
        }
        d.evidence = {s.n, s.gain_range, s.delta};
        d.epsilon = s.epsilon;
        out.push_back(c);
    }
    return out;
}

double Tree::delta_spent() const {
    const auto lock = turnstile_.reading();
    return spent_;
}

std::vector<LeafState> Tree::leaf_states() const {
    const auto lock = turnstile_.reading();
    std::vector<LeafState> states;
    Checker checker;
    std::vector<bool> used_up;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].test != Test::leaf) continue;
        const Leaf& leaf = leaves_[static_cast<std::size_t>(nodes_[i].place)];
        LeafState state{};
        state.node = static_cast<std::int32_t>(i);
        state.depth = nodes_[i].depth;
        state.classes = leaf.classes;
        state.weight = leaf.weight;
        state.until_check = std::max(0.0, settings_.grace_period - (leaf.weight - leaf.checked));
        state.may_split = may_split(leaf);
        state.still_needed = std::numeric_limits<double>::infinity();
        if (leaf.classes >= 2) {
            state.decision = checker.decide(leaf_case(leaf, used_up));
            const double needed = weight_to_decide(settings_, state.decision);
            state.still_needed = std::max(0.0, needed - state.decision.evidence.n);
        }
        states.push_back(state);
    }
    return states;
}

}  // namespace riparian
