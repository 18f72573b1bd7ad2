"""How mixed a class distribution is, and how much a cut lowers it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["IMPURITIES", "entropy", "gain", "gain_range", "gini"]


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


IMPURITIES: dict[str, Callable[[ArrayLike], Any]] = {"entropy": entropy, "gini": gini}


def gain(table: ArrayLike, impurity: Callable[[ArrayLike], Any]) -> float:
    """g(c) - sum_b N_b/N g(T_b) of a table of class weights, one row a branch."""
    branches = np.asarray(table, dtype=np.float64)
    weights = branches.sum(axis=1)
    total = weights.sum()
    if total <= 0.0:
        return 0.0
    children = (weights / total * impurity(branches)).sum()
    return float(impurity(branches.sum(axis=0)) - children)


def gain_range(name: str, n_classes: int) -> float:
    """R of Hoeffding's bound: log2 K for the entropy of K >= 2 classes, 1 for Gini."""
    if name == "entropy":
        return math.log2(max(n_classes, 2))
    if name == "gini":
        return 1.0
    raise ValueError(f"impurity must be one of {sorted(IMPURITIES)}, got {name!r}")
