// The kernels of linear units. Part of kernels.ipp, inside its namespace.

RIPARIAN_INLINE Lanes standardised(Lanes x, Lanes weight, Lanes mean, Lanes squares) {
    const Lanes variance = squares / weight;
    const Lanes z = (x - mean) / sqrt(variance);
    return select(known(x) & (weight > 0.0) & (variance > 0.0),
                  max(min(z, most_linear), -most_linear), 0.0);
}

void standardise(const PooledMoments& m, std::size_t stride, const double* x, double* out) {
    for (std::size_t f = 0; f < stride; f += width) {
        standardised(Lanes::load(x + f), Lanes::load(m.known + f), Lanes::load(m.mean + f),
                     Lanes::load(m.squares + f))
            .store(out + f);
    }
}

void learn_standardised(const PooledMoments& m, std::size_t stride, const double* x, double w,
                        double* out) {
    for (std::size_t f = 0; f < stride; f += width) {
        const Lanes value = Lanes::load(x + f);
        const Mask here = known(value);
        const Lanes weight = Lanes::load(m.known + f) + select(here, w, 0.0);
        const Lanes before = Lanes::load(m.mean + f);
        const Lanes step = select(here, value - before, 0.0);
        const Lanes after = before + step * (select(here, w, 0.0) / max(weight, 1e-300));
        const Lanes sum =
            Lanes::load(m.squares + f) + select(here, more_squares(step * w, value - after), 0.0);
        weight.store(m.known + f);
        after.store(m.mean + f);
        sum.store(m.squares + f);
        standardised(value, weight, after, sum).store(out + f);
    }
}

double dot(const double* a, const double* b, std::size_t n) {
    Lanes total = 0.0;
    for (std::size_t i = 0; i < n; i += width) total += Lanes::load(a + i) * Lanes::load(b + i);
    return total.sum();
}

double linear_step(const LinearStep& s) {
    const double error = s.target - dot(s.x, s.weights, s.n);
    const double blame = s.theta * s.w * error;
    Lanes total = 0.0;
    for (std::size_t i = 0; i < s.n; i += width) {
        const Lanes x = Lanes::load(s.x + i);
        const Lanes change = x * Lanes::load(s.traces + i) * blame;
        Lanes beta = Lanes::load(s.log_steps + i) +
                     max(min(change, most_log_step_change), -most_log_step_change);
        beta = max(min(beta, most_log_step), least_log_step);
        beta.store(s.log_steps + i);
        const Lanes alpha = bounded_exp(beta) * s.w;
        alpha.store(s.steps + i);
        total += alpha * (x * x);
    }
    const double most = total.sum();
    const double share = most > 1.0 ? 1.0 / most : 1.0;
    for (std::size_t i = 0; i < s.n; i += width) {
        const Lanes x = Lanes::load(s.x + i);
        const Lanes alpha = Lanes::load(s.steps + i) * share;
        const Lanes step = alpha * x * error;
        const Lanes kept = max(Lanes(1.0) - alpha * (x * x), 0.0);
        const auto within = [](Lanes v) __attribute__((always_inline)) {
            return max(min(v, most_linear), -most_linear);
        };
        alpha.store(s.steps + i);
        within(Lanes::load(s.weights + i) + step).store(s.weights + i);
        within(Lanes::load(s.traces + i) * kept + step).store(s.traces + i);
    }
    return error;
}

void step_along(double* weights, std::size_t planes, std::size_t stride, const double* x,
                std::size_t n, const double* factors) {
    for (std::size_t k = 0; k < planes; ++k, weights += stride) {
        const double factor = factors[k];
        const auto moved = [&](Lanes weight, Lanes input) __attribute__((always_inline)) {
            return max(min(weight + input * factor, most_linear), -most_linear);
        };
        std::size_t i = 0;
        for (; i + width <= n; i += width) {
            moved(Lanes::load(weights + i), Lanes::load(x + i)).store(weights + i);
        }
        for (; i < n; ++i) weights[i] = moved(Lanes(weights[i]), Lanes(x[i]))[0];
    }
}
