// Rough limits of gains show that most leaves wait, without a single exact gain.
#include <algorithm>
#include <limits>
#include <utility>

#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::int32_t numeric_feature(const Features& features, std::size_t slot) {
    const auto found = std::find_if(features.begin(), features.end(), [&](const Feature& f) {
        return f.kind == Kind::numeric && f.slot == slot;
    });
    return static_cast<std::int32_t>(found - features.begin());
}

}  // namespace

// True if no cut can be ahead of all rivals by more than `threshold`, wherever the gains lie within
// their limits. False if a cut may have no rival: it may not have to wait.
bool Checker::surely_waits(const LeafCase& leaf, double threshold, Decision& d) {
    const Settings& settings = leaf.settings;
    const auto rough_gains = kernels().rough_gains[settings.impurity.index()];
    if (!rough_gains) return false;
    ranking_.clear(settings.runner_up);
    for (std::size_t f = 0; f < leaf.features.size(); ++f) {
        if (leaf.features[f].kind == Kind::categorical) {
            rank_categorical(leaf, settings.impurity, f);
        }
    }
    const NumericCheck check = numeric_cuts(leaf);
    most_.resize(check.stride);
    least_.resize(check.stride);
    second_.resize(check.stride);
    leads_.resize(check.stride);
    rough_gains(check, {most_.data(), least_.data(), second_.data(), leads_.data()});
    const std::size_t numeric = check.n_features;
    // After the numeric features come the two best cuts of others, whose gains are known.
    most_.resize(numeric);
    least_.resize(numeric);
    second_.resize(numeric);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, ranking_.size()); ++i) {
        most_.push_back(ranking_[i].gain);
        least_.push_back(ranking_[i].gain);
        second_.push_back(-infinity);
    }
    // The two rivals that are surely best.
    std::size_t first = most_.size(), next = first;
    for (std::size_t i = 0; i < least_.size(); ++i) {
        if (first == least_.size() || least_[i] > least_[first]) {
            next = std::exchange(first, i);
        } else if (next == least_.size() || least_[i] > least_[next]) {
            next = i;
        }
    }
    const double without = settings.missing_second == MissingSecond::zero ? 0.0 : -infinity;
    for (std::size_t i = 0; i < most_.size(); ++i) {
        double rival = 0.0;  // the null cut
        if (settings.runner_up != RunnerUp::nothing) {
            const std::size_t other = i == first ? next : first;
            rival = other < least_.size() ? least_[other] : -infinity;
            if (settings.runner_up == RunnerUp::cut) rival = std::max(rival, second_[i]);
            rival = rival == -infinity ? without : std::max(rival, 0.0);
        }
        if (most_[i] > -infinity && !(most_[i] - rival <= threshold)) return false;
    }
    estimate_best_cuts(leaf, numeric, d);
    return true;
}

// The limits of numeric features, which come first, are as far from the estimate as it can be off. The
// others are exact.
void Checker::estimate_best_cuts(const LeafCase& leaf, std::size_t numeric, Decision& d) const {
    const RunnerUp rule = leaf.settings.runner_up;
    d.gain_error = rough_gain_error(leaf.settings.impurity);
    const auto gain = [&](std::size_t i) {
        return i < numeric ? most_[i] - d.gain_error : most_[i];
    };
    std::size_t first = 0, next = 0;
    double best = -infinity, second = -infinity;
    for (std::size_t i = 0; i < most_.size(); ++i) {
        const double here = gain(i);
        if (here > best) {
            second = std::exchange(best, here);
            next = std::exchange(first, i);
        } else if (here > second) {
            second = here;
            next = i;
        }
    }
    if (best == -infinity) return;
    const auto cut = [&](std::size_t i, double gain) -> Candidate {
        if (i >= numeric) return ranking_[i - numeric];
        return {numeric_feature(leaf.features, i), Test::threshold, leads_[i], none,
                std::max(gain, 0.0)};
    };
    d.best = cut(first, best);
    const bool alone = second == -infinity;
    if (rule != RunnerUp::nothing) {
        if (second > 0.0) d.second = cut(next, second);
        // Only the gain of the second cut of a feature is known.
        if (rule == RunnerUp::cut && first < numeric && second_[first] + d.gain_error > second &&
            second_[first] + d.gain_error > 0.0) {
            d.second = {d.best.feature, Test::threshold, nan, none, second_[first] + d.gain_error};
        } else if (alone && leaf.settings.missing_second == MissingSecond::minus_infinity) {
            d.second.gain = -infinity;
        }
    }
    if (leaf.kept) leaf.kept->name(d);
}

}  // namespace riparian
