#pragma once

#include "naive_bayes.hpp"

namespace riparian {

// Majority or naive Bayes, whichever was right more often at this leaf before
// learning each example; ties go to naive Bayes [gama2003].
struct Adaptive {
    static constexpr std::string_view name = "adaptive";
    static constexpr std::string_view about =
        "Majority or naive Bayes, whichever was right more often at the leaf.";
    static constexpr bool bayes = true;
    static constexpr bool linear = false;
    static constexpr bool observes = true;

    [[nodiscard]] std::int32_t answer(const LeafView& leaf, const Row& row,
                                      AnswerScratch& scratch) const {
        return leaf.track.majority > leaf.track.bayes ? Majority::class_of(leaf)
                                                      : NaiveBayes::class_of(leaf, row, scratch);
    }

    std::int32_t observe(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                         Track& track, std::size_t y, double w) const {
        const std::int32_t majority = Majority::class_of(leaf);
        const std::int32_t bayes = NaiveBayes::class_of(leaf, row, scratch);
        const bool by_majority = track.majority > track.bayes;
        const auto truth = static_cast<std::int32_t>(y);
        if (majority == truth) track.majority += w;
        if (bayes == truth) track.bayes += w;
        return by_majority ? majority : bayes;
    }

    // As observe(), but the answer is the one after it.
    std::int32_t observe_again(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                               Track& track, std::size_t y, double w) const {
        const std::int32_t majority = Majority::class_of(leaf);
        const std::int32_t bayes = NaiveBayes::class_of(leaf, row, scratch);
        const auto truth = static_cast<std::int32_t>(y);
        if (majority == truth) track.majority += w;
        if (bayes == truth) track.bayes += w;
        return track.majority > track.bayes ? majority : bayes;
    }

    // Both at once: what observe() gives and notes, and the probabilities before it, unless
    // `out` is null. answer_after() may be asked when the row was learned.
    std::int32_t observe_shares(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                                Track& track, std::size_t y, double w, double* out) const {
        const std::int32_t majority = Majority::class_of(leaf);
        const std::int32_t by_score = NaiveBayes::class_before(leaf, row, scratch);
        const std::int32_t bayes = by_score != no_answer ? by_score : majority;
        const bool by_majority = track.majority > track.bayes;
        const auto truth = static_cast<std::int32_t>(y);
        if (majority == truth) track.majority += w;
        if (bayes == truth) track.bayes += w;
        if (out && (by_majority || by_score == no_answer)) {
            Majority{}.probabilities(leaf, row, scratch, out);
        } else if (out) {
            NaiveBayes::shares_of_scores(leaf, scratch, out);
        }
        return by_majority ? majority : bayes;
    }

    // What answer() gives now that the leaf has learned the row as class y. To be asked where
    // scratch.stays.
    [[nodiscard]] std::int32_t answer_after(const LeafView& leaf, const Row& row,
                                            AnswerScratch& scratch, std::size_t y) const {
        if (leaf.track.majority > leaf.track.bayes) return Majority::class_of(leaf);
        const std::int32_t best = NaiveBayes::class_after(leaf, row, scratch, y);
        return best != no_answer ? best : Majority::class_of(leaf);
    }

    void probabilities(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                       double* out) const {
        if (leaf.track.majority > leaf.track.bayes) {
            Majority{}.probabilities(leaf, row, scratch, out);
        } else {
            NaiveBayes{}.probabilities(leaf, row, scratch, out);
        }
    }

    [[nodiscard]] static Speaker speaker(const LeafView& leaf) noexcept {
        return leaf.track.majority > leaf.track.bayes ? Speaker::majority
                                                      : NaiveBayes::speaker(leaf);
    }

    bool operator==(const Adaptive&) const = default;
};

static_assert(LeafModel<Adaptive>);

}  // namespace riparian
