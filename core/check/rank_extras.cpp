// Candidates from what policies keep at a leaf: values that offer cuts, and hits.
#include <algorithm>
#include <limits>

#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void Checker::rank_values(const LeafCase& leaf, const AnyImpurity& impurity, std::size_t feature) {
    const std::size_t slot = leaf.features[feature].slot;
    const std::size_t n_classes = leaf.n_classes;
    known_.resize(n_classes);
    left_mass(*leaf.values, slot, infinity, n_classes, known_.data());
    double total = 0.0;
    for (const double x : known_) total += x;
    thresholds_.clear();
    tables_.clear();  // class weights at or below each threshold
    const auto add = [&](double threshold, const double* left) {
        thresholds_.push_back(threshold);
        tables_.insert(tables_.end(), left, left + n_classes);
    };
    each_cut(*leaf.values, slot, n_classes, add);
    gains_.resize(thresholds_.size() + 4);
    scratch_.resize(std::max(scratch_.size(), numeric_scratch(n_classes)));
    const ListCheck check{tables_.data(),  thresholds_.size(),
                          n_classes,       known_.data(),
                          leaf.weight,     total * leaf.settings.min_branch_fraction,
                          scratch_.data(), gains_.data()};
    std::visit([&](const auto& i) { kernels().list_gains[impurity.index()](&i, check); }, impurity);
    for (std::size_t i = 0; i < thresholds_.size(); ++i) {
        if (gains_[i] == -infinity) continue;
        offer(
            {static_cast<std::int32_t>(feature), Test::threshold, thresholds_[i], none, gains_[i]});
    }
}

void Checker::rank_hits(const LeafCase& leaf) {
    const Hits& hits = *leaf.hits;
    const Shape& s = leaf.shape;
    for (std::size_t f = 0; f < leaf.features.size(); ++f) {
        const std::size_t slot = leaf.features[f].slot;
        const auto feature = static_cast<std::int32_t>(f);
        std::size_t large = 0;
        const auto judge = [&](const double* weights, std::size_t branches, double total) {
            for (std::size_t b = 0; b < branches; ++b) {
                large += weights[b] > total * leaf.settings.min_branch_fraction;
            }
            return large >= 2;
        };
        if (leaf.features[f].kind == Kind::numeric) {
            const Hits::Quality q = hits.numeric(slot, leaf.weight);
            if (!(q.weight > 0.0)) continue;
            double weights[2] = {};
            for (std::size_t side = 0; side < 2; ++side) {
                for (std::size_t k = 0; k < leaf.n_classes; ++k) {
                    weights[side] += hits.side_weight(slot, side, k);
                }
            }
            if (!judge(weights, 2, weights[0] + weights[1])) continue;
            offer({feature, Test::threshold, hits.threshold(slot), none, q.gain});
        } else {
            const Hits::Quality q = hits.categorical(slot, leaf.weight);
            if (!(q.weight > 0.0) || leaf.used_up[slot] || leaf.is_watched(slot)) continue;
            const Candidate cut{feature, Test::every_value, 0.0, none, q.gain};
            const std::vector<double> table = this->table(leaf, cut);
            weight_.assign(table.size() / s.class_stride, 0.0);
            double total = 0.0;
            for (std::size_t i = 0; i < table.size(); ++i) {
                weight_[i / s.class_stride] += table[i];
                total += table[i];
            }
            if (judge(weight_.data(), weight_.size(), total)) offer(cut);
        }
    }
}

}  // namespace riparian
