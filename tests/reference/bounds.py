"""How far a gain that was measured on n examples may be off."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "adwin_cut",
    "confidence",
    "confidence_delta",
    "confidence_interval",
    "confidence_practical",
    "delta_method",
    "enough_examples",
    "hoeffding",
    "hoeffding_examples",
    "influence",
    "mcdiarmid",
    "normal",
    "normal_quantile",
    "phi_variance",
    "practical",
    "replacement",
    "spend",
]


def hoeffding(n: ArrayLike, delta: float, gain_range: float) -> Any:
    """Domingos and Hulten (2000), section 2: R sqrt(ln(1/delta) / (2n))."""
    return gain_range * np.sqrt(np.log(1.0 / delta) / (2.0 * np.asarray(n, dtype=np.float64)))


def hoeffding_examples(epsilon: float, delta: float, gain_range: float) -> float:
    """The n at which Hoeffding's bound is epsilon."""
    return gain_range**2 * math.log(1.0 / delta) / (2.0 * epsilon**2)


def spend(delta: float, check: int) -> float:
    """What the j-th check of a leaf may use of delta: delta / (j (j + 1)), which sums to delta."""
    return delta / (check * (check + 1.0))


def mcdiarmid(n: float, delta: float, impurity: str, n_classes: int = 2) -> float:
    """Rutkowski et al. (2013): C sqrt(ln(1/delta) / (2n)).

    C is 8 for Gini, and 6 (K log2(e n) + log2(2n)) + 2 log2 K for the entropy of K classes.
    """
    if impurity == "gini":
        c = 8.0
    else:
        k = max(n_classes, 2)
        c = 6.0 * (k * math.log2(math.e * n) + math.log2(2.0 * n)) + 2.0 * math.log2(k)
    return c * math.sqrt(math.log(1.0 / delta) / (2.0 * n))


def confidence_interval(m: float, delta: float, impurity: str) -> float:
    """De Rosa and Cesa-Bianchi (2015), theorems 1 to 3, in their units: entropy in half-nats."""
    if impurity == "entropy":
        if m <= 1.0:
            return math.inf
        return math.log(m) * math.sqrt(2.0 / m * math.log(4.0 / delta)) + 2.0 / m
    if impurity == "gini":
        return math.sqrt(8.0 / m * math.log(2.0 / delta)) + 4.0 * math.sqrt(1.0 / m)
    return 4.0 * math.sqrt(1.0 / m * math.log(8.0 / delta))


def confidence_delta(delta: float, h: float, t: float, d: float, m: float) -> float:
    """What eq. 7 leaves of delta for one test at one time: delta / ((h+1)(h+2) t d m)."""
    return delta / ((h + 1.0) * (h + 2.0) * t * d * m)


def confidence(
    n: float, delta: float, impurity: str, depth: int, seen: float, n_features: int
) -> float:
    """Eq. 7 in the units of the gains: entropy in bits, which are 2 / ln 2 half-nats."""
    share = confidence_delta(delta, depth, seen, n_features, n)
    if share >= 1.0:
        return math.inf
    units = 2.0 / math.log(2.0) if impurity == "entropy" else 1.0
    return units * confidence_interval(n, share, impurity)


def practical(c: float, m: float, h: float, t: float, d: float, form: str = "printed") -> float:
    """Eq. 8: c sqrt(ln(m^2 h^2 t d) / m), or as eq. 7 gives it for delta = 1/t."""
    if form != "derived":
        argument = m**2 * h**2 * t * d
    else:
        argument = (h + 1.0) * (h + 2.0) * d * m * t**2
    if argument <= 1.0:
        return math.inf
    return c * math.sqrt(math.log(argument) / m)


def confidence_practical(
    n: float,
    impurity: str,
    depth: int,
    seen: float,
    n_features: int,
    c: float = 1.0,
    form: str = "printed",
) -> float:
    """Eq. 8 at a leaf: the root has h = 1, and in the printed form d counts the class too."""
    h = depth if form == "derived" else depth + 1
    d = n_features + 1 if form == "printed" else n_features
    epsilon = practical(c, n, h, seen, d, form)
    if impurity != "entropy":
        return epsilon
    return epsilon * math.log(n) if n > 1.0 else math.inf


def normal_quantile(delta: float) -> float:
    """z_{1 - delta}; minus the lower quantile, because 1 - delta loses the digits of delta."""
    return -NormalDist().inv_cdf(delta)


def normal(n: float, delta: float, impurity: str, n_classes: int = 2) -> float:
    """Rutkowski's thresholds: z sqrt(1 / (2n)), and for Gini z sqrt(2 (5K^2 - 8K + 4) / n)."""
    if impurity == "gini":
        k = max(n_classes, 2)
        return normal_quantile(delta) * math.sqrt(2.0 * (5.0 * k**2 - 8.0 * k + 4.0) / n)
    return normal_quantile(delta) * math.sqrt(1.0 / (2.0 * n))


def _observed(table: ArrayLike) -> Any:
    """A table without cells below half an example: tails of a Gaussian are no observations."""
    counts = np.asarray(table, dtype=np.float64)
    return np.where(counts < 0.5, 0.0, counts)


def influence(table: ArrayLike, impurity: str) -> Any:
    """phi(x, y) of the delta method, a row a branch and a column a class, plugged in.

    Where it is not defined, for a branch or a class without weight or the logarithm of 0, it
    is 0.
    """
    counts = _observed(table)
    phi = np.zeros_like(counts)
    total = counts.sum()
    if total <= 0.0:
        return phi
    p_class = counts.sum(axis=0) / total
    for b, row in enumerate(counts):
        weight = row.sum()
        if weight <= 0.0:
            continue
        given_branch = row / weight
        if impurity == "entropy":
            used = row > 0.0
            phi[b, used] = np.log2(given_branch[used] / p_class[used])
        elif impurity == "gini":
            phi[b] = 2.0 * given_branch - (given_branch**2).sum() - 2.0 * p_class
        else:
            phi[b, row.argmax()] += 1.0
            phi[b, p_class.argmax()] -= 1.0
    phi[:, p_class == 0.0] = 0.0
    return phi


def phi_variance(table: ArrayLike, impurity: str, total: float | None = None) -> float:
    """Var[phi]; of a larger ``total`` the examples outside the table have phi = 0."""
    counts = _observed(table)
    n = np.asarray(table, dtype=np.float64).sum() if total is None else total
    if n <= 0.0:
        return 0.0
    phi = influence(counts, impurity)
    mean = (counts * phi).sum() / n
    rest = max(n - counts.sum(), 0.0)
    return float(((counts * (phi - mean) ** 2).sum() + rest * mean**2) / n)


def enough_examples(table: ArrayLike, n: float) -> bool:
    """Whether the normal approximation is trusted: n >= 100 and every used cell >= 5."""
    counts = _observed(table)
    return n >= 100.0 and bool((counts[counts > 0.0] >= 5.0).all())


def empirical_bernstein(n: float, delta: float, variance: float, gain_range: float) -> float:
    """Maurer and Pontil (2009), theorem 4, for terms that range over 2R."""
    log = np.log(2.0 / delta)
    return float(np.sqrt(2.0 * variance * log / n) + 7.0 * 2.0 * gain_range * log / (3.0 * (n - 1)))


def delta_method(
    n: float, delta: float, variances: tuple[float, float], pairing: str = "independent"
) -> float:
    """z sqrt(s^2 / n) for the difference of two gains.

    ``independent`` adds the two variances, ``conservative`` the two standard deviations; for
    ``paired`` the first is the variance of phi_1 - phi_2 and the second is not read.
    """
    first, second = variances
    if pairing == "independent":
        s = math.sqrt(first + second)
    elif pairing == "conservative":
        s = math.sqrt(first) + math.sqrt(second)
    else:
        s = math.sqrt(first)
    return normal_quantile(delta) * s / math.sqrt(n)


def adwin_cut(n0: float, n1: float, variance: float, delta: float) -> float:
    """How far the means of two windows differ before ADWIN drops the older one, as in MOA."""
    dd = math.log(2.0 * math.log(n0 + n1) / delta)
    m = 1.0 / (n0 - 4.0) + 1.0 / (n1 - 4.0)
    return math.sqrt(2.0 * m * variance * dd) + 2.0 / 3.0 * m * dd


def replacement(error: float, weight: float, alternate: float, delta: float = 0.05) -> float:
    """How much better an alternate subtree of HAT must be.

    sqrt(2 e (1 - e) ln(2/delta) (1/W + 1/W')) for the error e of the tree in use.
    """
    scale = 1.0 / alternate + 1.0 / weight
    return math.sqrt(2.0 * error * (1.0 - error) * math.log(2.0 / delta) * scale)
