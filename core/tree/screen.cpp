// A rough look that tells most leaves to wait, without a single exact gain.
#include <algorithm>
#include <limits>

#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void Checker::propose(RunnerUp rule, std::int32_t rival, double gain) {
    const bool apart = rule == RunnerUp::cut || (rule == RunnerUp::attribute && rival != leader_);
    rivalled_ = rivalled_ || (apart && leader_ != none);
    if (gain > best_gain_ || leader_ == none) {
        if (apart && leader_ != none) second_gain_ = std::max(second_gain_, best_gain_);
        leader_ = rival;
        best_gain_ = gain;
    } else if (apart) {
        second_gain_ = std::max(second_gain_, gain);
    }
}

// The places of candidates that may be ahead of their rivals by more than `threshold`.
// The best cut so far is a rival of all but the other cuts of its own feature, which
// have the second for one.
template <class Impurity>
void Checker::select_open(const LeafCase& leaf, const NumericCheck& check,
                          const Impurity& impurity, double threshold) {
    constexpr double rounding = 1e-9;
    // The null cut has no gain.
    const double rival = leaf.settings.runner_up == RunnerUp::nothing ? 0.0 : best_gain_;
    const double limit = impurity.ceiling(rival + threshold - rounding).chi_square;
    places_.clear();
    for (std::size_t i = 0; i < gains_.size(); ++i) {
        if (chi_square_[i] > limit) places_.push_back(static_cast<std::uint32_t>(i));
    }
    const auto slot = static_cast<std::size_t>(leader_) - leaf.features.size();
    if (leaf.settings.runner_up != RunnerUp::attribute || slot >= check.n_features) return;
    const double own = impurity.ceiling(second_gain_ + threshold - rounding).chi_square;
    for (std::size_t i = slot; i < gains_.size(); i += check.stride) {
        if (chi_square_[i] > own && !(chi_square_[i] > limit)) {
            places_.push_back(static_cast<std::uint32_t>(i));
        }
    }
}

void Checker::propose_at(const LeafCase& leaf, const NumericCheck& check) {
    std::visit(
        [&](const auto& impurity) {
            kernels().numeric_gains_at[leaf.settings.impurity.index()](
                &impurity, check, places_.data(), places_.size());
        },
        leaf.settings.impurity);
    for (const std::uint32_t place : places_) {
        chi_square_[place] = -infinity;  // known now: not to be proposed twice
        if (gains_[place] == -infinity) continue;
        propose(leaf.settings.runner_up,
                static_cast<std::int32_t>(leaf.features.size() + place % check.stride),
                gains_[place]);
    }
}

// The most promising cut of each of the four most promising features.
void Checker::select_first(const NumericCheck& check) {
    places_.clear();
    if (gains_.empty()) return;  // all values are the same
    for (std::size_t f = 0; f < check.n_features; ++f) {
        std::size_t top = f;
        for (std::size_t i = f; i < gains_.size(); i += check.stride) {
            if (chi_square_[i] > chi_square_[top]) top = i;
        }
        places_.push_back(static_cast<std::uint32_t>(top));
    }
    const auto first = places_.begin() + std::min<std::ptrdiff_t>(4, std::ssize(places_));
    std::partial_sort(places_.begin(), first, places_.end(), [&](auto a, auto b) {
        return chi_square_[a] > chi_square_[b];
    });
    places_.erase(first, places_.end());
}

// True if no cut can be ahead of all rivals by more than `threshold`: two rivals are
// known to be that close, and every other cut is surely no better than the first of
// them plus `threshold`. Features are only told apart here, not named. A cut without a
// rival may not have to wait: a check that finds none in the first look is made in full.
bool Checker::surely_waits(const LeafCase& leaf, double threshold) {
    return std::visit(
        [&](const auto& impurity) {
            if constexpr (requires { impurity.ceiling(0.0); }) {
                leader_ = none;
                best_gain_ = second_gain_ = 0.0;
                // A null cut is a rival too.
                rivalled_ = leaf.settings.missing_second == MissingSecond::zero;
                ranking_.clear(leaf.settings.runner_up);
                for (std::size_t f = 0; f < leaf.features.size(); ++f) {
                    if (leaf.features[f].kind == Kind::categorical) {
                        rank_categorical(leaf, leaf.settings.impurity, f);
                    }
                }
                for (std::size_t i = 0; i < std::min<std::size_t>(2, ranking_.size()); ++i) {
                    propose(leaf.settings.runner_up, ranking_[i].feature, ranking_[i].gain);
                }
                const NumericCheck check = numeric_cuts(leaf);
                chi_square_.resize(gains_.size());
                kernels().numeric_ceilings(check, impurity.ceiling(threshold).spread,
                                           chi_square_.data());
                select_open(leaf, check, impurity, threshold);
                if (!places_.empty() || !rivalled_) {
                    select_first(check);
                    propose_at(leaf, check);
                    if (!rivalled_) return false;
                    select_open(leaf, check, impurity, threshold);
                    if (2 * places_.size() > check.n_candidates * check.n_features) return false;
                    propose_at(leaf, check);
                }
                return best_gain_ - second_gain_ <= threshold;
            } else {
                return false;
            }
        },
        leaf.settings.impurity);
}

}  // namespace riparian
