// Rough limits of gains show that most leaves wait, without a single exact gain.
#include <algorithm>
#include <limits>
#include <utility>

#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// True if no cut can be ahead of all rivals by more than `threshold`, between whatever limits the
// gains lie. A cut that may be without a rival may not have to wait: then it is false.
bool Checker::surely_waits(const LeafCase& leaf, double threshold) {
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
    rough_gains(check, {most_.data(), least_.data(), second_.data()});
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
    return true;
}

}  // namespace riparian
