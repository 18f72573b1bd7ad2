"""Which tests a leaf may split with, and the class weights that each sends down its branches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .statistics import CategoryCounts, Gaussian, masses_left

__all__ = [
    "Cut",
    "best_two",
    "bins",
    "categorical_cuts",
    "has_two_branches",
    "multiway_table",
    "numeric_cuts",
    "one_against_rest_table",
    "threshold_table",
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


def threshold_table(
    gaussians: Mapping[int, Gaussian], t: float, n_classes: int, clip_to_range: bool = True
) -> Any:
    """x <= t against x > t; the right mass is what the left leaves of the known weight."""
    left = masses_left(gaussians, t, n_classes, clip_to_range)
    known = np.zeros(n_classes)
    for k, gaussian in gaussians.items():
        known[k] = gaussian.weight
    return np.array([left, known - left])


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
) -> Iterator[Cut]:
    """The thresholds of a numeric feature, lowest first."""
    if not gaussians:
        return
    lo = min(gaussian.low for gaussian in gaussians.values())
    hi = max(gaussian.high for gaussian in gaussians.values())
    for t in bins(lo, hi, n_cuts):
        yield Cut(feature, "threshold", t, threshold_table(gaussians, t, n_classes, clip_to_range))


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


def best_two(
    candidates: Sequence[tuple[float, Cut]], other_feature: bool
) -> tuple[tuple[float, Cut | None], tuple[float, Cut | None]]:
    """The best cut and its runner-up, each with its gain; ties go to the first candidate.

    The runner-up is the best cut of another feature, or else any other cut. "No split" (None,
    gain 0) competes for that place, and for the first one only if there is no candidate at all.
    """
    null: tuple[float, Cut | None] = (0.0, None)
    if not candidates:
        return null, null
    best_gain, best = max(candidates, key=lambda candidate: candidate[0])
    rivals = [
        (gain, cut)
        for gain, cut in candidates
        if (cut.feature != best.feature if other_feature else cut is not best)
    ]
    return (best_gain, best), max([null, *rivals], key=lambda candidate: candidate[0])
