// Routing and answering.
#include <algorithm>

#include "rows.hpp"

namespace riparian {

std::int32_t Tree::route_on(std::int32_t i, const Row& row) {
    for (;;) {
        std::int32_t next = nodes_.step(i, row);
        if (next == i) return i;
        if (next == none) next = add_branch(i, row.codes[nodes_.slot(at(i))]);
        i = next;
    }
}

void Tree::reach(const Row& row, Reached& found) const {
    found.roots.assign(1, 0);
    found.ends.clear();
    for (std::size_t f = 0; f < found.roots.size(); ++f) {
        for (std::int32_t i = found.roots[f];;) {
            for (std::int32_t o = side(i).first; o != none; o = side(o).next) {
                found.roots.push_back(o);
            }
            const std::int32_t next = nodes_.step(i, row);
            if (next == i || next == none) {
                found.ends.push_back(i);
                break;
            }
            i = next;
        }
    }
}

// The mean of the class probabilities of all ends; `predict` gives those of one.
template <class Predict>
void Tree::vote(Reached& found, Predict&& predict) const {
    std::fill(found.all.begin(), found.all.end(), 0.0);
    for (const std::int32_t node : found.ends) {
        predict(node, found.one.data());
        for (std::size_t k = 0; k < n_classes_; ++k) found.all[k] += found.one[k];
    }
    const auto n = static_cast<double>(found.ends.size());
    for (std::size_t k = 0; k < n_classes_; ++k) found.all[k] /= n;
}

template <class Policy>
void Tree::answer_by_all(const Policy& policy, const Row& row, Asking& scratch,
                         Reached& found, const Answers& answers, std::size_t i) const {
    reach(row, found);
    if (found.ends.size() == 1) {
        answer(policy, found.ends[0], row, scratch, answers, i);
        return;
    }
    found.fit(scratch.scores.size());
    vote(found, [&](std::int32_t node, double* shares) {
        const LeafAndRow seen = leaf_and_row(node, row, scratch);
        if (at(node).test == Test::leaf) {
            policy.probabilities(seen.leaf, seen.row, scratch, shares);
        } else {
            Majority{}.probabilities(seen.leaf, row, scratch, shares);
        }
    });
    const double* const all = found.all.data();
    if (answers.probabilities) {
        double* const shares = answers.probabilities + i * answers.width;
        std::fill_n(shares, answers.width, 0.0);
        std::copy_n(all, std::min(n_classes_, answers.width), shares);
    }
    if (!answers.classes) return;
    answers.classes[i] = costs_.classes
                             ? costs_.cheapest(all, n_classes_)
                             : static_cast<std::int32_t>(std::max_element(all, all + n_classes_) - all);
}

std::vector<std::string_view> Tree::predictors() const {
    std::vector<std::string_view> out(nodes_.size());
    std::visit([&](const auto& policy) {
        for (const NodeRecord& leaf : leaves_) {
            if (at(leaf.node).test != Test::leaf) continue;
            out[static_cast<std::size_t>(leaf.node)] = policy.predictor_at(view(leaf.node));
        }
    }, settings_.leaf);
    return out;
}

void Tree::predict(const Batch& batch, const Answers& answers, Stop* stop, Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {seen_, n_classes_};
    if (batch.uncertain.empty()) {
        predict_certain(batch, answers, locks, stop);
    } else {
        predict_uncertain(batch, answers, locks, stop);
    }
}

void Tree::predict_certain(const Batch& batch, const Answers& answers, const BlockLocks& locks,
                           Stop* stop) const {
    Pace pace(RowBuffer::most_rows);
    std::optional<RowBuffer> buffer;
    Asking scratch;
    std::vector<std::int32_t> starts;
    Reached reached;
    for (std::size_t first = 0; first < batch.rows;) {
        look(stop);
        // A learner may come in between blocks, and may have added features.
        const auto lock = locks.of_block();
        if (!buffer || !buffer->reads(shape())) buffer.emplace(batch, features(), shape());
        fit(scratch, settings_.leaf, shape(), costs_.classes > 0);
        if (settings_.selects()) scratch.gathered.fit(shape());
        const std::size_t n = std::min(pace.rows(buffer->capacity()), batch.rows - first);
        const Pace::Timer timer(pace, n, turnstile_);
        buffer->read(first, n);
        starts.resize(n);
        nodes_.descend(*buffer, n, starts.data());
        std::visit(
            [&](const auto& policy) {
                if (settings_.has_options()) {
                    for (std::size_t i = 0; i < n; ++i) {
                        answer_by_all(policy, buffer->row(i), scratch, reached, answers, first + i);
                    }
                    return;
                }
                for (std::size_t i = 0; i < n; ++i) {
                    answer(policy, starts[i], buffer->row(i), scratch, answers, first + i);
                }
            },
            settings_.leaf);
        first += n;
    }
}

std::vector<std::int32_t> Tree::path(const Batch& batch) const {
    RowBuffer buffer(batch, features(), shape());
    buffer.read(0, 1);
    std::vector<std::int32_t> ids;
    const auto numbers = this->numbers();
    for (std::int32_t i = nodes_.route(0, buffer.row(0)); i != none; i = at(i).parent) {
        ids.push_back(numbers[static_cast<std::size_t>(i)]);
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
}

std::int32_t Tree::observe(std::int32_t leaf, const Row& row, std::size_t y, double w) {
    return std::visit(
        [&](const auto& policy) {
            const LeafAndRow seen = leaf_and_row(leaf, row, scratch_);
            return policy.observe(seen.leaf, seen.row, scratch_, numbers(leaf), y, w);
        },
        settings_.leaf);
}

void Tree::answer(std::int32_t start, const Row& row, const Answers& answers, std::size_t i) {
    std::visit(
        [&](const auto& policy) {
            if (settings_.has_options()) {
                const Charge charge(working_);
                answer_by_all(policy, row, scratch_, reached_, answers, i);
            } else {
                answer(policy, start, row, scratch_, answers, i);
            }
        },
        settings_.leaf);
}

std::int32_t Tree::observe_all(const Row& row, std::size_t y, double w) {
    Reached& found = reached_;
    if (found.ends.size() == 1) return observe(found.ends[0], row, y, w);
    {
        const Charge charge(working_);
        found.fit(scratch_.scores.size());
    }
    std::visit(
        [&](const auto& policy) {
            vote(found, [&](std::int32_t leaf, double* shares) {
                const LeafAndRow seen = leaf_and_row(leaf, row, scratch_);
                if constexpr (requires { policy.observe_shares(seen.leaf, seen.row, scratch_,
                                                               numbers(leaf), y, w, shares); }) {
                    policy.observe_shares(seen.leaf, seen.row, scratch_, numbers(leaf), y, w, shares);
                } else {
                    policy.probabilities(seen.leaf, seen.row, scratch_, shares);
                    policy.observe(seen.leaf, seen.row, scratch_, numbers(leaf), y, w);
                }
            });
        },
        settings_.leaf);
    const auto all = found.all.begin();
    return static_cast<std::int32_t>(
        std::max_element(all, all + static_cast<std::ptrdiff_t>(n_classes_)) - all);
}

LeafView Tree::view_of(std::int32_t node) const noexcept { return view(node); }

}  // namespace riparian
