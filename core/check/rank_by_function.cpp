// Candidates whose gains come from an impurity that the user wrote.
#include <algorithm>
#include <limits>

#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// Every candidate with the class weights of its branches, as far as it has two of them:
// tables_ is [candidate][branches_][class], with empty branches behind those of a
// candidate that has fewer than others.
void Checker::list_candidates(const LeafCase& leaf) {
    const Settings& settings = leaf.settings;
    const std::size_t n_classes = leaf.n_classes;
    const bool multiway = settings.categorical_cuts != CategoricalCuts::one_against_rest;
    branches_ = 2;
    for (const Feature& f : leaf.features) {
        if (f.kind != Kind::categorical || !multiway || leaf.used_up[f.slot]) continue;
        if (leaf.is_watched(f.slot)) continue;
        const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape) + f.slot;
        branches_ = std::max<std::size_t>(branches_, starts[1] - starts[0]);
    }
    listed_.clear();
    tables_.clear();
    const auto list = [&](const Candidate& c, auto&& fill) {
        const std::size_t at = tables_.size();
        tables_.resize(at + branches_ * n_classes, 0.0);
        double* const table = tables_.data() + at;
        fill(table);
        weight_.assign(branches_, 0.0);
        double total = 0.0;
        for (std::size_t b = 0; b < branches_; ++b) {
            for (std::size_t k = 0; k < n_classes; ++k) weight_[b] += table[b * n_classes + k];
            total += weight_[b];
        }
        const auto large = std::count_if(weight_.begin(), weight_.end(), [&](double w) {
            return w > total * settings.min_branch_fraction;
        });
        if (large >= 2) {
            listed_.push_back(c);
        } else {
            tables_.resize(at);
        }
    };
    const auto list_category = [&](const Candidate& c) {
        list(c, [&](double* table) {
            const std::size_t width = leaf.shape.class_stride;
            const std::vector<double> wide = this->table(leaf, c);
            for (std::size_t b = 0; b < wide.size() / width; ++b) {
                std::copy_n(wide.data() + b * width, n_classes, table + b * n_classes);
            }
        });
    };
    NumericCheck check{};
    if (leaf.shape.stride && !leaf.values) {
        check = numeric_cuts(leaf);
        mass_.resize(check.n_candidates * check.n_classes * check.stride);
        kernels().all_left_masses(check, mass_.data());
    }
    for (std::size_t f = 0; f < leaf.features.size(); ++f) {
        const std::size_t slot = leaf.features[f].slot;
        const auto feature = static_cast<std::int32_t>(f);
        if (leaf.features[f].kind == Kind::categorical) {
            const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape) + slot;
            if (leaf.is_watched(slot)) continue;
            if (multiway && !leaf.used_up[slot]) {
                list_category({feature, Test::every_value, 0.0, none, 0.0});
            }
            if (settings.categorical_cuts == CategoricalCuts::multiway) continue;
            for (std::uint32_t v = 0; v < starts[1] - starts[0]; ++v) {
                list_category({feature, Test::one_value, 0.0, static_cast<std::int32_t>(v), 0.0});
            }
        } else if (!leaf.values) {
            for (std::size_t i = 0; i < check.n_candidates; ++i) {
                const double t = thresholds_[i * check.stride + slot];
                if (t != t) continue;
                const double* const left = mass_.data() + i * check.n_classes * check.stride + slot;
                list({feature, Test::threshold, t, none, 0.0}, [&](double* table) {
                    for (std::size_t c = 0; c < check.n_classes; ++c) {
                        const double* const known = classes_[c].known;
                        const double below = left[c * check.stride];
                        table[codes_[c]] = below;
                        table[n_classes + codes_[c]] =
                            (known ? known[slot] : classes_[c].weight) - below;
                    }
                });
            }
        } else {
            known_.resize(n_classes);
            left_mass(*leaf.values, slot, infinity, n_classes, known_.data());
            const auto add = [&](double threshold, const double* below) {
                list({feature, Test::threshold, threshold, none, 0.0}, [&](double* table) {
                    for (std::size_t k = 0; k < n_classes; ++k) {
                        table[k] = below[k];
                        table[n_classes + k] = std::max(known_[k] - below[k], 0.0);
                    }
                });
            };
            each_cut(*leaf.values, slot, n_classes, add);
        }
    }
}

// One call for all branches of all candidates. Behind them stand the features themselves,
// which all candidates of a feature share: one branch with the whole known weight each.
void Checker::rank_by_function(const LeafCase& leaf, const ImpurityFunction& function) {
    list_candidates(leaf);
    if (listed_.empty()) return;
    const std::size_t n = listed_.size(), n_classes = leaf.n_classes;
    const std::size_t size = branches_ * n_classes;
    std::size_t features = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && listed_[i].feature == listed_[i - 1].feature) continue;
        tables_.resize((n + ++features) * size, 0.0);
        double* const whole = tables_.data() + (n + features - 1) * size;
        for (std::size_t j = 0; j < size; ++j) whole[j % n_classes] += tables_[i * size + j];
    }
    gains_.resize((n + features) * branches_);
    function.impurities(tables_.data(), n + features, branches_, n_classes, gains_.data());
    const double* whole = gains_.data() + (n - 1) * branches_;
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || listed_[i].feature != listed_[i - 1].feature) whole += branches_;
        double total = 0.0;
        double mass = 0.0;
        for (std::size_t b = 0; b < branches_; ++b) {
            const double* const counts = tables_.data() + i * size + b * n_classes;
            double weight = 0.0;
            for (std::size_t k = 0; k < n_classes; ++k) weight += counts[k];
            if (weight > 0.0) mass += weight * gains_[i * branches_ + b];
            total += weight;
        }
        listed_[i].gain = (total * *whole - mass) / leaf.weight;
        offer(listed_[i]);
    }
}

}  // namespace riparian
