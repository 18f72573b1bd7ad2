// Predicts rows, and describes the tree.
#include <algorithm>
#include <cmath>

#include "tree.hpp"

namespace riparian::restructuring {
namespace {

constexpr std::int32_t both = -3;  // the value is missing and the test has two branches

std::int32_t branch_in(const Split& split, const Batch& batch, std::size_t row) noexcept {
    const auto f = static_cast<std::size_t>(split.feature);
    if (split.test == Test::threshold) {
        const double value = number_in(batch, f, row);
        return std::isnan(value) ? both : value <= split.threshold ? 0 : 1;
    }
    const std::int32_t code = code_in(batch, f, row);
    if (split.test == Test::every_value) return code;
    return code == missing_code ? both : code == split.category ? 0 : 1;
}

double sum(const Held<double>& totals) noexcept {
    double n = 0.0;
    for (const double t : totals) n += t;
    return n;
}

}  // namespace

// A row whose value has no branch is predicted by the node that tests it. A missing value follows
// both branches of a binary test, weighted by their examples.
void Tree::predict_row(const Batch& batch, std::size_t row, const Predictions& predictions,
                       PredictionRoom& room) const {
    if (root_ == none) {
        if (predictions.classes) predictions.classes[row] = no_prediction;
        if (predictions.probabilities) {
            std::fill_n(predictions.probabilities + row * predictions.width, predictions.width,
                        1.0 / static_cast<double>(predictions.width));
        }
        return;
    }
    std::vector<double>& shares = room.shares;
    shares.assign(std::max(classes_, predictions.width), 0.0);
    room.open.assign(1, {root_, 1.0});
    while (!room.open.empty()) {
        auto [id, share] = room.open.back();
        room.open.pop_back();
        while (true) {
            const Node& node = at(id);
            if (node.leaf()) break;
            const std::int32_t branch = branch_in(node.split, batch, row);
            if (branch == both) {
                const double all = sum(node.totals);
                for (const Child& w : node.children) {
                    room.open.push_back({w.node, share * (sum(at(w.node).totals) / all)});
                }
                id = none;
                break;
            }
            const std::int32_t next = child_at(node.children, branch);
            if (next == none) break;
            id = next;
        }
        if (id == none) continue;
        const Held<double>& totals = at(id).totals;
        const double n = sum(totals);
        for (std::size_t c = 0; c < totals.size(); ++c) shares[c] += share * (totals[c] / n);
    }
    if (predictions.classes) {
        const auto most = std::max_element(shares.begin(), shares.end());
        predictions.classes[row] = static_cast<std::int32_t>(most - shares.begin());
    }
    if (predictions.probabilities) {
        std::copy_n(shares.begin(), predictions.width,
                    predictions.probabilities + row * predictions.width);
    }
}

namespace {

// The child of a node to which a row goes; none at a leaf, and at a value without a branch.
std::int32_t next_in(const Description& d, std::int32_t here, const Batch& batch, std::size_t row) {
    const auto i = static_cast<std::size_t>(here);
    const Split split{static_cast<Test>(d.test[i]), d.feature[i], d.threshold[i], d.category[i]};
    if (split.test == Test::leaf) return none;
    std::int32_t branch = branch_in(split, batch, row);
    if (branch == both) branch = 1;
    // The children of a node are adjacent and come after it.
    const auto first = std::lower_bound(d.parent.begin() + here + 1, d.parent.end(), here);
    for (auto at = first; at != d.parent.end() && *at == here; ++at) {
        const auto child = at - d.parent.begin();
        if (d.branch[static_cast<std::size_t>(child)] == branch) {
            return static_cast<std::int32_t>(child);
        }
    }
    return none;
}

}  // namespace

std::vector<std::int32_t> ends_in(const Description& d, const Batch& batch) {
    std::vector<std::int32_t> found(batch.rows, 0);
    for (std::size_t row = 0; row < batch.rows; ++row) {
        std::int32_t next = 0;
        while (next != none) {
            found[row] = next;
            next = next_in(d, next, batch, row);
        }
    }
    return found;
}

}  // namespace riparian::restructuring
