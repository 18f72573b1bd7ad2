#include "tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace riparian::restructuring {

Tree::Tree(const Settings& settings) : settings_(settings), store_(settings.max_examples) {}

void Tree::add_features(const std::vector<Kind>& kinds) {
    const std::size_t room = (1024 + 16 * store_.size()) * kinds.size();
    const Section section(reserve_, 2 * (most_of_a_row() + room));
    const auto lock = turnstile_.writing();
    const Charge charge(account_);
    if (settings_.multiway && std::count(kinds.begin(), kinds.end(), Kind::numeric) > 0) {
        throw std::invalid_argument(
            "a tree with a branch per value accepts only categorical features");
    }
    unfinished_ = true;
    store_.add_features(kinds);
    categories_.resize(store_.n_features(), 0);
    unfinished_ = false;
    // A new feature may be tested where no feature was left.
    if (store_.size() > 0) drop();
}

void Tree::settle() const { static_cast<void>(read_lock()); }

std::shared_lock<std::shared_mutex> Tree::read_lock(Stop* stop) const {
    while (true) {
        {
            auto lock = turnstile_.reading();
            if (built_ && (root_ == none || !at(root_).stale)) return lock;
        }
        const auto lock = turnstile_.writing();
        Tree& self = const_cast<Tree&>(*this);
        const Charge charge(self.account_);
        try {
            self.revise(stop);
        } catch (...) {
            self.drop();
            throw;
        }
    }
}

Description Tree::described() const {
    Description d;
    d.classes = classes_;
    std::vector<std::int32_t> ids, parents, branches;
    if (root_ != none) {
        ids.push_back(root_);
        parents.push_back(none);
        branches.push_back(0);
    }
    // Level by level: the list grows while it is numbered.
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Node& node = at(ids[i]);
        d.test.push_back(static_cast<std::uint8_t>(node.split.test));
        d.feature.push_back(node.split.feature);
        d.category.push_back(node.split.category);
        d.threshold.push_back(node.split.threshold);
        d.parent.push_back(parents[i]);
        d.branch.push_back(branches[i]);
        d.depth.push_back(i == 0 ? 0 : d.depth[static_cast<std::size_t>(parents[i])] + 1);
        std::int32_t missing = none;
        for (const Child& w : node.children) {
            // In a multiway test a missing value is a value of its own; in a binary test it is not
            // the tested one.
            const std::int32_t taken = settings_.multiway ? missing_code : 1;
            if (w.branch == taken) missing = static_cast<std::int32_t>(ids.size());
            ids.push_back(w.node);
            parents.push_back(static_cast<std::int32_t>(i));
            branches.push_back(w.branch);
        }
        d.missing.push_back(missing);
        for (std::size_t c = 0; c < classes_; ++c) {
            d.totals.push_back(c < node.totals.size() ? node.totals[c] : 0.0);
        }
    }
    if (ids.empty()) {
        d.test.push_back(static_cast<std::uint8_t>(Test::leaf));
        for (auto* const v : {&d.feature, &d.category, &d.parent, &d.missing}) v->push_back(none);
        d.branch.push_back(0);
        d.depth.push_back(0);
        d.threshold.push_back(0.0);
        d.totals.resize(classes_, 0.0);
    }
    return d;
}

std::size_t Tree::n_nodes() const {
    const auto lock = read_lock();
    return std::max<std::size_t>(1, nodes_.size() - free_.size());
}

std::size_t Tree::n_leaves() const {
    const auto lock = read_lock();
    std::size_t inner = 0;
    for (const Node& node : nodes_) inner += !node.leaf();
    return std::max<std::size_t>(1, nodes_.size() - free_.size()) - inner;
}

std::size_t Tree::n_examples() const {
    const auto lock = turnstile_.reading();
    return store_.size();
}

std::size_t Tree::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return sizeof(Tree) + account_.held + names_;
}

}  // namespace riparian::restructuring
