// The kernels of gradient trees. Part of kernels.ipp, inside its namespace.

void plane_values(const double* weights, std::size_t planes, std::size_t stride, std::size_t n,
                  const double* x, double* values) {
    for (std::size_t i = 0; i < planes; ++i) values[i] = dot(weights + i * stride, x, n);
}

void sigmoids(const double* values, std::size_t n, double slope, double most, double* left,
              double* right) {
    for (std::size_t i = 0; i < n; i += width) {
        const Lanes v = Lanes::load(values + i) * slope;
        // The smaller of the two is computed by its own exponential, because 1 minus the larger one
        // could be 0.
        const Lanes e = bounded_exp(Lanes(0.0) - min(abs(v), most));
        const Lanes larger = Lanes(1.0) / (Lanes(1.0) + e);
        const Lanes smaller = e * larger;
        select(v < 0.0, smaller, larger).store(left + i);
        select(v < 0.0, larger, smaller).store(right + i);
    }
}

void plane_step(double* weights, const double* x, std::size_t n, double step, double along) {
    const Lanes keep = 1.0 + step * along;
    const Lanes share = step;
    Lanes squares = 0.0;
    for (std::size_t i = 0; i < n; i += width) {
        const Lanes moved = Lanes::load(weights + i) * keep - Lanes::load(x + i) * share;
        squares += moved * moved;
    }
    const double total = squares.sum();
    if (!(total > 1e-200)) return;  // a plain step may end at 0
    const Lanes shorter = 1.0 / __builtin_sqrt(total);
    for (std::size_t i = 0; i < n; i += width) {
        const Lanes moved = Lanes::load(weights + i) * keep - Lanes::load(x + i) * share;
        (moved * shorter).store(weights + i);
    }
}
