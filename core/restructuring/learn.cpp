// Adds and removes examples.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tree.hpp"

namespace riparian::restructuring {

void Tree::demand_room(std::size_t rows) const {
    if (!store_.bounded() && rows > most_examples - store_.size()) {
        throw std::invalid_argument(
            "more than 2^31 - 1 examples; max_examples= forgets the oldest");
    }
}

void Tree::learn_row(const Batch& batch, std::size_t row, std::int32_t y, double w) {
    const Charge charge(account_);
    try {
        // Until the example is in the store, only the tree has changed.
        double gone = 0.0;
        if (store_.full() && store_.size() > 0) {
            const Place oldest = store_.oldest();
            gone = store_.weight(oldest);
            if (built_ && !settings_.rebuild) remove(root_, oldest);
        }
        const Place e = store_.put(batch, row, y, w);
        classes_ = std::max(classes_, static_cast<std::size_t>(y) + 1);
        for (std::size_t f = 0; f < store_.n_features(); ++f) {
            if (store_.kind(f) == Kind::categorical) {
                categories_[f] = std::max(categories_[f], store_.code(f, e) + 1);
            }
        }
        weight_ = weight_ - gone + w;
        ++seen_;
        if (settings_.rebuild || !built_) {
            drop();
        } else {
            if (root_ == none) root_ = fresh();
            add(root_, e);
        }
        if (!settings_.lazy) revise(stop_);
    } catch (...) {
        // The store is unchanged or has the new example. The tree is built from it again.
        drop();
        unfinished_ = false;
        throw;
    }
}

void Tree::drop() noexcept {
    nodes_.clear();
    free_.clear();
    marks_.clear();
    root_ = none;
    built_ = store_.size() == 0;
}

void Tree::count(Node& node, Place e, bool adding) {
    const auto label = static_cast<std::size_t>(store_.label(e));
    const double w = store_.weight(e);
    if (label >= node.totals.size()) node.totals.resize(label + 1, 0.0);
    if (!node.leaf()) {
        // Only the bounds of numeric features need it, and multiway trees have none.
        std::optional<Whole> whole;
        if (!settings_.multiway) whole.emplace(settings_.metric, node.totals);
        for (std::size_t f = 0; f < node.features.size(); ++f) {
            FeatureState& a = node.features[f];
            if (!a.open) continue;
            ++counters_.additions;
            if (store_.kind(f) == Kind::numeric) {
                const Entry entry{store_.number(f, e), e, store_.label(e)};
                adding ? a.sorted.add(entry, store_, *whole)
                       : a.sorted.remove(entry, store_, *whole);
            } else {
                const std::int32_t code = store_.code(f, e);
                adding ? a.counts.add(code, label, w) : a.counts.remove(code, label, w);
            }
        }
    }
    node.totals[label] += adding ? w : -w;
    adding ? ++node.n_examples : --node.n_examples;
}

void Tree::add(std::int32_t id, Place e) {
    while (true) {
        Node& node = at(id);
        count(node, e, true);
        if (node.leaf()) {
            if (!node.common.empty() && keeps_common(node, e)) {
                node.examples.push_back(e);
                return;
            }
            node.common.clear();
            node.examples.push_back(e);
            node.stale = true;
            return;
        }
        node.stale = true;
        id = child_or_leaf(id, branch_of(node.split, e));
    }
}

void Tree::remove(std::int32_t start, Place e) {
    std::int32_t empty = none;
    for (std::int32_t id = start;;) {
        Node& node = at(id);
        count(node, e, false);
        if (node.n_examples == 0 && empty == none) empty = id;
        if (node.leaf()) {
            // A leaf of one class, or one that no test divides, remains so.
            const auto found = std::find(node.examples.begin(), node.examples.end(), e);
            *found = node.examples.back();
            node.examples.pop_back();
            break;
        }
        node.stale = true;
        id = child_at(node.children, branch_of(node.split, e));
    }
    if (empty != none) unlink(empty);
}

void Tree::unlink(std::int32_t id) {
    const std::int32_t parent = at(id).parent;
    if (parent == none) {
        root_ = none;
    } else {
        std::erase_if(at(parent).children, [&](const Child& w) { return w.node == id; });
    }
    Held<Place> nothing;
    release_below(id, nothing);
    release(id);
}

}  // namespace riparian::restructuring
