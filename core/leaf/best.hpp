#pragma once

#include "idbd.hpp"
#include "naive_bayes.hpp"

namespace riparian {

// Whichever of some predictors was right more often at this leaf before learning each
// example, as `Adaptive` for its two. Ties go to the linear units, which alone know
// something in a new leaf, then to naive Bayes, then to the majority.
struct Best {
    static constexpr std::string_view name = "";  // users write its members
    static constexpr bool observes = true;
    bool majority = false;
    bool bayes = false;
    bool linear = false;

    [[nodiscard]] std::int32_t answer(const LeafView& leaf, const Row& row,
                                      AnswerScratch& scratch) const {
        switch (leader(leaf, leaf.track)) {
            case Member::bayes: return NaiveBayes::class_of(leaf, row, scratch);
            case Member::linear: return Idbd::class_of(leaf, row, scratch);
            default: return Majority::class_of(leaf);
        }
    }

    std::int32_t observe(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                         Track& track, std::size_t y, double w) const {
        const Member by = leader(leaf, track);
        const auto truth = static_cast<std::int32_t>(y);
        std::int32_t said = no_answer;
        const auto judge = [&](Member member, std::int32_t answer, double& right) {
            if (answer == truth) right += w;
            if (member == by) said = answer;
        };
        if (bayes) judge(Member::bayes, NaiveBayes::class_of(leaf, row, scratch), track.bayes);
        if (linear && leaf.units) {
            judge(Member::linear, Idbd::class_of(leaf, row, scratch), leaf.units->right);
        }
        if (majority) judge(Member::majority, Majority::class_of(leaf), track.majority);
        return said;
    }

    void probabilities(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                       double* out) const {
        switch (leader(leaf, leaf.track)) {
            case Member::bayes: return NaiveBayes{}.probabilities(leaf, row, scratch, out);
            case Member::linear: return Idbd{}.probabilities(leaf, row, scratch, out);
            default: return Majority{}.probabilities(leaf, row, scratch, out);
        }
    }

    [[nodiscard]] Speaker speaker(const LeafView& leaf) const noexcept {
        switch (leader(leaf, leaf.track)) {
            case Member::bayes: return NaiveBayes::speaker(leaf);
            case Member::linear: return Idbd::speaker(leaf);
            default: return Speaker::majority;
        }
    }

    bool operator==(const Best&) const = default;

private:
    enum class Member : std::uint8_t { bayes, linear, majority };

    [[nodiscard]] Member leader(const LeafView& leaf, const Track& track) const noexcept {
        Member best = Member::majority;
        double most = -1.0;
        const auto offer = [&](bool enabled, Member member, double right) {
            if (!enabled || !(right > most)) return;
            best = member;
            most = right;
        };
        const bool units = linear && leaf.units;  // an inactive leaf has none
        offer(units, Member::linear, units ? leaf.units->right : 0.0);
        offer(bayes, Member::bayes, track.bayes);
        offer(majority, Member::majority, track.majority);
        return best;
    }
};

static_assert(LeafModel<Best>);

}  // namespace riparian
