"""A numeric feature with every value kept, and how good a cut inside an interval can be."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .impurities import criterion_gain

__all__ = ["Values", "best_split", "upper_bound"]

MOST_SUBSETS = 8  # classes up to which all their subsets are tried


class Values:
    """The class weights of every value, by brute force: VFDTc's tree without the tree."""

    def __init__(self) -> None:
        self.cells: dict[float, dict[int, float]] = {}

    def update(self, x: float, k: int, w: float = 1.0) -> None:
        """Add an example of class k."""
        row = self.cells.setdefault(x, {})
        row[k] = row.get(k, 0.0) + w

    def keys(self) -> list[float]:
        """The values, lowest first."""
        return sorted(self.cells)

    def class_weight(self, k: int) -> float:
        """The weight of class k over all values."""
        return sum(self.cells[x].get(k, 0.0) for x in self.keys())

    def classes(self) -> list[int]:
        """The classes that have a value, in the order of their codes."""
        return sorted({k for row in self.cells.values() for k in row})

    def masses_left(self, t: float, n_classes: int) -> Any:
        """The weight of values <= t of every class."""
        masses = np.zeros(n_classes)
        for x in self.keys():
            if x <= t:
                for k, weight in self.cells[x].items():
                    masses[k] += weight
        return masses


def best_split(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike = 1.0,
    impurity: str | Callable[[ArrayLike], Any] = "entropy",
) -> tuple[float | None, float]:
    """The threshold with the largest gain and that gain; the lowest of equals, None without any."""
    points = np.asarray(x, dtype=np.float64)
    codes = np.asarray(y, dtype=np.int64)
    weights = np.broadcast_to(np.asarray(w, dtype=np.float64), points.shape)
    n_classes = int(codes.max(initial=0)) + 1
    best, best_gain = None, 0.0
    for t in np.unique(points)[:-1]:
        left = np.bincount(codes, weights * (points <= t), n_classes)
        right = np.bincount(codes, weights * (points > t), n_classes)
        gain = criterion_gain(impurity, [left, right])
        if best is None or gain > best_gain:
            best, best_gain = float(t), gain
    return best, best_gain


def upper_bound(
    left: ArrayLike,
    inside: ArrayLike,
    right: ArrayLike,
    impurity: str | Callable[[ArrayLike], Any] = "entropy",
) -> float:
    """No cut inside an interval gains more than this (Jin and Agrawal 2003).

    The gain is convex in the weights that go left, so it is largest where each class of the
    interval lies wholly on one side. Beyond eight classes, where the subsets are too many, the
    interval is taken apart into a pure branch for each class: merging branches never gains.
    """
    below, within, above = (np.asarray(c, dtype=np.float64) for c in (left, inside, right))
    if len(within) > MOST_SUBSETS:
        return criterion_gain(impurity, np.vstack([below, above, np.diag(within)]))
    return max(
        criterion_gain(impurity, [below + within * goes_left, above + within * (1.0 - goes_left)])
        for goes_left in map(np.array, itertools.product([0.0, 1.0], repeat=len(within)))
    )
