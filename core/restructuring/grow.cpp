// Which test is the best, and nodes that get it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tree.hpp"

namespace riparian::restructuring {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

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
    stack_.assign(1, root_);
    while (!stack_.empty()) {
        const std::int32_t id = stack_.back();
        stack_.pop_back();
        if (!at(id).stale) continue;
        look(stop);
        settle(id);
        Node& node = at(id);
        node.stale = false;
        for (const Way& w : node.ways) stack_.push_back(w.node);
    }
}

void Tree::settle(std::int32_t id) {
    Node& node = at(id);
    if (node.pure()) {
        if (!node.leaf()) contract(id);
        return;
    }
    if (node.leaf()) {
        expand(id);
        return;
    }
    const std::optional<Question> wanted = best(node);
    if (!wanted) {
        contract(id);
        note_common(node);
    } else if (*wanted != node.question) {
        ++counters_.restructurings;
        if (!slew(id, *wanted)) transpose(id, *wanted);
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
    std::vector<Entry> entries;
    for (std::size_t f = 0; f < d; ++f) {
        Attribute& a = node.attributes[f];
        if (!a.open) continue;
        counters_.additions += node.examples.size();
        if (store_.kind(f) == Kind::numeric) {
            entries.clear();
            for (const Place e : node.examples) {
                const double value = store_.number(f, e);
                if (!std::isnan(value)) entries.push_back({value, e, store_.label(e)});
            }
            a.sorted = SortedColumn(entries, store_);
        } else {
            for (const Place e : node.examples) {
                a.counts.add(store_.code(f, e), static_cast<std::size_t>(store_.label(e)),
                             store_.weight(e));
            }
        }
    }
    const std::optional<Question> wanted = best(node);
    if (!wanted) {
        Held<Attribute>().swap(node.attributes);
        note_common(node);
        return;
    }
    node.question = *wanted;
    Held<Place> examples;
    examples.swap(node.examples);
    for (const Place e : examples) {
        Node& child = at(way_or_leaf(id, branch_of(*wanted, e)));
        count(child, e, true);
        child.examples.push_back(e);
        child.stale = true;
    }
    if (settings_.rebuild) Held<Attribute>().swap(node.attributes);
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
