// What the tree says of a row.
#include <algorithm>
#include <cmath>

#include "tree.hpp"

namespace riparian::restructuring {
namespace {

constexpr std::int32_t both = -3;  // the value is missing, and two branches are there

std::int32_t branch_in(const Question& q, const Batch& batch, std::size_t row) noexcept {
    const auto f = static_cast<std::size_t>(q.feature);
    if (q.test == Test::threshold) {
        const double value = number_in(batch, f, row);
        return std::isnan(value) ? both : value <= q.threshold ? 0 : 1;
    }
    const std::int32_t code = code_in(batch, f, row);
    if (q.test == Test::every_value) return code;
    return code == missing_code ? both : code == q.category ? 0 : 1;
}

double sum(const Held<double>& totals) noexcept {
    double n = 0.0;
    for (const double t : totals) n += t;
    return n;
}

}  // namespace

// A value without a branch is answered where it was met, a missing one by both branches of a
// test that has two, each as likely as its examples are.
void Tree::answer(const Batch& batch, std::size_t row, const Answers& answers, Reply& reply) const {
    if (root_ == none) {
        if (answers.classes) answers.classes[row] = no_answer;
        if (answers.probabilities) {
            std::fill_n(answers.probabilities + row * answers.width, answers.width,
                        1.0 / static_cast<double>(answers.width));
        }
        return;
    }
    std::vector<double>& shares = reply.shares;
    shares.assign(std::max(classes_, answers.width), 0.0);
    reply.open.assign(1, {root_, 1.0});
    while (!reply.open.empty()) {
        auto [id, share] = reply.open.back();
        reply.open.pop_back();
        while (true) {
            const Node& node = at(id);
            if (node.leaf()) break;
            const std::int32_t branch = branch_in(node.question, batch, row);
            if (branch == both) {
                const double all = sum(node.totals);
                for (const Way& w : node.ways) {
                    reply.open.push_back({w.node, share * (sum(at(w.node).totals) / all)});
                }
                id = none;
                break;
            }
            const std::int32_t next = child_at(node.ways, branch);
            if (next == none) break;
            id = next;
        }
        if (id == none) continue;
        const Held<double>& totals = at(id).totals;
        const double n = sum(totals);
        for (std::size_t c = 0; c < totals.size(); ++c) shares[c] += share * (totals[c] / n);
    }
    if (answers.classes) {
        const auto most = std::max_element(shares.begin(), shares.end());
        answers.classes[row] = static_cast<std::int32_t>(most - shares.begin());
    }
    if (answers.probabilities) {
        std::copy_n(shares.begin(), answers.width, answers.probabilities + row * answers.width);
    }
}

std::vector<std::int32_t> path_in(const Description& d, const Batch& batch) {
    std::vector<std::int32_t> found{0};
    while (true) {
        const std::int32_t here = found.back();
        const auto i = static_cast<std::size_t>(here);
        const Question q{static_cast<Test>(d.test[i]), d.feature[i], d.threshold[i], d.category[i]};
        if (q.test == Test::leaf) return found;
        std::int32_t branch = branch_in(q, batch, 0);
        if (branch == both) branch = 1;
        std::int32_t next = none;
        // Children come after their parent, side by side.
        const auto first = std::lower_bound(d.parent.begin() + here + 1, d.parent.end(), here);
        for (auto at = first; at != d.parent.end() && *at == here; ++at) {
            if (d.branch[static_cast<std::size_t>(at - d.parent.begin())] != branch) continue;
            next = static_cast<std::int32_t>(at - d.parent.begin());
        }
        if (next == none) return found;
        found.push_back(next);
    }
}

}  // namespace riparian::restructuring
