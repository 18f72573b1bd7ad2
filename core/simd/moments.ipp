// Learns and forgets the moments of numeric features. Part of kernels.ipp, inside its namespace.

// What a value adds to the centred squares, which is never negative. If the mean jumps by many
// orders of magnitude, rounding could change the sign of the remainder.
RIPARIAN_INLINE Lanes more_squares(Lanes before, Lanes after) { return max(before * after, 0.0); }

void learn(double* planes, std::size_t n, const double* x, double w, double rate) {
    double* const m = planes + mean * n;
    double* const s = planes + squares * n;
    double* const lo = planes + low * n;
    double* const hi = planes + high * n;
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
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

// The range of four features at the leaf.
struct Range {
    Lanes low, high;

    template <class Some>
    static RIPARIAN_INLINE Range load(const double* leaf, std::size_t n, std::size_t f,
                                      Some lanes) {
        return {lanes.load(leaf + leaf_low * n + f), lanes.load(leaf + leaf_high * n + f)};
    }
    // Computes the range over all classes.
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
    static RIPARIAN_INLINE Range of(const LeafRange& leaf, std::size_t n, std::size_t f,
                                    Some lanes) {
        return leaf.planes ? load(leaf.planes, n, f, lanes)
                           : find(leaf.classes, leaf.n_classes, n, f, lanes);
    }
    template <class Some>
    RIPARIAN_INLINE void store(double* leaf, std::size_t n, std::size_t f, Some lanes) const {
        lanes.store(low, leaf + leaf_low * n + f);
        lanes.store(high, leaf + leaf_high * n + f);
    }
    // Returns where a value was outside.
    RIPARIAN_INLINE Mask widen(Lanes value) {
        const Mask outside = (value < low) | (value > high);
        low = min(low, value);
        high = max(high, value);
        return outside;
    }
    // A feature that is constant at the leaf does not distinguish the classes.
    RIPARIAN_INLINE Mask varies() const { return low < high; }

    // 1 / (2 sigma^2). If the few values of a class are equal, its spread is still unknown. So
    // sigma^2 is at least that of W values with one more, uniform over the range of the leaf, where
    // share = 1 / (12 W); and at least the share above.
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
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
            const Lanes value = Lanes::load(x + f);
            const Mask here = known(value);
            const Lanes weight = lanes.load(weights + f) + w;
            const Lanes before = lanes.load(m + f);
            const Lanes step = value - before;
            const Lanes after = before + step * (Lanes(w) / weight);
            lanes.store(select(here, weight, lanes.load(weights + f)), weights + f);
            lanes.store(select(here, after, before), m + f);
            lanes.store(lanes.load(s + f) +
                            select(here, more_squares(step * w, value - after), 0.0),
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

// The mean of the remaining rows is between minimum and maximum; rounding must not move it outside.
RIPARIAN_INLINE Lanes within(Lanes x, Lanes low, Lanes high) { return min(max(x, low), high); }

void forget(double* planes, std::size_t n, const double* x, double w, double rate) {
    double* const m = planes + mean * n;
    double* const s = planes + squares * n;
    double* const lo = planes + low * n;
    double* const hi = planes + high * n;
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
            const Lanes value = Lanes::load(x + f);
            const Lanes before = lanes.load(m + f);
            const Lanes step = value - before;
            const Lanes after =
                within(before - step * rate, lanes.load(lo + f), lanes.load(hi + f));
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
    each_vector(
        n, RIPARIAN_BODY(f, lanes) {
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
