"""Values that are distributions, and a tree that learns them: sheet 10, section 9.

An example goes into every branch with the probability of the branch, its distribution
conditioned on it; what is less than 1e-6 of it is dropped. A leaf learns ten quantiles of a
continuous distribution. Naive Bayes takes the mean likelihood of the points.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from .leaves import best_class, naive_bayes, probabilities_of_scores, probabilities_of_weights
from .statistics import CategoryCounts, Gaussian
from .tree import ReferenceTree
from .values import Values

__all__ = ["Categories", "Interval", "Normal", "Numbers", "UncertainTree"]

QUANTILES = [(i + 0.5) / 10 for i in range(10)]
LEAST_SHARE = 1e-6


@dataclass(frozen=True)
class Interval:
    """Uniform from lo to hi."""

    lo: float
    hi: float

    def below(self, t: float) -> float:
        return min(max((t - self.lo) / (self.hi - self.lo), 0.0), 1.0)

    def up_to(self, t: float) -> "Interval":
        return replace(self, hi=min(t, self.hi))

    def above(self, t: float) -> "Interval":
        return replace(self, lo=max(t, self.lo))

    def points(self) -> list[tuple[float, float]]:
        return [(self.lo + q * (self.hi - self.lo), 0.1) for q in QUANTILES]


@dataclass(frozen=True)
class Normal:
    """Normal within lo and hi."""

    mean: float
    sd: float
    lo: float = -math.inf
    hi: float = math.inf

    def _cdf(self, x: float) -> float:
        return 0.5 * math.erfc((self.mean - x) / self.sd / math.sqrt(2.0))

    def below(self, t: float) -> float:
        inside = min(max(t, self.lo), self.hi)
        whole = self._cdf(self.hi) - self._cdf(self.lo)
        return (self._cdf(inside) - self._cdf(self.lo)) / whole

    def up_to(self, t: float) -> "Normal":
        return replace(self, hi=min(t, self.hi))

    def above(self, t: float) -> "Normal":
        return replace(self, lo=max(t, self.lo))

    def points(self) -> list[tuple[float, float]]:
        a, b = self._cdf(self.lo), self._cdf(self.hi)
        normal = NormalDist(self.mean, self.sd)
        return [(normal.inv_cdf(a + q * (b - a)), 0.1) for q in QUANTILES]


@dataclass(frozen=True)
class Numbers:
    """Some numbers with weights."""

    weights: dict[float, float]

    def below(self, t: float) -> float:
        total = sum(self.weights.values())
        return sum(w for x, w in self.weights.items() if x <= t) / total

    def up_to(self, t: float) -> "Numbers":
        return Numbers({x: w for x, w in self.weights.items() if x <= t})

    def above(self, t: float) -> "Numbers":
        return Numbers({x: w for x, w in self.weights.items() if x > t})

    def points(self) -> list[tuple[float, float]]:
        total = sum(self.weights.values())
        return [(x, w / total) for x, w in self.weights.items()]


class Categories(Numbers):
    """Some category codes with weights."""

    def only(self, code: float) -> "Categories":
        return Categories({c: w for c, w in self.weights.items() if c == code})

    def without(self, code: float) -> "Categories":
        return Categories({c: w for c, w in self.weights.items() if c != code})


Distribution = Interval | Normal | Numbers
DISTRIBUTIONS = (Interval, Normal, Numbers)


def certain(values: Sequence[Any]) -> list[Any]:
    """The values without those that are distributions."""
    return [None if isinstance(x, DISTRIBUTIONS) else x for x in values]


def parts(values: Sequence[Any]) -> Iterator[tuple[list[Any], float]]:
    """Certain rows with weights that sum to 1: all features go through their points at once."""
    points = {f: x.points() for f, x in enumerate(values) if isinstance(x, DISTRIBUTIONS)}
    ends = {f: np.cumsum([p for _, p in of]) for f, of in points.items()}
    bounds = sorted({1.0, *(round(float(e), 12) for of in ends.values() for e in of)})
    done = 0.0
    for end in bounds:
        row = list(values)
        for f, of in points.items():
            at = int(np.searchsorted(ends[f], (done + end) / 2.0))
            row[f] = of[min(at, len(of) - 1)][0]
        yield row, end - done
        done = end


class UncertainTree(ReferenceTree):
    """A reference tree whose rows may hold distributions."""

    def _read(self, row: Sequence[Any]) -> list[Any]:
        numbers = [math.nan if isinstance(x, DISTRIBUTIONS) else x for x in row]
        numbers = [
            -1 if k == "categorical" and x != x else x
            for k, x in zip(self.kinds, numbers, strict=True)
        ]
        read = super()._read(numbers)
        return [x if isinstance(x, DISTRIBUTIONS) else v for x, v in zip(row, read, strict=True)]

    def learn(self, row: Sequence[Any], y: int, w: float = 1.0) -> None:
        values = self._read(row)
        if values == certain(values):
            super().learn(row, y, w)
            return
        self.seen += 1
        self.classes.add(y)
        for f, x in enumerate(values):
            if isinstance(x, Categories):
                self.categories[f] |= {int(c) for c in x.weights}
            elif x is not None and self.kinds[f] == "categorical":
                self.categories[f].add(int(x))
        p = self.parameters
        for leaf, left, share in self._shares(self.root, values, 1.0, learning=True):
            node = self.nodes[leaf]
            self._observe(leaf, left, y, share * min(w, 1.0))
            self._update(leaf, left, y, share * w)
            if (
                node.depth < p.max_depth
                and len(node.observed) >= 2
                and node.weight - node.checked >= node.delay
            ):
                node.checked = node.weight
                self._check(leaf)
            if w > 1.0 and node.cut is None:
                self._observe(leaf, left, y, share * (w - 1.0))

    def _shares(
        self, at: int, values: list[Any], share: float, *, learning: bool
    ) -> Iterator[tuple[int, list[Any], float]]:
        """Leaves, or the deepest nodes, with the values as they come there and their share."""
        node = self.nodes[at]
        cut = node.cut
        if cut is None:
            yield at, values, share
            return
        x = values[cut.feature]
        if not isinstance(x, DISTRIBUTIONS):
            if x is not None and cut.test == "multiway" and x not in node.children:
                child = self._branch(at, int(x), learning=learning)
            elif x is None:
                child = node.heavy
            elif cut.test == "multiway":
                child = node.children[int(x)]
            else:
                yes = x <= cut.value if cut.test == "threshold" else x == cut.value
                child = node.children[0 if yes else 1]
            if child == at:
                yield at, values, share
            else:
                yield from self._shares(child, values, share, learning=learning)
            return
        ways: list[tuple[int, float, Any]]
        if cut.test == "multiway":
            assert isinstance(x, Categories)
            ways = [
                (
                    node.children.get(int(c)) or self._branch(at, int(c), learning=learning),
                    p,
                    x.only(c),
                )
                for c, p in x.points()
                if share * p >= LEAST_SHARE
            ]
        elif cut.test == "threshold":
            p = x.below(cut.value)
            ways = [
                (node.children[0], p, x.up_to(cut.value)),
                (node.children[1], 1.0 - p, x.above(cut.value)),
            ]
        else:
            assert isinstance(x, Categories)
            p = dict(x.points()).get(cut.value, 0.0)
            ways = [
                (node.children[0], p, x.only(cut.value)),
                (node.children[1], 1.0 - p, x.without(cut.value)),
            ]
        for child, p, left in ways:
            if share * p < LEAST_SHARE:
                continue
            there = [left if f == cut.feature else v for f, v in enumerate(values)]
            if child == at:
                yield at, there, share * p
            else:
                yield from self._shares(child, there, share * p, learning=learning)

    def _branch(self, at: int, code: int, *, learning: bool) -> int:
        if not learning:
            return at
        if self.n_leaves >= self.parameters.max_leaves:
            return self.nodes[at].heavy
        return self._add_leaf(parent=at, branch=code, inherited={})

    def _update(self, leaf: int, values: Sequence[Any], y: int, w: float) -> None:
        node = self.nodes[leaf]
        units, node.units = node.units, None
        super()._update(leaf, certain(values), y, w)
        node.units = units
        if units is not None:
            for part, p in parts(values):
                units.learn(part, y, w * p, self._width())
        for f, distribution in enumerate(values):
            if not isinstance(distribution, DISTRIBUTIONS) or f in node.dropped:
                continue
            statistic = node.statistics[f]
            for x, p in distribution.points():
                if isinstance(statistic, CategoryCounts):
                    statistic.update(int(x), y, w * p)
                    continue
                if isinstance(statistic, Values):
                    statistic.update(x, y, w * p)
                density = node.densities[f]
                assert isinstance(density, dict)
                density.setdefault(y, Gaussian()).update(x, w * p)

    def _naive_bayes(self, at: int, values: Sequence[Any]) -> dict[int, float]:
        node = self.nodes[at]
        if values == certain(values) or node.cut is not None or node.weight <= 0.0:
            return super()._naive_bayes(at, certain(values))

        def scores(row: Sequence[Any]) -> dict[int, float]:
            n_categories = [len(seen) for seen in self.categories]
            floor = self.parameters.variance_floor
            return naive_bayes(row, node.observed, node.densities, n_categories, floor)

        total = scores(certain(values))
        nothing = scores([None] * len(values))
        for f, distribution in enumerate(values):
            if not isinstance(distribution, DISTRIBUTIONS):
                continue
            points = [
                (scores([x if g == f else None for g in range(len(values))]), p)
                for x, p in distribution.points()
            ]
            for k in total:
                top = max(s[k] for s, _ in points)
                mean = sum(p * math.exp(s[k] - top) for s, p in points)
                total[k] += top + math.log(mean) - nothing[k]
        return total

    def _linear(self, at: int, values: Sequence[Any], n_classes: int) -> list[float]:
        """The mean answer of the linear units, of the majority where they know nothing."""
        units = self.nodes[at].units
        assert units is not None
        known = min(n_classes, self._width()) or n_classes
        total = np.zeros(n_classes)
        for part, p in parts(values):
            shares = units.probabilities(part, known)
            if shares is None:
                shares = probabilities_of_weights(self._answer(at), known)
            total[:known] += p * np.array(shares)
        return total.tolist()

    def _class_by(self, name: str, at: int, values: Sequence[Any]) -> int | None:
        if name != "idbd" or values == certain(values):
            return super()._class_by(name, at, values)
        return best_class(dict(enumerate(self._linear(at, values, self._width()))))

    def probabilities(self, row: Sequence[Any], n_classes: int) -> list[float]:
        values = self._read(row)
        if values == certain(values):
            return super().probabilities(row, n_classes)
        total = [0.0] * n_classes
        whole = 0.0
        for at, left, share in self._shares(self.root, values, 1.0, learning=False):
            if self._predictor(at) == "naive-bayes" and self.nodes[at].weight > 0.0:
                answer = probabilities_of_scores(self._naive_bayes(at, left), n_classes)
            elif self._predictor(at) == "idbd" and self.nodes[at].cut is None:
                answer = self._linear(at, left, n_classes)
            else:
                answer = probabilities_of_weights(self._answer(at), n_classes)
            total = [t + share * a for t, a in zip(total, answer, strict=True)]
            whole += share
        return [t / whole for t in total]

    def predict(self, row: Sequence[Any]) -> int | None:
        values = self._read(row)
        if values == certain(values):
            return super().predict(row)
        if not self.seen:
            return None
        return best_class(dict(enumerate(self.probabilities(row, self._width()))))
