// What the nodes of a tree predict. It changes nothing, so any number of threads may read at once,
// each with room of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../data/predictions.hpp"
#include "../data/uncertain.hpp"
#include "state.hpp"

namespace riparian {

// Where a row ends that several leaves predict together.
struct Ends {
    Held<std::int32_t> roots, nodes;  // of subtrees, and where the row ends in each
    Held<double> one, all;            // [class]: probabilities of one end, and their mean

    void fit(std::size_t classes) {
        one.resize(classes);
        all.resize(classes);
    }
};

class TreePredictor {
public:
    explicit TreePredictor(const GrowthState& state) noexcept : state_(state) {}

    // A leaf as its predictor sees it, and the row with the features that the leaf tracks.
    struct LeafAndRow {
        LeafView leaf;
        Row row;
    };
    [[nodiscard]] LeafView view(std::int32_t node) const noexcept;
    [[nodiscard]] LeafAndRow leaf_and_row(std::int32_t node, const Row&, RowScratch&) const;
    // [node]: the name of the predictor of every leaf.
    [[nodiscard]] std::vector<std::string_view> names() const;
    // [node]: how every leaf predicts, with features by their ids.
    [[nodiscard]] std::vector<Formula> formulas() const;
    // Sizes room for predictions.
    void fit(RowScratch&) const;

    // Predicts a row, to place `row` of the predictions. Routing may begin at `start`.
    template <class Policy>
    void predict(const Policy&, std::int32_t start, const Row&, RowScratch&, const Predictions&,
                 std::size_t row) const;
    // The mean of several ends.
    template <class Policy>
    void predict(const Policy&, Ends&, const Row&, RowScratch&, const Predictions&,
                 std::size_t row) const;
    // Sets `all` to the mean of what `probabilities` gives for each end.
    template <class Probabilities>
    void vote(Ends&, Probabilities&&) const;

    // An example with uncertain values: at one node, and by the whole tree.
    void probabilities(std::int32_t node, Spread&, PredictorScratch&, std::size_t n_classes,
                       double* out) const;
    void predict(Spread&, PredictorScratch&, const Predictions&, std::size_t row) const;

private:
    const GrowthState& state_;
};

[[gnu::always_inline]] inline LeafView TreePredictor::view(std::int32_t node) const noexcept {
    const Node& at = state_.nodes.at(node);
    const Leaves& leaves = state_.leaves;
    const bool is_leaf = at.test == Test::leaf;
    const std::size_t place = is_leaf ? static_cast<std::size_t>(at.place) : 0;
    const NodeRecord& leaf = leaves[place];
    return {state_.plain ? leaves.shape() : leaves.shape(place),
            leaf.statistics,
            is_leaf ? leaves.own_counts(leaf) : leaves.counts(node),
            leaves.weights(node),
            leaves.weights(at.parent),
            state_.known.categories.data(),
            state_.known.n_classes,
            leaf.numbers,
            state_.plain ? nullptr : leaves.state(place)};
}

[[gnu::always_inline]] inline TreePredictor::LeafAndRow TreePredictor::leaf_and_row(
    std::int32_t node, const Row& row, RowScratch& scratch) const {
    LeafAndRow seen{view(node), row};
    const Node& at = state_.nodes.at(node);
    const TrackedFeatures* const kept =
        state_.plain || at.test != Test::leaf
            ? nullptr
            : state_.leaves.tracked_features(static_cast<std::size_t>(at.place));
    if (kept) {
        scratch.gathered.gather(seen.row, seen.leaf.categories, *kept, state_.nodes.features());
    }
    return seen;
}

template <class Policy>
void TreePredictor::predict(const Policy& policy, std::int32_t start, const Row& row,
                            RowScratch& scratch, const Predictions& predictions,
                            std::size_t i) const {
    const std::int32_t node = state_.nodes.route(start, row);
    LeafAndRow seen = leaf_and_row(node, row, scratch);
    LeafView& leaf = seen.leaf;
    const bool is_leaf = state_.nodes.at(node).test == Test::leaf;
    // Classes that came after the call are not part of the prediction.
    if (predictions.probabilities) leaf.n_classes = std::min(leaf.n_classes, predictions.width);
    double* shares = nullptr;
    if (predictions.probabilities) {
        shares = predictions.probabilities + i * predictions.width;
        std::fill_n(shares, predictions.width, 0.0);
    } else if (state_.costs.classes) {
        shares = scratch.shares.data();
    }
    if (shares && is_leaf) {
        policy.probabilities(leaf, seen.row, scratch, shares);
    } else if (shares) {
        Majority{}.probabilities(leaf, row, scratch, shares);
    }
    if (!predictions.classes) return;
    if (state_.costs.classes) {
        predictions.classes[i] =
            state_.seen ? state_.costs.cheapest(shares, leaf.n_classes) : no_prediction;
    } else {
        predictions.classes[i] =
            is_leaf ? policy.predict(leaf, seen.row, scratch) : Majority::class_of(leaf);
    }
}

template <class Probabilities>
void TreePredictor::vote(Ends& ends, Probabilities&& probabilities) const {
    const std::size_t n_classes = state_.known.n_classes;
    std::fill(ends.all.begin(), ends.all.end(), 0.0);
    for (const std::int32_t node : ends.nodes) {
        probabilities(node, ends.one.data());
        for (std::size_t k = 0; k < n_classes; ++k) ends.all[k] += ends.one[k];
    }
    const auto n = static_cast<double>(ends.nodes.size());
    for (std::size_t k = 0; k < n_classes; ++k) ends.all[k] /= n;
}

template <class Policy>
void TreePredictor::predict(const Policy& policy, Ends& ends, const Row& row, RowScratch& scratch,
                            const Predictions& predictions, std::size_t i) const {
    if (ends.nodes.size() == 1) {
        predict(policy, ends.nodes[0], row, scratch, predictions, i);
        return;
    }
    const std::size_t n_classes = state_.known.n_classes;
    ends.fit(scratch.scores.size());
    vote(ends, [&](std::int32_t node, double* shares) {
        const LeafAndRow seen = leaf_and_row(node, row, scratch);
        if (state_.nodes.at(node).test == Test::leaf) {
            policy.probabilities(seen.leaf, seen.row, scratch, shares);
        } else {
            Majority{}.probabilities(seen.leaf, row, scratch, shares);
        }
    });
    const double* const all = ends.all.data();
    if (predictions.probabilities) {
        double* const shares = predictions.probabilities + i * predictions.width;
        std::fill_n(shares, predictions.width, 0.0);
        std::copy_n(all, std::min(n_classes, predictions.width), shares);
    }
    if (!predictions.classes) return;
    predictions.classes[i] =
        state_.costs.classes
            ? state_.costs.cheapest(all, n_classes)
            : static_cast<std::int32_t>(std::max_element(all, all + n_classes) - all);
}

}  // namespace riparian
