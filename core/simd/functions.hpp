// Logarithm, exponential and normal distribution over lanes.
//
// The libm of the machine is not used for results that a model depends on, because its last bit
// differs between systems and between processors with and without fused multiply-add. These
// functions use only + - * / and bit operations, which IEEE 754 defines exactly. Polynomials are
// summed in pairs (Estrin), because each step of a plain Horner scheme waits for the one before;
// that made learning LED 1.3 times slower.
#pragma once

#include "lanes.hpp"

namespace riparian::RIPARIAN_ISA {

// x = 2^exponent * mantissa with mantissa in [sqrt(1/2), sqrt(2)), for normal x > 0.
template <class L>
struct Parts {
    L exponent;
    L mantissa;
};

template <class L>
RIPARIAN_INLINE Parts<L> parts(L x) {
    constexpr unsigned long long root = 0x3FE6A09E667F3BCDULL;  // sqrt(1/2)
    const typename L::Bits u = x.bits() + (0x3FF0000000000000ULL - root);
    const typename L::Bits m = (u & 0x000FFFFFFFFFFFFFULL) + root;
    const typename L::Bits e = (u >> 52) | 0x4330000000000000ULL;  // 2^52 + biased exponent
    return {L::of_bits(e) - L(4503599627370496.0 + 1023.0), L::of_bits(m)};
}

// The logarithm of a mantissa: 2 atanh(s), s = (m-1)/(m+1), by a polynomial in s^2 with an error of
// 5e-18 (Chebyshev nodes on s^2 in [0, 0.0295]).
template <class L>
RIPARIAN_INLINE L log_by_ratio(L s) {
    const L z = s * s;
    const L z2 = z * z;
    const L p =
        (z * 0.19999999999949752 + 0.3333333333333335) +
        (z * 0.1111110556739754 + 0.14285714312987743) * z2 +
        ((z * 0.07665860800278021 + 0.09091444562630861) + z2 * 0.07308224842521703) * (z2 * z2);
    const L twice = s + s;
    return twice + twice * (z * p);
}

template <class L>
RIPARIAN_INLINE L log_mantissa(L m) {
    return log_by_ratio((m - 1.0) / (m + 1.0));
}

template <class L>
RIPARIAN_INLINE L log_of(Parts<L> x) {
    // ln 2 in two pieces; the first has trailing zeros, so exponent * high is exact.
    return x.exponent * 0x1.62e42fefa38p-1 +
           (log_mantissa(x.mantissa) + x.exponent * 0x1.ef35793c7673p-45);
}

// ln x, for normal x > 0.
template <class L>
RIPARIAN_INLINE L log(L x) {
    return log_of(parts(x));
}

// x log2 x for x >= 0. It is 0 at 0, because the logarithm computed from the bits of zero is
// finite.
template <class L>
RIPARIAN_INLINE L xlog2x(L x) {
    const Parts<L> p = parts(x);
    return x * (p.exponent + log_mantissa(p.mantissa) * 1.4426950408889634);
}

// x log2 x + y log2 y, with one division for both.
template <class L>
RIPARIAN_INLINE L xlog2x(L x, L y) {
    const Parts<L> p = parts(x);
    const Parts<L> q = parts(y);
    const L below_p = p.mantissa + 1.0;
    const L below_q = q.mantissa + 1.0;
    const L inverse = L(1.0) / (below_p * below_q);
    const L log_p = log_by_ratio((p.mantissa - 1.0) * (below_q * inverse));
    const L log_q = log_by_ratio((q.mantissa - 1.0) * (below_p * inverse));
    return x * (p.exponent + log_p * 1.4426950408889634) +
           y * (q.exponent + log_q * 1.4426950408889634);
}

// e^x for x in [-708, 709].
template <class L>
RIPARIAN_INLINE L bounded_exp(L x) {
    constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: rounds to an integer
    const L shifted = x * 1.4426950408889634 + shift;
    const L k = shifted - shift;
    const L r = (x - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    const L r2 = r * r;
    const L r4 = r2 * r2;
    const L low = (r + 1.0) + (r * (1.0 / 6.0) + 0.5) * r2;
    const L middle = (r * (1.0 / 120.0) + 1.0 / 24.0) + (r * (1.0 / 5040.0) + 1.0 / 720.0) * r2;
    const L high =
        (r * (1.0 / 362880.0) + 1.0 / 40320.0) + (r * (1.0 / 39916800.0) + 1.0 / 3628800.0) * r2;
    const L p = low + middle * r4 + (high + r4 * (1.0 / 479001600.0)) * (r4 * r4);
    return L::of_bits(p.bits() + (shifted.bits() << 52));
}

// e^x, but 0 below -708, and the value at 709 above that.
template <class L>
RIPARIAN_INLINE L exp(L x) {
    return select(x < -708.0, 0.0, bounded_exp(max(min(x, 709.0), -708.0)));
}

// The normal distribution function with an absolute error of 1e-15:
//
//     Phi(-a) = exp(-a^2/2) E(a/sqrt 2) / 2
//
// where E = erfcx is a polynomial in t = 1/(1 + x/4), fitted at Chebyshev nodes on x in [0, 6.2].
template <class L>
RIPARIAN_INLINE L normal_cdf(L z) {
    const L x = min(abs(z), 8.6) * 0.7071067811865476;
    const L t = L(1.0) / (L(1.0) + x * 0.25);
    const L u = t * 3.2903225806451615 - 2.2903225806451615;
    const L u2 = u * u;
    const L u4 = u2 * u2;
    const L a = (u * 0.32961043419911523 + 0.2854341114017983) +
                (u * 0.10846332103569736 + 0.20861363014317216) * u2;
    const L b = (u * 0.016107507257406138 + 0.046360622032239056) +
                (u * 0.0008919442095045983 + 0.004417089964446134) * u2;
    const L c = (u * -1.8670307071500216e-06 + 0.00010689648142092877) +
                (u * -4.126881087689235e-07 + -3.356923118965734e-06) * u2;
    const L d = (u * 1.9523168900539568e-08 + 6.190328815164244e-08) +
                (u * -6.659500564139913e-10 + -8.433730938458961e-10) * u2;
    const L p = (a + b * u4) + (c + d * u4) * (u4 * u4);
    const L tail = bounded_exp(0.0 - x * x) * (p * 0.5);
    return select(z < 0.0, tail, L(1.0) - tail);
}

// For rough estimates: the normal distribution function within [0, 1] with an error of at most
// rough_share_error, and the entropy in bits of that share and the rest with an error of at most
// rough_entropy_error. Both are minimax polynomials in z^2 on [-3.5, 3.5].
template <class L>
struct RoughShare {
    L share, entropy;
};

template <class L>
RIPARIAN_INLINE RoughShare<L> rough_normal_cdf(L z) {
    const L x = max(min(z, 3.5), -3.5);
    const L s = x * x;
    const L s2 = s * s;
    const L s4 = s2 * s2;
    const L p = (s * -0.0647728908290601 + 0.3982656018558456) +
                (s * -0.0007604485048230446 + 0.008700008636586338) * s2 +
                (s * -7.909717383197353e-07 + 3.768257320330214e-05) * s4;
    const L h = (s * -0.44786090085402125 + 0.9983170173304152) +
                (s * -0.010289914027030696 + 0.09174766756692004) * s2 +
                (s * -1.442107803546077e-05 + 0.0006046192864408997) * s4;
    return {x * p + 0.5, h};
}

// The entropy in bits of p and 1 - p for p in [0, 1], with an error of at most 1.03e-4. log2 of a
// mantissa m is a minimax polynomial in m - 1.
template <class L>
RIPARIAN_INLINE L rough_entropy(L p) {
    const auto rough_log2 = [](L x) __attribute__((always_inline)) {
        const Parts<L> of = parts(x);
        const L r = of.mantissa - 1.0;
        const L r2 = r * r;
        return of.exponent + ((r * -0.7249041794837685 + 1.441760567788723) * r +
                              (r * -0.3296304388484821 + 0.5175102680344503) * (r * r2));
    };
    const L q = L(1.0) - p;
    return L(0.0) - (p * rough_log2(p) + q * rough_log2(q));
}

// A sum of many logarithms for the cost of one: mantissas are multiplied and exponents added. Each
// value must be a normal positive number.
class SumOfLogs {
public:
    RIPARIAN_INLINE void add(Lanes x) {
        const Parts<Lanes> p = parts(x);
        product_ *= p.mantissa;
        exponent_ += p.exponent;
        if (++count_ == 1024) settle();  // each mantissa is within 2^(+-1/2)
    }
    // Gives the same bits for numbers from 1 to a little above most_small, at lower cost. Call
    // settle() after every small_ones of them.
    static constexpr double most_small = 0x1p40;
    static constexpr int small_ones = 24;
    RIPARIAN_INLINE void add_small(Lanes x) { product_ *= x; }
    RIPARIAN_INLINE void settle() {
        const Parts<Lanes> p = parts(product_);
        product_ = p.mantissa;
        exponent_ += p.exponent;
        count_ = 0;
    }
    RIPARIAN_INLINE Lanes lanes() const {
        const Parts<Lanes> p = parts(product_);
        return log_of(Parts<Lanes>{p.exponent + exponent_, p.mantissa});
    }
    RIPARIAN_INLINE double total() const { return lanes().sum(); }

private:
    Lanes product_ = 1.0;
    Lanes exponent_ = 0.0;
    int count_ = 0;
};

}  // namespace riparian::RIPARIAN_ISA
