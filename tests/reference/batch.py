"""A batch tree in plain NumPy: one node after the other, every candidate by itself."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .impurities import criterion_gain

__all__ = ["BatchNode", "batch_tree"]


@dataclass
class BatchNode:
    """A node; a leaf has no feature."""

    counts: Any
    feature: int | None = None
    threshold: float = 0.0
    category: int = -1
    missing_left: bool = False
    gain: float = 0.0
    children: list["BatchNode"] = field(default_factory=list)


def batch_tree(
    columns: list[Any],
    labels: Any,
    n_classes: int,
    candidates: list[Any] | None = None,
    *,
    impurity: str,
    max_depth: int,
    min_rows: int,
    in_memory: int = 0,
) -> BatchNode:
    """Grow a tree of numbers (NaN is missing) and codes (-1 is missing).

    ``candidates`` has the cuts of each numeric feature and the codes of each categorical one;
    without them, and in nodes of at most ``in_memory`` rows, every value is a candidate.
    """

    def grow(rows: Any, depth: int, fixed: list[Any] | None) -> BatchNode:
        counts = np.bincount(labels[rows], minlength=n_classes).astype(float)
        node = BatchNode(counts)
        if depth >= max_depth or len(rows) < 2 * min_rows or np.count_nonzero(counts) < 2:
            return node
        if len(rows) <= in_memory:
            fixed = None
        best, best_gain = None, 1e-9
        for f, column in enumerate(columns):
            values = column[rows]
            coded = values.dtype.kind == "i"
            known = values >= 0 if coded else ~np.isnan(values)
            tried = np.unique(values[known]) if fixed is None else fixed[f]
            for t in tried:
                left = known & (values == t if coded else values <= t)
                right = known & ~left
                if min(left.sum(), right.sum()) < min_rows:
                    continue
                table = [np.bincount(labels[rows[s]], minlength=n_classes) for s in (left, right)]
                gain = known.mean() * criterion_gain(impurity, np.array(table, dtype=float))
                if gain > best_gain * (1 + 1e-12):
                    best, best_gain = (f, t, coded, left, known), gain
        if best is None:
            return node
        f, t, coded, left, known = best
        node.feature, node.gain = f, best_gain
        node.threshold, node.category = (0.0, int(t)) if coded else (float(t), -1)
        node.missing_left = bool(2 * left.sum() >= known.sum())
        goes_left = left | (~known & node.missing_left)
        node.children = [grow(rows[s], depth + 1, fixed) for s in (goes_left, ~goes_left)]
        return node

    return grow(np.arange(len(labels)), 0, candidates)
