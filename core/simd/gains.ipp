// The gains of numeric cuts, computed for several features at once. Part of kernels.ipp, inside its
// namespace.

// What a check needs of one class, for several features at once.
template <class L>
struct Prepared {
    L mean, inverse, low, high, weight;  // inverse is 1 / sigma, or 0 if sigma is 0
};

template <class L>
RIPARIAN_INLINE Prepared<L> prepare(const NumericCheck& check, std::size_t k, std::size_t f) {
    const GaussianClass& c = check.classes[k];
    const std::size_t n = check.n_features;
    const L sum = L::load(c.planes + squares * n + f);
    const L weight = c.known ? L::load(c.known + f) : L(c.weight);
    L variance = select(weight > 1.0, sum / (weight - 1.0), 0.0);
    if (check.variance == Variance::population) {
        variance = max(select(weight > 0.0, sum / weight, 0.0), least_population_variance);
    }
    return {L::load(c.planes + mean * n + f), select(variance > 0.0, L(1.0) / sqrt(variance), 0.0),
            L::load(c.planes + low * n + f), L::load(c.planes + high * n + f), weight};
}

// Share of a class at or below t [mirkhan2021, eq. 9-10].
template <class L>
RIPARIAN_INLINE L left_mass(const Prepared<L>& c, L t, bool clip_to_range) {
    const L below = normal_cdf((t - c.mean) * c.inverse);
    const L step = select(c.mean <= t, 1.0, 0.0);
    L share = select(c.inverse > 0.0, below, step);
    if (clip_to_range) {
        share = select(t < c.low, 0.0, share);
        share = select(t >= c.high, 1.0, share);
    }
    // A class without values has weight 0 and a finite share, so the product is 0.
    return c.weight * share;
}

template <class L>
RIPARIAN_INLINE RoughShare<L> rough_share(const Prepared<L>& c, L t, bool clip_to_range) {
    RoughShare<L> r = rough_normal_cdf((t - c.mean) * c.inverse);
    auto whole = c.inverse <= 0.0;  // the whole class is on one side
    r.share = select(whole, select(c.mean <= t, 1.0, 0.0), r.share);
    if (clip_to_range) {
        const auto above = t < c.low;
        const auto below = t >= c.high;
        r.share = select(below, 1.0, select(above, 0.0, r.share));
        whole = whole | above | below;
    }
    r.entropy = select(whole, 0.0, r.entropy);
    return r;
}

template <class L, class Impurity>
RIPARIAN_INLINE L gain_of(const Impurity& impurity, const NumericCheck& check, L whole,
                          const L* all, const L* left, const L* right, L total, L n_left,
                          L n_right) {
    if constexpr (requires {
                      impurity.rounded_gain(all, left, right, check.n_classes, total, n_left,
                                            n_right);
                  }) {
        if (impurity.legacy_gain) {
            const L gain =
                impurity.rounded_gain(all, left, right, check.n_classes, total, n_left, n_right);
            return gain * (total / check.total);
        }
    }
    const L parts = mass_of_both(impurity, left, right, check.n_classes, n_left, n_right);
    return (whole - parts) / check.total;
}

// Working memory for the classes of a check.
template <class L>
struct ClassRoom {
    Prepared<L>* prepared;
    L *left, *right, *all;
};

// Computes the gains of the features from f on.
template <class L, class Impurity>
RIPARIAN_INLINE void gains_at(const Impurity& impurity, const NumericCheck& check,
                              const ClassRoom<L>& room, std::size_t f) {
    L total = 0.0;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        room.prepared[k] = prepare<L>(check, k, f);
        room.all[k] = room.prepared[k].weight;
        total += room.all[k];
    }
    const L whole = impurity.mass(room.all, check.n_classes, total);
    const L least = total * check.min_branch_fraction;
    for (std::size_t c = 0; c < check.n_candidates; ++c) {
        const L t = L::load(check.thresholds + c * check.stride + f);
        L n_left = 0.0;
        L n_right = 0.0;
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            room.left[k] = left_mass(room.prepared[k], t, check.clip_to_range);
            room.right[k] = room.all[k] - room.left[k];
            n_left += room.left[k];
            n_right += room.right[k];
        }
        const L gain = gain_of(impurity, check, whole, room.all, room.left, room.right, total,
                               n_left, n_right);
        const auto valid = known(t) & (n_left > least) & (n_right > least);
        select(valid, gain, -infinity).store(check.gains + c * check.stride + f);
    }
}

// Computes limits between which the largest gain of each feature from f on lies.
template <class L, class Impurity>
RIPARIAN_INLINE void rough_gains_at(const NumericCheck& check, Prepared<L>* prepared,
                                    const RoughGains& found, std::size_t f) {
    using Rough = typename Impurity::template Rough<L>;
    const L possible = check.min_branch_fraction - rough_share_error;
    const L sure = check.min_branch_fraction + rough_share_error;
    L total = 0.0;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        prepared[k] = prepare<L>(check, k, f);
        total += prepared[k].weight;
    }
    const L share = select(total > 0.0, L(1.0) / total, 0.0);
    for (std::size_t k = 0; k < check.n_classes; ++k) prepared[k].weight *= share;
    const L part = total / check.total;
    L most = -infinity;
    L least = -infinity;
    L second = -infinity;
    L best = __builtin_nan("");
    for (std::size_t c = 0; c < check.n_candidates; ++c) {
        const L t = L::load(check.thresholds + c * check.stride + f);
        Rough rough;
        L p = 0.0;
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            const RoughShare<L> q = rough_share(prepared[k], t, check.clip_to_range);
            p += prepared[k].weight * q.share;
            rough.add(prepared[k].weight, q.share, q.entropy);
        }
        p = max(min(p, 1.0), 0.0);
        const L gain = rough.gain(p) * part;
        const L smaller = min(p, L(1.0) - p);
        const L allowed = select(known(t) & (smaller > possible), gain, -infinity);
        best = select(allowed > most, t, best);
        most = max(most, allowed);
        const L here = select(known(t) & (smaller > sure), gain, -infinity);
        second = max(second, min(here, least));
        least = max(least, here);
    }
    (most + Rough::error).store(found.most + f);
    (least - Rough::error).store(found.least + f);
    (second - Rough::error).store(found.second + f);
    best.store(found.best + f);
}

// Processes eight features at a time if registers are wide enough and there is working memory for
// the classes; otherwise four. Each returns the index of the next feature.
#ifdef __AVX512F__
using Wide = SomeLanes<8>;
constexpr std::size_t wide_classes = 16;

template <class Impurity>
std::size_t wide_gains(const Impurity& impurity, const NumericCheck& check) {
    if (check.n_classes > wide_classes) return 0;
    Prepared<Wide> prepared[wide_classes];
    Wide left[wide_classes], right[wide_classes], all[wide_classes];
    std::size_t f = 0;
    for (; f + Wide::width <= check.stride; f += Wide::width) {
        gains_at<Wide>(impurity, check, {prepared, left, right, all}, f);
    }
    return f;
}

template <class Impurity>
std::size_t wide_rough_gains(const NumericCheck& check, const RoughGains& found) {
    if (check.n_classes > wide_classes) return 0;
    Prepared<Wide> prepared[wide_classes];
    std::size_t f = 0;
    for (; f + Wide::width <= check.stride; f += Wide::width) {
        rough_gains_at<Wide, Impurity>(check, prepared, found, f);
    }
    return f;
}
#else
template <class Impurity>
RIPARIAN_INLINE std::size_t wide_gains(const Impurity&, const NumericCheck&) {
    return 0;
}
template <class Impurity>
RIPARIAN_INLINE std::size_t wide_rough_gains(const NumericCheck&, const RoughGains&) {
    return 0;
}
#endif

template <class Impurity>
void numeric_gains(const void* policy, const NumericCheck& check) {
    const Impurity& impurity = *static_cast<const Impurity*>(policy);
    auto* const prepared = reinterpret_cast<Prepared<Lanes>*>(check.scratch);
    auto* const left = reinterpret_cast<Lanes*>(prepared + check.n_classes);
    const ClassRoom<Lanes> room{prepared, left, left + check.n_classes, left + 2 * check.n_classes};
    for (std::size_t f = wide_gains(impurity, check); f < check.stride; f += width) {
        gains_at<Lanes>(impurity, check, room, f);
    }
}

template <class Impurity>
void rough_gains(const NumericCheck& check, const RoughGains& found) {
    auto* const prepared = reinterpret_cast<Prepared<Lanes>*>(check.scratch);
    for (std::size_t f = wide_rough_gains<Impurity>(check, found); f < check.stride; f += width) {
        rough_gains_at<Lanes, Impurity>(check, prepared, found, f);
    }
}

void left_masses(const NumericCheck& check, std::size_t feature, double threshold, double* left) {
    const std::size_t f = feature / width * width;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        const auto c = prepare<Lanes>(check, k, f);
        left[k] = left_mass(c, Lanes(threshold), check.clip_to_range)[feature - f];
    }
}

void all_left_masses(const NumericCheck& check, double* left) {
    for (std::size_t f = 0; f < check.stride; f += width) {
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            const auto class_k = prepare<Lanes>(check, k, f);
            for (std::size_t c = 0; c < check.n_candidates; ++c) {
                const Lanes t = Lanes::load(check.thresholds + c * check.stride + f);
                left_mass(class_k, t, check.clip_to_range)
                    .store(left + (c * check.n_classes + k) * check.stride + f);
            }
        }
    }
}
