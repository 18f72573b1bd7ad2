"""The figures of an evaluation: they grow with the stream, in constant memory."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_CONFUSED", "Curve", "Result", "sorted_labels"]

Codes: TypeAlias = NDArray[np.intp]

#: With more classes than this the confusion matrix is not kept, only its sums.
MOST_CONFUSED = 1000

# The curve begins with windows of so many rows; at so many points it joins neighbours, so that
# it stays short however long the stream is.
_FIRST_WINDOW = 1000
_MOST_POINTS = 400


@dataclass(frozen=True)
class Curve:
    """Accuracy over time: a point for each window of rows.

    Attributes
    ----------
    rows : int64 array of shape (n_points,)
        The last row of each window.
    accuracy : float64 array of shape (n_points,)
        The share of the window's rows that were predicted rightly.
    leaves : int64 array of shape (n_points,)
        The leaves of the tree at the window's end; -1 for a model that has none.
    """

    rows: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    leaves: NDArray[np.int64]


class Result:
    """The figures of an evaluation, which grow with the stream in constant memory.

    Parameters
    ----------
    every : int, optional
        Rows of a window of the curve. By default windows have 1,000 rows and double whenever
        the curve has 400 points.

    Attributes
    ----------
    n, correct : int
        The rows seen, and how many of them were predicted rightly.
    skipped : int
        Rows that could not be read and were left out, as ``skip_bad_rows`` asks; not among `n`.
    seconds : float
        Time since the evaluation began, reading included.
    model_seconds : float
        The part of it that was spent predicting and learning.
    """

    def __init__(self, every: int | None = None) -> None:
        if every is not None and every < 1:
            raise ValueError(f"every must be at least 1, got {every}")
        self.n = 0
        self.correct = 0
        self.skipped = 0
        self.seconds = 0.0
        self.model_seconds = 0.0
        self.window = every or _FIRST_WINDOW
        self._fixed = every is not None
        self._codes: dict[Hashable, int] = {}
        self._code_of: Codes = np.full(256, -1, dtype=np.intp)
        self._true = np.zeros(0, dtype=np.int64)
        self._said = np.zeros(0, dtype=np.int64)
        self._confusion: NDArray[np.int64] | None = np.zeros((0, 0), dtype=np.int64)
        self._majority_correct = 0
        self._no_change_correct = 0
        self._last = -1
        self._points: list[tuple[int, int, int]] = []
        self._open = [0, 0]

    def __repr__(self) -> str:
        return f"Result(n={self.n:,}, accuracy={self.accuracy:.4f}, kappa={self.kappa:.4f})"

    @property
    def accuracy(self) -> float:
        """Share of rows predicted rightly; NaN before the first."""
        return self.correct / self.n if self.n else float("nan")

    @property
    def kappa(self) -> float:
        """Cohen's kappa: 0 for a guess by the class frequencies, 1 without fault."""
        if not self.n:
            return float("nan")
        chance = float(self._true.astype(float) @ self._said.astype(float)) / self.n**2
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else float("nan")

    @property
    def labels(self) -> list[Any]:
        """The classes, sorted where they can be."""
        return sorted_labels(self._codes)

    @property
    def confusion(self) -> tuple[list[Any], NDArray[np.int64]] | None:
        """The labels, and how many rows of each (down) were predicted as each (across).

        None with more than 1,000 classes. The rows before the first class was known have no
        prediction and are not in it.
        """
        if self._confusion is None:
            return None
        labels = self.labels
        order = [self._codes[label] for label in labels]
        return labels, self._confusion[np.ix_(order, order)]

    @property
    def by_class(self) -> list[tuple[Any, int, int]]:
        """Each label with how often it was true and how often it was predicted."""
        codes = self._codes
        return [(k, int(self._true[codes[k]]), int(self._said[codes[k]])) for k in self.labels]

    @property
    def curve(self) -> Curve:
        """Accuracy and leaves over time; the last window may be shorter."""
        rows, correct, leaves = np.array(self._points or np.zeros((0, 3)), dtype=np.int64).T
        return Curve(rows, correct / np.diff(rows, prepend=0), leaves)

    @property
    def recent(self) -> float:
        """Accuracy in the last window; NaN before the first."""
        accuracy = self.curve.accuracy
        return float(accuracy[-1]) if len(accuracy) else float("nan")

    @property
    def baselines(self) -> dict[str, float]:
        """Accuracy of always saying the most frequent class so far, or the last row's class."""
        n = self.n or float("nan")
        return {
            "majority class": self._majority_correct / n,
            "no change": self._no_change_correct / n,
        }

    @property
    def rate(self) -> float:
        """Rows a second, reading included."""
        return self.n / self.seconds if self.seconds else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as what JSON can hold."""
        curve = self.curve
        confusion = self.confusion
        return {
            "rows": self.n,
            "skipped": self.skipped,
            "accuracy": _figure(self.accuracy),
            "kappa": _figure(self.kappa),
            "baselines": {name: _figure(value) for name, value in self.baselines.items()},
            "confusion": confusion
            and {"labels": _plain(confusion[0]), "matrix": confusion[1].tolist()},
            "curve": {
                "rows": curve.rows.tolist(),
                "accuracy": curve.accuracy.tolist(),
                "leaves": curve.leaves.tolist(),
            },
            "seconds": self.seconds,
            "model_seconds": self.model_seconds,
            "rate": _figure(self.rate),
        }

    def update(self, y: Any, predicted: Any, leaves: int = -1) -> None:
        """Take in a block: the labels, what was predicted, and the leaves after it.

        Parameters
        ----------
        y, predicted : array-like of shape (n_rows,)
            None among the predictions is no answer, which is never right.
        leaves : int, default=-1
            The size of the tree after the block.
        """
        if not len(y):
            return
        true = self._encode(y)
        said = self._encode(predicted)
        right = true == said
        self._count(true, said, int(right.sum()))
        self._compare(true)
        self._extend(right, leaves)

    def until_window(self) -> int:
        """Say how many rows are left of the curve's current window."""
        return self.window - self._open[0]

    def _encode(self, labels: Any) -> Codes:
        # Small whole numbers, the most frequent labels, are looked up by the whole block.
        table = self._code_of
        small = isinstance(labels, np.ndarray) and labels.dtype.kind == "i"
        if small and labels.min() >= 0 and labels.max() < len(table):
            known: Codes = table[labels]
            if known.min() >= 0:
                return known
        values = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        codes = self._codes
        found = np.fromiter(map(codes.get, values, repeat(-1)), np.intp, len(values))
        for i in np.flatnonzero(found < 0).tolist():
            label = values[i]
            if label is not None:
                found[i] = codes.setdefault(label, len(codes))
                if small and 0 <= label < len(table):
                    table[label] = found[i]
        return found

    def _count(self, true: Codes, said: Codes, correct: int) -> None:
        k = len(self._codes)
        if k > len(self._true):
            grown = (0, k - len(self._true))
            self._true, self._said = np.pad(self._true, grown), np.pad(self._said, grown)
            if self._confusion is not None:
                self._confusion = (
                    np.pad(self._confusion, (grown, grown)) if k <= MOST_CONFUSED else None
                )
        answered = said >= 0
        self._true += np.bincount(true, minlength=k)
        self._said += np.bincount(said[answered], minlength=k)
        if self._confusion is not None:
            cells = np.bincount((true * k + said)[answered], minlength=k * k)
            self._confusion += cells.reshape(k, k)
        self.n += len(true)
        self.correct += correct

    def _compare(self, true: Codes) -> None:
        """Count what the two baselines would have said rightly."""
        self._no_change_correct += int((true[1:] == true[:-1]).sum()) + int(true[0] == self._last)
        self._last = int(true[-1])
        k = len(self._codes)
        counts = self._true - np.bincount(true, minlength=k)
        # Few rows at a time: the running counts take rows x classes numbers.
        step = max(1, 1_000_000 // k)
        for start in range(0, len(true), step):
            part = true[start : start + step]
            after = np.bincount(part, minlength=k)
            second, first = np.sort(counts)[-2:] if k > 1 else (-len(part) - 1, counts[0])
            if first - second > len(part):
                # The part is too short to overtake the leader.
                right = int(after[counts.argmax()])
            else:
                seen = np.zeros((len(part), k), dtype=np.int64)
                seen[np.arange(1, len(part)), part[:-1]] = 1
                right = int((np.argmax(counts + seen.cumsum(axis=0), axis=1) == part).sum())
            # Before the first row there is no majority.
            self._majority_correct += right - int(not counts.any() and part[0] == 0)
            counts = counts + after

    def _extend(self, right: NDArray[np.bool_], leaves: int) -> None:
        """Add the rows to the curve's windows, the last of which may be open."""
        done = 0
        while done < len(right):
            if self._open[0] == 0:
                self._points.append((0, 0, 0))
            part = right[done : done + self.until_window()]
            self._open = [self._open[0] + len(part), self._open[1] + int(part.sum())]
            done += len(part)
            self._points[-1] = (self.n - len(right) + done, self._open[1], leaves)
            if self._open[0] == self.window:
                self._open = [0, 0]
                if len(self._points) >= _MOST_POINTS and not self._fixed:
                    self._join()

    def _join(self) -> None:
        pairs = zip(self._points[::2], self._points[1::2], strict=True)
        self._points = [(b[0], a[1] + b[1], b[2]) for a, b in pairs]
        self.window *= 2


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Sort labels where they can be sorted, else keep the order in which they came."""
    found = list(labels)
    with contextlib.suppress(TypeError):
        found.sort()
    return found


def _figure(value: float) -> float | None:
    """JSON has no NaN."""
    return None if np.isnan(value) else float(value)


def _plain(labels: list[Any]) -> list[Any]:
    return [k if isinstance(k, bool | int | float | str) else str(k) for k in labels]
