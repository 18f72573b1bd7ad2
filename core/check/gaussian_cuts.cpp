// Cuts of numeric features from the Gaussians of a leaf.
#include <algorithm>
#include <limits>

#include "../cuts/midpoint.hpp"
#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

NumericCheck Checker::numeric_check(const LeafCase& leaf) {
    const Shape& s = leaf.shape;
    classes_.clear();
    codes_.clear();
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (!(leaf.counts[k] > 0.0)) continue;
        classes_.push_back(leaf.statistics.gaussian(k, leaf.counts));
        codes_.push_back(k);
    }
    scratch_.resize(std::max(scratch_.size(), numeric_scratch(classes_.size())));
    NumericCheck check{};
    check.classes = classes_.data();
    check.n_classes = classes_.size();
    check.n_features = s.numeric;
    check.stride = s.stride;
    check.total = leaf.weight;
    check.min_branch_fraction = leaf.settings.min_branch_fraction;
    check.clip_to_range = leaf.settings.clip_to_range;
    check.variance = leaf.settings.variance;
    check.scratch = scratch_.data();
    return check;
}

NumericCheck Checker::numeric_cuts(const LeafCase& leaf) {
    NumericCheck check = numeric_check(leaf);
    low_.assign(check.stride, infinity);
    high_.assign(check.stride, -infinity);
    for (const GaussianClass& c : classes_) {
        for (std::size_t f = 0; f < check.n_features; ++f) {
            low_[f] = std::min(low_[f], c.planes[low * check.n_features + f]);
            high_[f] = std::max(high_[f], c.planes[high * check.n_features + f]);
        }
    }
    const NumericView view{classes_.data(), classes_.size(), check.n_features,      check.stride,
                           low_.data(),     high_.data(),    leaf.settings.variance};
    std::visit(
        [&](const auto& cuts) {
            check.n_candidates = cuts.candidates(classes_.size());
            thresholds_.resize(check.n_candidates * check.stride);
            cuts.thresholds(view, thresholds_.data());
        },
        leaf.settings.cuts);
    // Few pairs of classes cross as often as they might.
    const auto none_at = [&](std::size_t candidate) {
        const auto first =
            thresholds_.begin() + static_cast<std::ptrdiff_t>(candidate * check.stride);
        return std::all_of(first, first + static_cast<std::ptrdiff_t>(check.stride),
                           [](double t) { return t != t; });
    };
    while (check.n_candidates && none_at(check.n_candidates - 1)) --check.n_candidates;
    gains_.resize(check.n_candidates * check.stride);
    check.thresholds = thresholds_.data();
    check.gains = gains_.data();
    return check;
}

void Checker::numeric(const LeafCase& leaf, const AnyImpurity& impurity) {
    const NumericCheck check = numeric_cuts(leaf);
    const AnyImpurity here = over(impurity, codes_);
    std::visit([&](const auto& i) { kernels().numeric_gains[here.index()](&i, check); }, here);
}

void Checker::rank_numeric(const LeafCase& leaf, std::size_t feature) {
    const std::size_t stride = leaf.shape.stride;
    for (std::size_t i = leaf.features[feature].slot; i < gains_.size(); i += stride) {
        if (gains_[i] == -infinity) continue;
        offer(
            {static_cast<std::int32_t>(feature), Test::threshold, thresholds_[i], none, gains_[i]});
    }
}

void Checker::best_thresholds(const LeafCase& leaf, std::vector<double>& thresholds,
                              std::vector<double>& sides) {
    const Shape& s = leaf.shape;
    thresholds.assign(s.numeric, nan);
    sides.assign(s.numeric * 2 * s.class_stride, 0.0);
    if (s.numeric == 0) return;
    numeric(leaf, leaf.settings.impurity);
    const NumericCheck check = numeric_check(leaf);
    std::vector<double> left(classes_.size());
    for (std::size_t f = 0; f < s.numeric; ++f) {
        double best = -infinity;
        for (std::size_t i = f; i < gains_.size(); i += s.stride) {
            if (gains_[i] > best) {
                best = gains_[i];
                thresholds[f] = thresholds_[i];
            }
        }
        if (thresholds[f] != thresholds[f]) continue;
        kernels().left_masses(check, f, thresholds[f], left.data());
        double* const out = sides.data() + f * 2 * s.class_stride;
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const double all = classes_[i].known ? classes_[i].known[f] : classes_[i].weight;
            out[codes_[i]] = left[i];
            out[s.class_stride + codes_[i]] = all - left[i];
        }
    }
}

// The better of the cut that won and all that its feature has as well.
void Checker::refine(const LeafCase& leaf, Decision& d) {
    if (d.best.test != Test::threshold || leaf.values || leaf.hits) return;
    std::visit(
        [&]<class C>(const C& cuts) {
            if constexpr (Refines<C>) {
                NumericCheck check = numeric_cuts(leaf);
                const std::size_t slot =
                    leaf.features[static_cast<std::size_t>(d.best.feature)].slot;
                const NumericView view{classes_.data(),       classes_.size(), check.n_features,
                                       check.stride,          low_.data(),     high_.data(),
                                       leaf.settings.variance};
                const std::vector<double> more = cuts.refined(view, slot);
                check.n_candidates = more.size();
                thresholds_.assign(more.size() * check.stride, nan);
                gains_.assign(more.size() * check.stride, -infinity);
                for (std::size_t i = 0; i < more.size(); ++i) {
                    thresholds_[i * check.stride + slot] = more[i];
                }
                check.thresholds = thresholds_.data();
                check.gains = gains_.data();
                const AnyImpurity& impurity =
                    d.criterion == 0 ? leaf.settings.impurity : *leaf.settings.second_impurity;
                const AnyImpurity here = over(impurity, codes_);
                const auto kernel = kernels().numeric_gains[here.index()];
                if (!kernel) return;
                std::visit([&](const auto& i) { kernel(&i, check); }, here);
                double best = d.best.gain;
                for (std::size_t i = slot; i < gains_.size(); i += check.stride) {
                    if (gains_[i] > best) {
                        best = gains_[i];
                        d.best.threshold = thresholds_[i];
                    }
                }
            }
        },
        leaf.settings.cuts);
    // Where the leaf knows all values of the feature, the threshold lies in the middle between two.
    const NumericCheck check = numeric_check(leaf);
    const NumericView view{classes_.data(), classes_.size(), check.n_features,      check.stride,
                           nullptr,         nullptr,         leaf.settings.variance};
    const std::size_t slot = leaf.features[static_cast<std::size_t>(d.best.feature)].slot;
    d.best.threshold = midpoint_at(view, slot, d.best.threshold).value_or(d.best.threshold);
}

}  // namespace riparian
