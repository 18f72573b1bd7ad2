// How a tree forgets the examples that leave its window.
//
// Counts are exact sums: weights are whole steps, and a full window of the heaviest examples has no more
// steps than a double has digits (Window::heaviest). Moments are downdated, which leaves rounding
// errors, and minima and maxima do not shrink. So all statistics are counted again from the window
// after four times as many examples were forgotten as it holds. Counting more often costs speed: a
// quarter if every example is read twice. A class is also counted again if little is left of it except
// the rounding error of a heavy example.
#include <algorithm>
#include <utility>

#include "../growth/scatter.hpp"
#include "window_tree.hpp"

namespace riparian {
namespace {

constexpr std::size_t windows_between_counts = 4;

void lower(double& sum, double part) noexcept { sum = std::max(0.0, sum - part); }

}  // namespace

// Finds the nodes that have learned an example of the window, as its visits (see each_that_learned).
void WindowTree::retrace(Spread& spread, std::uint64_t number) const {
    const auto enter = [&](std::int32_t node, double share) {
        if (side(node).since > number) return false;
        spread.note(node, share, at(node).test == Test::leaf);
        for (std::int32_t b = side(node).first; b != none; b = side(b).next) spread.wait(b, share);
        return true;
    };
    spread.wait(0, 1.0);
    scatter(
        nodes_, spread, enter,
        [&](std::int32_t node, std::int32_t child, std::int32_t) {
            return child == none || side(child).there > number ? at(node).heavy : child;
        },
        [&](std::int32_t leaf, double share) { enter(leaf, share); });
}

void WindowTree::forget_down_to(std::size_t examples) {
    while (examples_.size() > examples) forget_oldest();
    recount_if_due();
}

void WindowTree::recount_if_due() {
    if (forgotten_ < windows_between_counts * std::max<std::size_t>(1, examples_.size())) return;
    forgotten_ = 0;
    recount();
}

void WindowTree::forget_oldest() {
    const std::uint64_t number = examples_.first();
    if (examples_.is_uncertain(number)) {
        Spread spread;
        examples_.distributions(0, spread.numbers);
        forget_oldest(spread);
    } else {
        const Row row = examples_.row(number);
        const std::size_t y = examples_.label(number);
        const double w = examples_.weight(number);
        const Charge charge(leaves_.account());
        each_that_learned(row, number, [&](std::int32_t i) { forget_at(i, row, y, w, number); });
    }
    examples_.pop();
    ++forgotten_;
}

// Tests have not changed, so the same fractions of the example are at the same nodes.
void WindowTree::forget_oldest(Spread& spread) {
    const std::uint64_t number = examples_.first();
    const std::size_t y = examples_.label(number);
    const double w = examples_.weight(number);
    spread.begin(examples_.row(number), nodes_.features(), leaves_.shape());
    retrace(spread, number);
    const Charge charge(leaves_.account());
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        spread.go_back(v);
        rows_.each_part(spread, rows_.part_of(here.share, w), [&](const Row& part, double weight) {
            forget_at(here.node, part, y, weight, number);
        });
    }
}

void WindowTree::forget_at(std::int32_t node, const Row& row, std::size_t y, double w,
                           std::uint64_t number) {
    const std::size_t place = this->place(node);
    NodeRecord& leaf = leaves_[place];
    double* own = leaves_.counts(node);
    lower(own[y], w);
    if (!leaf.statistics.is_open()) return;
    if (leaf.recent) {
        if (number < leaf.recent->since) return;
        own = leaf.recent->counts.data();
        lower(own[y], w);
    }
    if (own[y] == 0.0) --leaf.classes;
    const double before = leaf.weight;
    lower(leaf.weight, w);
    const bool is_leaf = at(node).test == Test::leaf;
    if (is_leaf) {
        // It is not known which predictors were right about the example, so all counts are scaled.
        const double left = before > 0.0 ? leaf.weight / before : 0.0;
        for (double& number : leaf.numbers) number *= left;
        if (PredictorState* const state = leaves_.state(place))
            state->forget(leaves_.shape(), left);
    }
    // The difference is the weight since the last check.
    leaf.checked -= w;
    try {
        const bool precise = is_leaf
                                 ? leaf.statistics.forget(leaves_.shape(), row, y, w, own)
                                 : leaf.statistics.forget_silently(leaves_.shape(), row, y, w, own);
        if (!precise) forgotten_ += windows_between_counts * examples_.size();  // due now
    } catch (const OverLimit&) {
        leaves_.deactivate(place);
    }
}

void WindowTree::recount() {
    const Charge charge(leaves_.account());
    for (std::int32_t i = 0; static_cast<std::size_t>(i) < nodes_.size(); ++i) {
        double* const seen = leaves_.counts(i);
        std::fill_n(seen, leaves_.shape().class_stride, 0.0);
        // The estimate of a split whose examples have all left the window.
        if (side(i).since <= examples_.first()) {
            std::fill_n(seen + leaves_.shape().class_stride, leaves_.shape().class_stride, 0.0);
        }
        const std::size_t place = this->place(i);
        NodeRecord& leaf = leaves_[place];
        if (!leaf.statistics.is_open()) continue;
        leaf.recent.reset();
        leaf.statistics.close();
        leaf.classes = 0;
        leaf.checked -= std::exchange(leaf.weight, 0.0);  // what arrived since the check, negative
        try {
            leaf.statistics.open(leaves_.shape());
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
    relearn_window(examples_.first(), 0);
    // The next check of a leaf is due after as many further arrivals as without the recount.
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        if (leaves_[i].statistics.is_open()) leaves_[i].checked += leaves_[i].weight;
    }
    if (!leaves_.shape().derives()) return;
    for (const NodeRecord& leaf : leaves_) {
        if (!leaf.statistics.is_open() || at(leaf.node).test != Test::leaf) continue;
        leaf.statistics.find_bayes(leaves_.shape(), leaves_.own_counts(leaf));
    }
}

// The nodes from `least` on count the examples of the window from number `from` on.
void WindowTree::relearn_window(std::uint64_t from, std::int32_t least) {
    const std::uint64_t end = examples_.first() + examples_.size();
    Spread spread;
    std::size_t place = 0;
    for (std::uint64_t number = examples_.first(); number < end; ++number) {
        const bool uncertain = examples_.is_uncertain(number);
        if (uncertain) place = examples_.distributions(place, spread.numbers);
        if (number < from) continue;
        const Row row = examples_.row(number);
        const std::size_t y = examples_.label(number);
        const double w = examples_.weight(number);
        if (!uncertain) {
            each_that_learned(row, number, [&](std::int32_t i) {
                if (i >= least) rows_.relearn(i, row, y, w);
            });
            continue;
        }
        spread.begin(row, nodes_.features(), leaves_.shape());
        retrace(spread, number);
        for (std::size_t v = 0; v < spread.visits.size(); ++v) {
            const Spread::Visit here = spread.visits[v];
            if (here.node < least) continue;
            spread.go_back(v);
            rows_.each_part(
                spread, rows_.part_of(here.share, w),
                [&](const Row& part, double weight) { rows_.relearn(here.node, part, y, weight); });
        }
    }
}

}  // namespace riparian
