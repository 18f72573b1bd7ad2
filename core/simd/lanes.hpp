// Vectors of doubles in the instruction set of the including file.
//
// This header is compiled once for each instruction set, and RIPARIAN_ISA names the namespace. All
// types and functions therefore have different names, and the linker can never use code for wider
// registers on a machine without them. All sets do the same IEEE operations in the same order, so
// they give the same bits.
#pragma once

#ifndef RIPARIAN_ISA
#error "define RIPARIAN_ISA before including lanes.hpp"
#endif

#define RIPARIAN_INLINE inline __attribute__((always_inline))

namespace riparian::RIPARIAN_ISA {

template <unsigned long n>
struct Vectors;
template <>
struct Vectors<4> {
    typedef double Doubles __attribute__((vector_size(32)));
    typedef long long Integers __attribute__((vector_size(32)));
    typedef unsigned long long Bits __attribute__((vector_size(32)));
};
template <>
struct Vectors<8> {
    typedef double Doubles __attribute__((vector_size(64)));
    typedef long long Integers __attribute__((vector_size(64)));
    typedef unsigned long long Bits __attribute__((vector_size(64)));
};

template <unsigned long n>
struct SomeLanes;

template <unsigned long n>
struct SomeMask {
    using Vector = typename Vectors<n>::Integers;
    Vector v;

    friend RIPARIAN_INLINE SomeMask operator&(SomeMask a, SomeMask b) { return {a.v & b.v}; }
    friend RIPARIAN_INLINE SomeMask operator|(SomeMask a, SomeMask b) { return {a.v | b.v}; }
    friend RIPARIAN_INLINE SomeLanes<n> select(SomeMask m, SomeLanes<n> yes, SomeLanes<n> no) {
        return SomeLanes<n>(m.v ? yes.v : no.v);
    }
    RIPARIAN_INLINE bool any() const {
#ifdef __AVX__
        if constexpr (n == 4) return __builtin_ia32_movmskpd256((Vectors<4>::Doubles)v) != 0;
#endif
        long long all = v[0];
        for (unsigned long i = 1; i < n; ++i) all |= v[i];
        return all != 0;
    }
};

template <unsigned long n>
struct SomeLanes {
    using Vector = typename Vectors<n>::Doubles;
    using Bits = typename Vectors<n>::Bits;
    using Mask = SomeMask<n>;
    static constexpr unsigned long width = n;
    Vector v;

    SomeLanes() = default;
    RIPARIAN_INLINE SomeLanes(Vector vector) : v(vector) {}
    RIPARIAN_INLINE SomeLanes(double x) : v(x - Vector{}) {}  // keeps the sign of -0

    static RIPARIAN_INLINE SomeLanes load(const double* p) {
        SomeLanes r;
        __builtin_memcpy(&r.v, p, sizeof r.v);
        return r;
    }
    RIPARIAN_INLINE void store(double* p) const { __builtin_memcpy(p, &v, sizeof v); }
    RIPARIAN_INLINE double operator[](unsigned long i) const { return v[i]; }

    RIPARIAN_INLINE Bits bits() const { return (Bits)v; }
    static RIPARIAN_INLINE SomeLanes of_bits(Bits b) { return SomeLanes((Vector)b); }

    friend RIPARIAN_INLINE SomeLanes operator+(SomeLanes a, SomeLanes b) {
        return SomeLanes(a.v + b.v);
    }
    friend RIPARIAN_INLINE SomeLanes operator-(SomeLanes a, SomeLanes b) {
        return SomeLanes(a.v - b.v);
    }
    friend RIPARIAN_INLINE SomeLanes operator*(SomeLanes a, SomeLanes b) {
        return SomeLanes(a.v * b.v);
    }
    friend RIPARIAN_INLINE SomeLanes operator/(SomeLanes a, SomeLanes b) {
        return SomeLanes(a.v / b.v);
    }
    RIPARIAN_INLINE SomeLanes& operator+=(SomeLanes b) {
        v += b.v;
        return *this;
    }
    RIPARIAN_INLINE SomeLanes& operator-=(SomeLanes b) {
        v -= b.v;
        return *this;
    }
    RIPARIAN_INLINE SomeLanes& operator*=(SomeLanes b) {
        v *= b.v;
        return *this;
    }

    friend RIPARIAN_INLINE Mask operator<(SomeLanes a, SomeLanes b) { return {a.v < b.v}; }
    friend RIPARIAN_INLINE Mask operator<=(SomeLanes a, SomeLanes b) { return {a.v <= b.v}; }
    friend RIPARIAN_INLINE Mask operator>(SomeLanes a, SomeLanes b) { return {a.v > b.v}; }
    friend RIPARIAN_INLINE Mask operator>=(SomeLanes a, SomeLanes b) { return {a.v >= b.v}; }
    friend RIPARIAN_INLINE Mask operator==(SomeLanes a, SomeLanes b) { return {a.v == b.v}; }
    friend RIPARIAN_INLINE Mask known(SomeLanes x) { return x == x; }
    friend RIPARIAN_INLINE Mask unknown(SomeLanes x) { return {x.v != x.v}; }

    // If b is NaN, the result is a.
    friend RIPARIAN_INLINE SomeLanes min(SomeLanes a, SomeLanes b) { return select(b < a, b, a); }
    friend RIPARIAN_INLINE SomeLanes max(SomeLanes a, SomeLanes b) { return select(b > a, b, a); }
    friend RIPARIAN_INLINE SomeLanes abs(SomeLanes x) {
        return of_bits(x.bits() & 0x7FFFFFFFFFFFFFFFULL);
    }
    friend RIPARIAN_INLINE SomeLanes sqrt(SomeLanes x) {
        for (unsigned long i = 0; i < n; ++i) x.v[i] = __builtin_sqrt(x.v[i]);
        return x;
    }

    // The sum of four lanes, always in this order.
    RIPARIAN_INLINE double sum() const {
        static_assert(n == 4);
        return (v[0] + v[1]) + (v[2] + v[3]);
    }
};

// All kernels except the gains of cuts use four lanes on every machine, because sums depend on the
// number of lanes.
using Lanes = SomeLanes<4>;
using Mask = Lanes::Mask;
inline constexpr unsigned long width = Lanes::width;

// 0, 1, 2, 3: finds the lanes of the last vector that are past the end.
RIPARIAN_INLINE Lanes steps() { return Lanes(Lanes::Vector{0.0, 1.0, 2.0, 3.0}); }

}  // namespace riparian::RIPARIAN_ISA
