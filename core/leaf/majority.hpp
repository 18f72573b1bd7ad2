#pragma once

#include "contract.hpp"

namespace riparian {

// The class with the largest weight, counting examples seen here and those that the parent's split
// estimated. An empty leaf predicts like its parent.
struct Majority {
    static constexpr std::string_view name = "majority";
    static constexpr std::string_view about = "The most frequent class of the leaf.";
    static constexpr bool observes = false;
    static constexpr int precedence = 0;

    [[nodiscard]] static constexpr bool needs_derived() noexcept { return false; }

    [[nodiscard]] std::int32_t predict(const LeafView& leaf, const Row&,
                                       PredictorScratch&) const noexcept {
        return class_of(leaf);
    }

    std::int32_t observe(const LeafView& leaf, const Row&, PredictorScratch&, LeafNumbers&,
                         std::size_t, double) const noexcept {
        return class_of(leaf);
    }

    void probabilities(const LeafView& leaf, const Row&, PredictorScratch&,
                       double* out) const noexcept {
        const ClassWeights weights = weights_of(leaf);
        double total = 0.0;
        for (std::size_t k = 0; k < leaf.n_classes; ++k) total += out[k] = weights[k];
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            out[k] = total > 0.0 ? out[k] / total : 1.0 / static_cast<double>(leaf.n_classes);
        }
    }

    void probabilities(const LeafView& leaf, Spread& spread, PredictorScratch& scratch,
                       double* out) const noexcept {
        probabilities(leaf, spread.row(), scratch, out);
    }

    [[nodiscard]] static std::string_view predictor_at(const LeafView&) noexcept { return name; }
    [[nodiscard]] static Formula describe(const LeafView&, PredictorScratch&) { return {}; }

    template <class Example>
    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf, Example&&,
                                               PredictorScratch&) noexcept {
        return class_of(leaf);
    }

    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf) noexcept {
        const std::int32_t best = heaviest(leaf.own, leaf.n_classes);
        return best != no_prediction || !leaf.parent.seen ? best
                                                          : heaviest(leaf.parent, leaf.n_classes);
    }

    [[nodiscard]] static std::int32_t heaviest(const ClassWeights& weights,
                                               std::size_t n_classes) noexcept {
        double top = 0.0;
        std::int32_t best = no_prediction;
        for (std::size_t k = 0; k < n_classes; ++k) {
            if (weights[k] > top) {
                top = weights[k];
                best = static_cast<std::int32_t>(k);
            }
        }
        return best;
    }

    bool operator==(const Majority&) const = default;

private:
    static ClassWeights weights_of(const LeafView& leaf) noexcept {
        const bool empty = heaviest(leaf.own, leaf.n_classes) == no_prediction;
        return empty && leaf.parent.seen ? leaf.parent : leaf.own;
    }
};

static_assert(SinglePredictor<Majority> && Describes<Majority>);

}  // namespace riparian
