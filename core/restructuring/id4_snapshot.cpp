// Saves and restores ID4.
#include <algorithm>
#include <cmath>

#include "../data/weight_steps.hpp"
#include "../demand.hpp"
#include "id4.hpp"

namespace riparian::restructuring {
namespace {

bool whole_steps(double w) noexcept {
    return w == 0.0 || (w > 0.0 && exact_in_steps(w) && in_steps(w) == w);
}

}  // namespace

Id4Snapshot Id4::snapshot() const {
    const auto lock = turnstile_.reading();
    Id4Snapshot s;
    save(s, std::vector<Kind>(categories_.size(), Kind::categorical));
    const auto put = [&](std::vector<double>& out, std::span<const double> weights) {
        for (std::size_t c = 0; c < classes_; ++c)
            out.push_back(c < weights.size() ? weights[c] : 0.0);
    };
    std::vector<std::int32_t> ids{0};
    s.parent.push_back(none);
    s.branch.push_back(0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Node& node = at(ids[i]);
        s.feature.push_back(node.feature);
        put(s.counts, node.totals);
        for (const Child& w : node.children) {
            ids.push_back(w.node);
            s.parent.push_back(static_cast<std::int32_t>(i));
            s.branch.push_back(w.branch);
        }
        for (const ValueCounts& table : node.tables) {
            s.sizes.push_back(static_cast<std::int32_t>(table.size()));
            for (std::size_t v = 0; v < table.size(); ++v) {
                s.values.push_back(table.value(v));
                put(s.weights, table.weights(v));
            }
        }
    }
    return s;
}

std::unique_ptr<Id4> Id4::restore(const Id4Settings& settings, const Id4Snapshot& s) {
    const std::vector<Kind> kinds = Learner::check(s);
    const std::size_t d = kinds.size(), n = s.parent.size(), k = s.classes[0];
    demand(s.categories.size() == d, "there is a numeric feature");
    demand(n >= 1 && s.branch.size() == n && s.feature.size() == n && s.counts.size() == n * k &&
               s.sizes.size() == n * d && s.weights.size() == s.values.size() * k,
           "the arrays of nodes differ in length");
    demand(s.parent[0] == none && s.branch[0] == 0, "the first node is not the root");
    for (const double w : s.counts) demand(whole_steps(w), "an impossible weight");
    for (const double w : s.weights) demand(whole_steps(w), "an impossible weight");

    auto tree = std::make_unique<Id4>(settings);
    tree->add_features(kinds);
    const Charge charge(tree->account_);
    std::size_t value = 0;
    double weight = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto id = static_cast<std::int32_t>(i);
        if (i > 0) {
            const std::int32_t above = s.parent[i];
            demand(above >= s.parent[i - 1] && above >= 0 && above < id,
                   "a child comes before its parent");
            Node& parent = tree->at(above);
            demand(parent.feature != none, "a leaf has a child");
            demand(s.branch[i] >= missing_code &&
                       s.branch[i] < s.categories[static_cast<std::size_t>(parent.feature)],
                   "an unknown category");
            demand(parent.children.empty() || parent.children.back().branch < s.branch[i],
                   "the branches are not in order");
            const std::int32_t made = tree->fresh(above);
            tree->at(above).children.push_back({s.branch[i], made});
        }
        Node& node = tree->at(id);
        const std::vector<bool> open = tree->open(id);
        const std::int32_t feature = s.feature[i];
        demand(feature >= none && feature < static_cast<std::int32_t>(d), "an unknown feature");
        demand(feature == none || open[static_cast<std::size_t>(feature)],
               "a feature is tested twice");
        node.feature = feature;
        node.totals.assign(s.counts.begin() + static_cast<std::ptrdiff_t>(i * k),
                           s.counts.begin() + static_cast<std::ptrdiff_t>((i + 1) * k));
        if (i > 0) {
            // The rows that reached this node were counted in the parent, for its branch.
            const Node& above = tree->at(s.parent[i]);
            const ValueCounts& table = above.tables[static_cast<std::size_t>(above.feature)];
            std::size_t v = 0;
            while (v < table.size() && table.value(v) != s.branch[i]) ++v;
            demand(v < table.size(), "a branch has no counts");
            const auto reached = table.weights(v);
            for (std::size_t c = 0; c < k; ++c) {
                demand(node.totals[c] <= (c < reached.size() ? reached[c] : 0.0),
                       "a node has more weight than its branch");
            }
        }
        for (std::size_t f = 0; f < d; ++f) {
            const std::int32_t size = s.sizes[i * d + f];
            demand(size >= 0 && static_cast<std::size_t>(size) <= s.values.size() - value &&
                       (size == 0 || open[f]),
                   "an impossible table");
            std::vector<double> sums(k, 0.0);
            for (std::int32_t v = 0; v < size; ++v, ++value) {
                const std::int32_t code = s.values[value];
                demand(code >= missing_code && code < s.categories[f] &&
                           (v == 0 || code > s.values[value - 1]),
                       "an unknown category");
                const std::span<const double> weights(s.weights.data() + value * k, k);
                demand(
                    std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; }),
                    "a value has no weight");
                for (std::size_t c = 0; c < k; ++c) sums[c] += weights[c];
                node.tables[f].add(code, weights);
            }
            for (std::size_t c = 0; c < k; ++c) {
                demand(sums[c] <= node.totals[c], "a value has more weight than its class");
            }
        }
        demand(feature == none || node.tables[static_cast<std::size_t>(feature)].size() > 0,
               "a test has no counts");
    }
    demand(value == s.values.size(), "an impossible table");
    for (std::size_t c = 0; c < k; ++c) weight += s.counts[c];
    demand(exact_in_steps(weight), "too much weight");
    demand((s.seen[0] == 0) == (weight == 0.0),
           "the number of examples does not agree with their weight");
    tree->Learner::restore(s, weight);
    return tree;
}

}  // namespace riparian::restructuring
