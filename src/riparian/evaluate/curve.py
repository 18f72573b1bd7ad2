"""Accuracy over time: the windows of an evaluation, in constant memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "Size", "Windows"]

# The curve begins with windows of _FIRST_WINDOW rows. When it has _MOST_POINTS points, neighbouring
# points are merged.
_FIRST_WINDOW = 1000
_MOST_POINTS = 400

# Rows are faded in lots of this size, independently of the blocks.
_FADING_LOT = 256


@dataclass(frozen=True)
class Curve:
    """Accuracy over time: one point per window of rows.

    Attributes
    ----------
    rows : int64 array of shape (n_points,)
        The last row of each window.
    accuracy : float64 array of shape (n_points,)
        Accuracy in the window.
    overall : float64 array of shape (n_points,)
        Accuracy over all rows up to the end of the window.
    sliding : float64 array of shape (n_points,)
        Accuracy over the last `Result.sliding_rows` rows up to there.
    fading : float64 array of shape (n_points,)
        Accuracy over all rows up to there, with weights that decrease by the factor
        `Result.fading_factor` per row.
    leaves, depth, memory : int64 array of shape (n_points,)
        Leaves, depth and bytes of the model at the end of the window; -1 if it has none.
    seconds : float64 array of shape (n_points,)
        Time up to there, including the time to read.
    """

    rows: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    overall: NDArray[np.float64]
    sliding: NDArray[np.float64]
    fading: NDArray[np.float64]
    leaves: NDArray[np.int64]
    depth: NDArray[np.int64]
    memory: NDArray[np.int64]
    seconds: NDArray[np.float64]

    @property
    def rate(self) -> NDArray[np.float64]:
        """Rows per second in each window."""
        rows, seconds = np.diff(self.rows, prepend=0), np.diff(self.seconds, prepend=0.0)
        rate: NDArray[np.float64] = np.full(len(rows), np.nan)
        return np.divide(rows, seconds, out=rate, where=seconds > 0)

    def table(self) -> dict[str, NDArray[Any]]:
        """Return all columns by name, for `pandas.DataFrame` or `polars.DataFrame`."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"rate": self.rate}


class Size(NamedTuple):
    """The size of a model at some moment; -1 if it has none."""

    leaves: int
    depth: int
    memory: int
    seconds: float


@dataclass(frozen=True)
class _Point:
    """The end of a window, and the number of its rows that were predicted correctly."""

    row: int
    right: int
    overall: float
    sliding: float
    fading: float
    size: Size


class Windows:
    """Divides the rows of an evaluation into windows and keeps a point for each.

    Parameters
    ----------
    every : int or None
        Number of rows per window. None begins with 1,000 rows and doubles them whenever the curve
        has 400 points.
    sliding_rows : int
        Number of rows of the sliding accuracy.
    fading_factor : float
        Factor by which the weight of a row in the fading accuracy decreases with each later row.
    """

    def __init__(self, every: int | None, sliding_rows: int, fading_factor: float) -> None:
        if every is not None and every < 1:
            raise ValueError(f"every must be at least 1, got {every}")
        if sliding_rows < 1:
            raise ValueError(f"sliding_rows must be at least 1, got {sliding_rows}")
        if not 0.0 < fading_factor <= 1.0:
            raise ValueError(f"fading_factor must be above 0 and at most 1, got {fading_factor}")
        self.sliding_rows = sliding_rows
        self.fading_factor = fading_factor
        self.window = every or _FIRST_WINDOW
        self._fixed = every is not None
        self._rows = 0
        self._correct = 0
        self._points: list[_Point] = []
        self._open = [0, 0]  # rows of the current window, and those predicted correctly
        self._last_right = np.zeros(0, dtype=bool)
        self._fading_weights = fading_factor ** np.arange(_FADING_LOT - 1, -1, -1)
        self._faded = (0.0, 0.0)  # right rows, and all rows
        self._unfaded = np.zeros(0, dtype=bool)

    @property
    def sliding(self) -> float:
        """Accuracy over the last `sliding_rows` rows."""
        n = len(self._last_right)
        return int(np.count_nonzero(self._last_right)) / n if n else float("nan")

    @property
    def fading(self) -> float:
        """Accuracy with weights that decrease by `fading_factor` per row."""
        if not self._rows:
            return float("nan")
        weights = self._fading_weights[_FADING_LOT - len(self._unfaded) :]
        kept = self.fading_factor ** len(self._unfaded)
        correct, n = self._faded
        correct = correct * kept + float((weights * self._unfaded).sum())
        return correct / (n * kept + float(weights.sum()))

    @property
    def curve(self) -> Curve:
        """Accuracy and size of the model over time. The last window may be shorter."""
        points = self._points
        rows = np.array([p.row for p in points], dtype=np.int64)
        right = np.array([p.right for p in points], dtype=np.int64)
        sizes = np.array([p.size[:3] for p in points], dtype=np.int64)
        leaves, depth, memory = sizes.reshape(-1, 3).T
        return Curve(
            rows,
            right / np.diff(rows, prepend=0),
            np.array([p.overall for p in points]),
            np.array([p.sliding for p in points]),
            np.array([p.fading for p in points]),
            leaves,
            depth,
            memory,
            np.array([p.size.seconds for p in points]),
        )

    def until_window(self) -> int:
        """Return the number of rows that are left in the current window of the curve."""
        return self.window - self._open[0]

    def window_ends(self, n: int) -> list[int]:
        """Return after which of the next `n` rows a window of the curve ends, counted from 1."""
        window, whole = self.window, len(self._points) - bool(self._open[0])
        ends: list[int] = []
        end = self.until_window()
        while end <= n:
            ends.append(end)
            whole += 1
            if whole >= _MOST_POINTS and not self._fixed:
                whole, window = whole // 2, window * 2
            end += window
        return ends

    def extend(self, right: NDArray[np.bool_], sizes: Sequence[Size]) -> None:
        """Add rows, with the sizes of the model at the ends of windows. The last may be open."""
        done = 0
        # The last size holds for all windows that have none of their own.
        for size in chain(sizes, repeat(sizes[-1])):
            if done == len(right):
                break
            part = right[done : done + self.until_window()]
            correct = int(np.count_nonzero(part))
            if self._open[0]:
                self._points.pop()
            self._open = [self._open[0] + len(part), self._open[1] + correct]
            self._rows += len(part)
            self._correct += correct
            done += len(part)
            self._remember(part)
            overall = self._correct / self._rows
            self._points.append(
                _Point(self._rows, self._open[1], overall, self.sliding, self.fading, size)
            )
            if self._open[0] == self.window:
                self._open = [0, 0]
                if len(self._points) >= _MOST_POINTS and not self._fixed:
                    self._join()

    def _remember(self, right: NDArray[np.bool_]) -> None:
        """Update the sliding and the fading accuracy."""
        self._last_right = np.concatenate([self._last_right, right])[-self.sliding_rows :]
        waiting = np.concatenate([self._unfaded, right])
        whole = len(waiting) // _FADING_LOT * _FADING_LOT
        lots = waiting[:whole].reshape(-1, _FADING_LOT)
        kept, added = self.fading_factor**_FADING_LOT, float(self._fading_weights.sum())
        correct, n = self._faded
        for lot in (lots * self._fading_weights).sum(axis=1).tolist():
            correct, n = correct * kept + lot, n * kept + added
        self._faded = (correct, n)
        self._unfaded = waiting[whole:]

    def _join(self) -> None:
        pairs = zip(self._points[::2], self._points[1::2], strict=True)
        self._points = [replace(b, right=a.right + b.right) for a, b in pairs]
        self.window *= 2
