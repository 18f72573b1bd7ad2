// Four doubles side by side, in the instruction set of the including file.
//
// This header is compiled once for each instruction set (RIPARIAN_ISA names the
// namespace), so that the types and every function made from them differ by
// name: the linker can never hand code for wider registers to a machine without them. All sets
// do the same IEEE operations in the same order, hence give the same bits.
#pragma once

#ifndef RIPARIAN_ISA
#error "define RIPARIAN_ISA before including lanes.hpp"
#endif

#define RIPARIAN_INLINE inline __attribute__((always_inline))

namespace riparian::RIPARIAN_ISA {

inline constexpr unsigned long width = 4;

struct Mask {
    typedef long long Vector __attribute__((vector_size(32)));
    Vector v;

    friend RIPARIAN_INLINE Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
    friend RIPARIAN_INLINE Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
    RIPARIAN_INLINE bool any() const {
#ifdef __AVX__
        typedef double Doubles __attribute__((vector_size(32)));
        return __builtin_ia32_movmskpd256((Doubles)v) != 0;
#else
        return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
    }
};

struct Lanes {
    typedef double Vector __attribute__((vector_size(32)));
    typedef unsigned long long Bits __attribute__((vector_size(32)));
    Vector v;

    Lanes() = default;
    RIPARIAN_INLINE Lanes(Vector vector) : v(vector) {}
    RIPARIAN_INLINE Lanes(double x) : v{x, x, x, x} {}

    static RIPARIAN_INLINE Lanes load(const double* p) {
        Lanes r;
        __builtin_memcpy(&r.v, p, sizeof r.v);
        return r;
    }
    RIPARIAN_INLINE void store(double* p) const { __builtin_memcpy(p, &v, sizeof v); }
    RIPARIAN_INLINE double operator[](unsigned long i) const { return v[i]; }

    RIPARIAN_INLINE Bits bits() const { return (Bits)v; }
    static RIPARIAN_INLINE Lanes of_bits(Bits b) { return Lanes((Vector)b); }

    friend RIPARIAN_INLINE Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
    friend RIPARIAN_INLINE Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
    friend RIPARIAN_INLINE Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
    friend RIPARIAN_INLINE Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
    RIPARIAN_INLINE Lanes& operator+=(Lanes b) { v += b.v; return *this; }
    RIPARIAN_INLINE Lanes& operator-=(Lanes b) { v -= b.v; return *this; }
    RIPARIAN_INLINE Lanes& operator*=(Lanes b) { v *= b.v; return *this; }

    friend RIPARIAN_INLINE Mask operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
    friend RIPARIAN_INLINE Mask operator<=(Lanes a, Lanes b) { return {a.v <= b.v}; }
    friend RIPARIAN_INLINE Mask operator>(Lanes a, Lanes b) { return {a.v > b.v}; }
    friend RIPARIAN_INLINE Mask operator>=(Lanes a, Lanes b) { return {a.v >= b.v}; }
    friend RIPARIAN_INLINE Mask operator==(Lanes a, Lanes b) { return {a.v == b.v}; }

    // The sum of the lanes, always in this order.
    RIPARIAN_INLINE double sum() const { return (v[0] + v[1]) + (v[2] + v[3]); }
};

RIPARIAN_INLINE Lanes select(Mask m, Lanes yes, Lanes no) {
    return Lanes(m.v ? yes.v : no.v);
}
// Where b is NaN, a stays.
RIPARIAN_INLINE Lanes min(Lanes a, Lanes b) { return select(b < a, b, a); }
RIPARIAN_INLINE Lanes max(Lanes a, Lanes b) { return select(b > a, b, a); }
RIPARIAN_INLINE Lanes abs(Lanes x) { return Lanes::of_bits(x.bits() & 0x7FFFFFFFFFFFFFFFULL); }
RIPARIAN_INLINE Mask known(Lanes x) { return x == x; }
RIPARIAN_INLINE Mask unknown(Lanes x) { return {x.v != x.v}; }
RIPARIAN_INLINE Lanes sqrt(Lanes x) {
    return Lanes(Lanes::Vector{__builtin_sqrt(x.v[0]), __builtin_sqrt(x.v[1]),
                               __builtin_sqrt(x.v[2]), __builtin_sqrt(x.v[3])});
}
// 0, 1, 2, 3: to tell the lanes of the last vector that lie past the end.
RIPARIAN_INLINE Lanes steps() { return Lanes(Lanes::Vector{0.0, 1.0, 2.0, 3.0}); }

}  // namespace riparian::RIPARIAN_ISA
