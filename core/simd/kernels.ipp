// The kernels, written once; baseline.cpp, avx2.cpp and avx512.cpp compile them each for
// their own instruction set. Only RIPARIAN_ISA's own functions are called here.
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

// Planes lie end to end, so the last vector of one may not reach into the next: a store
// over another plane's values would keep the loads of these waiting.
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
    // Zero in the lanes that are not the plane's.
    static RIPARIAN_INLINE Lanes only(Lanes x) {
        return Lanes::of_bits(x.bits() & Lanes::Bits{~0ULL, n > 1 ? ~0ULL : 0, n > 2 ? ~0ULL : 0, 0});
    }
};

#define RIPARIAN_BODY(f, lanes) [&](std::size_t f, auto lanes) __attribute__((always_inline))
#define RIPARIAN_LOOP(rest) [&](auto rest) __attribute__((always_inline))

// Calls a loop with what is left of n features after whole vectors, told apart once for
// all the rows or classes that it runs over.
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

void settle(double* rows, std::size_t n, std::size_t stride, std::uint8_t* missing) {
    for (std::size_t i = 0; i < n; ++i, rows += stride) {
        Mask gap = {Mask::Vector{}};
        for (std::size_t f = 0; f < stride; f += width) {
            const Lanes x = Lanes::load(rows + f);
            gap = gap | unknown(x);
            max(min(x, largest), -largest).store(rows + f);
        }
        missing[i] = gap.any();
    }
}

void copy_rows(const void* matrix, std::ptrdiff_t step, std::size_t n_features, double* rows,
               std::size_t n, std::size_t stride, std::uint8_t* missing) {
    with_rest(n_features, RIPARIAN_LOOP(rest) {
        const char* from = static_cast<const char*>(matrix);
        for (std::size_t i = 0; i < n; ++i, rows += stride, from += step) {
            const auto* const x = reinterpret_cast<const double*>(from);
            Mask gap = {Mask::Vector{}};
            each_vector(n_features, rest, RIPARIAN_BODY(f, lanes) {
                const Lanes value = lanes.load(x + f);
                gap = gap | unknown(value);
                lanes.store(max(min(value, largest), -largest), rows + f);
            });
            missing[i] |= gap.any();
        }
    });
}

bool one_or_two(const double* x, const double* one, const double* two, std::size_t n,
                std::int8_t* is_two) {
    typedef signed char Bytes __attribute__((vector_size(4)));
    Mask others = {Mask::Vector{}};
    for (std::size_t i = 0; i < n; i += width) {
        const Lanes value = Lanes::load(x + i);
        const Mask second = value == Lanes::load(two + i);
        others = others | Mask{~(second | (value == Lanes::load(one + i))).v};
        const Bytes bytes = __builtin_convertvector(second.v, Bytes);
        __builtin_memcpy(is_two + i, &bytes, sizeof bytes);
    }
    return !others.any();
}

bool any_infinite(const void* matrix, std::ptrdiff_t step, std::size_t n_features,
                  std::size_t n) {
    constexpr double finite = 0x1.fffffffffffffp1023;
    if (step == static_cast<std::ptrdiff_t>(n_features * sizeof(double))) {  // one long row
        n_features *= n;
        n = n > 0 ? 1 : 0;
    }
    Mask found = {Mask::Vector{}};
    with_rest(n_features, RIPARIAN_LOOP(rest) {
        const char* from = static_cast<const char*>(matrix);
        for (std::size_t i = 0; i < n; ++i, from += step) {
            each_vector(n_features, rest, RIPARIAN_BODY(f, lanes) {
                const auto* const x = reinterpret_cast<const double*>(from);
                found = found | (abs(lanes.load(x + f)) > finite);
            });
        }
    });
    return found.any();
}

// What a value adds to the centred squares: never less than nothing. Where the mean
// jumps by many orders of magnitude, rounding may turn the sign of its remainder.
RIPARIAN_INLINE Lanes more_squares(Lanes before, Lanes after) { return max(before * after, 0.0); }

void learn(double* planes, std::size_t n, const double* x, double w, double rate) {
    double* const m = planes + mean * n;
    double* const s = planes + squares * n;
    double* const lo = planes + low * n;
    double* const hi = planes + high * n;
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Lanes value = Lanes::load(x + f);
        const Lanes before = lanes.load(m + f);
        const Lanes step = value - before;
        const Lanes after = before + step * rate;
        lanes.store(after, m + f);
        lanes.store(lanes.load(s + f) + more_squares(step * w, value - after), s + f);
        lanes.store(min(lanes.load(lo + f), value), lo + f);
        lanes.store(max(lanes.load(hi + f), value), hi + f);
    });
}

// The leaf's range of four features.
struct Range {
    Lanes low, high;

    template <class Some>
    static RIPARIAN_INLINE Range load(const double* leaf, std::size_t n, std::size_t f, Some lanes) {
        return {lanes.load(leaf + leaf_low * n + f), lanes.load(leaf + leaf_high * n + f)};
    }
    // Of all classes.
    template <class Some>
    static RIPARIAN_INLINE Range find(double* const* classes, std::size_t n_classes, std::size_t n,
                                      std::size_t f, Some lanes) {
        Range range{infinity, -infinity};
        for (std::size_t k = 0; k < n_classes; ++k) {
            if (!classes[k]) continue;
            range.low = min(range.low, lanes.load(classes[k] + riparian::low * n + f));
            range.high = max(range.high, lanes.load(classes[k] + riparian::high * n + f));
        }
        return range;
    }
    template <class Some>
    static RIPARIAN_INLINE Range of(const LeafRange& leaf, std::size_t n, std::size_t f, Some lanes) {
        return leaf.planes ? load(leaf.planes, n, f, lanes)
                           : find(leaf.classes, leaf.n_classes, n, f, lanes);
    }
    template <class Some>
    RIPARIAN_INLINE void store(double* leaf, std::size_t n, std::size_t f, Some lanes) const {
        lanes.store(low, leaf + leaf_low * n + f);
        lanes.store(high, leaf + leaf_high * n + f);
    }
    // True where a value lay outside.
    RIPARIAN_INLINE Mask widen(Lanes value) {
        const Mask outside = (value < low) | (value > high);
        low = min(low, value);
        high = max(high, value);
        return outside;
    }
    // A feature that was constant at the leaf tells the classes nothing apart.
    RIPARIAN_INLINE Mask varies() const { return low < high; }

    // 1 / (2 sigma^2). A class whose few values agree is not known to have no spread:
    // sigma^2 is at least that of one more value, uniform over the leaf's range,
    // among W of them, with share = 1 / (12 W); and at least the share above.
    RIPARIAN_INLINE Lanes precision(Lanes variance, Lanes share) const {
        const Lanes range = high - low;
        const Lanes spread = range * least_spread;
        const Lanes least = max(range * range * share, spread * spread);
        return Lanes(0.5) / min(max(max(variance, least), least_variance), most_variance);
    }
};

bool learn_known(double* planes, double* leaf, double* weights, std::size_t n, const double* x,
                 double w) {
    double* const m = planes + mean * n;
    double* const s = planes + squares * n;
    double* const lo = planes + low * n;
    double* const hi = planes + high * n;
    Mask grown = {Mask::Vector{}};
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Lanes value = Lanes::load(x + f);
        const Mask here = known(value);
        const Lanes weight = lanes.load(weights + f) + w;
        const Lanes before = lanes.load(m + f);
        const Lanes step = value - before;
        const Lanes after = before + step * (Lanes(w) / weight);
        lanes.store(select(here, weight, lanes.load(weights + f)), weights + f);
        lanes.store(select(here, after, before), m + f);
        lanes.store(lanes.load(s + f) + select(here, more_squares(step * w, value - after), 0.0),
                    s + f);
        lanes.store(min(lanes.load(lo + f), value), lo + f);
        lanes.store(max(lanes.load(hi + f), value), hi + f);
        if (leaf) {
            Range range = Range::load(leaf, n, f, lanes);
            grown = grown | range.widen(value);
            range.store(leaf, n, f, lanes);
        }
    });
    return grown.any();
}

// The mean of what is left lies between minimum and maximum; rounding must not put it outside.
RIPARIAN_INLINE Lanes within(Lanes x, Lanes low, Lanes high) { return min(max(x, low), high); }

void forget(double* planes, std::size_t n, const double* x, double w, double rate) {
    double* const m = planes + mean * n;
    double* const s = planes + squares * n;
    double* const lo = planes + low * n;
    double* const hi = planes + high * n;
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Lanes value = Lanes::load(x + f);
        const Lanes before = lanes.load(m + f);
        const Lanes step = value - before;
        const Lanes after = within(before - step * rate, lanes.load(lo + f), lanes.load(hi + f));
        lanes.store(after, m + f);
        lanes.store(max(lanes.load(s + f) - more_squares(step * w, value - after), 0.0), s + f);
    });
}

bool forget_known(double* planes, double* weights, std::size_t n, const double* x, double w) {
    double* const m = planes + mean * n;
    double* const s = planes + squares * n;
    double* const lo = planes + low * n;
    double* const hi = planes + high * n;
    Mask emptied = {Mask::Vector{}};
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Lanes value = Lanes::load(x + f);
        const Lanes had = lanes.load(weights + f);
        const Mask here = known(value) & (had > Lanes(0.0));
        const Lanes left = max(had - w, 0.0);
        const Mask gone = here & (left <= Lanes(0.0));
        const Lanes before = lanes.load(m + f);
        const Lanes step = value - before;
        const Lanes after =
            within(before - step * (Lanes(w) / left), lanes.load(lo + f), lanes.load(hi + f));
        const Lanes sum = lanes.load(s + f);
        const Lanes less = max(sum - more_squares(step * w, value - after), 0.0);
        lanes.store(select(here, left, had), weights + f);
        lanes.store(select(gone, 0.0, select(here, after, before)), m + f);
        lanes.store(select(gone, 0.0, select(here, less, sum)), s + f);
        lanes.store(select(gone, infinity, lanes.load(lo + f)), lo + f);
        lanes.store(select(gone, -infinity, lanes.load(hi + f)), hi + f);
        emptied = emptied | gone;
    });
    return emptied.any();
}

// The precision of one class of this weight; 0 where its feature does not vary at the leaf.
struct OfClass {
    double freedom, share;

    RIPARIAN_INLINE explicit OfClass(double weight)
        : freedom(weight > 1.0 ? 1.0 / (weight - 1.0) : 0.0), share(1.0 / (weight * 12.0)) {}
    RIPARIAN_INLINE Lanes precision(Lanes sum_of_squares, const Range& range) const {
        return select(range.varies(), range.precision(sum_of_squares * freedom, share), 0.0);
    }
};

// With it half the sum of its logarithms.
class Precisions {
public:
    RIPARIAN_INLINE explicit Precisions(double weight) : of_class_(weight) {
        logs_.add(Lanes(Lanes::Vector{weight, weight, 1.0, 1.0}));  // twice log W, halved below
    }
    RIPARIAN_INLINE Lanes add(Lanes sum_of_squares, const Range& range) {
        const Lanes p = of_class_.precision(sum_of_squares, range);
        logs_.add(select(range.varies(), p, 1.0));
        return p;
    }
    RIPARIAN_INLINE double base() const { return 0.5 * logs_.total(); }

private:
    OfClass of_class_;
    SumOfLogs logs_;
};

double refresh(const GaussianClass& c, const LeafRange& leaf, std::size_t n) {
    Precisions precisions(c.weight);
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Lanes sum = lanes.load(c.planes + squares * n + f);
        const Lanes p = precisions.add(sum, Range::of(leaf, n, f, lanes));
        if (leaf.kept) lanes.store(p, c.planes + precision * n + f);
    });
    return precisions.base();
}

bool learn_bayes(const GaussianClass& c, const LeafRange& leaf, std::size_t n, const double* x,
                 double w, double* base) {
    double* const m = c.planes + mean * n;
    double* const s = c.planes + squares * n;
    double* const lo = c.planes + low * n;
    double* const hi = c.planes + high * n;
    const double rate = w / c.weight;
    Precisions precisions(c.weight);
    Mask grown = {Mask::Vector{}};
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Lanes value = Lanes::load(x + f);
        const Lanes before = lanes.load(m + f);
        const Lanes step = value - before;
        const Lanes after = before + step * rate;
        const Lanes sum = lanes.load(s + f) + more_squares(step * w, value - after);
        Range range = Range::of(leaf, n, f, lanes);
        grown = grown | range.widen(value);
        lanes.store(after, m + f);
        lanes.store(sum, s + f);
        lanes.store(min(lanes.load(lo + f), value), lo + f);
        lanes.store(max(lanes.load(hi + f), value), hi + f);
        const Lanes p = precisions.add(sum, range);
        if (leaf.planes) range.store(leaf.planes, n, f, lanes);
        if (leaf.kept) lanes.store(p, c.planes + precision * n + f);
    });
    *base = precisions.base();
    return grown.any();
}

void scores(const double* const* planes, const double* base, std::size_t n_classes,
            std::size_t n, const double* x, double* out) {
    with_rest(n, RIPARIAN_LOOP(rest) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            const double* const p = planes[k];
            if (!p) {
                out[k] = -infinity;
                continue;
            }
            Lanes total = 0.0;
            each_vector(n, rest, RIPARIAN_BODY(f, lanes) {
                const Lanes d = Lanes::load(x + f) - Lanes::load(p + mean * n + f);
                total += lanes.only((d * d) * Lanes::load(p + precision * n + f));
            });
            out[k] = base[k] - total.sum();
        }
    });
}

void lean_scores(const LeafRange& found, const double* base, const double* counts, std::size_t n,
                 const double* x, double* out) {
    with_rest(n, RIPARIAN_LOOP(rest) {
        for (std::size_t k = 0; k < found.n_classes; ++k) {
            const double* const p = found.classes[k];
            if (!p) {
                out[k] = -infinity;
                continue;
            }
            const OfClass of_class(counts[k]);
            Lanes total = 0.0;
            each_vector(n, rest, RIPARIAN_BODY(f, lanes) {
                const Lanes d = Lanes::load(x + f) - Lanes::load(p + mean * n + f);
                const Range range = Range::load(found.planes, n, f, lanes);
                const Lanes sum = lanes.load(p + squares * n + f);
                total += lanes.only((d * d) * of_class.precision(sum, range));
            });
            out[k] = base[k] - total.sum();
        }
    });
}

void find_range(double* const* classes, std::size_t n_classes, std::size_t n, double* leaf) {
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        Range::find(classes, n_classes, n, f, lanes).store(leaf, n, f, lanes);
    });
}

double full_score(const GaussianClass& c, const double* leaf, const double* usable,
                  const double* pooled, std::size_t n, const double* x) {
    SumOfLogs logs;
    Lanes total = 0.0;
    each_vector(n, RIPARIAN_BODY(f, lanes) {
        const Range range = Range::load(leaf, n, f, lanes);
        const Mask use = (Lanes::load(usable + f) > 0.0) & range.varies();
        const Lanes weight = c.known ? lanes.load(c.known + f) : Lanes(c.weight);
        const Lanes own = lanes.load(c.planes + squares * n + f) * (Lanes(1.0) / (weight - 1.0));
        const Lanes variance = select(weight > 1.0, own, Lanes::load(pooled + f));
        const Lanes p =
            select(use, range.precision(variance, Lanes(1.0) / (weight * 12.0)), 1.0);
        const Lanes d = Lanes::load(x + f) - lanes.load(c.planes + mean * n + f);
        total += select(use, (d * d) * p, 0.0);
        logs.add(p);
    });
    return 0.5 * logs.total() - total.sum();
}

// Up to four classes at a leaf: the count of a category in each, and what lies by class.
template <bool one>
struct FourClasses {
    const double* cells[width];
    std::size_t classes[width];

    RIPARIAN_INLINE FourClasses(const CategoricalRow& row, std::size_t k) {
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t seen = k + i < row.n_classes ? k + i : row.n_classes - 1;
            cells[i] = row.cells[seen];
            classes[i] = row.classes[seen];
        }
    }
    RIPARIAN_INLINE Lanes counts(std::size_t p) const {
        if (one) return Lanes(cells[0][p]);
        return Lanes(Lanes::Vector{cells[0][p], cells[1][p], cells[2][p], cells[3][p]});
    }
    RIPARIAN_INLINE Lanes weights(const double* w) const {
        if (one) return Lanes(w[classes[0]]);
        return Lanes(Lanes::Vector{w[classes[0]], w[classes[1]], w[classes[2]], w[classes[3]]});
    }
};

template <bool one>
RIPARIAN_INLINE Lanes categorical_scores_of(const CategoricalRow& row, std::size_t k) {
    const FourClasses<one> four(row, k);
    const Lanes counts = four.weights(row.counts);
    const bool small = !row.known && !(counts > SumOfLogs::most_small).any();
    SumOfLogs seen;
    SumOfLogs all;
    std::size_t settled = 0;
    for (std::size_t c = 0; c < row.n_features; ++c) {
        const auto code = static_cast<std::uint32_t>(row.codes[c]);
        const std::uint32_t start = row.starts[c];
        Lanes here = 1.0;
        if (code < row.starts[c + 1] - start) [[likely]] {
            here += four.counts(std::size_t{start} + code);
        } else if (row.codes[c] == missing_code) {
            continue;
        }
        const auto values = static_cast<double>(row.values[c]);
        if (small) [[likely]] {
            seen.add_small(here);
            all.add_small(counts + values);
            if (++settled % SumOfLogs::small_ones == 0) {
                seen.settle();
                all.settle();
            }
        } else {
            const double* const known = row.known ? row.known[c] : nullptr;
            seen.add(here);
            all.add((known ? four.weights(known) : counts) + values);
        }
    }
    if (small) {
        seen.settle();
        all.settle();
    }
    return seen.lanes() - all.lanes();
}

void categorical_scores(const CategoricalRow& row, double* scores) {
    if (row.n_classes == 1) return categorical_scores_of<true>(row, 0).store(scores);
    for (std::size_t k = 0; k < row.n_classes; k += width) {
        categorical_scores_of<false>(row, k).store(scores + k);
    }
}

void softmax(double* scores, std::size_t n, std::size_t stride) {
    double top = -infinity;
    for (std::size_t k = 0; k < n; ++k) top = scores[k] > top ? scores[k] : top;
    for (std::size_t k = 0; k < stride; k += width) {
        exp(Lanes::load(scores + k) - top).store(scores + k);
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += scores[k];
    for (std::size_t k = 0; k < n; ++k) scores[k] /= sum;
}

#include "gains.ipp"
#include "linear.ipp"
#include "planes.ipp"

template <class Impurity>
void list_gains(const void* policy, const ListCheck& check) {
    const Impurity& impurity = *static_cast<const Impurity*>(policy);
    auto* const left = reinterpret_cast<Lanes*>(check.scratch);
    auto* const right = left + check.n_classes;
    auto* const all = right + check.n_classes;
    Lanes total = 0.0;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        all[k] = check.all[k];
        total += all[k];
    }
    const Lanes whole = impurity.mass(all, check.n_classes, total);
    for (std::size_t i = 0; i < check.n_cuts; i += width) {
        const std::size_t lanes = check.n_cuts - i < width ? check.n_cuts - i : width;
        Lanes n_left = 0.0;
        Lanes n_right = 0.0;
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            Lanes::Vector cells = {};
            for (std::size_t j = 0; j < lanes; ++j) {
                cells[j] = check.left[(i + j) * check.n_classes + k];
            }
            left[k] = Lanes(cells);
            right[k] = max(all[k] - left[k], 0.0);  // sums of fractions may be off by a bit
            n_left += left[k];
            n_right += right[k];
        }
        const Lanes parts = mass_of_both(impurity, left, right, check.n_classes, n_left, n_right);
        const Mask valid = (n_left > check.least) & (n_right > check.least);
        select(valid, (whole - parts) / check.total, -infinity).store(check.gains + i);
    }
}

template <class Impurity>
double categorical_masses(const void* policy, const CategoricalCheck& check) {
    const Impurity& impurity = *static_cast<const Impurity*>(policy);
    auto* const branch = reinterpret_cast<Lanes*>(check.scratch);
    auto* const others = branch + check.n_classes;
    Lanes whole = 0.0;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        branch[k] = check.known[k];
        whole += branch[k];
    }
    const double mass = impurity.mass(branch, check.n_classes, whole)[0];
    for (std::size_t v = 0; v < check.n_values; v += width) {
        Lanes n_branch = 0.0;
        Lanes n_others = 0.0;
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            branch[k] = Lanes::load(check.cells[k] + v);
            others[k] = Lanes(check.known[k]) - branch[k];
            n_branch += branch[k];
            n_others += others[k];
        }
        impurity.mass(branch, check.n_classes, n_branch).store(check.mass + v);
        impurity.mass(others, check.n_classes, n_others).store(check.rest + v);
        n_branch.store(check.weight + v);
    }
    return mass;
}

// The kernels of each impurity, in the order of AnyImpurity; one that the user wrote has none.
template <class Impurity>
constexpr bool is_native = requires(const Impurity i, const Lanes* c) { i.mass(c, 1, Lanes(1.0)); };

template <class Impurity>
constexpr Kernels::NumericGains gains_kernel() {
    if constexpr (is_native<Impurity>) return &numeric_gains<Impurity>;
    return nullptr;
}
template <class Impurity>
constexpr Kernels::RoughNumericGains rough_kernel() {
    if constexpr (requires { Impurity::template Rough<Lanes>::error; }) return &rough_gains<Impurity>;
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
    full_score,
    categorical_scores,
    softmax,
    judge,
    crossings,
    sort_thresholds,
    standardise,
    learn_standardised,
    dot,
    linear_step,
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
        for (std::size_t i = 0; i < n; ++i) out[i] = normal_cdf(Lanes(z[i]))[0];
    },
    [](const double* x, std::size_t n, double* out) {
        for (std::size_t i = 0; i < n; ++i) out[i] = xlog2x(Lanes(x[i]))[0];
    },
    [](const double* x, std::size_t n, double* out) {
        for (std::size_t i = 0; i < n; ++i) out[i] = exp(Lanes(x[i]))[0];
    },
    [](const double* x, std::size_t n, double* out) {
        for (std::size_t i = 0; i < n; ++i) out[i] = log(Lanes(x[i]))[0];
    },
};

}  // namespace riparian::RIPARIAN_ISA
