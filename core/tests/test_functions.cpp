// The kernels' logarithm, exponential and normal distribution, compared with long double.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../simd/kernels.hpp"
#include "../simd/scalar.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double value_of(void (*function)(const double*, std::size_t, double*), double x) {
    double y = 0.0;
    function(&x, 1, &y);
    return y;
}

double relative(double got, long double want) {
    if (want == 0.0L) return got == 0.0 ? 0.0 : infinity;
    return static_cast<double>(std::fabs((static_cast<long double>(got) - want) / want));
}

// A normal positive number of any size: its bits are uniform.
double any_positive(examples::Dice& dice) {
    const std::uint64_t least = 0x0010000000000000ULL, most = 0x7FEFFFFFFFFFFFFFULL;
    return std::bit_cast<double>(least + dice.bits() % (most - least));
}

void check_logarithm(const Kernels& k) {
    examples::Dice dice(1);
    double worst = 0.0;
    for (int i = 0; i < 300'000; ++i) {
        const double x = i % 3 == 0   ? any_positive(dice)
                         : i % 3 == 1 ? 1.0 + (dice.uniform() - 0.5) * std::pow(2.0, -(i % 52))
                                      : dice.uniform() * 1e4 + 1e-300;
        worst = std::max(worst,
                         relative(value_of(k.logarithm, x), std::log(static_cast<long double>(x))));
    }
    std::printf("%s: logarithm within %.3g\n", k.name, worst);
    CHECK(worst <= 4e-16);
    CHECK(value_of(k.logarithm, 1.0) == 0.0);
    CHECK(relative(value_of(k.logarithm, 2.2250738585072014e-308), -708.3964185322641062L) <=
          4e-16);
    CHECK(relative(value_of(k.logarithm, 1.7976931348623157e308), 709.7827128933839731L) <= 4e-16);
}

void check_xlog2x(const Kernels& k) {
    examples::Dice dice(2);
    double worst = 0.0;
    for (int i = 0; i < 300'000; ++i) {
        const double x = i % 2 ? any_positive(dice) : dice.uniform() * 1e6;
        const long double want = x * std::log2(static_cast<long double>(x));
        if (std::fabs(want) > 1e308L || std::fabs(want) < 1e-300L) continue;
        // Near 1 the logarithm is small compared with the rounding of its sum.
        const double got = value_of(k.xlog2x, x);
        worst = std::max(worst, static_cast<double>(std::fabs(got - want) /
                                                    std::max(std::fabs(want), (long double)x)));
    }
    std::printf("%s: x log2 x within %.3g\n", k.name, worst);
    CHECK(worst <= 1e-15);
    for (int e = -1000; e <= 1000; ++e) {
        const double x = std::ldexp(1.0, e);
        CHECK(value_of(k.xlog2x, x) == x * e);
    }
    CHECK(value_of(k.xlog2x, 0.0) == 0.0);
    // The result is close to 0 for denormals and for rounding errors below zero.
    for (const double x : {5e-324, 1e-310, -1e-17}) CHECK(std::abs(value_of(k.xlog2x, x)) <= 1e-13);
}

void check_exponential(const Kernels& k) {
    examples::Dice dice(3);
    double worst = 0.0;
    for (int i = 0; i < 300'000; ++i) {
        const double x = i % 2 ? -708.0 + 1417.0 * dice.uniform() : 2.0 * dice.uniform() - 1.0;
        worst = std::max(
            worst, relative(value_of(k.exponential, x), std::exp(static_cast<long double>(x))));
    }
    std::printf("%s: exponential within %.3g\n", k.name, worst);
    CHECK(worst <= 5e-16);
    CHECK(value_of(k.exponential, 0.0) == 1.0);
    CHECK(value_of(k.exponential, -0.0) == 1.0);
    for (const double x : {-708.5, -1e4, -1e308, -infinity})
        CHECK(value_of(k.exponential, x) == 0.0);
}

void check_normal_cdf(const Kernels& k) {
    examples::Dice dice(4);
    long double worst = 0.0L;
    for (int i = 0; i < 300'000; ++i) {
        const double z = i % 4 == 0 ? 80.0 * (dice.uniform() - 0.5) : 20.0 * (dice.uniform() - 0.5);
        const long double want = 0.5L * std::erfc(-static_cast<long double>(z) / std::sqrt(2.0L));
        worst = std::max(worst, std::fabs(value_of(k.normal_cdf, z) - want));
    }
    std::printf("%s: normal distribution within %.3Lg\n", k.name, worst);
    CHECK(worst <= 1e-15L);
    CHECK(std::abs(value_of(k.normal_cdf, 0.0) - 0.5) <= 1e-15);
    for (const double z : {9.0, 1e10, 1e308, infinity}) {
        CHECK(value_of(k.normal_cdf, z) == 1.0);
        CHECK(value_of(k.normal_cdf, -z) >= 0.0 && value_of(k.normal_cdf, -z) <= 1e-15);
    }
    // The result is a share of a weight, so it is never outside [0, 1].
    for (double z = -9.0; z <= 9.0; z += 1e-4) {
        const double share = value_of(k.normal_cdf, z);
        CHECK(share >= 0.0 && share <= 1.0);
    }
}

void check_single_numbers(const Kernels& k) {
    examples::Dice dice(5);
    for (int i = 0; i < 10'000; ++i) {
        const double x = any_positive(dice);
        CHECK(ln(x) == value_of(k.logarithm, x));
    }
    for (int e = 0; e <= 16; ++e) CHECK(riparian::log2(std::ldexp(1.0, e)) == e);
}

template <class Test>
void for_each_set(const Test& test) {
    for (const char* const name : kernel_names) {
        if (const Kernels* const k = kernels_named(name)) test(*k);
    }
}

CASE(the_logarithm_is_exact_enough) { for_each_set(check_logarithm); }
CASE(x_log2_x_is_exact_enough) { for_each_set(check_xlog2x); }
CASE(the_exponential_is_exact_enough) { for_each_set(check_exponential); }
CASE(the_normal_distribution_is_exact_enough) { for_each_set(check_normal_cdf); }
CASE(single_numbers_have_the_same_bits) { for_each_set(check_single_numbers); }

}  // namespace
