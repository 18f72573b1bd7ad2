"""Impurities, bounds and window lengths that the user wrote, checked at every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core

__all__ = ["Evidence", "ask_bound", "ask_impurity", "ask_window", "importable_name"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """What a leaf knows when it computes how far a gain may be off; arrays of one length.

    Attributes
    ----------
    n : ndarray
        Weight of the examples seen at the leaf.
    gain_range : ndarray
        Largest minus smallest gain possible.
    delta : ndarray
        Accepted probability of a wrong decision at this check.
    classes : ndarray
        Classes seen at the leaf.
    depth : ndarray
        Depth of the leaf; the root has 0.
    seen : ndarray
        Examples learned by the whole tree.
    features : ndarray
        Features known to the tree.
    variance : ndarray
        Variance, an example, of the difference between the two best gains, by the delta
        method; NaN where there is none (a callable impurity, or cells below 5 examples).
    """

    n: Doubles
    gain_range: Doubles
    delta: Doubles
    classes: Doubles
    depth: Doubles
    seen: Doubles
    features: Doubles
    variance: Doubles


def ask_impurity(function: Callable[[Doubles], Any]) -> Callable[[Doubles], Doubles]:
    """The function with its results checked: a shape of (candidates, branches), finite."""
    name = importable_name(function) or repr(function)

    def ask(counts: Doubles) -> Doubles:
        # An empty branch weighs nothing, whatever its impurity.
        with np.errstate(divide="ignore", invalid="ignore"):
            answer = np.asarray(function(counts), dtype=np.float64)
        if answer.shape != counts.shape[:2]:
            raise ValueError(
                f"impurity {name} must turn counts of shape {counts.shape} into impurities of "
                f"shape {counts.shape[:2]}, got {answer.shape}"
            )
        finite = np.isfinite(answer)
        if not finite.all():
            wrong = ~finite & (counts.sum(axis=-1) > 0.0)
            if wrong.any():
                place = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise ValueError(
                    f"impurity {name} must be finite, got {answer[place]} for the counts "
                    f"{counts[place].tolist()}"
                )
            answer = np.where(finite, answer, 0.0)
        return np.ascontiguousarray(answer)

    ask(np.ones((2, 3, 2)))  # before anything is learned
    return ask


def ask_bound(function: Callable[[Evidence], Any]) -> Callable[..., float]:
    """The function with its results checked: one number each, not NaN, not negative."""
    name = importable_name(function) or repr(function)

    def ask(*numbers: float) -> float:
        evidence = Evidence(*(np.array([x]) for x in numbers))
        answer = np.asarray(function(evidence), dtype=np.float64)
        if answer.shape not in ((), (1,)):
            raise ValueError(
                f"bound {name} must give an epsilon for each element of the evidence, shape "
                f"(1,), got {answer.shape}"
            )
        epsilon = float(answer.reshape(-1)[0])
        if not epsilon >= 0.0:
            raise ValueError(f"bound {name} must be 0 or more, got {epsilon} for {evidence}")
        return epsilon

    ask(200.0, 1.0, 0.05, 2.0, 0.0, 200.0, 3.0, 0.5)
    return ask


def ask_window(function: Callable[[dict[str, int]], Any]) -> Callable[[dict[str, int]], int]:
    """The function with its results checked: a whole number of examples, or None, which is 0."""
    name = importable_name(function) or repr(function)

    def ask(report: dict[str, int]) -> int:
        answer = function(report)
        if answer is None:
            return 0
        if isinstance(answer, bool) or not isinstance(answer, Integral) or answer < 1:
            raise ValueError(
                f"adaptation__hook {name} must return a whole number of examples from 1 on, "
                f"or None, got {answer!r}"
            )
        if int(answer) > _core.MAX_HOOKED_WINDOW:
            raise ValueError(
                f"adaptation__hook {name} asked for a window of {answer:,} examples; at most "
                f"{_core.MAX_HOOKED_WINDOW:,} are supported"
            )
        return int(answer)

    return ask


def importable_name(function: Any) -> str | None:
    """``"module:name"`` of a function that an import would find; None for any other."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not module or not name or "<" in name or module == "__main__":
        return None
    return f"{module}:{name}"
