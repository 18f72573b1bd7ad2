"""Misclassification costs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.values import Label, label_of

__all__ = ["check_costs", "cost_matrix", "cost_matrix_of_all", "cost_pairs", "costs_among"]


def check_costs(costs: Any) -> None:
    """Check that costs are a square matrix or a dict of pairs, at least 0 and not all 0."""
    if isinstance(costs, Mapping):
        if not any(cost > 0.0 for cost in cost_pairs(costs).values()):
            raise ValueError("costs must not all be 0")
        return
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 1:
        raise ValueError(
            "costs must have the shape (n_classes, n_classes), [predicted][true], or be a dict "
            f"{{(predicted, true): cost}}, got {costs!r}"
        )
    for (i, j), cost in np.ndenumerate(matrix):
        _check_cost(float(cost), f"costs[{i}][{j}]")
    if not matrix.any():
        raise ValueError("costs must not all be 0")


def cost_pairs(costs: Mapping[Any, Any]) -> dict[tuple[Label, Label], float]:
    """Return costs by pairs of normalized labels, and check every entry."""
    pairs: dict[tuple[Label, Label], float] = {}
    for pair, cost in costs.items():
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise ValueError(f"the keys of costs must be pairs (predicted, true), got {pair!r}")
        _check_cost(cost, f"costs[{pair!r}]")
        try:
            pairs[label_of(pair[0]), label_of(pair[1])] = float(cost)
        except ValueError as error:
            raise ValueError(f"costs[{pair!r}]: {error}") from None
    return pairs


def _check_cost(cost: Any, name: str) -> None:
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0.0 <= number < 1e300:
        raise ValueError(f"{name} must be a finite number of at least 0, got {cost!r}")


def cost_matrix(costs: Any, classes: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return the costs of these classes as a matrix, divided by the largest cost."""
    if isinstance(costs, Mapping):
        pairs = cost_pairs(costs)
        return _among_pairs(pairs, classes) / max(1.0, *pairs.values())
    return np.ascontiguousarray(costs_among(costs, classes) / float(np.max(costs)))


def costs_among(costs: Any, classes: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return the costs of these classes as a matrix ``[predicted][true]``.

    Rows and columns of a matrix are in the order of `classes`. A pair that is not in a dict costs
    1, or 0 if both labels are equal.
    """
    if isinstance(costs, Mapping):
        return _among_pairs(cost_pairs(costs), classes)
    matrix: NDArray[np.float64] = np.asarray(costs, dtype=np.float64)
    if len(classes) > len(matrix):
        raise ValueError(
            f"costs has {len(matrix)} rows and columns, but there are more classes; "
            f"{classes[len(matrix)]!r} is class {len(matrix) + 1}"
        )
    return matrix[: len(classes), : len(classes)]


def _among_pairs(
    pairs: dict[tuple[Label, Label], float], classes: Sequence[Hashable]
) -> NDArray[np.float64]:
    place = {label: i for i, label in enumerate(classes)}
    out = 1.0 - np.eye(len(classes))
    for (predicted, true), cost in pairs.items():
        if predicted in place and true in place:
            out[place[predicted], place[true]] = cost
    return out


def cost_matrix_of_all(costs: Any, classes: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return the matrix of :func:`cost_matrix`, and check that all labels are known classes."""
    if costs is None:
        raise ValueError('impurity="loss" needs costs')
    if not isinstance(costs, Mapping) and np.shape(costs) != (len(classes), len(classes)):
        n = len(classes)
        raise ValueError(f"costs must have the shape ({n}, {n}), got {np.shape(costs)}")
    check_costs(costs)
    if isinstance(costs, Mapping):
        for pair in cost_pairs(costs):
            if pair[0] not in classes or pair[1] not in classes:
                raise ValueError(
                    f"the keys of costs must be pairs (predicted, true) of {list(classes)}, got "
                    f"{pair!r}"
                )
    return cost_matrix(costs, classes)
