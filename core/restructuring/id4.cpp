#include "id4.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "chi_square.hpp"
#include "merit.hpp"
#include "store.hpp"

namespace riparian::restructuring {
namespace {

bool pure(const Held<double>& totals) noexcept {
    return std::count_if(totals.begin(), totals.end(), [](double t) { return t > 0.0; }) <= 1;
}

}  // namespace

Id4::Id4(const Id4Settings& settings) : settings_(settings) {
    const Charge charge(account_);
    nodes_.emplace_back();
}

void Id4::add_features(const std::vector<Kind>& kinds) {
    const std::size_t tables = nodes_.size() * (2 * sizeof(ValueCounts) + 64 + 16 * classes_);
    const Section section(reserve_, 2 * (most_of_a_row() + kinds.size() * (1024 + tables)));
    const auto lock = turnstile_.writing();
    const Charge charge(account_);
    if (std::count(kinds.begin(), kinds.end(), Kind::numeric) > 0) {
        throw std::invalid_argument(
            "a tree with a branch per value accepts only categorical features");
    }
    const std::size_t before = categories_.size();
    unfinished_ = true;
    categories_.resize(before + kinds.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Node& node = nodes_[i];
        node.tables.resize(categories_.size());
        // The new features are missing from what was counted so far.
        std::vector<double> counted(node.totals.size(), 0.0);
        bool known = false;
        for (std::size_t f = 0; f < before && !known; ++f) {
            for (std::size_t v = 0; v < node.tables[f].size(); ++v) {
                const auto weights = node.tables[f].weights(v);
                for (std::size_t c = 0; c < weights.size(); ++c) counted[c] += weights[c];
                known = true;
            }
        }
        for (std::size_t f = before; f < categories_.size() && known; ++f) {
            node.tables[f].add(missing_code, counted);
        }
    }
    unfinished_ = false;
}

void Id4::learn_row(const Batch& batch, std::size_t row, std::int32_t y, double w) {
    const Charge charge(account_);
    codes_.resize(categories_.size());
    for (std::size_t f = 0; f < codes_.size(); ++f) {
        codes_[f] = code_in(batch, f, row);
        categories_[f] = std::max(categories_[f], codes_[f] + 1);
    }
    classes_ = std::max(classes_, static_cast<std::size_t>(y) + 1);
    ++seen_;
    weight_ += w;
    for (std::int32_t id = 0; id != none;) {
        id = update(id, codes_.data(), static_cast<std::size_t>(y), w);
    }
}

std::vector<bool> Id4::open(std::int32_t id) const {
    std::vector<bool> found(categories_.size(), true);
    for (std::int32_t up = at(id).parent; up != none; up = at(up).parent) {
        found[static_cast<std::size_t>(at(up).feature)] = false;
    }
    return found;
}

std::int32_t Id4::update(std::int32_t id, const std::int32_t* codes, std::size_t label, double w) {
    Node& node = at(id);
    if (label >= node.totals.size()) node.totals.resize(label + 1, 0.0);
    node.totals[label] += w;
    const bool one_class = pure(node.totals);
    if (one_class && !settings_.count_when_pure) return none;
    const std::vector<bool> available = open(id);
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    merits_.assign(available.size(), nothing);
    const Whole whole(Metric::entropy, node.totals);
    double top = nothing;
    for (std::size_t f = 0; f < available.size(); ++f) {
        if (!available[f]) continue;
        node.tables[f].add(codes[f], label, w);
        ++counters_.additions;
        if (one_class) continue;
        ++counters_.scores;
        merits_[f] = -whole.cost_of(node.tables[f]);
        top = std::max(top, merits_[f]);
    }
    if (top == nothing) return none;
    const double level = top - whole.tolerance();
    // A tie does not replace the installed feature.
    if (node.feature == none || merits_[static_cast<std::size_t>(node.feature)] < level) {
        const auto best = static_cast<std::size_t>(
            std::find_if(merits_.begin(), merits_.end(), [&](double m) { return m >= level; }) -
            merits_.begin());
        if (node.feature != none) {
            ++counters_.restructurings;
            release_below(id);
        }
        if (dependent(node.tables[best], settings_.alpha)) {
            install(id, static_cast<std::int32_t>(best));
        }
    }
    if (node.feature == none) return none;
    const std::int32_t branch = codes[node.feature];
    const auto found = find_child(node.children, branch);
    if (found != node.children.end() && found->branch == branch) return found->node;
    const std::int32_t child = fresh(id);
    node.children.insert(found, {branch, child});
    return child;
}

void Id4::install(std::int32_t id, std::int32_t feature) {
    Node& node = at(id);
    node.feature = feature;
    const ValueCounts& table = node.tables[static_cast<std::size_t>(feature)];
    for (std::size_t i = 0; i < table.size(); ++i)
        node.children.push_back({table.value(i), fresh(id)});
}

std::int32_t Id4::fresh(std::int32_t parent) {
    std::int32_t id = static_cast<std::int32_t>(nodes_.size());
    if (free_.empty()) {
        nodes_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    at(id).parent = parent;
    at(id).tables.resize(categories_.size());
    return id;
}

void Id4::release_below(std::int32_t top) {
    std::vector<std::int32_t> stack{top};
    while (!stack.empty()) {
        const std::int32_t id = stack.back();
        stack.pop_back();
        for (const Child& w : at(id).children) stack.push_back(w.node);
        if (id == top) continue;
        at(id) = Node{};
        free_.push_back(id);
    }
    at(top).children.clear();
    at(top).feature = none;
}

void Id4::descend(const Batch& batch, std::size_t row, std::vector<std::int32_t>& path) const {
    path.assign(1, 0);
    while (true) {
        const Node& node = at(path.back());
        if (node.feature == none) return;
        const std::int32_t next =
            child_at(node.children, code_in(batch, static_cast<std::size_t>(node.feature), row));
        if (next == none) return;
        path.push_back(next);
    }
}

// A row that reaches an empty child is predicted by its parent.
void Id4::predict_row(const Batch& batch, std::size_t row, const Predictions& predictions,
                      PredictionRoom& room) const {
    std::vector<double>& shares = room.shares;
    std::vector<std::int32_t>& path = room.path;
    descend(batch, row, path);
    double n = 0.0;
    for (; !path.empty() && n == 0.0; path.pop_back()) {
        const Held<double>& totals = at(path.back()).totals;
        shares.assign(totals.begin(), totals.end());
        for (const double t : totals) n += t;
    }
    shares.resize(std::max(classes_, predictions.width), 0.0);
    if (predictions.classes) {
        const auto most = std::max_element(shares.begin(), shares.end());
        predictions.classes[row] =
            n > 0.0 ? static_cast<std::int32_t>(most - shares.begin()) : no_prediction;
    }
    for (std::size_t c = 0; c < predictions.width && predictions.probabilities; ++c) {
        predictions.probabilities[row * predictions.width + c] =
            n > 0.0 ? shares[c] / n : 1.0 / static_cast<double>(predictions.width);
    }
}

Description Id4::described() const {
    Description d;
    d.classes = classes_;
    std::vector<std::int32_t> ids{0};
    d.parent.push_back(none);
    d.branch.push_back(0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Node& node = at(ids[i]);
        const Test test = node.feature == none ? Test::leaf : Test::every_value;
        d.test.push_back(static_cast<std::uint8_t>(test));
        d.feature.push_back(node.feature);
        d.category.push_back(none);
        d.threshold.push_back(0.0);
        d.depth.push_back(i == 0 ? 0 : d.depth[static_cast<std::size_t>(d.parent[i])] + 1);
        std::int32_t missing = none;
        for (const Child& w : node.children) {
            if (w.branch == missing_code) missing = static_cast<std::int32_t>(ids.size());
            ids.push_back(w.node);
            d.parent.push_back(static_cast<std::int32_t>(i));
            d.branch.push_back(w.branch);
        }
        d.missing.push_back(missing);
        for (std::size_t c = 0; c < classes_; ++c) {
            d.totals.push_back(c < node.totals.size() ? node.totals[c] : 0.0);
        }
    }
    return d;
}

std::size_t Id4::n_nodes() const {
    const auto lock = turnstile_.reading();
    return nodes_.size() - free_.size();
}

std::size_t Id4::n_leaves() const {
    const auto lock = turnstile_.reading();
    std::size_t inner = 0;
    for (const Node& node : nodes_) inner += node.feature != none;
    return nodes_.size() - free_.size() - inner;
}

std::size_t Id4::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return sizeof(Id4) + account_.held + names_;
}

}  // namespace riparian::restructuring
