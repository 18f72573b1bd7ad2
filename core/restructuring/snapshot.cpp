// A tree as arrays and back: the examples say all.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "../tree/example_window.hpp"
#include "tree.hpp"

namespace riparian::restructuring {
namespace {

void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Snapshot Tree::snapshot() const {
    const auto lock = asked();
    Snapshot s;
    s.seen = {seen_};
    s.counters = {counters_.additions, counters_.scores, counters_.restructurings};
    s.classes = {static_cast<std::uint32_t>(classes_)};
    for (std::size_t f = 0; f < store_.n_features(); ++f) {
        const bool categorical = store_.kind(f) == Kind::categorical;
        s.kinds.push_back(categorical);
        if (categorical) s.categories.push_back(categories_[f]);
    }
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
    const std::size_t n = s.labels.size();
    demand(s.seen.size() == 1 && s.seen[0] < (std::uint64_t{1} << 62), "seen is one number");
    demand(s.counters.size() == 3, "there are three counters");
    demand(s.classes.size() == 1 && s.classes[0] <= max_classes, "classes is one number");
    demand(s.kinds.size() <= max_features, "too many features");
    demand(n <= settings.max_examples && n <= most_examples, "more examples than max_examples");
    demand(s.seen[0] >= n && (n > 0 || s.seen[0] == 0), "fewer examples seen than held");
    demand(s.seen[0] == n || n == settings.max_examples, "examples are absent");
    std::vector<Kind> kinds;
    std::size_t categorical = 0;
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "an unknown kind of feature");
        demand(!settings.multiway || kind == 1, "a numeric feature");
        kinds.push_back(kind ? Kind::categorical : Kind::numeric);
        categorical += kind;
    }
    const std::size_t numeric = kinds.size() - categorical;
    demand(s.categories.size() == categorical, "categories of another number of features");
    for (const std::int32_t c : s.categories) {
        demand(c >= 0 && c <= static_cast<std::int32_t>(max_categories), "impossible categories");
    }
    demand(s.weights.size() == n && s.numbers.size() == n * numeric &&
               s.codes.size() == n * categorical,
           "examples of several lengths");
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
            batch.columns.push_back({s.codes.data() + code++,
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
    tree->seen_ = s.seen[0];
    tree->weight_ = weight;
    tree->classes_ = s.classes[0];
    for (std::size_t f = 0, c = 0; f < kinds.size(); ++f) {
        if (kinds[f] == Kind::categorical) tree->categories_[f] = s.categories[c++];
    }
    tree->settle();
    tree->counters_ = {s.counters[0], s.counters[1], s.counters[2]};
    return tree;
}

}  // namespace riparian::restructuring
