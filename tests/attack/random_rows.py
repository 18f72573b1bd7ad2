"""Random rows with missing values, new classes, new categories and new features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

COLOURS = ["red", "green", "blue", "ultraviolet", "infrared"]
LABELS = np.array(["no", "yes", "maybe", "never"], dtype=object)


@dataclass(frozen=True)
class Rows:
    """Columns, labels and weights of some rows; a plain array of numbers has no names."""

    X: Any
    y: np.ndarray
    w: np.ndarray | None

    def first(self, k):
        """The first `k` rows."""
        X = {n: c[:k] for n, c in self.X.items()} if isinstance(self.X, dict) else self.X[:k]
        return Rows(X, self.y[:k], None if self.w is None else self.w[:k])

    def learned_by(self, model, form="mapping"):
        model.partial_fit(as_form(self.X, form), self.y, sample_weight=self.w)
        return model

    def examples(self):
        columns = self.X if isinstance(self.X, dict) else dict(enumerate(self.X.T))
        for i, y in enumerate(self.y):
            yield {n: c[i] for n, c in columns.items()}, y, 1.0 if self.w is None else self.w[i]

    def __len__(self):
        return len(self.y)


def rows(seed, n, named, whole):
    """Rows with missing values; some batches bring new classes, categories and features."""
    rng = np.random.default_rng(seed)
    level = int(rng.integers(0, 4))
    n = max(n, 4)
    height = rng.normal(size=n)
    width = rng.normal(3.0, 2.0, size=n)
    if whole:
        height, width = height.round(), width.round()
    colour = rng.choice(np.array(COLOURS[: 2 + level], dtype=object), n)
    label = np.where((height > 0.3) ^ (colour == "green"), 1, 0)
    label[width > 5.0 - level] = rng.integers(0, 1 + level, int((width > 5.0 - level).sum()))
    label[0] = 0
    # The first row is known: from one without a value a dict does not tell the kind of a feature.
    gaps = rng.random((2, n)) < 0.1
    gaps[:, 0] = False
    width[gaps[0]] = np.nan
    w = None
    if rng.random() < 0.5:
        w = rng.choice([0.25, 0.5, 1.0, 1.0, 1.7, 3.0], size=n)
    if not named:
        columns = [height, width, rng.integers(0, 3, n), rng.integers(0, 9, n)]
        return Rows(np.column_stack(columns).astype(float), LABELS[label], w)
    colour[gaps[1]] = None
    X = {"height": height, "width": width, "colour": colour}
    for i in range(level):
        X[f"extra {i}"] = rng.integers(0, 5, n).astype(float)
    return Rows(X, LABELS[label], w)


def as_form(X, form):
    """A mapping of columns as a frame."""
    if not isinstance(X, dict) or form == "mapping":
        return X
    if form == "pandas":
        return pd.DataFrame(X)
    lists = {name: column.tolist() for name, column in X.items()}
    if form == "polars":
        return pl.DataFrame(lists, strict=False)
    return pa.table(lists)


PROBE = rows(99, 12, True, False)
PROBE_WHOLE = rows(99, 12, True, True)
PROBE_ARRAY = rows(98, 12, False, True)
