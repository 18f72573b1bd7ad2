// Saves and restores a tree, which is determined by its examples.
#include <algorithm>
#include <cmath>

#include "../data/weight_steps.hpp"
#include "../demand.hpp"
#include "tree.hpp"

namespace riparian::restructuring {

Snapshot Tree::snapshot() const {
    const auto lock = read_lock();
    Snapshot s;
    std::vector<Kind> kinds;
    for (std::size_t f = 0; f < store_.n_features(); ++f) kinds.push_back(store_.kind(f));
    save(s, kinds);
    for (std::size_t i = 0; i < store_.size(); ++i) {
        const Place e = store_.in_order(i);
        for (std::size_t f = 0; f < store_.n_features(); ++f) {
            if (store_.kind(f) == Kind::numeric) {
                s.numbers.push_back(store_.number(f, e));
            } else {
                s.codes.push_back(store_.code(f, e));
            }
        }
        s.labels.push_back(store_.label(e));
        s.weights.push_back(store_.weight(e));
    }
    return s;
}

std::unique_ptr<Tree> Tree::restore(const Settings& settings, const Snapshot& s) {
    const std::vector<Kind> kinds = Learner::check(s);
    const std::size_t n = s.labels.size(), categorical = s.categories.size();
    const std::size_t numeric = kinds.size() - categorical;
    demand(!settings.multiway || numeric == 0, "there is a numeric feature");
    demand(n <= settings.max_examples && n <= most_examples, "more examples than max_examples");
    demand(s.seen[0] >= n && (n > 0 || s.seen[0] == 0), "fewer examples were seen than are stored");
    demand(s.seen[0] == n || n == settings.max_examples, "examples are missing");
    demand(s.weights.size() == n && s.numbers.size() == n * numeric &&
               s.codes.size() == n * categorical,
           "the arrays of examples differ in length");
    double weight = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double w = s.weights[i];
        demand(w > 0.0 && exact_in_steps(w) && in_steps(w) == w, "an impossible weight");
        weight += w;
        demand(exact_in_steps(weight), "too much weight");
        demand(s.labels[i] >= 0 && static_cast<std::uint32_t>(s.labels[i]) < s.classes[0],
               "an unknown class");
        for (std::size_t f = 0; f < categorical; ++f) {
            const std::int32_t code = s.codes[i * categorical + f];
            demand(code >= missing_code && code < s.categories[f], "an unknown category");
        }
    }
    for (const double x : s.numbers) demand(!std::isinf(x), "an infinite number");

    auto tree = std::make_unique<Tree>(settings);
    tree->add_features(kinds);
    Batch batch;
    batch.rows = n;
    std::size_t number = 0, code = 0;
    for (const Kind kind : kinds) {
        if (kind == Kind::numeric) {
            batch.columns.push_back({s.numbers.data() + number++,
                                     static_cast<std::ptrdiff_t>(numeric * sizeof(double)),
                                     Column::Type::f64});
        } else {
            batch.columns.push_back(
                {s.codes.data() + code++,
                 static_cast<std::ptrdiff_t>(categorical * sizeof(std::int32_t)),
                 Column::Type::code});
        }
    }
    {
        const Charge charge(tree->account_);
        for (std::size_t i = 0; i < n; ++i) {
            static_cast<void>(tree->store_.put(batch, i, s.labels[i], s.weights[i]));
        }
        tree->drop();
    }
    // Before the counters are restored, so that they do not include building the tree again.
    tree->settle();
    tree->Learner::restore(s, weight);
    return tree;
}

}  // namespace riparian::restructuring
