#pragma once

#include "naive_bayes.hpp"

namespace riparian {

// Majority or naive Bayes, whichever was right more often at this leaf. Each example is predicted
// by both before it is learned. Ties go to naive Bayes [gama2003].
struct Adaptive {
    static constexpr std::string_view name = "adaptive";
    static constexpr std::string_view about =
        "Majority or naive Bayes, whichever was right more often at the leaf.";
    static constexpr std::array sparse_rules = {reads_every_feature()};
    static constexpr bool observes = true;

    [[nodiscard]] static constexpr bool needs_derived() noexcept { return true; }

    [[nodiscard]] std::int32_t predict(const LeafView& leaf, const Row& row,
                                       PredictorScratch& scratch) const {
        return by_majority(leaf.numbers) ? Majority::class_of(leaf)
                                         : NaiveBayes::class_of(leaf, row, scratch);
    }

    template <class Example>
    std::int32_t observe(const LeafView& leaf, Example&& example, PredictorScratch& scratch,
                         LeafNumbers& right, std::size_t y, double w) const {
        const std::int32_t majority = Majority::class_of(leaf);
        const std::int32_t bayes = NaiveBayes::class_of(leaf, example, scratch);
        const bool leads = by_majority(right);
        const auto truth = static_cast<std::int32_t>(y);
        if (majority == truth) right[of_majority] += w;
        if (bayes == truth) right[of_bayes] += w;
        return leads ? majority : bayes;
    }

    // Like observe(), for a row that the leaf has learned as class y; the prediction is chosen
    // after this example was counted. `stays`: only the score of y has changed since
    // observe_shares().
    std::int32_t observe_again(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                               LeafNumbers& right, std::size_t y, double w, bool stays) const {
        const std::int32_t majority = Majority::class_of(leaf);
        const std::int32_t by_score = stays ? NaiveBayes::class_after(leaf, row, scratch, y)
                                            : NaiveBayes::class_by_score(leaf, row, scratch);
        const std::int32_t bayes = by_score != no_prediction ? by_score : majority;
        const auto truth = static_cast<std::int32_t>(y);
        if (majority == truth) right[of_majority] += w;
        if (bayes == truth) right[of_bayes] += w;
        return by_majority(right) ? majority : bayes;
    }

    // Does what observe() does, and writes the probabilities before the example unless `out` is
    // null. `later`: the leaf will be asked again after it has learned the row.
    std::int32_t observe_shares(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                                LeafNumbers& right, std::size_t y, double w, double* out,
                                bool later = false) const {
        const std::int32_t majority = Majority::class_of(leaf);
        const std::int32_t by_score = NaiveBayes::class_before(leaf, row, scratch, later);
        const std::int32_t bayes = by_score != no_prediction ? by_score : majority;
        const bool leads = by_majority(right);
        const auto truth = static_cast<std::int32_t>(y);
        if (majority == truth) right[of_majority] += w;
        if (bayes == truth) right[of_bayes] += w;
        if (out && (leads || by_score == no_prediction)) {
            Majority{}.probabilities(leaf, row, scratch, out);
        } else if (out) {
            NaiveBayes::shares_of_scores(leaf, scratch, out);
        }
        return leads ? majority : bayes;
    }

    // The class that the leaf predicts after it has learned the row as class y. May be called only
    // if scratch.stays.
    [[nodiscard]] std::int32_t predict_after(const LeafView& leaf, const Row& row,
                                             PredictorScratch& scratch, std::size_t y) const {
        if (by_majority(leaf.numbers)) return Majority::class_of(leaf);
        const std::int32_t best = NaiveBayes::class_after(leaf, row, scratch, y);
        return best != no_prediction ? best : Majority::class_of(leaf);
    }

    template <class Example>
    void probabilities(const LeafView& leaf, Example&& example, PredictorScratch& scratch,
                       double* out) const {
        if (by_majority(leaf.numbers)) {
            Majority{}.probabilities(leaf, example, scratch, out);
        } else {
            NaiveBayes{}.probabilities(leaf, example, scratch, out);
        }
    }

    [[nodiscard]] static std::string_view predictor_at(const LeafView& leaf) noexcept {
        return by_majority(leaf.numbers) ? Majority::name : NaiveBayes::predictor_at(leaf);
    }

    [[nodiscard]] static Formula describe(const LeafView& leaf, PredictorScratch& scratch) {
        return by_majority(leaf.numbers) ? Formula{} : NaiveBayes::describe(leaf, scratch);
    }

    bool operator==(const Adaptive&) const = default;

private:
    // Indexes of the two counts of correct predictions.
    enum : std::size_t { of_majority, of_bayes };

    [[nodiscard]] static bool by_majority(const LeafNumbers& right) noexcept {
        return right[of_majority] > right[of_bayes];
    }
};

static_assert(LeafPredictor<Adaptive> && Observes<Adaptive> && Describes<Adaptive>);

}  // namespace riparian
