// Examples with uncertain values: what leaves predict for them, and who was right.
#include <algorithm>

#include "rows.hpp"
#include "scatter.hpp"

namespace riparian {

void Growth::probabilities(std::int32_t node, Spread& spread, AnswerScratch& scratch,
                           std::size_t n_classes, double* out) const {
    LeafView leaf = view_of(node);
    leaf.n_classes = n_classes;
    if (at(node).test != Test::leaf) {
        Majority{}.probabilities(leaf, spread, scratch, out);
        return;
    }
    std::visit([&](const auto& policy) { policy.probabilities(leaf, spread, scratch, out); },
               settings_.leaf);
}

void Growth::predict(Spread& spread, AnswerScratch& scratch, const Answers& answers,
                     std::size_t row) const {
    const std::size_t n = answers.probabilities ? std::min(n_classes_, answers.width) : n_classes_;
    std::vector<double>& sum = spread.room.answer;
    std::vector<double>& shares = spread.room.shares;
    sum.assign(std::max(n_classes_, answers.width), 0.0);
    shares.resize(sum.size());
    double all = 0.0;
    spread.wait(0, 1.0);
    scatter(
        nodes_, spread,
        [&](std::int32_t node, double share) {
            hooks_->send_to_options(node, share, spread);
            return true;
        },
        [](std::int32_t, std::int32_t child, std::int32_t) { return child; },
        [&](std::int32_t node, double share) {
            probabilities(node, spread, scratch, n, shares.data());
            for (std::size_t k = 0; k < n; ++k) sum[k] += share * shares[k];
            all += share;
        });
    for (std::size_t k = 0; k < n; ++k) {
        sum[k] = all > 0.0 ? sum[k] / all : 1.0 / static_cast<double>(n);
    }
    if (answers.probabilities) {
        std::copy_n(sum.begin(), answers.width, answers.probabilities + row * answers.width);
    }
    if (!answers.classes) return;
    answers.classes[row] = !seen_           ? no_answer
                           : costs_.classes ? costs_.cheapest(sum.data(), n)
                                            : largest_class(sum.data(), n);
}

void Growth::observe(std::int32_t node, Spread& spread, std::size_t y, double w) {
    std::visit(
        [&]<class Policy>(const Policy& policy) {
            if constexpr (Observes<Policy>) {
                policy.observe(view_of(node), spread, scratch_, numbers(node), y, w);
            }
        },
        settings_.leaf);
}

void Growth::arrive(const Spread& spread, std::size_t y) {
    arrive(spread.row(), y);
    for (const Uncertain& u : spread.values) {
        if (u.type != Uncertain::Type::categories) continue;
        const std::size_t slot = features()[u.feature].slot;
        for (std::size_t p = 0; p < u.count; ++p) {
            const auto code = static_cast<std::int32_t>(spread.points[u.first + p].value);
            if (code >= categories_[slot]) add_category(slot, code);
        }
    }
}

bool Growth::observes() const noexcept {
    return std::visit([](const auto& policy) { return policy.observes; }, settings_.leaf);
}

// A weight of 3 is three examples: the second and the third met a leaf that knew the first.
void Growth::observe_again(std::int32_t leaf, Spread& spread, std::size_t y, double share, double w) {
    if (w > 1.0 && observes() && at(leaf).test == Test::leaf &&
        leaves_[static_cast<std::size_t>(at(leaf).place)].weight > 0.0) {
        const double more = hooks_->traits().forgets ? part_of(share, w) - part_of(share, 1.0)
                                                : share * (w - 1.0);
        observe(leaf, spread, y, more);
    }
}

}  // namespace riparian
