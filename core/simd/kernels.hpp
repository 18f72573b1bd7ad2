// The loops that touch every row or every candidate, in the fastest
// instruction set that this machine has. All sets give the same bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../data/row.hpp"
#include "judging.hpp"

namespace riparian {

// Numeric values beyond it are taken for it, so that squares times weights stay finite.
inline constexpr double largest_value = 0x1p450;

// A numeric plane is one double a feature. The statistics of one class at one leaf are
// planes in this order, end to end, with three doubles after them that can be read.
enum Plane : std::size_t { mean, squares, low, high, precision };
// What a leaf keeps over all its classes (naive Bayes only).
enum LeafPlane : std::size_t { leaf_low, leaf_high };

inline constexpr std::size_t class_planes = 4;        // without precision
inline constexpr std::size_t bayes_class_planes = 5;  // precision: 1 / (2 sigma^2)
inline constexpr std::size_t bayes_leaf_planes = 2;

// Which variance a check takes for a class of weight W, from the centred squares M.
enum class Variance : std::uint8_t {
    sample,      // M / (W - 1); 0 if W <= 1
    population,  // M / W, at least 1e-6: the released code of mDT
};
inline constexpr double least_population_variance = 1e-6;

// The range of a leaf's values: kept with the leaf, found before, or to be found among its classes.
struct LeafRange {
    double* planes;          // null: to be found
    double* const* classes;  // [class]: null where it was not seen
    std::size_t n_classes;
    bool kept;  // false: nor do its classes keep precisions
};

// One class at a leaf, as a check or naive Bayes sees it.
struct GaussianClass {
    double* planes;
    const double* known;  // weight of known values a feature; null: `weight` for all
    double weight;
};

// Tables of all numeric candidates of one leaf, and where their gains go.
struct NumericCheck {
    const GaussianClass* classes;
    std::size_t n_classes;
    std::size_t n_features;    // doubles in a plane of a class
    std::size_t stride;        // the same in whole vectors
    const double* thresholds;  // [candidate][stride]; NaN: no candidate
    std::size_t n_candidates;
    double total;  // weight at the leaf, known or not
    double min_branch_fraction;
    bool clip_to_range;
    Variance variance;
    double* scratch;  // numeric_scratch(n_classes) doubles
    double* gains;    // [candidate][stride]; -inf: refused
};

// Limits of the gains of each numeric feature, [stride]; -inf: no candidate.
struct RoughGains {
    double* most;    // no candidate of it gains more
    double* least;   // one gains at least this,
    double* second;  // and another at least this
};

inline constexpr std::size_t numeric_scratch(std::size_t n_classes) { return 4 * 8 * n_classes; }

// The weights of values of categorical features at one leaf, and per value the mass
// (weight times impurity) of the value's branch and of all others together.
struct CategoricalCheck {
    const double* const* cells;  // [class][value], and three doubles that can be read
    std::size_t n_values;
    std::size_t n_classes;
    const double* known;  // [class]: weight of known values
    double* scratch;      // 4 * 2 * n_classes doubles
    double* mass;         // [value], rounded up to whole vectors
    double* rest;         // likewise
    double* weight;       // likewise
};

// The categories of one row at one leaf, as naive Bayes sees them.
struct CategoricalRow {
    const std::int32_t* codes;  // [feature]
    // The cells of feature c are those from starts[c] on, up to starts[c + 1]: codes past them are
    // new to this leaf.
    const std::uint32_t* starts;
    std::size_t n_features;
    const double* const* cells;  // [class seen at the leaf]
    const std::size_t* classes;  // [class seen at the leaf]
    std::size_t n_classes;       // at least one
    const double* counts;        // [class]
    const double* const* known;  // [feature][class]; null, for one of them or all: `counts`
    const std::int32_t* values;  // [feature] how many the tree has seen
};

// Cuts of one numeric feature whose class weights are known.
struct ListCheck {
    const double* left;  // [cut][class]: weight at or below it
    std::size_t n_cuts;
    std::size_t n_classes;
    const double* all;  // [class]: weight of known values
    double total;       // weight at the leaf, known or not
    double least;       // weight that both branches must exceed
    double* scratch;    // numeric_scratch(n_classes) doubles
    double* gains;      // [cut], rounded up to whole vectors; -inf: refused
};

struct NumericView;  // cuts.hpp
// One unit with a step size a weight, its inputs, and the example it learns. All arrays
// are whole vectors; what is past the last input is 0 in x.
struct LinearStep {
    const double* x;
    std::size_t n;
    double* weights;
    double* log_steps;
    double* traces;
    double* steps;  // the step sizes taken, to be filled
    double target;
    double theta;  // the step size of the step sizes
    double w;      // of the example
};
inline constexpr double least_log_step = -10.0;
inline constexpr double most_log_step = 10.0;
inline constexpr double most_log_step_change = 2.0;
// Weights, traces and standardised inputs are kept within it, so that all stays finite.
inline constexpr double most_linear = 1e6;

// Running moments of the numeric features over all classes, each [stride].
struct PooledMoments {
    double* known;  // weight of known values
    double* mean;
    double* squares;
};

struct Kernels {
    const char* name;

    // Clamps each value into +-2^450, and tells which rows have a missing one.
    void (*settle)(double* rows, std::size_t n, std::size_t stride, std::uint8_t* missing);
    // The same for n rows of some features, `step` bytes apart, copied into padded rows;
    // `missing` stays set where it was.
    void (*copy_rows)(const void* matrix, std::ptrdiff_t step, std::size_t n_features,
                      double* rows, std::size_t n, std::size_t stride, std::uint8_t* missing);

    // Whether each of n numbers, in whole vectors, is one of two; which tells the second.
    bool (*one_or_two)(const double* x, const double* one, const double* two, std::size_t n,
                       std::int8_t* is_two);
    // Whether a value of n rows of a matrix is infinite.
    bool (*any_infinite)(const void* matrix, std::ptrdiff_t step, std::size_t n_features,
                         std::size_t n);

    // Welford's update of one class with a row whose values are all known.
    void (*learn)(double* planes, std::size_t n, const double* x, double w, double rate);
    // The same, and the leaf's planes if there are any, and what refresh() does; true if the
    // range of a feature grew, which the other classes must be told.
    bool (*learn_bayes)(const GaussianClass&, const LeafRange&, std::size_t n, const double* x,
                        double w, double* base);
    // With missing values: `known` holds a weight a feature, in whole vectors; `leaf` may
    // be null.
    bool (*learn_known)(double* planes, double* leaf, double* known, std::size_t n,
                        const double* x, double w);

    // Takes a row back that one class has learned: `rate` is w over the weight that is left.
    // Minima and maxima stay.
    void (*forget)(double* planes, std::size_t n, const double* x, double w, double rate);
    // With missing values; true if no value of some feature is left.
    bool (*forget_known)(double* planes, double* known, std::size_t n, const double* x, double w);

    // Naive Bayes: sets the precision of one class, returns the logarithm of its
    // weight plus half the sum of log precision.
    double (*refresh)(const GaussianClass&, const LeafRange&, std::size_t n);
    // base - sum over features of (x - mean)^2 * precision; -inf for a class without planes.
    void (*scores)(const double* const* planes, const double* base, std::size_t n_classes,
                   std::size_t n, const double* x, double* scores);
    // The same bits, where no precision is kept.
    void (*lean_scores)(const LeafRange& found, const double* base, const double* counts,
                        std::size_t n, const double* x, double* scores);
    // The planes of a leaf, from those of its classes.
    void (*find_range)(double* const* classes, std::size_t n_classes, std::size_t n, double* leaf);
    // Half the sum of log precision minus the distance, from the statistics
    // themselves, over the usable features (1.0 or 0.0). Where a class has too
    // little weight for a variance of its own, the pooled one of the feature serves.
    double (*full_score)(const GaussianClass&, const double* leaf, const double* usable,
                         const double* pooled, std::size_t n, const double* x);

    // Per class seen the sum of log((n_jk + 1) / (n_.k + v)) over categorical features;
    // `scores` is whole vectors.
    void (*categorical_scores)(const CategoricalRow&, double* scores);
    // exp(score - largest) / sum; -inf gives 0.
    void (*softmax)(double* scores, std::size_t n, std::size_t stride);

    // Scores the branches beside all thresholds on a row, which they then learn; but for
    // `open` ones, whose number is returned.
    std::size_t (*judge)(const JudgedRow&);

    // Where the weighted densities of each pair of classes meet inside the range of a
    // feature, [two a pair][stride]; NaN: nowhere. `scratch` is 16 doubles a class. Features
    // with a class that has no spread are left to the caller: listed, and counted.
    std::size_t (*crossings)(const NumericView&, bool skip_equal_variance, double* thresholds,
                             double* scratch, std::uint32_t* points);
    // [n][stride] ascending a feature, each once; NaN in other places.
    void (*sort_thresholds)(double* thresholds, std::size_t n, std::size_t stride);
    // (x - mean) / sigma by feature, in whole vectors; 0 where x is missing or sigma is 0.
    void (*standardise)(const PooledMoments&, std::size_t stride, const double* x, double* out);
    // Learns the row first, so that its own values are in the moments.
    void (*learn_standardised)(const PooledMoments&, std::size_t stride, const double* x, double w,
                               double* out);
    double (*dot)(const double* a, const double* b, std::size_t n);  // n: whole vectors
    double (*linear_step)(const LinearStep&);  // returns the error before the step

    // Hyperplanes, [plane][n] in whole vectors: their products with a row.
    void (*plane_values)(const double* weights, std::size_t planes, std::size_t n, const double* x,
                         double* values);
    // 1 / (1 + e^(-slope v)) and 1 minus it, in whole vectors; exponents are at most `most`.
    void (*sigmoids)(const double* values, std::size_t n, double slope, double most, double* left,
                     double* right);
    // w - step (x - along w), made as long as 1; `along` is w x, or 0 for a plain step.
    void (*plane_step)(double* weights, const double* x, std::size_t n, double step, double along);

    // Indexed by the impurity's place in AnyImpurity.
    using NumericGains = void (*)(const void* impurity, const NumericCheck&);
    // A rough look at all candidates, much cheaper than their gains; null for impurities
    // that have none.
    using RoughNumericGains = void (*)(const NumericCheck&, const RoughGains&);
    using CategoricalMasses = double (*)(const void* impurity, const CategoricalCheck&);
    const NumericGains* numeric_gains;
    const RoughNumericGains* rough_gains;
    using ListGains = void (*)(const void* impurity, const ListCheck&);
    const ListGains* list_gains;
    const CategoricalMasses* categorical_masses;  // returns the mass of the whole

    // Weight of each class at or below a threshold.
    void (*left_masses)(const NumericCheck&, std::size_t feature, double threshold, double* left);
    // The same at every threshold of the check, [candidate][class][stride].
    void (*all_left_masses)(const NumericCheck&, double* left);

    void (*normal_cdf)(const double* z, std::size_t n, double* out);
    void (*xlog2x)(const double* x, std::size_t n, double* out);
    void (*exponential)(const double* x, std::size_t n, double* out);
    void (*logarithm)(const double* x, std::size_t n, double* out);
};

// Chooses the set in use: the widest that the machine has.
const Kernels& choose_kernels() noexcept;
extern std::atomic<const Kernels*> chosen_kernels;  // null: not yet
// The set in use; in line, as every row asks for it more than once.
inline const Kernels& kernels() noexcept {
    const Kernels* const k = chosen_kernels.load(std::memory_order_relaxed);
    return k ? *k : choose_kernels();
}
// By name; null where this machine or build has none.
inline constexpr const char* kernel_names[] = {"baseline", "avx2", "avx512"};
const Kernels* kernels_named(const char* name) noexcept;
// For tests: makes `kernels()` answer with this set from now on.
void use_kernels(const Kernels&) noexcept;

namespace baseline { extern const Kernels table; }
namespace avx2 { extern const Kernels table; }
namespace avx512 { extern const Kernels table; }

}  // namespace riparian
