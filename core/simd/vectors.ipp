// Loops over whole vectors and the rest of a plane. Part of kernels.ipp, inside its namespace.

// Planes are contiguous, so the last vector of one must not be stored over the start of the next:
// loads from there would have to wait.
struct Whole {
    static RIPARIAN_INLINE Lanes load(const double* p) { return Lanes::load(p); }
    static RIPARIAN_INLINE void store(Lanes x, double* p) { x.store(p); }
    static RIPARIAN_INLINE Lanes only(Lanes x) { return x; }
};
template <unsigned long n>
struct Part {
    typedef double Half __attribute__((vector_size(16)));

    static RIPARIAN_INLINE Lanes load(const double* p) {
        Half first = {};
        Half second = {};
        __builtin_memcpy(&first, p, (n > 1 ? 2 : 1) * sizeof(double));
        if constexpr (n > 2) __builtin_memcpy(&second, p + 2, sizeof(double));
        return Lanes(__builtin_shufflevector(first, second, 0, 1, 2, 3));
    }
    static RIPARIAN_INLINE void store(Lanes x, double* p) {
        const Half first = __builtin_shufflevector(x.v, x.v, 0, 1);
        if constexpr (n == 1) p[0] = x.v[0];
        if constexpr (n > 1) __builtin_memcpy(p, &first, sizeof first);
        if constexpr (n > 2) p[2] = x.v[2];
    }
    // Sets the lanes that do not belong to the plane to zero.
    static RIPARIAN_INLINE Lanes only(Lanes x) {
        return Lanes::of_bits(x.bits() &
                              Lanes::Bits{~0ULL, n > 1 ? ~0ULL : 0, n > 2 ? ~0ULL : 0, 0});
    }
};

#define RIPARIAN_BODY(f, lanes) [&](std::size_t f, auto lanes) __attribute__((always_inline))
#define RIPARIAN_LOOP(rest) [&](auto rest) __attribute__((always_inline))

// Calls a loop with the number of features that remain after whole vectors. The cases are
// distinguished once for all rows or classes of the loop.
template <class Loop>
RIPARIAN_INLINE void with_rest(std::size_t n, const Loop& loop) {
    switch (n % width) {
        case 1: loop(Part<1>{}); break;
        case 2: loop(Part<2>{}); break;
        case 3: loop(Part<3>{}); break;
        default: loop(Whole{}); break;
    }
}

template <class Rest, class Body>
RIPARIAN_INLINE void each_vector(std::size_t n, Rest rest, const Body& body) {
    const std::size_t whole = n / width * width;
    for (std::size_t f = 0; f < whole; f += width) body(f, Whole{});
    if constexpr (!__is_same(Rest, Whole)) body(whole, rest);
}
template <class Body>
RIPARIAN_INLINE void each_vector(std::size_t n, const Body& body) {
    with_rest(n, RIPARIAN_LOOP(rest) { each_vector(n, rest, body); });
}

#define RIPARIAN_NUMBER(x) [](Lanes x) __attribute__((always_inline))

// Maps an array of any length. `x` may be `out`.
template <class Function>
RIPARIAN_INLINE void each_number(const double* x, std::size_t n, double* out,
                                 const Function& function) {
    std::size_t i = 0;
    for (; i + width <= n; i += width) function(Lanes::load(x + i)).store(out + i);
    for (; i < n; ++i) out[i] = function(Lanes(x[i]))[0];
}
