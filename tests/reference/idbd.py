"""Incremental delta-bar-delta (Sutton 1992): linear units with a step size for each weight."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Unit", "Units", "idbd"]

# A missing value, a number or a category code.
Value = float | int | None

LARGEST = 1e6  # weights, traces and standardised inputs stay within it


class Unit:
    """One unit; an input that it never met has weight 0 and the first step size."""

    def __init__(self, theta: float = 0.01, alpha: float = 0.05) -> None:
        self.theta = theta
        self.first = math.log(alpha)
        self.w: dict[Hashable, float] = {}
        self.beta: dict[Hashable, float] = {}
        self.h: dict[Hashable, float] = {}

    def output(self, x: Mapping[Any, float]) -> float:
        """w x."""
        return sum(self.w.get(i, 0.0) * value for i, value in x.items())

    def learn(
        self, x: Mapping[Any, float], y: float, weight: float = 1.0
    ) -> tuple[float, dict[Any, float]]:
        """One step: the error before it, and the step sizes that it took.

        A weight multiplies the length of the step and of the step of the step sizes.
        """
        delta = y - self.output(x)
        alpha = {}
        for i, value in x.items():
            change = weight * self.theta * delta * value * self.h.get(i, 0.0)
            beta = self.beta.get(i, self.first) + min(max(change, -2.0), 2.0)
            self.beta[i] = min(max(beta, -10.0), 10.0)
            alpha[i] = weight * math.exp(self.beta[i])
        most = sum(alpha[i] * value**2 for i, value in x.items())
        for i, value in x.items():
            alpha[i] /= max(most, 1.0)
            step = alpha[i] * delta * value
            w = self.w.get(i, 0.0) + step
            h = self.h.get(i, 0.0) * max(0.0, 1.0 - alpha[i] * value**2) + step
            self.w[i] = min(max(w, -LARGEST), LARGEST)
            self.h[i] = min(max(h, -LARGEST), LARGEST)
        return delta, alpha

    def half(self, sign: float) -> "Unit":
        """The unit with targets 0 and 1 that says the same as this one with -1 and +1."""
        unit = Unit(self.theta, math.exp(self.first))
        unit.first = self.first
        unit.beta = dict(self.beta)
        unit.w = {i: sign * w / 2.0 for i, w in self.w.items()}
        unit.h = {i: sign * h / 2.0 for i, h in self.h.items()}
        unit.w["bias"] = unit.w.get("bias", 0.0) + 0.5
        return unit


def idbd(
    x: ArrayLike, y: ArrayLike, theta: float = 0.01, alpha: float = 0.05
) -> tuple[Any, Any, Any, Any]:
    """Errors, step sizes, weights and traces of one unit that learns row by row."""
    unit = Unit(theta, alpha)
    errors, steps, weights, traces = [], [], [], []
    for row, target in zip(np.asarray(x, dtype=float), np.asarray(y, dtype=float), strict=True):
        inputs = dict(enumerate(row.tolist()))
        delta, taken = unit.learn(inputs, float(target))
        errors.append(delta)
        steps.append(list(taken.values()))
        weights.append([unit.w[i] for i in inputs])
        traces.append([unit.h[i] for i in inputs])
    return np.array(errors), np.array(steps), np.array(weights), np.array(traces)


class Units:
    """The units of a leaf: one for two classes, else one for each class.

    ``moments`` are weight, mean and centred squares of each numeric feature, over all classes.
    """

    def __init__(self, kinds: Sequence[str], theta: float, alpha: float) -> None:
        self.kinds = kinds
        self.rates = (theta, alpha)
        self.units: list[Unit] = []
        self.moments = [(0.0, 0.0, 0.0) for _ in kinds]

    def for_child(self) -> "Units":
        """The same units; the moments weigh as much as thirty examples at most."""
        child = Units(self.kinds, *self.rates)
        for unit in self.units:
            copy = Unit(*self.rates)
            copy.w, copy.beta, copy.h = dict(unit.w), dict(unit.beta), dict(unit.h)
            child.units.append(copy)
        for f, (weight, mean, squares) in enumerate(self.moments):
            kept = min(weight, 30.0)
            child.moments[f] = (kept, mean, squares * kept / weight if weight else 0.0)
        return child

    def _inputs(self, row: Sequence[Value]) -> dict[Any, float]:
        """Standardised numbers, the constant, and a 1 for each category; missing is left out."""
        inputs: dict[Any, float] = {"bias": 1.0}
        for f, (kind, x) in enumerate(zip(self.kinds, row, strict=True)):
            if x is None:
                continue
            if kind == "categorical":
                inputs[f, x] = 1.0
                continue
            weight, mean, squares = self.moments[f]
            if weight > 0.0 and squares > 0.0:
                z = (x - mean) / math.sqrt(squares / weight)
                inputs[f] = min(max(z, -LARGEST), LARGEST)
        return inputs

    def learn(self, row: Sequence[Value], y: int, w: float, n_classes: int) -> None:
        """A weight of 3 is three examples; what is left after sixteen is one long step."""
        for _ in range(16):
            if w > 1.0:
                self._learn(row, y, 1.0, n_classes)
                w -= 1.0
        self._learn(row, y, w, n_classes)

    def _learn(self, row: Sequence[Value], y: int, w: float, n_classes: int) -> None:
        """The moments learn the row first, so that it is within them."""
        if not self.units:
            self.units = [Unit(*self.rates)]
        if n_classes > 2:
            if len(self.units) == 1:
                self.units = [self.units[0].half(-1.0), self.units[0].half(1.0)]
            self.units += [Unit(*self.rates) for _ in range(n_classes - len(self.units))]
        for f, (kind, x) in enumerate(zip(self.kinds, row, strict=True)):
            if x is not None and kind == "numeric":
                weight, mean, squares = self.moments[f]
                weight += w
                after = mean + w / weight * (x - mean)
                self.moments[f] = (weight, after, squares + w * (x - mean) * (x - after))
        inputs = self._inputs(row)
        if len(self.units) == 1:
            self.units[0].learn(inputs, -1.0 if y == 0 else 1.0, w)
            return
        for k, unit in enumerate(self.units):
            unit.learn(inputs, float(k == y), w)

    def probabilities(self, row: Sequence[Value], n_classes: int) -> list[float] | None:
        """Outputs clipped to [0, 1] over their sum; None where nothing is known."""
        if not self.units:
            return None
        inputs = self._inputs(row)
        outputs = [unit.output(inputs) for unit in self.units]
        if len(outputs) == 1:
            second = min(max((1.0 + outputs[0]) / 2.0, 0.0), 1.0)
            outputs = [1.0 - second, second]
        shares = [min(max(y, 0.0), 1.0) for y in outputs[:n_classes]]
        shares += [0.0] * (n_classes - len(shares))
        total = sum(shares)
        return [share / total for share in shares] if total > 0.0 else None
