"""Batches that must be refused."""

from __future__ import annotations

import numpy as np


def bad_batches(batch, dice):
    """Calls that must be refused, by name."""
    n = len(batch)
    X, y, w = batch.X, batch.y, batch.w
    row = dice.randrange(n)
    named = isinstance(X, dict)

    def changed(value, name="height"):
        if named:
            column = X[name].astype(object) if isinstance(value, list) else X[name].copy()
            column[row] = value
            return X | {name: column}
        array = X.copy()
        array[row, 0] = value
        return array

    def label(value):
        labels = y.copy()
        labels[row] = value
        return labels

    def weight(value):
        weights = np.ones(n)
        weights[row] = value
        return weights

    found = {
        "inf": (changed(np.inf), y, w),
        "None label": (X, label(None), w),
        "NaN label": (X, label(np.nan), w),
        "label of no kind": (X, label(("a",)), w),
        "broken number label": (X, np.linspace(0.0, 1.0, n), w),
        "too few labels": (X, y[:-1], w),
        "negative weight": (X, y, weight(-1.0)),
        "NaN weight": (X, y, weight(np.nan)),
        "infinite weight": (X, y, weight(np.inf)),
        "too few weights": (X, y, np.ones(n - 1)),
        "no rows": (({k: v[:0] for k, v in X.items()} if named else X[:0]), y[:0], None),
    }
    if named:
        found |= {
            "a list": (changed([1, 2], "colour"), y, w),
            "columns of two lengths": (X | {"height": X["height"][:-1]}, y, w),
            "a date": (X | {"height": np.full(n, "2020-01-01", dtype="datetime64[D]")}, y, w),
            "inf in a new column": (X | {"late": np.full(n, -np.inf)}, y, w),
            "a key that is no name": (X | {(1, 2): X["height"]}, y, w),
        }
    else:
        found["a new width"] = (np.hstack([X, X]), y, w)
    return found
