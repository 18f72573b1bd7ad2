// Logarithm, exponential and normal distribution over lanes.
//
// The machine's libm is not used where a model depends on the result: its last
// bit differs between systems and between processors with and without fused
// multiply-add. These use only + - * / and bit operations, which IEEE 754 fixes.
#pragma once

#include "lanes.hpp"

namespace riparian::RIPARIAN_ISA {

// x = 2^exponent * mantissa with mantissa in [sqrt(1/2), sqrt(2)), for normal x > 0.
struct Parts {
    Lanes exponent;
    Lanes mantissa;
};

RIPARIAN_INLINE Parts parts(Lanes x) {
    constexpr unsigned long long root = 0x3FE6A09E667F3BCDULL;  // sqrt(1/2)
    const Lanes::Bits u = x.bits() + (0x3FF0000000000000ULL - root);
    const Lanes::Bits m = (u & 0x000FFFFFFFFFFFFFULL) + root;
    const Lanes::Bits e = (u >> 52) | 0x4330000000000000ULL;  // 2^52 + biased exponent
    return {Lanes::of_bits(e) - Lanes(4503599627370496.0 + 1023.0), Lanes::of_bits(m)};
}

// ln of a mantissa: 2 atanh(s), s = (m-1)/(m+1), by a polynomial in s^2 fitted to
// 5e-18 (Chebyshev nodes on s^2 in [0, 0.0295]).
RIPARIAN_INLINE Lanes log_mantissa(Lanes m) {
    const Lanes s = (m - 1.0) / (m + 1.0);
    const Lanes z = s * s;
    Lanes p = 0.07308224842521703;
    p = p * z + 0.07665860800278021;
    p = p * z + 0.09091444562630861;
    p = p * z + 0.1111110556739754;
    p = p * z + 0.14285714312987743;
    p = p * z + 0.19999999999949752;
    p = p * z + 0.3333333333333335;
    const Lanes twice = s + s;
    return twice + twice * (z * p);
}

RIPARIAN_INLINE Lanes log_of(Parts x) {
    // ln 2 in two pieces; the first has trailing zeros, so exponent * high is exact.
    return x.exponent * 0x1.62e42fefa38p-1 +
           (log_mantissa(x.mantissa) + x.exponent * 0x1.ef35793c7673p-45);
}

// ln x, for normal x > 0.
RIPARIAN_INLINE Lanes log(Lanes x) { return log_of(parts(x)); }

// x log2 x, and 0 at 0 (and below the smallest normal number).
RIPARIAN_INLINE Lanes xlog2x(Lanes x) {
    const Parts p = parts(x);
    const Lanes log2 = p.exponent + log_mantissa(p.mantissa) * 1.4426950408889634;
    return select(x >= 2.2250738585072014e-308, x * log2, 0.0);
}

// e^x for x <= 709; 0 below -708.
RIPARIAN_INLINE Lanes exp(Lanes x) {
    const Lanes bounded = max(min(x, 709.0), -708.0);
    constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: rounds to an integer
    const Lanes shifted = bounded * 1.4426950408889634 + shift;
    const Lanes k = shifted - shift;
    const Lanes r = (bounded - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    Lanes p = 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const Lanes power = Lanes::of_bits(p.bits() + (shifted.bits() << 52));
    return select(x < -708.0, 0.0, power);
}

// The normal distribution function, to 1e-15 absolute:
// Phi(-a) = exp(-a^2/2) E(a/sqrt 2) / 2 with E = erfcx as a polynomial in
// t = 1/(1 + x/4), fitted at Chebyshev nodes on x in [0, 6.2].
RIPARIAN_INLINE Lanes normal_cdf(Lanes z) {
    const Lanes x = min(max(z, 0.0 - z), 8.6) * 0.7071067811865476;
    const Lanes t = Lanes(1.0) / (Lanes(1.0) + x * 0.25);
    const Lanes u = t * 3.2903225806451615 - 2.2903225806451615;
    Lanes p = -6.659500564139913e-10;
    p = p * u + -8.433730938458961e-10;
    p = p * u + 1.9523168900539568e-08;
    p = p * u + 6.190328815164244e-08;
    p = p * u + -4.126881087689235e-07;
    p = p * u + -3.356923118965734e-06;
    p = p * u + -1.8670307071500216e-06;
    p = p * u + 0.00010689648142092877;
    p = p * u + 0.0008919442095045983;
    p = p * u + 0.004417089964446134;
    p = p * u + 0.016107507257406138;
    p = p * u + 0.046360622032239056;
    p = p * u + 0.10846332103569736;
    p = p * u + 0.20861363014317216;
    p = p * u + 0.32961043419911523;
    p = p * u + 0.2854341114017983;
    const Lanes tail = exp(0.0 - x * x) * (p * 0.5);
    return select(z < 0.0, tail, Lanes(1.0) - tail);
}

// A sum of many logarithms at the price of one: mantissas are multiplied,
// exponents added. Each value must be a normal positive number.
class SumOfLogs {
public:
    RIPARIAN_INLINE void add(Lanes x) {
        const Parts p = parts(x);
        product_ *= p.mantissa;
        exponent_ += p.exponent;
        if (++count_ == 1024) settle();  // mantissas lie within 2^(+-1/2)
    }
    RIPARIAN_INLINE Lanes lanes() const {
        const Parts p = parts(product_);
        return log_of({p.exponent + exponent_, p.mantissa});
    }
    RIPARIAN_INLINE double total() const { return lanes().sum(); }

private:
    RIPARIAN_INLINE void settle() {
        const Parts p = parts(product_);
        product_ = p.mantissa;
        exponent_ += p.exponent;
        count_ = 0;
    }

    Lanes product_ = 1.0;
    Lanes exponent_ = 0.0;
    int count_ = 0;
};

}  // namespace riparian::RIPARIAN_ISA
