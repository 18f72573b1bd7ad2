"""How often a leaf's candidate children answer better than the leaf, measured as examples come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .cuts import Cut, branch_of
from .impurities import label
from .leaves import Value

__all__ = ["Quality", "reward"]


def reward(answer: int, y: int, costs: Any | None) -> float:
    """1 for a right answer and 0 for a wrong one, or 1 - cost with costs of at most 1."""
    if costs is None:
        return float(answer == y)
    return 1.0 - float(costs[answer][y])


def units(w: float) -> list[float]:
    """An example of weight w as examples of weight 1, one after the other.

    The last one has what is left, and after 63 of them all of it.
    """
    parts: list[float] = []
    while w > 0.0:
        parts.append(min(1.0, w) if len(parts) < 63 else w)
        w -= parts[-1]
    return parts


def _add(counts: dict[int, float], y: int, w: float) -> None:
    counts[y] = counts.get(y, 0.0) + w


def _vector(counts: Mapping[int, float], n_classes: int) -> Any:
    return np.array([counts.get(k, 0.0) for k in range(n_classes)])


@dataclass
class Feature:
    """The children of one feature: class counts by branch, and the rewards gained so far."""

    cut: Cut | None = None  # of a number, once it is fixed; a category is its own branch
    branches: dict[int, dict[int, float]] = field(default_factory=dict)
    labels: dict[int, int] | None = None  # of holdout, once they are fixed
    gained: float = 0.0
    averaged: float = 0.0


class Quality:
    """The prequential and the holdout evaluator of one leaf (30 §4).

    Prequential: each example is answered by the label of its child and by that of the leaf, as
    they are before it is counted. Holdout: the labels are those after the first examples, up to
    a weight of ``holdout_examples``, and only later examples are answered. In both the cut of a
    number is fixed after the first examples and its children start empty then.

    The parent of all features is the leaf with all its examples. A missing value gains 0, which
    scales the gain of a feature by its known share.
    """

    def __init__(
        self,
        kinds: Sequence[str],
        evaluator: str = "prequential",
        holdout_examples: float = 30,
        costs: ArrayLike | None = None,
    ) -> None:
        self.kinds = list(kinds)
        self.evaluator = evaluator
        self.holdout_examples = holdout_examples
        self.costs = None if costs is None else np.asarray(costs, dtype=np.float64)
        self.n_classes = 0  # that the tree has seen: a leaf may be answered with any of them
        self.weight = 0.0
        self.fixed = False
        self.counts: dict[int, float] = {}
        self.label: int | None = None  # of the leaf in holdout, once it is fixed
        self.features = [Feature() for _ in kinds]

    @property
    def due(self) -> bool:
        """Whether the first examples are complete and nothing is fixed yet."""
        return not self.fixed and self.weight >= self.holdout_examples

    def _label(self, counts: Mapping[int, float]) -> int:
        return label(_vector(counts, self.n_classes), self.costs)

    def _started(self, f: int) -> bool:
        if self.fixed:
            return self.kinds[f] == "categorical" or self.features[f].cut is not None
        return self.evaluator == "prequential" and self.kinds[f] == "categorical"

    def learn(self, values: Sequence[Value], y: int, w: float = 1.0) -> None:
        """Answer an example where the average has started, then count it.

        A weight of 3 is three examples: the second knows the first.
        """
        self.n_classes = max(self.n_classes, y + 1)
        for unit in units(w):
            self._learn(values, y, unit)

    def _learn(self, values: Sequence[Value], y: int, w: float) -> None:
        parent = self._label(self.counts) if self.label is None else self.label
        for f, x in enumerate(values):
            feature = self.features[f]
            if self._started(f):
                feature.averaged += w
            if x is None:
                continue
            if self.kinds[f] == "categorical":
                branch = int(x)
            elif feature.cut is not None:
                branch = branch_of(feature.cut, x) or 0
            else:
                continue
            counts = feature.branches.setdefault(branch, {})
            if self._started(f):
                if feature.labels is None:
                    child = self._label(counts)
                else:
                    # A category that the first examples lacked is an empty child.
                    child = feature.labels.get(branch, self._label({}))
                hit = reward(child, y, self.costs) - reward(parent, y, self.costs)
                feature.gained += w * hit
            _add(counts, y, w)
        _add(self.counts, y, w)
        self.weight += w

    def fix(self, cuts: Mapping[int, Cut]) -> None:
        """Fix the cuts of the numbers, and in holdout all labels, after the first examples.

        ``cuts`` are the best by resubstitution; a number without any has no candidate here.
        """
        self.fixed = True
        holdout = self.evaluator == "holdout"
        if holdout:
            self.label = self._label(self.counts)
        for f, feature in enumerate(self.features):
            if self.kinds[f] == "categorical":
                if holdout:
                    feature.labels = {b: self._label(c) for b, c in feature.branches.items()}
            elif f in cuts:
                feature.cut = cuts[f]
                if holdout:
                    feature.labels = {
                        b: label(row, self.costs) for b, row in enumerate(cuts[f].table)
                    }

    def candidate(self, f: int, n_classes: int) -> tuple[float, Cut] | None:
        """The gain and the cut of a feature, with the exact counts of its children."""
        feature = self.features[f]
        if not self._started(f) or feature.averaged <= 0.0:
            return None
        if self.kinds[f] == "categorical":
            categories = tuple(sorted(feature.branches))
            rows = [_vector(feature.branches[c], n_classes) for c in categories]
            table = np.array(rows).reshape(len(rows), n_classes)
            cut = Cut(f, "multiway", None, table, categories)
        else:
            assert feature.cut is not None
            rows = [_vector(feature.branches.get(b, {}), n_classes) for b in (0, 1)]
            cut = Cut(f, "threshold", feature.cut.value, np.array(rows))
        return feature.gained / feature.averaged, cut

    def averaged(self, *cuts: Cut | None) -> float:
        """The smallest weight that the averages of these cuts are over."""
        weights = [self.features[cut.feature].averaged for cut in cuts if cut is not None]
        return min(weights, default=0.0)
