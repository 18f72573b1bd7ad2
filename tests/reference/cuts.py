"""Which tests a leaf may split with, and the class weights that each sends down its branches."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .histogram import Histograms
from .statistics import CategoryCounts, Gaussian, masses_left
from .values import Values

__all__ = [
    "Cut",
    "best_two",
    "bins",
    "branch_of",
    "categorical_cuts",
    "crossings",
    "has_two_branches",
    "intersections",
    "midpoint",
    "multiway_table",
    "numeric_cuts",
    "one_against_rest_table",
    "qda",
    "threshold_table",
    "thresholds",
    "value_cuts",
]


@dataclass(frozen=True)
class Cut:
    """A candidate test of one feature.

    ``test`` is "threshold" (x <= value goes to branch 0), "one-against-rest" (x == value goes to
    branch 0) or "multiway" (a branch a category, listed in ``categories``; ``value`` is None).
    ``table`` holds the class weights, one row a branch.
    """

    feature: int
    test: str
    value: float | int | None
    table: Any
    categories: tuple[int, ...] = ()


def bins(lo: float, hi: float, n_cuts: int) -> list[float]:
    """Equal-width thresholds strictly between the smallest and the largest value."""
    points = [lo + (hi - lo) * (i / (n_cuts + 1)) for i in range(1, n_cuts + 1)]
    return [t for t in points if lo < t < hi]


def crossings(
    first: tuple[float, float, float],
    second: tuple[float, float, float],
    equal_variance: str = "linear",
) -> list[float]:
    """Where n1 phi(x; mu1, sigma1) = n2 phi(x; mu2, sigma2), lowest first.

    A class is (n, mu, sigma). A point mass has no density to cross: two of them are cut in the
    middle, and one just below and at its place. ``equal_variance="skip"`` finds no crossing
    between equal variances, as the released code of mDT.
    """
    n1, mu1, sigma1 = first
    n2, mu2, sigma2 = second
    if n1 <= 0.0 or n2 <= 0.0:
        return []
    if sigma1 == 0.0 and sigma2 == 0.0:
        return [] if mu1 == mu2 else [0.5 * mu1 + 0.5 * mu2]
    if sigma1 == 0.0 or sigma2 == 0.0:
        mu = mu1 if sigma1 == 0.0 else mu2
        return [math.nextafter(mu, -math.inf), mu]

    # In units of the pooled deviation, around the pooled mean.
    origin = (n1 * mu1 + n2 * mu2) / (n1 + n2)
    unit = math.sqrt((n1 * sigma1**2 + n2 * sigma2**2) / (n1 + n2))
    mu1, sigma1 = (mu1 - origin) / unit, sigma1 / unit
    mu2, sigma2 = (mu2 - origin) / unit, sigma2 / unit
    a = 1.0 / sigma1**2 - 1.0 / sigma2**2
    if abs(a) < 1e-12:
        if equal_variance == "skip" or mu1 == mu2:
            return []
        middle = 0.5 * (mu1 + mu2) + math.log(n1 / n2) / (mu2 - mu1)
        return [origin + unit * middle] if math.isfinite(middle) else []
    b = -2.0 * (mu1 / sigma1**2 - mu2 / sigma2**2)
    c = (mu1 / sigma1) ** 2 - (mu2 / sigma2) ** 2
    c -= 2.0 * math.log(n1 / n2 * (sigma2 / sigma1))
    discriminant = b * b - 4.0 * a * c
    if discriminant < 0.0:
        return []
    if discriminant == 0.0:
        return [origin - unit * b / (2.0 * a)]
    q = -0.5 * (b + math.copysign(math.sqrt(discriminant), b))
    return sorted(origin + unit * root for root in (q / a, c / q))


def _parameters(
    gaussians: Mapping[int, Gaussian], variance: str
) -> dict[int, tuple[float, float, float]]:
    """(n, mu, sigma) of every class with weight, in the order of the codes."""
    return {
        k: (gaussians[k].weight, gaussians[k].mean, math.sqrt(gaussians[k].spread(variance)))
        for k in sorted(gaussians)
        if gaussians[k].weight > 0.0
    }


def _range(gaussians: Mapping[int, Gaussian]) -> tuple[float, float]:
    """The smallest and the largest value over all classes."""
    lo = min((gaussian.low for gaussian in gaussians.values()), default=math.inf)
    hi = max((gaussian.high for gaussian in gaussians.values()), default=-math.inf)
    return lo, hi


def intersections(
    gaussians: Mapping[int, Gaussian], equal_variance: str = "linear", variance: str = "sample"
) -> list[float]:
    """The crossings of every pair of classes strictly inside the range, each once, lowest first."""
    lo, hi = _range(gaussians)
    classes = list(_parameters(gaussians, variance).values())
    found: set[float] = set()
    for i, first in enumerate(classes):
        for second in classes[i + 1 :]:
            found.update(crossings(first, second, equal_variance))
    return sorted(t for t in found if lo < t < hi)


def qda(gaussians: Mapping[int, Gaussian], variance: str = "sample") -> list[float]:
    """The crossing of the two heaviest classes that is closer to both means, if there is one.

    Ties go to the crossing between the means, then to the lower one.
    """
    lo, hi = _range(gaussians)
    classes = list(_parameters(gaussians, variance).values())
    if len(classes) < 2:
        return []
    # The sort is stable: equal weights keep the order of the codes.
    first, second = sorted(classes, key=lambda of: -of[0])[:2]
    near, far = sorted((first[1], second[1]))
    roots = [t for t in crossings(first, second) if lo < t < hi]
    if not roots:
        return []
    return [
        min(roots, key=lambda d: (abs(d - near) + abs(d - far), not near <= d <= far, d)),
    ]


def thresholds(
    gaussians: Mapping[int, Gaussian],
    cuts: str = "bins",
    n_cuts: int = 10,
    equal_variance: str = "linear",
    variance: str = "sample",
) -> list[float]:
    """The candidates of a numeric feature while its leaf decides, each once, lowest first."""
    if cuts == "intersections":
        return intersections(gaussians, equal_variance, variance)
    if cuts == "qda":
        return qda(gaussians, variance)
    lo, hi = _range(gaussians)
    found = bins(lo, hi, n_cuts) if lo < hi else []
    if cuts == "combined":
        found = sorted({*found, *intersections(gaussians, equal_variance, variance)})
    return found


def threshold_table(
    gaussians: Mapping[int, Gaussian],
    t: float,
    n_classes: int,
    clip_to_range: bool = True,
    variance: str = "sample",
) -> Any:
    """x <= t against x > t; the right mass is what the left leaves of the known weight."""
    left = masses_left(gaussians, t, n_classes, clip_to_range, variance)
    known = np.zeros(n_classes)
    for k, gaussian in gaussians.items():
        known[k] = gaussian.weight
    return np.array([left, known - left])


def midpoint(gaussians: Mapping[int, Gaussian], t: float | int | None) -> float | None:
    """The middle between the values next to t, if no class has a third value; None if unknown.

    A class has only its smallest and its largest value if its variance is the largest that is
    possible with its mean between them (Bhatia and Davis 2000): (mean - low) (high - mean).
    """
    assert t is not None
    values = set()
    for gaussian in gaussians.values():
        if not gaussian.weight > 0.0:
            continue
        low, high = gaussian.low, gaussian.high
        most = (gaussian.mean - low) * (high - gaussian.mean)
        if low < high and abs(most - gaussian.m2 / gaussian.weight) > 1e-9 * (high - low) ** 2:
            return None
        values |= {low, high}
    left, right = [x for x in values if x <= t], [x for x in values if x > t]
    if not left or not right:
        return None
    below, above = max(left), min(right)
    middle = below + (above - below) / 2.0
    return middle if below <= middle < above else None


def multiway_table(counts: CategoryCounts, n_classes: int) -> Any:
    """A row for every category that has weight, in the order of the codes."""
    rows = [counts.row(category, n_classes) for category in counts.categories()]
    return np.array(rows).reshape(len(rows), n_classes)


def one_against_rest_table(counts: CategoryCounts, category: int, n_classes: int) -> Any:
    """x == category against every other category."""
    rest = np.zeros(n_classes)
    for other in counts.categories():
        if other != category:
            rest = rest + counts.row(other, n_classes)
    return np.array([counts.row(category, n_classes), rest])


def has_two_branches(table: ArrayLike, known: float, min_branch_fraction: float) -> bool:
    """Whether at least two branches hold more than a fraction of the known weight."""
    weights = np.asarray(table, dtype=np.float64).sum(axis=1)
    return int((weights > min_branch_fraction * known).sum()) >= 2


def numeric_cuts(
    feature: int,
    gaussians: Mapping[int, Gaussian],
    n_classes: int,
    n_cuts: int,
    clip_to_range: bool,
    cuts: str = "bins",
    equal_variance: str = "linear",
    variance: str = "sample",
) -> Iterator[Cut]:
    """The thresholds of a numeric feature, lowest first."""
    for t in thresholds(gaussians, cuts, n_cuts, equal_variance, variance):
        table = threshold_table(gaussians, t, n_classes, clip_to_range, variance)
        yield Cut(feature, "threshold", t, table)


def value_cuts(feature: int, values: Values, n_classes: int) -> Iterator[Cut]:
    """Every value but the largest is a threshold, lowest first; or the cuts of histograms."""
    if isinstance(values, Histograms):
        known = values.masses_left(math.inf, n_classes)
        for t in values.thresholds():
            below = values.masses_left(t, n_classes)
            yield Cut(feature, "threshold", t, np.array([below, known - below]))
        return
    keys = values.keys()
    left = np.zeros((len(keys), n_classes))
    for i, x in enumerate(keys):
        for k, weight in values.cells[x].items():
            left[i, k] = weight
    left = left.cumsum(axis=0)
    for i, x in enumerate(keys[:-1]):
        yield Cut(feature, "threshold", x, np.array([left[i], left[-1] - left[i]]))


def categorical_cuts(
    feature: int, counts: CategoryCounts, n_classes: int, kind: str, multiway_used: bool
) -> Iterator[Cut]:
    """The tests of a categorical feature: multiway first, then each category against the rest.

    A multiway test is not repeated below a multiway test of the same feature.
    """
    categories = tuple(counts.categories())
    if kind in ("multiway", "both") and not multiway_used:
        yield Cut(feature, "multiway", None, multiway_table(counts, n_classes), categories)
    if kind in ("one-against-rest", "both"):
        for category in categories:
            table = one_against_rest_table(counts, category, n_classes)
            yield Cut(feature, "one-against-rest", category, table)


def branch_of(cut: Cut, x: float | int) -> int | None:
    """The row of the table that a value belongs to; None for a category without one."""
    if cut.test == "threshold":
        assert cut.value is not None
        return 0 if x <= cut.value else 1
    if cut.test == "one-against-rest":
        return 0 if x == cut.value else 1
    return cut.categories.index(int(x)) if x in cut.categories else None


def best_two(
    candidates: Sequence[tuple[float, Cut]], rule: str, missing_second: str = "zero"
) -> tuple[tuple[float, Cut | None], tuple[float, Cut | None]]:
    """The best cut and its runner-up, each with its gain; ties go to the first candidate.

    The runner-up is the best cut of another feature ("feature"), or any other ("cut"). "No
    split" (None, gain 0) competes for that place, with "none" without a rival, and for the first
    one only if there is no candidate at all.
    With ``missing_second="-inf"`` a cut without any rival has a runner-up of gain -inf.
    """
    null: tuple[float, Cut | None] = (0.0, None)
    if not candidates:
        return null, null
    best_gain, best = max(candidates, key=lambda candidate: candidate[0])
    rivals = [
        (gain, cut)
        for gain, cut in candidates
        if rule != "none"
        and (cut.feature != best.feature if rule == "feature" else cut is not best)
    ]
    if not rivals and missing_second == "-inf":
        return (best_gain, best), (-math.inf, None)
    return (best_gain, best), max([null, *rivals], key=lambda candidate: candidate[0])
