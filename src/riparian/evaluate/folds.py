"""K-fold cross-validation, for data that is too small to stream past once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.evaluate.learners import as_learner, rows_of
from riparian.evaluate.passes import named_blocks

__all__ = ["Folds", "folds"]


@dataclass(frozen=True)
class Folds:
    """What each fold gave.

    Attributes
    ----------
    train_accuracy, test_accuracy : float64 array of shape (n_folds,)
    nodes, leaves, depth : int64 array of shape (n_folds,)
        Of the model that the fold left; -1 where it has none.
    seconds : float64 array of shape (n_folds,)
        Time of learning.
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
        """Give all columns by name, as `pandas.DataFrame` accepts them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def folds(
    model: Any,
    stream: Any,
    *,
    k: int = 10,
    passes: int = 1,
    shuffle: int | None = None,
    only: int | None = None,
) -> Folds:
    """Learn all but one part of the rows, predict that part, and do so for each part.

    Parameters
    ----------
    model : scikit-learn classifier with ``partial_fit``
        Cloned for each fold.
    stream : Stream
        With an end; its rows are held in memory.
    k : int, default=10
        Parts, of neighbouring rows and of equal size as nearly as can be.
    passes : int, default=1
        How often the rows are gone through. With more than one the bound of a tree loses its
        meaning.
    shuffle : int, optional
        Seed with which the rows are mixed first; by default they keep their order.
    only : int, optional
        Do the first so many folds and leave out the others.

    Returns
    -------
    folds : Folds

    Examples
    --------
    >>> import riparian as rp
    >>> folds(rp.VFDT(), rp.streams.sea(n_rows=5000), k=5).nodes.shape
    (5,)
    """
    if passes < 1:
        raise ValueError(f"passes must be at least 1, got {passes}")
    X, y = _whole(stream)
    if not 2 <= k <= len(y):
        raise ValueError(f"k must be from 2 to the {len(y)} rows, got {k}")
    if shuffle is not None:
        order = np.random.default_rng(shuffle).permutation(len(y))
        X, y = _picked(X, order), y[order]
    if only is not None and not 1 <= only <= k:
        raise ValueError(f"only must be from 1 to {k}, got {only}")
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
    if stream.n_rows is None:
        raise ValueError("an endless stream has no folds; give it n_rows")
    X, y = next(named_blocks(stream, stream.n_rows))
    return X, np.asarray(y)


def _picked(X: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(X, dict):
        return {name: column[rows] for name, column in X.items()}
    return X[rows]


def _parts(n: int, k: int) -> Iterator[slice]:
    ends = [n * i // k for i in range(k + 1)]
    return (slice(a, b) for a, b in pairwise(ends))
