"""What a leaf remembers of one feature: a Gaussian a class, or the counts of its categories."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .values import Values

__all__ = [
    "CategoryCounts",
    "Gaussian",
    "Statistic",
    "known_weight",
    "masses_left",
    "moments",
    "normal_cdf",
]


def moments(x: ArrayLike, w: ArrayLike) -> tuple[float, float, float]:
    """Weight, mean and sum of squares around the mean, in two passes over the values."""
    values = np.asarray(x, dtype=np.float64)
    weights = np.broadcast_to(np.asarray(w, dtype=np.float64), values.shape)
    weight = math.fsum(weights)
    if weight <= 0.0:
        return 0.0, 0.0, 0.0
    mean = math.fsum(weights * values) / weight
    # The mean is rounded: a second mean, of what is left, removes its error.
    mean += math.fsum(weights * (values - mean)) / weight
    return weight, mean, math.fsum(weights * (values - mean) ** 2)


def normal_cdf(z: float) -> float:
    """Phi(z); erfc keeps the digits of the left tail, where 1 + erf loses them."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


class Gaussian:
    """Weight, mean, centred squares, minimum and maximum of the values of one class."""

    def __init__(self) -> None:
        self.weight = 0.0
        self.mean = 0.0
        self.m2 = 0.0
        self.low = math.inf
        self.high = -math.inf

    def update(self, x: float, w: float = 1.0) -> None:
        """Welford's update with weights (Welford 1962)."""
        self.weight += w
        delta = x - self.mean
        self.mean += w / self.weight * delta
        self.m2 += w * delta * (x - self.mean)
        self.low = min(self.low, x)
        self.high = max(self.high, x)

    def merge(self, other: "Gaussian") -> "Gaussian":
        """The Gaussian of both sets of values; neither of the two changes."""
        both = Gaussian()
        both.weight = self.weight + other.weight
        if both.weight > 0.0:
            gap = self.mean - other.mean
            both.mean = (self.weight * self.mean + other.weight * other.mean) / both.weight
            both.m2 = self.m2 + other.m2 + self.weight * other.weight / both.weight * gap**2
        both.low = min(self.low, other.low)
        both.high = max(self.high, other.high)
        return both

    @property
    def variance(self) -> float:
        """M2 / (W - 1), and 0 while W <= 1."""
        if self.weight <= 1.0:
            return 0.0
        # Rounding may leave M2 of equal values a hair below zero.
        return max(self.m2, 0.0) / (self.weight - 1.0)

    def spread(self, convention: str = "sample") -> float:
        """The variance that cuts use: the sample's, or M2 / W and at least 1e-6 (population)."""
        if convention == "sample":
            return self.variance
        return max(self.m2 / self.weight, 1e-6) if self.weight > 0.0 else 1e-6

    def mass_left(self, t: float, clip_to_range: bool = True, convention: str = "sample") -> float:
        """The weight of values <= t: W Phi((t - mean) / sigma)."""
        if self.weight <= 0.0:
            return 0.0
        if clip_to_range and t < self.low:
            return 0.0
        if clip_to_range and t >= self.high:
            return self.weight
        sigma = math.sqrt(self.spread(convention))
        if sigma == 0.0:
            return self.weight if self.mean <= t else 0.0
        return self.weight * normal_cdf((t - self.mean) / sigma)


def masses_left(
    gaussians: Mapping[int, Gaussian],
    t: float,
    n_classes: int,
    clip_to_range: bool = True,
    convention: str = "sample",
) -> Any:
    """The weight of values <= t of every class; 0 for a class without a value."""
    masses = np.zeros(n_classes)
    for k, gaussian in gaussians.items():
        masses[k] = gaussian.mass_left(t, clip_to_range, convention)
    return masses


class CategoryCounts:
    """The class weights of every category of a feature."""

    def __init__(self) -> None:
        self.cells: dict[int, dict[int, float]] = {}

    def update(self, category: int, k: int, w: float = 1.0) -> None:
        """Add an example of class k."""
        row = self.cells.setdefault(category, {})
        row[k] = row.get(k, 0.0) + w

    def merge(self, other: "CategoryCounts") -> "CategoryCounts":
        """The counts of both sets of examples; neither of the two changes."""
        both = CategoryCounts()
        for counts in (self, other):
            for category, row in counts.cells.items():
                for k, weight in row.items():
                    both.update(category, k, weight)
        return both

    def categories(self) -> list[int]:
        """The categories that have weight, in the order of their codes."""
        return [c for c in sorted(self.cells) if sum(self.cells[c].values()) > 0.0]

    def weight(self, category: int, k: int) -> float:
        """n_jk: the weight of class k with this category."""
        return self.cells.get(category, {}).get(k, 0.0)

    def classes(self) -> list[int]:
        """The classes that have weight, in the order of their codes."""
        return sorted({k for row in self.cells.values() for k in row})

    def class_weight(self, k: int) -> float:
        """n_.k: the weight of class k over all categories."""
        return sum(self.weight(category, k) for category in sorted(self.cells))

    def row(self, category: int, n_classes: int) -> Any:
        """The class weights of one category."""
        return np.array([self.weight(category, k) for k in range(n_classes)])


# What a leaf keeps of a feature; a numeric one has a Gaussian for every class with a known value,
# or all its values.
Statistic = dict[int, Gaussian] | CategoryCounts | Values


def known_weight(statistic: Statistic) -> float:
    """The weight of the examples of which the feature is known."""
    if isinstance(statistic, CategoryCounts | Values):
        return sum(statistic.class_weight(k) for k in statistic.classes())
    return sum(statistic[k].weight for k in sorted(statistic))
