// The kernels, written once. baseline.cpp, avx2.cpp and avx512.cpp compile them for their own
// instruction sets. Only functions of the namespace RIPARIAN_ISA are called here.
#include "../impurity/any.hpp"
#include "crossings.ipp"
#include "functions.hpp"
#include "judging.ipp"
#include "kernels.hpp"

namespace riparian::RIPARIAN_ISA {
namespace {

constexpr double largest = largest_value;
constexpr double least_variance = 1e-280;  // keeps 1 / (2 sigma^2) finite,
constexpr double most_variance = 1e300;    // and normal
constexpr double infinity = __builtin_inf();

// sigma is at least this share of the feature's range at the leaf.
constexpr double least_spread = 1e-3;

// The order matters: later parts use earlier ones.
#include "vectors.ipp"
#include "rows.ipp"
#include "moments.ipp"
#include "scores.ipp"
#include "gains.ipp"
#include "linear.ipp"
#include "planes.ipp"
#include "wagers.ipp"
#include "counted_gains.ipp"

// The kernels of each impurity, in the order of AnyImpurity. A user's own impurity has none.
template <class Impurity>
constexpr bool is_native = requires(const Impurity i, const Lanes* c) { i.mass(c, 1, Lanes(1.0)); };

template <class Impurity>
constexpr Kernels::NumericGains gains_kernel() {
    if constexpr (is_native<Impurity>) return &numeric_gains<Impurity>;
    return nullptr;
}
template <class Impurity>
constexpr Kernels::RoughNumericGains rough_kernel() {
    if constexpr (requires { Impurity::template Rough<Lanes>::error; })
        return &rough_gains<Impurity>;
    return nullptr;
}
template <class Impurity>
constexpr Kernels::ListGains list_kernel() {
    if constexpr (is_native<Impurity>) return &list_gains<Impurity>;
    return nullptr;
}
template <class Impurity>
constexpr Kernels::CategoricalMasses masses_kernel() {
    if constexpr (is_native<Impurity>) return &categorical_masses<Impurity>;
    return nullptr;
}

template <class Variant>
struct Tables;
template <template <class...> class Variant, class... Impurity>
struct Tables<Variant<Impurity...>> {
    static constexpr Kernels::NumericGains numeric[] = {gains_kernel<Impurity>()...};
    static constexpr Kernels::RoughNumericGains rough[] = {rough_kernel<Impurity>()...};
    static constexpr Kernels::ListGains list[] = {list_kernel<Impurity>()...};
    static constexpr Kernels::CategoricalMasses categorical[] = {masses_kernel<Impurity>()...};
};

}  // namespace

const Kernels table = {
    RIPARIAN_ISA_NAME,
    settle,
    copy_rows,
    one_or_two,
    any_infinite,
    learn,
    learn_bayes,
    learn_known,
    forget,
    forget_known,
    refresh,
    scores,
    lean_scores,
    find_range,
    pool_variances,
    full_score,
    full_precisions,
    categorical_scores,
    softmax,
    judge,
    crossings,
    sort_thresholds,
    standardise,
    learn_standardised,
    dot,
    linear_step,
    step_along,
    wager_forecasts,
    wager_labels,
    plane_values,
    sigmoids,
    plane_step,
    Tables<AnyImpurity>::numeric,
    Tables<AnyImpurity>::rough,
    Tables<AnyImpurity>::list,
    Tables<AnyImpurity>::categorical,
    left_masses,
    all_left_masses,
    [](const double* z, std::size_t n, double* out) {
        each_number(z, n, out, RIPARIAN_NUMBER(x) { return normal_cdf(x); });
    },
    [](const double* x, std::size_t n, double* out) {
        each_number(x, n, out, RIPARIAN_NUMBER(x) { return xlog2x(x); });
    },
    [](const double* x, std::size_t n, double* out) {
        each_number(x, n, out, RIPARIAN_NUMBER(x) { return exp(x); });
    },
    [](const double* x, std::size_t n, double* out) {
        each_number(x, n, out, RIPARIAN_NUMBER(x) { return log(x); });
    },
};

}  // namespace riparian::RIPARIAN_ISA
