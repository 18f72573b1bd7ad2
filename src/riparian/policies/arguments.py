"""Check the arguments of functions. Errors name the parameter and the value."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "at_least",
    "broadcast",
    "class_weights",
    "example_count",
    "not_negative",
    "positive",
    "probabilities",
    "served",
]

Doubles = NDArray[np.float64]


def probabilities(parameter: str, values: ArrayLike) -> Doubles:
    """Return the values as an array, and check that they are strictly between 0 and 1."""
    array = np.asarray(values, dtype=np.float64)
    _refuse(parameter, array, (array > 0.0) & (array < 1.0), "a probability between 0 and 1")
    return array


def positive(parameter: str, values: ArrayLike, why: str = "") -> Doubles:
    """Return the values as an array, and check that they are finite and above 0.

    The error message ends with `why`.
    """
    array = np.asarray(values, dtype=np.float64)
    _refuse(parameter, array, np.isfinite(array) & (array > 0.0), "positive and finite", why)
    return array


def at_least(parameter: str, values: ArrayLike, least: float) -> Doubles:
    """Return the values as an array, and check that they are finite and at least `least`."""
    array = np.asarray(values, dtype=np.float64)
    right = np.isfinite(array) & (array >= least)
    _refuse(parameter, array, right, f"finite and at least {least:g}")
    return array


def not_negative(parameter: str, values: ArrayLike) -> Doubles:
    """Return the values as an array, and check that they are finite and at least 0."""
    array = np.asarray(values, dtype=np.float64)
    right = np.isfinite(array) & (array >= 0.0)
    _refuse(parameter, array, right, "finite and not negative")
    return array


def class_weights(parameter: str, table: ArrayLike) -> Doubles:
    """Return a table of class weights, one row per branch, and check it."""
    cells = np.ascontiguousarray(not_negative(parameter, table))
    if cells.ndim != 2 or 0 in cells.shape:
        rule = "must have the shape (n_branches, n_classes)"
        raise ValueError(f"{parameter} {rule}, got {cells.shape}")
    return cells


def example_count(parameter: str, value: Any) -> int | None:
    """Return a number of examples or None, and check it."""
    if value is None:
        return None
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if not 0 <= count < 2**64:
        raise ValueError(f"{parameter} must be a number of examples or None, got {value!r}")
    return count


def broadcast(**arrays: Doubles) -> list[Doubles]:
    """Return contiguous copies of the arrays in their common shape."""
    try:
        together = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items() if a.ndim)
        raise ValueError(f"the shapes must broadcast, got {shapes}") from None
    return [np.array(a) for a in together]


def served(bound: str, impurity: str, impurities: Iterable[str]) -> None:
    """Raise an error if the bound does not support the impurity."""
    names = list(impurities)
    if impurity in names:
        return
    listed = ", ".join(repr(name) for name in names)
    raise ValueError(
        f"impurity must be one of {listed} with bound={bound!r}, got {impurity!r}; "
        "bound='hoeffding' supports every impurity"
    )


def _refuse(
    parameter: str, array: Doubles, right: NDArray[np.bool_], rule: str, why: str = ""
) -> None:
    if not right.all():
        first = float(array[~right].flat[0])
        reason = f": {why}" if why else ""
        raise ValueError(f"{parameter} must be {rule}, got {first}{reason}")
