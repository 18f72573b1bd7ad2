// The evidence of races (bound/wager.hpp, docs/certainty.md). Part of kernels.ipp, inside its namespace.

// `least` is 1 - bet * (lost - tolerance), the factor of a rival that loses nothing, and `strict` the same
// without the tolerance.
struct Wager {
    Lanes at, rows, difference, strict, least;

    RIPARIAN_INLINE Wager(const WagerCells& c, std::size_t i)
        : at(Lanes::load(c.at + i)), rows(Lanes::load(c.rows + i)) {
        const Lanes lost = Lanes::load(c.lost + i);
        difference = at - lost;
        strict = Lanes(1.0) - lost * c.bet;
        least = strict + c.bet * c.tolerance;
    }
};

// At least -ln(1 - z) for z in [0, 1): the rest of the series is at most a geometric one.
RIPARIAN_INLINE Lanes above_minus_log(Lanes z) {
    const Lanes rest = z * z / ((Lanes(1.0) - z) * 4.0);
    return z * ((rest + z * (1.0 / 3.0) + 0.5) * z + 1.0);
}

// A lower bound of ln(1 + lambda (u - c)) for all u in [0, 1], which is exact at `at`, the loss of the
// rival's own forecast:
//
//     ln(1 + lambda (at - c)) + m (u - at) - b (u - at)^2
//     m = lambda / (1 + lambda (at - c)),  b = m^2 (1/2 + lambda at / (3 (1 - lambda c)))
//
// It is Fan's inequality [fan2015] moved from 0 to `at`. The sums are those of the parabola in u:
// slope m + 2 b at, curvature b, and constant -m at - b at^2 without the logarithm.
WagerSums wager_forecasts(const WagerCells& c) {
    Lanes differences = 0.0, squares = 0.0, constant = 0.0, wealth = 0.0, slack = 0.0;
    const double allowed = c.bet * c.tolerance;
    for (std::size_t i = 0; i < c.n; i += width) {
        const Wager w(c, i);
        differences += w.rows * w.difference;
        squares += w.rows * w.difference * w.difference;
        const Lanes raised = w.at * c.bet;
        const Lanes factor = w.least + raised;
        const Lanes inverse = Lanes(1.0) / (w.least * factor);  // one division for both
        const Lanes m = w.least * inverse * c.bet;
        const Lanes b = m * m * (raised * factor * inverse * (1.0 / 3.0) + 0.5);
        const Lanes bent = b * w.at;
        (w.rows * (m + bent + bent)).store(c.slope + i);
        (w.rows * b).store(c.curvature + i);
        constant -= w.rows * (w.at * (m + bent));
        wealth += w.rows * log(factor);
        slack -= w.rows * above_minus_log(factor * inverse * allowed);
    }
    return {differences.sum(), squares.sum(), constant.sum(), wealth.sum(), slack.sum()};
}

// A label other than y adds ln(least + bet); y itself adds the slope less.
WagerSums wager_labels(const WagerCells& c) {
    Lanes differences = 0.0, squares = 0.0, constant = 0.0, slack = 0.0;
    for (std::size_t i = 0; i < c.n; i += width) {
        const Wager w(c, i);
        differences += w.rows * w.difference;
        squares += w.rows * w.difference * w.difference;
        const Lanes other = log(w.least + c.bet);
        const Lanes none = log(w.least);
        constant += w.rows * other;
        slack += w.rows * (log(w.strict) - none);
        (w.rows * (none - other)).store(c.slope + i);
    }
    return {differences.sum(), squares.sum(), constant.sum(), 0.0, slack.sum()};
}
