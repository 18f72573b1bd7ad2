"""How mixed a class distribution is, and how much a cut lowers it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "IMPURITIES",
    "criterion_gain",
    "entropy",
    "gain",
    "gain_range",
    "gini",
    "kearns_mansour",
    "label",
    "legacy_gain",
    "loss_gain",
    "misclassification",
    "misclassification_gain",
    "scaled_costs",
]


def _shares(counts: ArrayLike) -> Any:
    """Counts along the last axis over their sum; an empty set has no shares, only zeros."""
    weights = np.asarray(counts, dtype=np.float64)
    totals = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(totals > 0.0, totals, 1.0)


def entropy(counts: ArrayLike) -> Any:
    """-sum p log2 p in bits over the last axis, with 0 log 0 = 0; an empty set has 0."""
    p = _shares(counts)
    return 0.0 - (p * np.log2(np.where(p > 0.0, p, 1.0))).sum(axis=-1)


def gini(counts: ArrayLike) -> Any:
    """1 - sum p^2 over the last axis; an empty set has 0."""
    p = _shares(counts)
    return np.where(p.sum(axis=-1) > 0.0, 1.0 - (p * p).sum(axis=-1), 0.0)


def misclassification(counts: ArrayLike) -> Any:
    """1 - max p over the last axis; an empty set has 0."""
    p = _shares(counts)
    return np.where(p.sum(axis=-1) > 0.0, 1.0 - p.max(axis=-1), 0.0)


def kearns_mansour(counts: ArrayLike) -> Any:
    """1/2 sum sqrt(p (1 - p)), which is sqrt(p (1 - p)) for two classes; an empty set has 0."""
    p = _shares(counts)
    return 0.5 * np.sqrt(p * np.maximum(1.0 - p, 0.0)).sum(axis=-1)


IMPURITIES: dict[str, Callable[[ArrayLike], Any]] = {
    "entropy": entropy,
    "gini": gini,
    "kearns-mansour": kearns_mansour,
    "misclassification": misclassification,
}


def gain(table: ArrayLike, impurity: Callable[[ArrayLike], Any]) -> float:
    """g(c) - sum_b N_b/N g(T_b) of a table of class weights, one row a branch."""
    branches = np.asarray(table, dtype=np.float64)
    weights = branches.sum(axis=1)
    total = weights.sum()
    if total <= 0.0:
        return 0.0
    children = (weights / total * impurity(branches)).sum()
    return float(impurity(branches.sum(axis=0)) - children)


def misclassification_gain(table: ArrayLike) -> float:
    """(sum_b max_k T_bk - max_k c_k) / N: exactly 0 where the majorities agree.

    It is also the gain of accuracy by resubstitution.
    """
    branches = np.asarray(table, dtype=np.float64)
    total = branches.sum()
    if total <= 0.0:
        return 0.0
    # Both sums go branch after branch, so that equal terms cancel to the last digit.
    parent = max(sum(column) for column in branches.T.tolist())
    return float((sum(branches.max(axis=1).tolist()) - parent) / total)


def legacy_gain(table: ArrayLike) -> float:
    """The same as a difference of impurities, branch after branch, with its rounding."""
    branches = np.asarray(table, dtype=np.float64)
    total = float(branches.sum())
    if total <= 0.0:
        return 0.0
    children = 0.0
    for row in branches:
        weight = float(row.sum())
        if weight > 0.0:
            children += weight / total * (1.0 - float(row.max()) / weight)
    return (1.0 - float(branches.sum(axis=0).max()) / total) - children


def scaled_costs(costs: ArrayLike) -> Any:
    """Costs [predicted][true] over the largest of them."""
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"costs must be a square matrix, got the shape {matrix.shape}")
    if not (np.isfinite(matrix) & (matrix >= 0.0)).all() or not matrix.any():
        raise ValueError("costs must be finite, not negative and not all zero")
    return matrix / matrix.max()


def label(counts: ArrayLike, costs: ArrayLike | None = None) -> int:
    """The class that a set is answered with: most weight, or least cost; ties and none: lowest."""
    weights = np.asarray(counts, dtype=np.float64)
    if costs is None:
        return int(weights.argmax()) if weights.size else 0
    # A label is a class that has been seen: one that has a column.
    n = weights.size
    return int((np.asarray(costs)[:n, :n] @ weights).argmin()) if n else 0


def loss_gain(table: ArrayLike, costs: ArrayLike) -> float:
    """How much cost an example is saved by labels of least cost in the branches."""
    branches = np.asarray(table, dtype=np.float64)
    scaled = scaled_costs(costs)
    if branches.shape[1] > len(scaled):
        raise ValueError(f"costs must have {branches.shape[1]} classes, got {len(scaled)}")
    total = branches.sum()
    if total <= 0.0:
        return 0.0
    # Classes that no example had yet have no column in the table, and are no label.
    n = branches.shape[1]
    costs_of = branches @ scaled[:n, :n].T
    parent = min(sum(column) for column in costs_of.T.tolist())
    return float((parent - sum(costs_of.min(axis=1).tolist())) / total)


def criterion_gain(
    name: str | Callable[[ArrayLike], Any],
    table: ArrayLike,
    costs: ArrayLike | None = None,
    legacy: bool = False,
) -> float:
    """The gain of a table by resubstitution, under the name that users write."""
    if callable(name):
        return gain(table, name)
    if name == "misclassification" and legacy:
        return legacy_gain(table)
    if name in ("misclassification", "accuracy"):
        return misclassification_gain(table)
    if name == "loss":
        if costs is None:
            raise ValueError("impurity='loss' needs costs")
        return loss_gain(table, costs)
    return gain(table, IMPURITIES[name])


def gain_range(name: str | Callable[[ArrayLike], Any], n_classes: int) -> float:
    """R of Hoeffding's bound for K >= 2 classes: what the impurity is at most, or 1.

    Entropy log2 K, Kearns and Mansour's sqrt(K - 1) / 2, a
    callable its value for equal shares, or 1.
    """
    k = max(n_classes, 2)
    if callable(name):
        return max(1.0, float(name(np.ones(k))))
    if name == "entropy":
        return math.log2(k)
    if name == "kearns-mansour":
        return math.sqrt(k - 1.0) / 2.0
    if name in ("gini", "misclassification", "accuracy", "loss"):
        return 1.0
    names = [*IMPURITIES, "accuracy", "loss"]
    raise ValueError(f"impurity must be one of {sorted(names)}, got {name!r}")
