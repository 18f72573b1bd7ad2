// The scores of naive Bayes. Part of kernels.ipp, inside its namespace.

// The precision of one class of this weight; 0 if its feature does not vary at the leaf.
struct OfClass {
    double freedom, share;

    RIPARIAN_INLINE explicit OfClass(double weight)
        : freedom(weight > 1.0 ? 1.0 / (weight - 1.0) : 0.0), share(1.0 / (weight * 12.0)) {}
    RIPARIAN_INLINE Lanes precision(Lanes sum_of_squares, const Range& range) const {
        return select(range.varies(), range.precision(sum_of_squares * freedom, share), 0.0);
    }
};

// Computes precisions, and half the sum of their logarithms.
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
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
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
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
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

void scores(const double* const* planes, const double* base, std::size_t n_classes, std::size_t n,
            const double* x, double* out) {
    with_rest(
        n, RIPARIAN_LOOP(rest) {
            for (std::size_t k = 0; k < n_classes; ++k) {
                const double* const p = planes[k];
                if (!p) {
                    out[k] = -infinity;
                    continue;
                }
                Lanes total = 0.0;
                each_vector(
                    n, rest, RIPARIAN_BODY(f, lanes) {
                        const Lanes d = Lanes::load(x + f) - Lanes::load(p + mean * n + f);
                        total += lanes.only((d * d) * Lanes::load(p + precision * n + f));
                    });
                out[k] = base[k] - total.sum();
            }
        });
}

void lean_scores(const LeafRange& found, const double* base, const double* counts, std::size_t n,
                 const double* x, double* out) {
    with_rest(
        n, RIPARIAN_LOOP(rest) {
            for (std::size_t k = 0; k < found.n_classes; ++k) {
                const double* const p = found.classes[k];
                if (!p) {
                    out[k] = -infinity;
                    continue;
                }
                const OfClass of_class(counts[k]);
                Lanes total = 0.0;
                each_vector(
                    n, rest, RIPARIAN_BODY(f, lanes) {
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
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
            Range::find(classes, n_classes, n, f, lanes).store(leaf, n, f, lanes);
        });
}

// The precision of one class from its statistics. If it has too little weight for a variance, the
// pooled variance of the feature is used.
template <class Some>
RIPARIAN_INLINE Lanes full_precision(const GaussianClass& c, const Range& range,
                                     const double* pooled, std::size_t n, std::size_t f,
                                     Some lanes) {
    const Lanes weight = c.known ? lanes.load(c.known + f) : Lanes(c.weight);
    const Lanes own = lanes.load(c.planes + squares * n + f) * (Lanes(1.0) / (weight - 1.0));
    const Lanes variance = select(weight > 1.0, own, Lanes::load(pooled + f));
    return range.precision(variance, Lanes(1.0) / (weight * 12.0));
}

void pool_variances(const double* const* squares, std::size_t n_classes, std::size_t n,
                    double freedom, double* pooled) {
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
            Lanes sum = 0.0;
            for (std::size_t k = 0; k < n_classes; ++k) sum += lanes.load(squares[k] + f);
            lanes.store(freedom > 0.0 ? sum / freedom : sum, pooled + f);
        });
}

double full_score(const GaussianClass& c, const double* leaf, const double* usable,
                  const double* pooled, std::size_t n, const double* x) {
    SumOfLogs logs;
    Lanes total = 0.0;
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
            const Range range = Range::load(leaf, n, f, lanes);
            const Mask use = (Lanes::load(usable + f) > 0.0) & range.varies();
            const Lanes p = select(use, full_precision(c, range, pooled, n, f, lanes), 1.0);
            const Lanes d = Lanes::load(x + f) - lanes.load(c.planes + mean * n + f);
            total += select(use, (d * d) * p, 0.0);
            logs.add(p);
        });
    return 0.5 * logs.total() - total.sum();
}

void full_precisions(const GaussianClass& c, const double* leaf, const double* usable,
                     const double* pooled, std::size_t n, double* out) {
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
            const Range range = Range::load(leaf, n, f, lanes);
            const Mask use = (Lanes::load(usable + f) > 0.0) & range.varies();
            lanes.store(select(use, full_precision(c, range, pooled, n, f, lanes), 0.0), out + f);
        });
}

// Handles up to four classes at a leaf: the count of a category in each class, and other numbers by
// class.
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
