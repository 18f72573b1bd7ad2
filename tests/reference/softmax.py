"""Multinomial logistic regression, trained by stochastic gradient descent."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["Softmax"]

# A missing value, a number or a category.
Value = float | str | None

LARGEST = 1e6  # weights and standardised inputs stay within it


class Softmax:
    """The units of a leaf, one per class: a weight for each input, 0 until it is learned.

    ``moments`` are weight, mean and centred squares of each numeric feature, over all classes.
    """

    def __init__(self, kinds: Sequence[str], step: float) -> None:
        self.kinds = kinds
        self.step = step
        self.weights: list[dict[Any, float]] = []
        self.moments = [(0.0, 0.0, 0.0) for _ in kinds]

    def for_child(self) -> "Softmax":
        """The same weights; the moments weigh as much as thirty examples at most."""
        child = Softmax(self.kinds, self.step)
        child.weights = [dict(w) for w in self.weights]
        for f, (weight, mean, squares) in enumerate(self.moments):
            kept = min(weight, 30.0)
            child.moments[f] = (kept, mean, squares * kept / weight if weight else 0.0)
        return child

    def inputs(self, row: Sequence[Value]) -> dict[Any, float]:
        """Standardised numbers, the constant, and a 1 for each category; missing is left out."""
        inputs: dict[Any, float] = {"constant": 1.0}
        for f, (kind, x) in enumerate(zip(self.kinds, row, strict=True)):
            if x is None:
                continue
            if kind == "categorical":
                inputs[f, x] = 1.0
                continue
            weight, mean, squares = self.moments[f]
            if weight > 0.0 and squares > 0.0:
                z = (float(x) - mean) / math.sqrt(squares / weight)
                inputs[f] = min(max(z, -LARGEST), LARGEST)
        return inputs

    def probabilities(self, row: Sequence[Value], n_classes: int) -> np.ndarray | None:
        """The softmax of the outputs; None before anything is learned."""
        return self._shares(self.inputs(row), n_classes) if self.weights else None

    def _shares(self, x: dict[Any, float], n_classes: int) -> np.ndarray:
        outputs = np.zeros(n_classes)
        for k, w in enumerate(self.weights[:n_classes]):
            outputs[k] = sum(w.get(i, 0.0) * value for i, value in x.items())
        shares = np.exp(outputs - outputs.max())
        return shares / shares.sum()

    def learn(self, row: Sequence[Value], y: int, w: float, n_classes: int) -> None:
        """A weight of 3 is three examples; what is left after sixteen is one long step."""
        self.weights += [{} for _ in range(n_classes - len(self.weights))]
        for _ in range(16):
            if w > 1.0:
                self._learn(row, y, 1.0)
                w -= 1.0
        self._learn(row, y, w)

    def _learn(self, row: Sequence[Value], y: int, w: float) -> None:
        """The moments learn the row first, so that it is within them."""
        for f, (kind, x) in enumerate(zip(self.kinds, row, strict=True)):
            if x is not None and kind == "numeric":
                weight, mean, squares = self.moments[f]
                weight += w
                after = mean + w / weight * (float(x) - mean)
                self.moments[f] = (weight, after, squares + w * (x - mean) * (x - after))
        inputs = self.inputs(row)
        errors = np.eye(len(self.weights))[y] - self._shares(inputs, len(self.weights))
        rate = min(self.step * w, 1.0 / sum(x * x for x in inputs.values()))
        for weights, error in zip(self.weights, errors, strict=True):
            for i, x in inputs.items():
                changed = weights.get(i, 0.0) + rate * error * x
                weights[i] = min(max(changed, -LARGEST), LARGEST)
