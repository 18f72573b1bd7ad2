#include "tree.hpp"

#include <algorithm>
#include <utility>

namespace riparian {

Tree::Tree(const Settings& settings) : settings_(settings), memory_(settings.short_memory) {
    shape_.bayes = needs_bayes(settings.leaf);
    shape_.linear = needs_units(settings.leaf);
    shape_.class_stride = 2;
    open_leaf(add_node(none, 0), 0);
}

Tree::~Tree() = default;

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
    memory_.reshape(to);
    if (to.class_stride != from.class_stride) {
        const auto widen = [&](std::vector<double>& rows) {
            const std::size_t n = rows.size() / from.class_stride;
            std::vector<double> wider(n * to.class_stride, 0.0);
            for (std::size_t row = 0; row < n; ++row) {
                std::copy_n(rows.data() + row * from.class_stride, from.class_stride,
                            wider.data() + row * to.class_stride);
            }
            rows = std::move(wider);
        };
        widen(counts_);
        widen(estimates_);
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        Leaf& leaf = leaves_[i];
        Kept* const kept = this->kept(i);
        const Shape before = kept ? kept->shape() : from;
        if (kept) kept->grow(features_, to);
        leaf.statistics.reshape(before, shape(i), counts(leaf.node));
        if (Watch* const w = watch(i)) w->fit(settings_, shape(i));
        if (LinearUnits* const u = units(i)) u->reshape(from, to, settings_.idbd);
    }
}

void Tree::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    if (costs_.classes == classes &&
        std::equal(matrix, matrix + classes * classes, costs_.entries.get())) {
        return;  // as every batch brings them
    }
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    costs_ = Costs{std::move(entries), classes, classes};
    if (auto* const loss = std::get_if<Loss>(&settings_.impurity)) {
        loss->costs = costs_;
        if (settings_.judges()) settings_.judging.costs = costs_;
        allow_labels();
    }
}

// A class that is still to come in a batch is not yet a label: batches make no difference.
void Tree::allow_labels() noexcept {
    auto* const loss = std::get_if<Loss>(&settings_.impurity);
    if (!loss) return;
    loss->costs.labels = std::min(loss->costs.classes, n_classes_);
    settings_.judging.costs.labels = std::min(settings_.judging.costs.classes, n_classes_);
    for (const auto& w : watches_) w->hits.doubt_labels(settings_.judging.evaluator);
}

}  // namespace riparian
