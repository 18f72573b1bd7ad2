"""The streaming histogram of Ben-Haim and Tom-Tov (2010): sheet 10, section 7."""

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .values import Values

__all__ = ["Histogram", "Histograms"]


class Histogram:
    """At most B bins (p, m), sorted; the smallest, the largest value and the total are exact."""

    def __init__(self, n_bins: int) -> None:
        self.n_bins = n_bins
        self.bins: list[tuple[float, float]] = []
        self.low, self.high, self.total = math.inf, -math.inf, 0.0
        self.exact = True

    def update(self, x: float, w: float = 1.0) -> None:
        """Insert a value; then the two closest bins become one."""
        self._insert([(x, w)])
        self.low, self.high = min(self.low, x), max(self.high, x)
        self.total += w

    def merge(self, other: "Histogram") -> None:
        """The union of all bins, reduced."""
        self._insert(other.bins)
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.total += other.total
        self.exact = self.exact and other.exact

    def _insert(self, new: Iterable[tuple[float, float]]) -> None:
        weights: dict[float, float] = dict(self.bins)
        for p, m in new:
            weights[p] = weights.get(p, 0.0) + m
        bins = sorted(weights.items())
        self.exact = self.exact and len(bins) <= self.n_bins
        self.bins = reduce(bins, self.n_bins)

    def sum(self, b: float) -> float:
        """The estimated weight of the values <= b."""
        if not self.bins or b < self.bins[0][0]:
            return 0.0
        if b >= self.bins[-1][0]:
            return self.total
        i = max(i for i, (p, _) in enumerate(self.bins) if p <= b)
        (p, m), (q, n) = self.bins[i], self.bins[i + 1]
        here = m + (n - m) / (q - p) * (b - p)
        before = sum(weight for _, weight in self.bins[:i])
        return (m + here) / 2 * (b - p) / (q - p) + before + m / 2

    def at_or_below(self, b: float) -> float:
        """As `sum`, but exact as long as no two bins became one."""
        return sum(m for p, m in self.bins if p <= b) if self.exact else self.sum(b)

    def uniform(self, parts: int) -> list[float]:
        """The points between parts of equal weight, without repetitions."""
        return uniform(self.bins, self.low, self.high, parts)


def reduce(bins: list[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    """Replace the closest neighbours by their mean, the leftmost first, until few are left."""
    bins = list(bins)
    while len(bins) > most:
        gaps = [q - p for (p, _), (q, _) in itertools.pairwise(bins)]
        i = gaps.index(min(gaps))
        (p, m), (q, n) = bins[i], bins[i + 1]
        bins[i : i + 2] = [((p * m + q * n) / (m + n), m + n)]
    return bins


def uniform(bins: list[tuple[float, float]], low: float, high: float, parts: int) -> list[float]:
    """The roots of the trapezia; towards the ends on a line to the smallest and largest value."""
    if not bins:
        return []
    m = [weight for _, weight in bins]
    middles = [sum(m[:i]) + m[i] / 2 for i in range(len(m))]
    found: list[float] = []
    for j in range(1, parts):
        s = j / parts * sum(m)
        if s < middles[0]:
            u = low + (bins[0][0] - low) * s / middles[0]
        elif s >= middles[-1]:
            u = bins[-1][0] + (high - bins[-1][0]) * (s - middles[-1]) / (m[-1] / 2)
        else:
            i = max(i for i, middle in enumerate(middles) if middle <= s)
            d, a, b = s - middles[i], m[i + 1] - m[i], 2 * m[i]
            z = d / m[i] if a == 0 else (-b + math.sqrt(b * b + 8 * a * d)) / (2 * a)
            u = bins[i][0] + (bins[i + 1][0] - bins[i][0]) * z
        if not found or u > found[-1]:
            found.append(u)
    return found


class Histograms(Values):
    """A histogram for each class of a feature, with the cuts of SPDT."""

    def __init__(self, n_bins: int) -> None:
        super().__init__()
        self.n_bins = n_bins
        self.of_class: dict[int, Histogram] = {}

    def update(self, x: float, k: int, w: float = 1.0) -> None:
        """Add an example of class k."""
        self.of_class.setdefault(k, Histogram(self.n_bins)).update(x, w)

    def class_weight(self, k: int) -> float:
        """The weight of class k over all values."""
        return self.of_class[k].total

    def classes(self) -> list[int]:
        """The classes that have a value."""
        return sorted(self.of_class)

    def masses_left(self, t: float, n_classes: int) -> Any:
        """The estimated weight of values <= t of every class."""
        masses = np.zeros(n_classes)
        for k, histogram in self.of_class.items():
            masses[k] = histogram.at_or_below(t)
        return masses

    def thresholds(self) -> list[float]:
        """Every value but the largest while all is exact, otherwise parts of equal weight."""
        weights: dict[float, float] = {}
        for k in self.classes():
            for p, m in self.of_class[k].bins:
                weights[p] = weights.get(p, 0.0) + m
        bins = sorted(weights.items())
        parts = self.of_class.values()
        if len(bins) <= self.n_bins and all(h.exact for h in parts):
            return [p for p, _ in bins[:-1]]
        low, high = min(h.low for h in parts), max(h.high for h in parts)
        return uniform(reduce(bins, self.n_bins), low, high, self.n_bins)
