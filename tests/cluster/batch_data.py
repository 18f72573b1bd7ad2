"""Rows for the tests of batch trees, and trees as comparable tuples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tests.inside import snapshot
from tests.reference.batch import BatchNode


def mixed(seed: int, n: int, n_classes: int = 3) -> tuple[pd.DataFrame, Any]:
    """Two numbers, one of them with few values, a category, all with gaps; and labels."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.integers(0, 9, n).astype(float)
    c = rng.integers(0, 5, n)
    score = a + 0.3 * b + (c == 2) * 2.0 + rng.normal(scale=0.7, size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    a[rng.random(n) < 0.1] = np.nan
    b[rng.random(n) < 0.05] = np.nan
    names = np.array(["red", "green", "blue", "pink", "grey"], dtype=object)[c]
    names[rng.random(n) < 0.05] = None
    return pd.DataFrame({"a": a, "b": b, "c": names}), y


def codes_of(frame: pd.DataFrame) -> list[Any]:
    """The columns as the reference reads them: codes in the order of first appearance."""
    columns: list[Any] = []
    for name in frame:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            columns.append(column.to_numpy())
        else:
            columns.append(pd.factorize(column)[0].astype(np.int64))
    return columns


def labels_of(y: Any) -> Any:
    """Class codes in the order of first appearance."""
    return pd.factorize(y)[0]


def tree_of(model: Any) -> list[Any]:
    """The tests and counts of a model that has only seeded nodes, level by level."""
    arrays = snapshot(model)
    n = len(arrays["test"])
    inherited = arrays["inherited"].reshape(n, -1)
    first = {}
    for node, parent in enumerate(arrays["parent"].tolist()):
        first.setdefault(parent, node)
    found: list[Any] = []
    for node in range(n):
        counts = tuple(inherited[node])
        if arrays["test"][node] == 0:
            found.append(("leaf", counts))
            continue
        missing_left = bool(arrays["heavy"][node] == first[node])
        cut = (arrays["feature"][node], arrays["threshold"][node], arrays["category"][node])
        found.append((*cut, missing_left, counts))
    return found


def tree_of_reference(node: BatchNode) -> list[Any]:
    """The same of a tree of the reference."""
    found: list[Any] = []
    queue = [node]
    for own in queue:
        queue += own.children
        counts = tuple(own.counts)
        if own.feature is None:
            found.append(("leaf", counts))
        else:
            cut = (own.feature, own.threshold, own.category)
            found.append((*cut, own.missing_left, counts))
    return found
