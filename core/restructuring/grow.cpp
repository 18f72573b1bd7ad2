// Which test is the best, and nodes that get it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tree.hpp"

namespace riparian::restructuring {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

// Pulling tests up below one node may take this part of what it takes to build the subtree. On
// noise of 20 numbers (600 rows, gain ratio) a quarter takes 6.3 s, all of it 7.1 s, four times
// that 12.4 s and no bound 34 s; SEA and RandomRBF gain as well.
constexpr std::uint64_t budget_share = 4;

}  // namespace

void Tree::revise(Stop* stop) {
    if (!built_) {
        root_ = fresh();
        Node& root = at(root_);
        root.stale = true;
        root.examples.reserve(store_.size());
        for (std::size_t i = 0; i < store_.size(); ++i) {
            const Place e = store_.in_order(i);
            count(root, e, true);
            root.examples.push_back(e);
        }
        built_ = true;
    }
    if (root_ == none) return;
    regions_.clear();
    stack_.assign(1, {root_, none});
    while (!stack_.empty()) {
        const Pending next = stack_.back();
        stack_.pop_back();
        if (!at(next.node).stale) continue;
        look(stop);
        const std::int32_t region = settle(next);
        Node& node = at(next.node);
        node.stale = false;
        for (const Way& w : node.ways) stack_.push_back({w.node, region});
    }
}

std::int32_t Tree::settle(const Pending& at_hand) {
    const std::int32_t id = at_hand.node;
    Node& node = at(id);
    if (node.pure()) {
        if (!node.leaf()) contract(id);
        return at_hand.region;
    }
    if (node.leaf()) {
        expand(id);
        return at_hand.region;
    }
    const std::optional<Question> wanted = best(node);
    if (!wanted) {
        contract(id);
        note_common(node);
    } else if (*wanted != node.question) {
        ++counters_.restructurings;
        return restructure(at_hand, *wanted);
    }
    return at_hand.region;
}

std::int32_t Tree::restructure(const Pending& at_hand, const Question& q) {
    std::int32_t region = at_hand.region;
    if (region == none) {
        region = static_cast<std::int32_t>(regions_.size());
        regions_.push_back({0, additions_to_build(at_hand.node) / budget_share});
    }
    Region& below = regions_[static_cast<std::size_t>(region)];
    if (below.spent > below.budget) {
        rebuild(at_hand.node, q);
        return region;
    }
    const std::uint64_t before = counters_.additions;
    if (!slew(at_hand.node, q)) transpose(at_hand.node, q);
    below.spent += counters_.additions - before;
    return region;
}

std::uint64_t Tree::additions_to_build(std::int32_t top) const {
    std::uint64_t examples = 0;
    std::vector<std::int32_t> open{top};
    while (!open.empty()) {
        const Node& node = at(open.back());
        open.pop_back();
        if (node.leaf()) continue;
        examples += node.n_examples;
        for (const Way& w : node.ways) open.push_back(w.node);
    }
    return examples * store_.n_features();
}

// What the node knows of its examples stays; what is below is built by the rule alone.
void Tree::rebuild(std::int32_t id, const Question& q) {
    Held<Place> examples;
    release_below(id, examples);
    Node& node = at(id);
    node.ways.clear();
    node.question = q;
    divide(id, examples);
}

void Tree::divide(std::int32_t id, const Held<Place>& examples) {
    const Question q = at(id).question;
    for (const Place e : examples) {
        Node& child = at(way_or_leaf(id, branch_of(q, e)));
        count(child, e, true);
        child.examples.push_back(e);
        child.stale = true;
    }
}

void Tree::expand(std::int32_t id) {
    Node& node = at(id);
    const std::size_t d = store_.n_features();
    node.attributes.resize(d);
    for (Attribute& a : node.attributes) a.open = true;
    if (settings_.multiway) {
        for (std::int32_t up = node.parent; up != none; up = at(up).parent) {
            node.attributes[static_cast<std::size_t>(at(up).question.feature)].open = false;
        }
    }
    fill_columns(node);
    const std::optional<Question> wanted = best(node);
    if (!wanted) {
        Held<Attribute>().swap(node.attributes);
        note_common(node);
        return;
    }
    node.question = *wanted;
    Held<Place> examples;
    examples.swap(node.examples);
    divide(id, examples);
    if (settings_.rebuild) Held<Attribute>().swap(node.attributes);
}

// What a node is to know of its examples.
void Tree::fill_columns(Node& node) {
    const std::size_t n = node.examples.size();
    // The parent has them in order already. To look for them there takes a step for each of its
    // examples, to sort them about four for each of these, by each factor of two.
    const Node* const parent = node.parent == none ? nullptr : &at(node.parent);
    const bool ordered = parent && !parent->attributes.empty() &&
                         parent->n_examples < 4 * n * static_cast<std::size_t>(std::bit_width(n));
    if (ordered) {
        marks_.resize(store_.size(), 0);
        for (const Place e : node.examples) marks_[e] = 1;
    }
    std::vector<Entry> entries;
    for (std::size_t f = 0; f < node.attributes.size(); ++f) {
        Attribute& a = node.attributes[f];
        if (!a.open) continue;
        counters_.additions += n;
        if (store_.kind(f) == Kind::categorical) {
            for (const Place e : node.examples) {
                a.counts.add(store_.code(f, e), static_cast<std::size_t>(store_.label(e)),
                             store_.weight(e));
            }
            continue;
        }
        entries.clear();
        if (ordered) {
            parent->attributes[f].sorted.each([&](const Entry& e) {
                if (marks_[e.example]) entries.push_back(e);
            });
            a.sorted = SortedColumn::of_sorted(entries, store_);
            continue;
        }
        for (const Place e : node.examples) {
            const double value = store_.number(f, e);
            if (!std::isnan(value)) entries.push_back({value, e, store_.label(e)});
        }
        a.sorted = SortedColumn(entries, store_);
    }
    if (!ordered) return;
    for (const Place e : node.examples) marks_[e] = 0;
}

void Tree::contract(std::int32_t id) {
    Node& node = at(id);
    Held<Place> examples;
    release_below(id, examples);
    node.examples = std::move(examples);
    node.ways.clear();
    node.question = {};
    Held<Attribute>().swap(node.attributes);
}

std::optional<Question> Tree::best_multiway(Node& node) {
    const Whole whole(Metric::entropy, node.totals);
    const std::size_t d = node.attributes.size();
    merits_.assign(d, nothing);
    double top = nothing;
    for (std::size_t f = 0; f < d; ++f) {
        if (!node.attributes[f].open) continue;
        ++counters_.scores;
        merits_[f] = -whole.cost_of(node.attributes[f].counts);
        top = std::max(top, merits_[f]);
    }
    if (top == nothing) return std::nullopt;
    for (std::size_t f = 0; f < d; ++f) {
        if (merits_[f] >= top - whole.tolerance()) {
            return Question{Test::every_value, static_cast<std::int32_t>(f), 0.0, none};
        }
    }
    return std::nullopt;
}

// Whether the test of a node, with examples on both sides, is one of those to choose from: no
// threshold parts the known values from the missing ones.
bool Tree::divides(const Node& node) const {
    if (node.question.test != Test::threshold) return true;
    const SortedColumn& column =
        node.attributes[static_cast<std::size_t>(node.question.feature)].sorted;
    return column.size_up_to(node.question.threshold) < column.size();
}

std::optional<Question> Tree::best(Node& node) {
    if (settings_.multiway) return best_multiway(node);
    const Whole whole(settings_.metric, node.totals);
    // Calls with category and merit of each test of one value.
    const auto each_value = [&](const ValueCounts& counts, auto&& call) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            double n = 0.0;
            for (const double t : counts.weights(i)) n += t;
            if (counts.value(i) < 0 || n >= whole.n()) continue;
            if (call(counts.value(i), whole.merit(whole.cost_of(counts.weights(i), n), n))) return;
        }
    };
    const std::size_t d = node.attributes.size();
    merits_.assign(d, nothing);
    double top = nothing;
    if (!node.leaf() && node.ways.size() == 2 && divides(node)) {
        // It says from the start which cuts need not be looked at.
        const Held<double>& left = at(node.ways[0].node).totals;
        double n = 0.0;
        for (const double t : left) n += t;
        top = whole.merit(whole.cost_of(left, n), n);
    }
    for (std::size_t f = 0; f < d; ++f) {
        Attribute& a = node.attributes[f];
        ++counters_.scores;
        if (store_.kind(f) == Kind::numeric) {
            top = merits_[f] = a.sorted.best(whole, top, store_, room_);
        } else {
            each_value(a.counts, [&](std::int32_t, double merit) {
                merits_[f] = std::max(merits_[f], merit);
                return false;
            });
            top = std::max(top, merits_[f]);
        }
    }
    if (top == nothing) return std::nullopt;
    const double level = top - whole.tolerance();
    for (std::size_t f = 0; f < d; ++f) {
        Attribute& a = node.attributes[f];
        const auto feature = static_cast<std::int32_t>(f);
        if (merits_[f] < level) continue;
        if (store_.kind(f) == Kind::numeric) {
            if (const auto cut = a.sorted.first(whole, level, store_, room_)) {
                return Question{Test::threshold, feature, cut->threshold, none};
            }
            continue;
        }
        std::optional<Question> found;
        each_value(a.counts, [&](std::int32_t value, double merit) {
            if (merit < level) return false;
            found = Question{Test::one_value, feature, 0.0, value};
            return true;
        });
        if (found) return found;
    }
    return std::nullopt;
}

bool Tree::keeps_common(Node& node, Place e) const {
    const Place one = node.examples.front();
    for (std::size_t f = 0; f < store_.n_features(); ++f) {
        if (store_.kind(f) == Kind::categorical) {
            if (store_.code(f, e) != store_.code(f, one)) return false;
            continue;
        }
        const double value = store_.number(f, e);
        if (std::isnan(value)) continue;
        if (std::isnan(node.common[f])) node.common[f] = value;
        if (node.common[f] != value) return false;
    }
    return true;
}

void Tree::note_common(Node& node) const {
    if (settings_.multiway) return;
    node.common.assign(store_.n_features() + 1, std::numeric_limits<double>::quiet_NaN());
    for (const Place e : node.examples) static_cast<void>(keeps_common(node, e));
}

}  // namespace riparian::restructuring
