// The loops that process every row or every candidate, in the fastest instruction set that this
// machine has. All sets give the same bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../data/row.hpp"
#include "judging.hpp"

namespace riparian {

// Numeric values beyond this are clipped to it, so that squares times weights stay finite.
inline constexpr double largest_value = 0x1p450;

// A numeric plane has one double per feature. The statistics of one class at one leaf are
// contiguous planes in this order. Three more doubles after them can be read.
enum Plane : std::size_t { mean, squares, low, high, precision };
// What a leaf stores over all its classes, for naive Bayes only.
enum LeafPlane : std::size_t { leaf_low, leaf_high };

inline constexpr std::size_t class_planes = 4;        // without precision
inline constexpr std::size_t bayes_class_planes = 5;  // precision: 1 / (2 sigma^2)
inline constexpr std::size_t bayes_leaf_planes = 2;

// How a check computes the variance of a class with weight W and centred squares M.
enum class Variance : std::uint8_t {
    sample,      // M / (W - 1); 0 if W <= 1
    population,  // M / W, at least 1e-6, as in the released code of mDT
};
inline constexpr double least_population_variance = 1e-6;

// The range of a leaf's values. It is stored with the leaf, or was computed before, or has to be
// computed from its classes.
struct LeafRange {
    double* planes;          // null if it has to be computed
    double* const* classes;  // [class]: null if it was not seen
    std::size_t n_classes;
    bool kept;  // whether it is stored; if not, its classes do not store precisions either
};

// One class at a leaf, as a check or naive Bayes reads it.
struct GaussianClass {
    double* planes;
    const double* known;  // weight of known values per feature; null means `weight` for all
    double weight;
};

// All numeric candidates of one leaf, and where to write their gains.
struct NumericCheck {
    const GaussianClass* classes;
    std::size_t n_classes;
    std::size_t n_features;    // doubles in a plane of a class
    std::size_t stride;        // the same, rounded up to whole vectors
    const double* thresholds;  // [candidate][stride]; NaN if there is no candidate
    std::size_t n_candidates;
    double total;  // weight of the leaf, including missing values
    double min_branch_fraction;
    bool clip_to_range;
    Variance variance;
    double* scratch;  // numeric_scratch(n_classes) doubles
    double* gains;    // [candidate][stride]; -inf if the cut is not allowed
};

// Limits of the gains of each numeric feature, [stride]; -inf if it has no candidate.
struct RoughGains {
    double* most;    // no candidate has a larger gain
    double* least;   // one candidate has at least this gain,
    double* second;  // and another one at least this
    double* best;    // the threshold with the largest estimate; NaN if there is none
};

inline constexpr std::size_t numeric_scratch(std::size_t n_classes) { return 4 * 8 * n_classes; }

// The weights of the categories of one feature at one leaf. For each category, the masses (weight
// times impurity) of its branch and of all other categories together are computed.
struct CategoricalCheck {
    const double* const* cells;  // [class][category]; three more doubles can be read
    std::size_t n_values;
    std::size_t n_classes;
    const double* known;  // [class]: weight of known values
    double* scratch;      // 4 * 2 * n_classes doubles
    double* mass;         // [category], rounded up to whole vectors
    double* rest;         // [category], rounded up to whole vectors
    double* weight;       // [category], rounded up to whole vectors
};

// The categories of one row at one leaf, as naive Bayes reads them.
struct CategoricalRow {
    const std::int32_t* codes;  // [feature]
    // The cells of feature c start at starts[c] and end at starts[c + 1]. Codes beyond them are new
    // to this leaf.
    const std::uint32_t* starts;
    std::size_t n_features;
    const double* const* cells;  // [class seen at the leaf]
    const std::size_t* classes;  // [class seen at the leaf]
    std::size_t n_classes;       // at least one
    const double* counts;        // [class]
    const double* const* known;  // [feature][class]; where null, `counts` is used
    const std::int32_t* values;  // [feature]: number of categories that the tree has seen
};

// Cuts of one numeric feature whose class weights are known.
struct ListCheck {
    const double* left;  // [cut][class]: weight at or below the threshold
    std::size_t n_cuts;
    std::size_t n_classes;
    const double* all;  // [class]: weight of known values
    double total;       // weight of the leaf, including missing values
    double least;       // weight that both branches must exceed
    double* scratch;    // numeric_scratch(n_classes) doubles
    double* gains;      // [cut], rounded up to whole vectors; -inf if the cut is not allowed
};

struct NumericView;  // cuts.hpp
// One linear unit with a step size per weight, its inputs, and the example it learns. All arrays
// are padded to whole vectors, with 0 in x after the last input.
struct LinearStep {
    const double* x;
    std::size_t n;
    double* weights;
    double* log_steps;
    double* traces;
    double* steps;  // output: the step sizes that were used
    double target;
    double theta;  // learning rate of the step sizes
    double w;      // weight of the example
};
inline constexpr double least_log_step = -10.0;
inline constexpr double most_log_step = 10.0;
inline constexpr double most_log_step_change = 2.0;
// Weights, traces and standardised inputs are limited to this, so that everything stays finite.
inline constexpr double most_linear = 1e6;

// Running moments of the numeric features over all classes, each [stride].
struct PooledMoments {
    double* known;  // weight of known values
    double* mean;
    double* squares;
};

// Rows of a race that are alike: in each cell, this many rows for which a forecast of the rival lost
// `at` and the leader `lost` (bound/wager.hpp). All arrays are padded to whole vectors; 0 rows add
// nothing.
struct WagerCells {
    const double* at;
    const double* lost;
    const double* rows;
    std::size_t n;
    double bet;
    double tolerance;
    double* slope;      // output: what a cell adds
    double* curvature;  // output, of forecasts only
};
// Sums over all rows.
struct WagerSums {
    double differences, squares, constant, wealth;
    double slack;  // by how much the tolerance helped at most, < 0: a lower bound
};

struct Kernels {
    const char* name;

    // Clips each value to +-2^450 and reports which rows have a missing value.
    void (*settle)(double* rows, std::size_t n, std::size_t stride, std::uint8_t* missing);
    // Does the same for n rows of some features, `step` bytes apart, and copies them into padded
    // rows. Flags in `missing` that are set stay set.
    void (*copy_rows)(const void* matrix, std::ptrdiff_t step, std::size_t n_features, double* rows,
                      std::size_t n, std::size_t stride, std::uint8_t* missing);

    // Whether each of n numbers, padded to whole vectors, is one of two given ones; `which` is set
    // for the second.
    bool (*one_or_two)(const double* x, const double* one, const double* two, std::size_t n,
                       std::int8_t* is_two);
    // Whether a value of n rows of a matrix is infinite.
    bool (*any_infinite)(const void* matrix, std::ptrdiff_t step, std::size_t n_features,
                         std::size_t n);

    // Welford's update of one class with a row without missing values.
    void (*learn)(double* planes, std::size_t n, const double* x, double w, double rate);
    // Does the same, updates the leaf's planes if there are any, and does what refresh() does.
    // Returns true if the range of a feature grew; then the other classes have to be refreshed.
    bool (*learn_bayes)(const GaussianClass&, const LeafRange&, std::size_t n, const double* x,
                        double w, double* base);
    // For rows with missing values. `known` holds one weight per feature, padded to whole vectors;
    // `leaf` may be null.
    bool (*learn_known)(double* planes, double* leaf, double* known, std::size_t n, const double* x,
                        double w);

    // Forgets a row that one class has learned. `rate` is w divided by the remaining weight. Minima
    // and maxima are not changed.
    void (*forget)(double* planes, std::size_t n, const double* x, double w, double rate);
    // For rows with missing values. Returns true if no value of some feature is left.
    bool (*forget_known)(double* planes, double* known, std::size_t n, const double* x, double w);

    // For naive Bayes: sets the precisions of one class, and returns the logarithm of its weight
    // plus half the sum of the log precisions.
    double (*refresh)(const GaussianClass&, const LeafRange&, std::size_t n);
    // base - sum over features of (x - mean)^2 * precision; -inf for a class without planes.
    void (*scores)(const double* const* planes, const double* base, std::size_t n_classes,
                   std::size_t n, const double* x, double* scores);
    // Gives the same bits if precisions are not stored.
    void (*lean_scores)(const LeafRange& found, const double* base, const double* counts,
                        std::size_t n, const double* x, double* scores);
    // Computes the planes of a leaf from those of its classes.
    void (*find_range)(double* const* classes, std::size_t n_classes, std::size_t n, double* leaf);
    // The variance of each feature within classes without missing values: the sum over the classes, in
    // their order, of a plane of squares, divided by the degrees of freedom. Any n.
    void (*pool_variances)(const double* const* squares, std::size_t n_classes, std::size_t n,
                           double freedom, double* pooled);
    // Half the sum of the log precisions minus the distance, computed from the statistics
    // themselves, over the usable features (1.0 or 0.0). If a class has too little weight for a
    // variance, the pooled variance of the feature is used.
    double (*full_score)(const GaussianClass&, const double* leaf, const double* usable,
                         const double* pooled, std::size_t n, const double* x);
    // The precisions that full_score() uses; 0 where a feature is not used.
    void (*full_precisions)(const GaussianClass&, const double* leaf, const double* usable,
                            const double* pooled, std::size_t n, double* out);

    // For each class seen, the sum of log((n_jk + 1) / (n_.k + v)) over the categorical features.
    // `scores` is padded to whole vectors.
    void (*categorical_scores)(const CategoricalRow&, double* scores);
    // exp(score - largest) / sum; -inf gives 0.
    void (*softmax)(double* scores, std::size_t n, std::size_t stride);

    // Scores a row in the branches on both sides of all thresholds, which then learn it. Features
    // in `open` are left out; their number is returned.
    std::size_t (*judge)(const JudgedRow&);

    // The points where the weighted densities of each pair of classes are equal, inside the range
    // of each feature: [two per pair][stride], NaN if there is none. `scratch` has 16 doubles per
    // class. Features with a class without spread are not computed; they are listed, and their
    // number is returned.
    std::size_t (*crossings)(const NumericView&, bool skip_equal_variance, double* thresholds,
                             double* scratch, std::uint32_t* points);
    // Sorts [n][stride] for each feature, ascending and without duplicates; the rest is NaN.
    void (*sort_thresholds)(double* thresholds, std::size_t n, std::size_t stride);
    // (x - mean) / sigma for each feature, padded to whole vectors; 0 if x is missing or sigma is
    // 0.
    void (*standardise)(const PooledMoments&, std::size_t stride, const double* x, double* out);
    // Learns the row first, so that the moments include its values.
    void (*learn_standardised)(const PooledMoments&, std::size_t stride, const double* x, double w,
                               double* out);
    double (*dot)(const double* a, const double* b, std::size_t n);  // n in whole vectors
    double (*linear_step)(const LinearStep&);  // returns the error before the step
    // weights + factor x in each of several planes, limited to +-most_linear. Any n.
    void (*step_along)(double* weights, std::size_t planes, std::size_t stride, const double* x,
                       std::size_t n, const double* factors);

    // What cells of a race add to the evidence, by lower bounds of logarithms (forecasts) or by the
    // logarithms themselves (labels, whose `at` and `lost` are 0 or 1).
    WagerSums (*wager_forecasts)(const WagerCells&);
    WagerSums (*wager_labels)(const WagerCells&);
    // The products of several planes with a row. Planes lie `stride` apart; n in whole vectors.
    void (*plane_values)(const double* weights, std::size_t planes, std::size_t stride,
                         std::size_t n, const double* x, double* values);
    // 1 / (1 + e^(-slope v)) and 1 minus it, padded to whole vectors. Exponents are limited to
    // `most`.
    void (*sigmoids)(const double* values, std::size_t n, double slope, double most, double* left,
                     double* right);
    // w - step (x - along w), scaled to length 1. `along` is the product of w and x, or 0 for a
    // plain step.
    void (*plane_step)(double* weights, const double* x, std::size_t n, double step, double along);

    // Indexed by the position of the impurity in AnyImpurity.
    using NumericGains = void (*)(const void* impurity, const NumericCheck&);
    // A rough estimate for all candidates, much cheaper than their gains. Null for impurities that
    // have none.
    using RoughNumericGains = void (*)(const NumericCheck&, const RoughGains&);
    using CategoricalMasses = double (*)(const void* impurity, const CategoricalCheck&);
    const NumericGains* numeric_gains;
    const RoughNumericGains* rough_gains;
    using ListGains = void (*)(const void* impurity, const ListCheck&);
    const ListGains* list_gains;
    const CategoricalMasses* categorical_masses;  // returns the mass of the whole

    // Weight of each class at or below a threshold.
    void (*left_masses)(const NumericCheck&, std::size_t feature, double threshold, double* left);
    // The same at every threshold of the check, as [candidate][class][stride].
    void (*all_left_masses)(const NumericCheck&, double* left);

    void (*normal_cdf)(const double* z, std::size_t n, double* out);
    void (*xlog2x)(const double* x, std::size_t n, double* out);
    void (*exponential)(const double* x, std::size_t n, double* out);
    void (*logarithm)(const double* x, std::size_t n, double* out);
};

// Chooses the set to use: the widest that the machine has.
const Kernels& choose_kernels() noexcept;
extern std::atomic<const Kernels*> chosen_kernels;  // null before the choice
// The set in use. This is inline because every row calls it more than once.
inline const Kernels& kernels() noexcept {
    const Kernels* const k = chosen_kernels.load(std::memory_order_relaxed);
    return k ? *k : choose_kernels();
}
// Finds a set by name; null if this machine or build does not have it.
inline constexpr const char* kernel_names[] = {"baseline", "avx2", "avx512"};
const Kernels* kernels_named(const char* name) noexcept;
// For tests: makes kernels() return this set from now on.
void use_kernels(const Kernels&) noexcept;

namespace baseline {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}

}  // namespace riparian
