"""K-fold cross-validation, for small data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.evaluate.inputs import opened
from riparian.evaluate.learners import as_learner, rows_of
from riparian.evaluate.passes import named_blocks
from riparian.streams.memory import in_memory

__all__ = ["Folds", "folds"]


@dataclass(frozen=True)
class Folds:
    """The results of a cross-validation.

    Attributes
    ----------
    train_accuracy, test_accuracy : float64 array of shape (n_folds,)
        Accuracy on the learned rows and on the other rows.
    nodes, leaves, depth : int64 array of shape (n_folds,)
        Size of the model of each fold; -1 if the model is not a tree.
    seconds : float64 array of shape (n_folds,)
        Time to learn.
    """

    train_accuracy: NDArray[np.float64]
    test_accuracy: NDArray[np.float64]
    nodes: NDArray[np.int64]
    leaves: NDArray[np.int64]
    depth: NDArray[np.int64]
    seconds: NDArray[np.float64]

    def __repr__(self) -> str:
        return (
            f"Folds({len(self.test_accuracy)}, train {self.train_accuracy.mean():.4f}, "
            f"test {self.test_accuracy.mean():.4f} +- {self.test_accuracy.std():.4f})"
        )

    def table(self) -> dict[str, NDArray[Any]]:
        """Return all columns by name, for `pandas.DataFrame`."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def folds(
    model: Any,
    stream: Any,
    y: Any = None,
    *,
    target: str | None = None,
    k: int = 10,
    passes: int = 1,
    shuffle: int | None = None,
    only: int | None = None,
) -> Folds:
    """Evaluate a model by k-fold cross-validation.

    The rows are divided into `k` parts. For each part, a model learns all other rows and predicts
    the part.

    Parameters
    ----------
    model : scikit-learn classifier with ``partial_fit``
        The model, which is cloned for each fold.
    stream, y, target
        Finite rows, as for `riparian.evaluate.prequential`. They are kept in memory.
    k : int, default=10
        Number of parts. Each has consecutive rows, and their sizes differ by at most 1.
    passes : int, default=1
        Number of passes over the rows. The bound of a tree does not hold for more than one.
    shuffle : int, optional
        Seed of a random order of the rows. By default they keep their order.
    only : int, optional
        Number of folds to run. By default all.

    Returns
    -------
    folds : Folds
        The results of each fold.

    Examples
    --------
    >>> import riparian as rp
    >>> folds(rp.VFDT(), rp.streams.sea(n_rows=5000), k=5).nodes.shape
    (5,)
    """
    if passes < 1:
        raise ValueError(f"passes must be at least 1, got {passes}")
    with opened(stream, y, target=target) as source:
        X, y = _whole(source)
    if not 2 <= k <= len(y):
        raise ValueError(f"k must be between 2 and the number of rows, {len(y)}, got {k}")
    if shuffle is not None:
        order = np.random.default_rng(shuffle).permutation(len(y))
        X, y = _picked(X, order), y[order]
    if only is not None and not 1 <= only <= k:
        raise ValueError(f"only must be between 1 and {k}, got {only}")
    parts = list(_parts(len(y), k))[:only]
    found = [_fold(model, X, y, part, passes) for part in parts]
    return Folds(*(np.array(column) for column in zip(*found, strict=True)))


def _fold(
    model: Any, X: Any, y: NDArray[Any], part: slice, passes: int
) -> tuple[float, float, int, int, int, float]:
    from sklearn.base import clone

    fresh = clone(model)
    learner = as_learner(fresh, classes=np.unique(y).tolist())
    others = np.r_[: part.start, part.stop : len(y)]
    train_X, train_y = _picked(X, others), y[others]
    clock = time.perf_counter()
    for _ in range(passes):
        learner.learn(train_X, train_y)
    seconds = time.perf_counter() - clock
    train = np.mean(np.asarray(learner.predict(train_X, False)[0]) == train_y)
    test_X = rows_of(X, part.start, part.stop)
    test = np.mean(np.asarray(learner.predict(test_X, False)[0]) == y[part])
    leaves = int(getattr(fresh, "n_leaves_", -1))
    nodes = int(getattr(fresh, "n_nodes_", -1))
    return float(train), float(test), nodes, leaves, int(getattr(fresh, "depth_", -1)), seconds


def _whole(stream: Any) -> tuple[Any, NDArray[Any]]:
    if getattr(stream, "n_rows", None) is None:
        if hasattr(stream, "chunk"):
            raise ValueError("an endless stream cannot be divided into folds; set its n_rows")
        stream = in_memory(stream)
    X, y = next(named_blocks(stream, stream.n_rows))
    return X, np.asarray(y)


def _picked(X: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(X, dict):
        return {name: column[rows] for name, column in X.items()}
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _parts(n: int, k: int) -> Iterator[slice]:
    ends = [n * i // k for i in range(k + 1)]
    return (slice(a, b) for a, b in pairwise(ends))
