"""Callables of users: impurities, bounds and window sizes. Each result is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core

__all__ = ["Evidence", "check_bound", "check_impurity", "check_window", "importable_name"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """The input of a bound at a check. All attributes are arrays of the same length.

    Attributes
    ----------
    n : ndarray
        Weight of the examples seen at the leaf.
    gain_range : ndarray
        Largest minus smallest possible gain.
    delta : ndarray
        Accepted probability of a wrong decision at this check.
    classes : ndarray
        Number of classes seen at the leaf.
    depth : ndarray
        Depth of the leaf. The root has depth 0.
    seen : ndarray
        Number of examples that the tree has learned.
    features : ndarray
        Number of features of the tree.
    variance : ndarray
        Per-example variance of the gap between the two best gains, by the delta method. NaN if it
        is unknown: with a callable impurity, or if a cell has fewer than 5 examples.
    """

    n: Doubles
    gain_range: Doubles
    delta: Doubles
    classes: Doubles
    depth: Doubles
    seen: Doubles
    features: Doubles
    variance: Doubles


def check_impurity(function: Callable[[Doubles], Any]) -> Callable[[Doubles], Doubles]:
    """Wrap an impurity so that shape (candidates, branches) and finite values are checked."""
    name = importable_name(function) or repr(function)

    def checked(counts: Doubles) -> Doubles:
        # An empty branch has no weight, so its impurity does not matter.
        with np.errstate(divide="ignore", invalid="ignore"):
            impurities = np.asarray(function(counts), dtype=np.float64)
        if impurities.shape != counts.shape[:2]:
            raise ValueError(
                f"impurity {name} must return impurities of shape {counts.shape[:2]} for counts of "
                f"shape {counts.shape}, got {impurities.shape}"
            )
        finite = np.isfinite(impurities)
        if not finite.all():
            wrong = ~finite & (counts.sum(axis=-1) > 0.0)
            if wrong.any():
                place = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise ValueError(
                    f"impurity {name} must be finite, got {impurities[place]} for the counts "
                    f"{counts[place].tolist()}"
                )
            impurities = np.where(finite, impurities, 0.0)
        return np.ascontiguousarray(impurities)

    checked(np.ones((2, 3, 2)))  # before anything is learned
    return checked


def check_bound(function: Callable[[Evidence], Any]) -> Callable[..., float]:
    """Wrap a bound so that its result is checked: one number of at least 0."""
    name = importable_name(function) or repr(function)

    def checked(*numbers: float) -> float:
        evidence = Evidence(*(np.array([x]) for x in numbers))
        result = np.asarray(function(evidence), dtype=np.float64)
        if result.shape not in ((), (1,)):
            raise ValueError(
                f"bound {name} must return one epsilon per element of the evidence, shape (1,), "
                f"got {result.shape}"
            )
        epsilon = float(result.reshape(-1)[0])
        if not epsilon >= 0.0:
            raise ValueError(f"bound {name} must be at least 0, got {epsilon} for {evidence}")
        return epsilon

    checked(200.0, 1.0, 0.05, 2.0, 0.0, 200.0, 3.0, 0.5)
    return checked


def check_window(function: Callable[[dict[str, int]], Any]) -> Callable[[dict[str, int]], int]:
    """Wrap a hook so that its result is checked: a whole number of examples; None becomes 0."""
    name = importable_name(function) or repr(function)

    def checked(report: dict[str, int]) -> int:
        size = function(report)
        if size is None:
            return 0
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise ValueError(
                f"adaptation__hook {name} must return a whole number of at least 1, or None, "
                f"got {size!r}"
            )
        if int(size) > _core.MAX_HOOKED_WINDOW:
            raise ValueError(
                f"adaptation__hook {name} must return at most {_core.MAX_HOOKED_WINDOW:,} "
                f"examples, got {size:,}"
            )
        return int(size)

    return checked


def importable_name(function: Any) -> str | None:
    """Return ``"module:name"`` of a function that can be imported, or None."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not module or not name or "<" in name or module == "__main__":
        return None
    return f"{module}:{name}"
