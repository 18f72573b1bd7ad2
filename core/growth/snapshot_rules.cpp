#include "snapshot_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../data/limits.hpp"
#include "../simd/kernels.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = largest_value;

}  // namespace

void demand_weights(const std::vector<double>& v, const char* name) {
    for (std::size_t i = 0; i < v.size(); ++i) {
        demand(v[i] >= 0.0 && v[i] <= heaviest, at_row(name, i) + "not a weight");
    }
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-6 * (std::abs(a) + std::abs(b)); }

Sizes check_sizes(const GrowthHooks::Traits& traits, const Snapshot& s) {
    Sizes z{};
    demand_size(s.seen, 1, "seen");
    demand(s.seen[0] <= most_seen, "seen is too large");
    demand_size(s.classes, 1, "classes");
    z.n_classes = s.classes[0];
    demand(s.kinds.size() <= max_features, "there are too many features");
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "kinds holds an unknown kind");
        ++(kind == 0 ? z.n_numeric : z.n_categorical);
    }
    demand_size(s.categories, z.n_categorical, "categories");
    for (const std::uint32_t n : s.categories)
        demand(n <= max_categories, "categories is too large");
    z.n_nodes = s.test.size();
    demand(z.n_nodes >= 1 && z.n_nodes <= (1U << 30), "the tree has no node or too many");
    const auto leaves = static_cast<std::size_t>(std::count(s.test.begin(), s.test.end(), 0));
    z.n_leaves = traits.keeps ? z.n_nodes : leaves;
    demand_size(s.parent, z.n_nodes, "parent");
    demand_size(s.branch, z.n_nodes, "branch");
    demand_size(s.feature, z.n_nodes, "feature");
    demand_size(s.category, z.n_nodes, "category");
    demand_size(s.heavy, z.n_nodes, "heavy");
    demand_size(s.threshold, z.n_nodes, "threshold");
    demand(z.n_classes <= max_classes, "classes is too large");
    demand_size(s.counts, z.n_nodes * z.n_classes, "counts");
    demand_size(s.inherited, z.n_nodes * z.n_classes, "inherited");
    demand_size(s.weight, z.n_leaves, "weight");
    demand_size(s.inherited_weight, z.n_leaves, "inherited_weight");
    demand_size(s.checked, z.n_leaves, "checked");
    demand_size(s.right_majority, z.n_leaves, "right_majority");
    demand_size(s.right_bayes, z.n_leaves, "right_bayes");
    z.numeric = z.n_leaves * z.n_numeric;
    z.categorical = z.n_leaves * z.n_categorical;
    demand(s.dropped.empty() || s.dropped.size() == z.n_leaves * s.kinds.size(),
           "dropped does not have a value for each feature of each leaf");
    for (std::size_t i = 0; i < s.dropped.size(); ++i) {
        demand(s.dropped[i] <= 1, "dropped holds another value than 0 and 1");
        (s.kinds[i % s.kinds.size()] == 0 ? z.numeric : z.categorical) -= s.dropped[i];
    }
    demand_size(s.values, z.categorical, "values");
    demand_size(s.table_gaps, z.categorical, "table_gaps");
    const std::size_t splits = z.n_nodes - leaves;
    demand_size(s.split_node, splits, "split_node");
    demand_size(s.split_seen, splits, "split_seen");
    demand_size(s.split_verdict, splits, "split_verdict");
    demand_size(s.split_n, splits, "split_n");
    demand_size(s.split_gain_range, splits, "split_gain_range");
    demand_size(s.split_epsilon, splits, "split_epsilon");
    demand_size(s.split_gain, splits, "split_gain");
    demand_size(s.second_feature, splits, "second_feature");
    demand_size(s.second_category, splits, "second_category");
    demand_size(s.second_test, splits, "second_test");
    demand_size(s.second_threshold, splits, "second_threshold");
    demand_size(s.second_gain, splits, "second_gain");
    demand_size(s.spent, 1, "spent");
    demand(s.spent[0] >= 0.0 && s.spent[0] <= heaviest, "spent is not a sum of deltas");
    demand_size(s.checks, z.n_leaves, "checks");
    demand_size(s.met, s.kinds.size(), "met");
    for (const std::uint8_t m : s.met) demand(m <= 1, "met holds another value than 0 and 1");
    demand_size(s.split_delta, splits, "split_delta");
    demand_size(s.split_spent, splits, "split_spent");
    demand_size(s.split_criterion, splits, "split_criterion");
    demand_size(s.rivals, splits, "rivals");
    std::size_t n_rivals = 0;
    for (const std::uint8_t n : s.rivals) n_rivals += n;
    demand_size(s.rival_feature, n_rivals, "rival_feature");
    demand_size(s.rival_category, n_rivals, "rival_category");
    demand_size(s.rival_test, n_rivals, "rival_test");
    demand_size(s.rival_threshold, n_rivals, "rival_threshold");
    demand_size(s.rival_gain, n_rivals, "rival_gain");
    demand_size(s.passes, 1, "passes");
    demand(s.passes[0] >= 1, "passes is 0");
    demand_size(s.split_pass, splits, "split_pass");
    demand_size(s.split_evidence, s.split_evidence.empty() ? 0 : splits, "split_evidence");
    demand_size(s.inactive, z.n_leaves, "inactive");
    std::size_t n_restarted = 0;
    for (const std::uint8_t state : s.inactive) {
        demand(state <= 2, "inactive holds another value than 0, 1 and 2");
        n_restarted += state == 2;
    }
    z.n_restarted = n_restarted;
    demand_size(s.recent, n_restarted * z.n_classes, "recent");
    demand_size(s.ranked_at, 1, "ranked_at");
    demand(s.ranked_at[0] <= s.seen[0], "ranked_at is after the last example");
    demand_size(s.least_promise, 1, "least_promise");
    demand_weights(s.least_promise, "least_promise");
    demand_weights(s.recent, "recent");
    demand_weights(s.counts, "counts");
    demand_weights(s.inherited, "inherited");
    demand_weights(s.weight, "weight");
    demand_weights(s.inherited_weight, "inherited_weight");
    // A leaf that forgets may have gained more weight since its check than it has left.
    for (std::size_t i = 0; i < s.checked.size(); ++i) {
        demand(s.checked[i] >= (traits.forgets ? -heaviest : 0.0) && s.checked[i] <= heaviest,
               at_row("checked", i) + "not a weight");
    }
    demand_weights(s.delay, "delay");
    demand_weights(s.recalled, "recalled");
    demand_weights(s.estimated, "estimated");
    demand_weights(s.right_majority, "right_majority");
    demand_weights(s.right_bayes, "right_bayes");
    demand_weights(s.right_idbd, "right_idbd");
    demand_weights(s.known, "known");
    demand_weights(s.cells, "cells");
    demand_weights(s.table_known, "table_known");
    return z;
}

bool possible(const Snapshot& s, const Features& features, std::uint8_t test, std::int32_t feature,
              double threshold, std::int32_t category) {
    if (feature < 0 || static_cast<std::size_t>(feature) >= features.size()) return false;
    const Feature& f = features[static_cast<std::size_t>(feature)];
    switch (static_cast<Test>(test)) {
        case Test::threshold:
            return f.kind == Kind::numeric && std::abs(threshold) <= largest && category == none;
        case Test::one_value:
            return f.kind == Kind::categorical && threshold == 0.0 && category >= 0 &&
                   static_cast<std::uint32_t>(category) < s.categories[f.slot];
        case Test::every_value:
            return f.kind == Kind::categorical && threshold == 0.0 && category == none;
        default: return false;
    }
}

void check_planes(const double* p, const double* known, double weight, std::size_t n,
                  const Where& where) {
    for (std::size_t f = 0; f < n; ++f) {
        const double w = known ? known[f] : weight;
        const double m = p[f], sq = p[n + f], lo = p[2 * n + f], hi = p[3 * n + f];
        if (w == 0.0) {
            demand(m == 0.0 && sq == 0.0 && lo == infinity && hi == -infinity,
                   where + "statistics without weight");
        } else {
            demand(std::abs(m) <= largest && sq >= 0.0 && sq <= w * 0x1.00001p902 &&
                       lo >= -largest && hi <= largest && lo <= hi,
                   where + "impossible moments");
        }
        demand(w <= weight || nearly(w, weight), where + "more known values than examples");
    }
}

}  // namespace riparian
