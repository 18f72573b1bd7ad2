#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../check/race_rounds.hpp"
#include "count_gains.hpp"
#include "method.hpp"
#include "node.hpp"
#include "repetition.hpp"

namespace riparian {

// The life of a leaf whose cuts race (bound "betting"), until it decides. Races begin and end as in a
// tree: this calls the same code. Outcome::criterion is 0 if the leader was shown to be better than all
// rivals, and 1 if it was shown to be within the tolerance.
template <class Impurity>
class RaceLeaf {
public:
    RaceLeaf(const LabNode& node, const LabMethod& method, const Impurity& impurity)
        : node_(&node),
          method_(&method),
          gains_(node, impurity),
          counts_(node.branches() * node.classes()),
          values_(node.features()),
          codes_(node.features()),
          races_(static_cast<std::size_t>(method.workers)) {
        settings_.impurity = impurity;
        settings_.bound = Betting{Budget::leaf};  // delta is that of the leaf
        settings_.delta = method.delta;
        settings_.tau = method.tau;
        for (std::size_t a = 0; a < node.features(); ++a) {
            features_.push_back({Kind::categorical, a});
        }
    }

    [[nodiscard]] Outcome run(std::uint64_t seed, std::uint64_t repetition) {
        Philox random(seed, repetition);
        gains_.clear();
        std::fill(counts_.begin(), counts_.end(), 0.0);
        Race none_yet;
        none_yet.count_from(0, 1.0);
        std::fill(races_.begin(), races_.end(), none_yet);
        Race begun = none_yet;  // as it began, before the rows of the workers
        std::size_t checks = 0;
        std::int64_t next = method_->first_check;
        for (std::int64_t seen = 1; seen <= method_->max_examples; ++seen) {
            learn(node_->draw(random), static_cast<std::size_t>(seen) % races_.size());
            if (seen < next) continue;
            next = seen + step(random);
            Race merged;
            if (races_.size() > 1) merged = begun;
            for (std::size_t w = 0; merged.runs() && w < races_.size(); ++w) {
                merged.merge(races_[w]);
            }
            Race& race = races_.size() > 1 ? merged : races_[0];
            if (race.is_won()) {
                const std::uint8_t within = race.is_clear() ? 0 : 1;
                return {race.contender(0).feature, seen, within};
            }
            Check check(*this, static_cast<double>(seen), ++checks);
            if (race.runs()) check.evidence = race.closest().within;
            const std::uint32_t before = race.stakes().number;
            next_race(settings_, check, race);
            if (races_.size() == 1 || !race.runs()) continue;
            if (race.stakes().number == before) {
                begun.nominate(race.nominated());
            } else {
                begun = race;
                std::fill(races_.begin(), races_.end(), race.for_worker());
            }
        }
        return {-1, method_->max_examples};
    }

private:
    // A check of this leaf, as what policies keep at leaves reads it.
    class Check final : public WaitingCheck {
    public:
        Check(RaceLeaf& leaf, double seen, std::size_t checks)
            : WaitingCheck(nothing_, nothing_, leaf.features_), leaf_(leaf) {
            measure = Impurity::measure;
            epsilon = 0.0;
            n_classes = leaf.node_->classes();
            knows_gains = true;
            number = checks;
            weight = seen;
        }

        [[nodiscard]] std::vector<double> branches(const Candidate& cut) override {
            const LabNode& node = *leaf_.node_;
            const auto a = static_cast<std::size_t>(cut.feature);
            const auto at = [&](std::size_t branch) {
                return leaf_.counts_.begin() + static_cast<std::ptrdiff_t>(branch * node.classes());
            };
            return {at(node.first_branch(a)), at(node.first_branch(a + 1))};
        }
        [[nodiscard]] std::vector<Candidate> nominees() override {
            leaf_.gains_.gains(leaf_.values_.data());
            std::vector<Candidate> out;
            for (std::size_t a = 0; a < leaf_.values_.size(); ++a) {
                out.push_back(
                    {static_cast<std::int32_t>(a), Test::every_value, 0.0, none, leaf_.values_[a]});
            }
            return out;
        }
        [[nodiscard]] double gain(const double*, const double*, double) override { return 0.0; }

    private:
        RaceLeaf& leaf_;
        Candidate nothing_;
    };

    void learn(std::size_t cell, std::size_t worker) {
        const std::size_t y = node_->class_of(cell);
        const std::uint32_t* const of = node_->branches_of(cell);
        for (std::size_t a = 0; a < codes_.size(); ++a) {
            codes_[a] = static_cast<std::int32_t>(of[a] - node_->first_branch(a));
            counts_[of[a] * node_->classes() + y] += 1.0;
        }
        races_[worker].learn(Row{nullptr, codes_.data(), false}, y);
        gains_.learn(cell, 1.0);
    }

    // Rows until the next check.
    [[nodiscard]] std::int64_t step(Philox& random) const {
        const std::int64_t every = method_->grace_period;
        if (!method_->random_checks) return every;
        return 1 + static_cast<std::int64_t>(random.uniform() * static_cast<double>(2 * every - 1));
    }

    const LabNode* node_;
    const LabMethod* method_;
    Settings settings_;
    Features features_;
    CountGains<Impurity> gains_;
    std::vector<double> counts_;  // [branch][class]
    std::vector<double> values_;  // [feature]
    std::vector<std::int32_t> codes_;
    std::vector<Race> races_;  // [worker]
};

}  // namespace riparian
