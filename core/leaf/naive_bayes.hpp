#pragma once

#include <algorithm>
#include <limits>

#include "../simd/scalar.hpp"
#include "majority.hpp"

namespace riparian {

// Naive Bayes over the leaf's own statistics, in logarithms [gama2003]:
//
//     log P(k | x) = log n_k + sum_i log P(x_i | k) + const
//
// A numeric value is scored by the Gaussian of the class, a category by (n_jk + 1) / (n_.k + v).
// Missing values are left out. A numeric feature is used only if every class of the leaf has seen
// it. A leaf without examples or without statistics predicts the majority class.
struct NaiveBayes {
    static constexpr std::string_view name = "naive-bayes";
    static constexpr std::string_view about = "Naive Bayes with the statistics of the leaf.";
    static constexpr std::array sparse_rules = {reads_every_feature()};
    static constexpr bool observes = false;
    static constexpr int precedence = 1;

    [[nodiscard]] static constexpr bool needs_derived() noexcept { return true; }

    [[nodiscard]] std::int32_t predict(const LeafView& leaf, const Row& row,
                                       PredictorScratch& scratch) const {
        return class_of(leaf, row, scratch);
    }

    std::int32_t observe(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                         LeafNumbers&, std::size_t, double) const {
        return class_of(leaf, row, scratch);
    }

    void probabilities(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                       double* out) const {
        class_and_shares(leaf, row, scratch, out);
    }

    void probabilities(const LeafView& leaf, Spread& spread, PredictorScratch& scratch,
                       double* out) const {
        if (!knows(leaf) || class_by_score(leaf, spread, scratch) == no_prediction) {
            Majority{}.probabilities(leaf, spread, scratch, out);
            return;
        }
        shares_of_scores(leaf, scratch, out);
    }

    // Turns the logarithms that class_by_score() left in scratch.scores into probabilities.
    static void shares_of_scores(const LeafView& leaf, PredictorScratch& scratch, double* out) {
        for (std::size_t k = leaf.n_classes; k < scratch.scores.size(); ++k) {
            scratch.scores[k] = -std::numeric_limits<double>::infinity();
        }
        kernels().softmax(scratch.scores.data(), leaf.n_classes, scratch.scores.size());
        for (std::size_t k = 0; k < leaf.n_classes; ++k) out[k] = scratch.scores[k];
    }

    [[nodiscard]] static std::string_view predictor_at(const LeafView& leaf) noexcept {
        return knows(leaf) ? name : Majority::name;
    }

    [[nodiscard]] static Formula describe(const LeafView&, PredictorScratch&);

    template <class Example>
    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf, Example&& example,
                                               PredictorScratch& scratch) {
        const std::int32_t best = class_by_score(leaf, example, scratch);
        return best != no_prediction ? best : Majority::class_of(leaf);
    }

    // Writes the probabilities and returns the class.
    static std::int32_t class_and_shares(const LeafView& leaf, const Row& row,
                                         PredictorScratch& scratch, double* out) {
        const std::int32_t best = class_by_score(leaf, row, scratch);
        if (best == no_prediction) {
            Majority{}.probabilities(leaf, row, scratch, out);
            return Majority::class_of(leaf);
        }
        shares_of_scores(leaf, scratch, out);
        return best;
    }

    // Writes the logarithms to scratch.scores. Returns no_prediction if there are none.
    [[nodiscard]] static std::int32_t class_by_score(const LeafView& leaf, const Row& row,
                                                     PredictorScratch& scratch) {
        if (!leaf.statistics.is_open()) return no_prediction;
        numeric_scores(leaf, row, scratch);
        if (leaf.shape.categorical) add_categorical_scores(leaf, row, scratch);
        return highest(leaf, scratch);
    }

    // For uncertain values the likelihood is the mean over their points.
    [[nodiscard]] static std::int32_t class_by_score(const LeafView&, Spread&, PredictorScratch&);

    // Like class_by_score(), for a row that is learned next. `later`: find out whether class_after()
    // may be called then (scratch.stays).
    [[nodiscard]] static std::int32_t class_before(const LeafView& leaf, const Row& row,
                                                   PredictorScratch& scratch, bool later) {
        const std::int32_t best = class_by_score(leaf, row, scratch);
        scratch.ranged = leaf.shape.finds_derived() && leaf.shape.numeric > 0 &&
                         leaf.statistics.is_open() && !row.gap && !leaf.statistics.gaps();
        scratch.stays = later && best != no_prediction && scores_stay(leaf, row, scratch);
        if (scratch.stays) {
            std::copy_n(scratch.scores.data(), leaf.n_classes, scratch.before.data());
        }
        return best;
    }

    // Like class_by_score(), after this leaf has learned the row as class y, when only the score of
    // y has changed. May be called only if scratch.stays.
    [[nodiscard]] static std::int32_t class_after(const LeafView& leaf, const Row& row,
                                                  PredictorScratch& scratch, std::size_t y) {
        const Shape& s = leaf.shape;
        // A class with one example has no variance.
        if (!leaf.statistics.is_open() || !(leaf.counts[y] > 1.0)) {
            return class_by_score(leaf, row, scratch);
        }
        std::copy_n(scratch.before.data(), leaf.n_classes, scratch.scores.data());
        double* const score = scratch.scores.data() + y;
        const double* const base = leaf.statistics.base(s) + y;
        double* const* const planes = leaf.statistics.classes() + y;
        if (s.numeric == 0) {
            *score = *base;
        } else if (s.finds_derived()) {
            kernels().lean_scores({scratch.range.data(), planes, 1, false}, base, leaf.counts + y,
                                  s.numeric, row.x, score);
        } else {
            kernels().scores(planes, base, 1, s.numeric, row.x, score);
        }
        if (s.categorical) {
            scratch.cells[0] = leaf.statistics.cells(s, y);
            scratch.classes[0] = y;
            add_categorical_scores(leaf, row, scratch, 1);
        }
        return highest(leaf, scratch);
    }

    bool operator==(const NaiveBayes&) const = default;

private:
    [[nodiscard]] static bool knows(const LeafView& leaf) noexcept {
        return leaf.statistics.is_open() && std::any_of(leaf.counts, leaf.counts + leaf.n_classes,
                                                        [](double n) { return n > 0.0; });
    }

    [[nodiscard]] static std::int32_t highest(const LeafView& leaf,
                                              const PredictorScratch& scratch) noexcept {
        return largest_class(scratch.scores.data(), leaf.n_classes);
    }

    // Whether learning the row leaves the scores of other classes unchanged. It does if it widens
    // no range, brings no new category, and no class needs the variance of others.
    [[nodiscard]] static bool scores_stay(const LeafView& leaf, const Row& row,
                                          const PredictorScratch& scratch) noexcept {
        const Shape& s = leaf.shape;
        if (row.gap || leaf.statistics.gaps()) return false;
        if (brings_category(row.codes, leaf.categories, s.categorical)) return false;
        if (s.numeric == 0) return true;
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (leaf.counts[k] <= 1.0 && leaf.counts[k] > 0.0) return false;
        }
        const double* const planes =
            s.finds_derived() ? scratch.range.data() : leaf.statistics.leaf_planes(s);
        bool inside = true;
        for (std::size_t f = 0; f < s.numeric; ++f) {
            inside &= row.x[f] >= planes[leaf_low * s.numeric + f] &&
                      row.x[f] <= planes[leaf_high * s.numeric + f];
        }
        return inside;
    }

    static void numeric_scores(const LeafView& leaf, const Row& row, PredictorScratch& scratch) {
        const Shape& s = leaf.shape;
        if (s.numeric == 0 || row.gap || leaf.statistics.gaps()) [[unlikely]] {
            return full_scores(leaf, row, scratch, std::numeric_limits<double>::infinity());
        }
        if (s.finds_derived()) {
            const LeafRange found{range(leaf, scratch), leaf.statistics.classes(), leaf.n_classes,
                                  false};
            kernels().lean_scores(found, leaf.statistics.base(s), leaf.counts, s.numeric, row.x,
                                  scratch.scores.data());
        } else {
            kernels().scores(leaf.statistics.classes(), leaf.statistics.base(s), leaf.n_classes,
                             s.numeric, row.x, scratch.scores.data());
        }
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            // A class with one example has no variance.
            if (leaf.counts[k] <= 1.0 && leaf.counts[k] > 0.0) [[unlikely]] {
                return full_scores(leaf, row, scratch, 1.0);
            }
        }
    }

    // Computes the scores from the statistics themselves, also for classes of small weight.
    [[gnu::noinline]] static void full_scores(const LeafView& leaf, const Row& row,
                                              PredictorScratch& scratch, double up_to) {
        const Shape& s = leaf.shape;
        const double* planes = nullptr;
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            double& score = scratch.scores[k];
            if (!(leaf.counts[k] > 0.0)) {
                score = -std::numeric_limits<double>::infinity();
            } else if (s.numeric == 0) {
                score = leaf.statistics.base(s)[k];
            } else if (leaf.counts[k] <= up_to) {
                if (!planes) {
                    prepare(leaf, row.x, scratch);
                    planes = range(leaf, scratch);
                }
                score = ln(leaf.counts[k]) +
                        kernels().full_score(leaf.statistics.gaussian(k, leaf.counts), planes,
                                             scratch.usable.data(), scratch.pooled.data(),
                                             s.numeric, row.x);
            }
        }
    }

    // The leaf's planes, computed if the leaf does not store them.
    static double* range(const LeafView& leaf, PredictorScratch& scratch) {
        const Shape& s = leaf.shape;
        if (!s.finds_derived()) return leaf.statistics.leaf_planes(s);
        kernels().find_range(leaf.statistics.classes(), s.class_stride, s.numeric,
                             scratch.range.data());
        return scratch.range.data();
    }

    // Finds the features that can be used for a row, or for one without missing values if x is null,
    // and the pooled within-class variance of each, over the classes that have a variance.
    static void prepare(const LeafView& leaf, const double* x, PredictorScratch& scratch) {
        const std::size_t n = leaf.shape.numeric;
        double* const pooled = scratch.pooled.data();
        for (std::size_t f = 0; f < n; ++f) {
            scratch.usable[f] = !x || x[f] == x[f] ? 1.0 : 0.0;
            pooled[f] = 0.0;
        }
        if (!leaf.statistics.gaps()) return pool_whole_classes(leaf, scratch);
        std::fill_n(scratch.freedom.data(), n, 0.0);
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (!(leaf.counts[k] > 0.0)) continue;
            const GaussianClass c = leaf.statistics.gaussian(k, leaf.counts);
            const double* const spread = c.planes + squares * n;
            if (!c.known) {
                if (c.weight <= 1.0) continue;
                for (std::size_t f = 0; f < n; ++f) {
                    pooled[f] += spread[f];
                    scratch.freedom[f] += c.weight - 1.0;
                }
                continue;
            }
            for (std::size_t f = 0; f < n; ++f) {
                const double weight = c.known[f];
                if (!(weight > 0.0)) scratch.usable[f] = 0.0;
                if (weight > 1.0) {
                    pooled[f] += spread[f];
                    scratch.freedom[f] += weight - 1.0;
                }
            }
        }
        for (std::size_t f = 0; f < n; ++f) {
            if (scratch.freedom[f] > 0.0) pooled[f] /= scratch.freedom[f];
        }
    }

    // The pooled variances where no value is missing: the weights are those of the classes.
    static void pool_whole_classes(const LeafView& leaf, PredictorScratch& scratch) {
        const std::size_t n = leaf.shape.numeric;
        std::size_t n_pooled = 0;
        double freedom = 0.0;
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (!(leaf.counts[k] > 1.0)) continue;
            freedom += leaf.counts[k] - 1.0;
            scratch.cells[n_pooled++] = leaf.statistics.classes()[k] + squares * n;
        }
        kernels().pool_variances(scratch.cells.data(), n_pooled, n, freedom, scratch.pooled.data());
    }

    static void add_categorical_scores(const LeafView& leaf, const Row& row,
                                       PredictorScratch& scratch) {
        std::size_t n_seen = 0;
        for (std::size_t k = 0; k < leaf.n_classes; ++k) {
            if (!leaf.statistics.classes()[k]) continue;
            scratch.cells[n_seen] = leaf.statistics.cells(leaf.shape, k);
            scratch.classes[n_seen++] = k;
        }
        if (n_seen > 0) add_categorical_scores(leaf, row, scratch, n_seen);
    }

    // Handles the first n_seen entries of scratch.classes, whose cells are in scratch.cells.
    static void add_categorical_scores(const LeafView& leaf, const Row& row,
                                       PredictorScratch& scratch, std::size_t n_seen) {
        const Shape& s = leaf.shape;
        const double** known = nullptr;
        if (leaf.statistics.has_gaps()) [[unlikely]] {
            known = scratch.known.data();
            for (std::size_t c = 0; c < s.categorical; ++c)
                known[c] = leaf.statistics.known_categories(c);
        }
        kernels().categorical_scores({row.codes, leaf.statistics.starts(s), s.categorical,
                                      scratch.cells.data(), scratch.classes.data(), n_seen,
                                      leaf.counts, known, leaf.categories},
                                     scratch.categorical.data());
        for (std::size_t i = 0; i < n_seen; ++i) {
            scratch.scores[scratch.classes[i]] += scratch.categorical[i];
        }
    }
};

static_assert(SinglePredictor<NaiveBayes> && Describes<NaiveBayes>);

}  // namespace riparian
