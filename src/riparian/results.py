"""The figures of an evaluation: they grow with the stream, in constant memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian import metrics
from riparian.costs import costs_among
from riparian.scores import Scores

__all__ = ["MOST_CONFUSED", "Curve", "Result", "sorted_labels"]

Codes: TypeAlias = NDArray[np.intp]

#: With more classes than this the confusion matrix is not kept, only its sums.
MOST_CONFUSED = 1000

# The curve begins with windows of so many rows; at so many points it joins neighbours, so that
# it stays short however long the stream is.
_FIRST_WINDOW = 1000
_MOST_POINTS = 400


# Rows are faded in lots of this size, wherever a block ends.
_FADING_LOT = 256


@dataclass(frozen=True)
class Curve:
    """Accuracy over time: a point for each window of rows.

    Attributes
    ----------
    rows : int64 array of shape (n_points,)
        The last row of each window.
    accuracy : float64 array of shape (n_points,)
        The share of the window's rows that were predicted rightly.
    overall : float64 array of shape (n_points,)
        The share of all rows up to there.
    sliding : float64 array of shape (n_points,)
        The share of the last rows up to there, `Result.sliding_rows` of them.
    fading : float64 array of shape (n_points,)
        The share of all rows up to there, older ones counting less by the factor
        `Result.fading_factor` a row.
    leaves, depth, memory : int64 array of shape (n_points,)
        The tree's leaves, depth and bytes at the window's end; -1 for a model that has none.
    seconds : float64 array of shape (n_points,)
        Time until there, reading included.
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
        """Rows a second in each window."""
        rows, seconds = np.diff(self.rows, prepend=0), np.diff(self.seconds, prepend=0.0)
        rate: NDArray[np.float64] = np.full(len(rows), np.nan)
        return np.divide(rows, seconds, out=rate, where=seconds > 0)

    def table(self) -> dict[str, NDArray[Any]]:
        """Give all columns by name, as `pandas.DataFrame` or `polars.DataFrame` accepts them."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"rate": self.rate}


@dataclass(frozen=True)
class _Point:
    """The end of a window, and how many of its rows were right."""

    row: int
    right: int
    overall: float
    sliding: float
    fading: float
    state: tuple[int, int, int]
    seconds: float


class Result:
    """The figures of an evaluation, which grow with the stream in constant memory.

    Parameters
    ----------
    every : int, optional
        Rows of a window of the curve. By default windows have 1,000 rows and double whenever
        the curve has 400 points.
    sliding_rows : int, default=1000
        Rows of the sliding window.
    fading_factor : float, default=0.999
        What a row counts less than the one after it.

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

    def __init__(
        self,
        every: int | None = None,
        *,
        sliding_rows: int = 1000,
        fading_factor: float = 0.999,
    ) -> None:
        if every is not None and every < 1:
            raise ValueError(f"every must be at least 1, got {every}")
        if sliding_rows < 1:
            raise ValueError(f"sliding_rows must be at least 1, got {sliding_rows}")
        if not 0.0 < fading_factor <= 1.0:
            raise ValueError(f"fading_factor must be above 0 and at most 1, got {fading_factor}")
        self.sliding_rows = sliding_rows
        self.fading_factor = fading_factor
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
        self._predicted = np.zeros(0, dtype=np.int64)
        self._confusion: NDArray[np.int64] | None = np.zeros((0, 0), dtype=np.int64)
        self._majority_correct = 0
        self._no_change_correct = 0
        self._last = -1
        self._points: list[_Point] = []
        self._open = [0, 0]
        self._scores: Scores | None = None
        self._last_right = np.zeros(0, dtype=bool)
        self._faded = (0.0, 0.0)  # right rows, and all rows
        self._unfaded = np.zeros(0, dtype=bool)
        self._costs: Any = None
        self._classes: list[Hashable] = []

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
        chance = float(self._true.astype(float) @ self._predicted.astype(float)) / self.n**2
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else float("nan")

    @property
    def mean_cost(self) -> float:
        """Mean cost of a prediction in the units of the model's costs; NaN if it has none.

        Also NaN where there is no confusion matrix to count by.
        """
        confusion = self._priced()
        if confusion is None:
            return float("nan")
        counts, costs = confusion
        return float((counts * costs).sum() / counts.sum())

    @property
    def cheapest_class_cost(self) -> float:
        """The mean cost of always saying one class, that which was the cheapest; or NaN."""
        confusion = self._priced()
        if confusion is None:
            return float("nan")
        counts, costs = confusion
        return float((counts.sum(axis=1) @ costs).min() / counts.sum())

    @property
    def kappa_m(self) -> float:
        """How far it goes beyond the majority class; see `riparian.metrics.beyond`."""
        return metrics.beyond(self.accuracy, self.baselines["majority class"])

    @property
    def kappa_temporal(self) -> float:
        """How far it goes beyond saying the last row's class again."""
        return metrics.beyond(self.accuracy, self.baselines["no change"])

    @property
    def f1(self) -> dict[Any, float]:
        """F1 of each class; empty with more than 1,000 classes."""
        confusion = self.confusion
        if confusion is None:
            return {}
        return dict(zip(confusion[0], metrics.f1(confusion[1]).tolist(), strict=True))

    @property
    def macro_f1(self) -> float:
        """Mean of the classes' F1; NaN with more than 1,000 classes."""
        confusion = self.confusion
        return float("nan") if confusion is None else metrics.macro_f1(confusion[1])

    @property
    def g_mean(self) -> float:
        """Geometric mean of the classes' recalls; NaN with more than 1,000 classes."""
        confusion = self.confusion
        return float("nan") if confusion is None else metrics.g_mean(confusion[1])

    @property
    def log_loss(self) -> float:
        """Mean of -ln of the true class's probability; NaN unless probabilities were asked for.

        Rows for which the model had no prediction yet do not count.
        """
        return float("nan") if self._scores is None else self._scores.log_loss

    @property
    def auc(self) -> float:
        """Area under the ROC curve for two classes, by steps of 0.0001; NaN as `log_loss`."""
        return float("nan") if self._scores is None else self._scores.auc

    @property
    def sliding(self) -> float:
        """Accuracy in the last `sliding_rows` rows."""
        return float(self._last_right.mean()) if self.n else float("nan")

    @property
    def fading(self) -> float:
        """Accuracy with rows that count less the older they are, by `fading_factor` a row."""
        if not self.n:
            return float("nan")
        weights = self.fading_factor ** np.arange(len(self._unfaded) - 1, -1, -1)
        kept = self.fading_factor ** len(self._unfaded)
        correct, n = self._faded
        correct = correct * kept + float((weights * self._unfaded).sum())
        return correct / (n * kept + float(weights.sum()))

    def figures(self) -> dict[str, float]:
        """Give every figure of the whole stream by name; NaN where it is not defined."""
        return {
            "accuracy": self.accuracy,
            "kappa": self.kappa,
            "kappa_m": self.kappa_m,
            "kappa_temporal": self.kappa_temporal,
            "macro_f1": self.macro_f1,
            "g_mean": self.g_mean,
            "log_loss": self.log_loss,
            "auc": self.auc,
            "mean_cost": self.mean_cost,
        }

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
        return [(k, int(self._true[codes[k]]), int(self._predicted[codes[k]])) for k in self.labels]

    @property
    def curve(self) -> Curve:
        """Accuracy and the model's size over time; the last window may be shorter."""
        points = self._points
        rows = np.array([p.row for p in points], dtype=np.int64)
        right = np.array([p.right for p in points], dtype=np.int64)
        leaves, depth, memory = np.array([p.state for p in points], dtype=np.int64).reshape(-1, 3).T
        return Curve(
            rows,
            right / np.diff(rows, prepend=0),
            np.array([p.overall for p in points]),
            np.array([p.sliding for p in points]),
            np.array([p.fading for p in points]),
            leaves,
            depth,
            memory,
            np.array([p.seconds for p in points]),
        )

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

    def table(self) -> dict[str, NDArray[Any]]:
        """Give the curve by columns, as `pandas.DataFrame` or `polars.DataFrame` accepts them."""
        return self.curve.table()

    def plot(self, *, axes: Any = None, model: Any = None) -> Any:
        """Draw accuracy, baselines and leaves over time; needs matplotlib.

        Parameters
        ----------
        axes : pair of matplotlib.axes.Axes, optional
            By default a new figure.
        model : HoeffdingTree, optional
            The model that was evaluated from its first row on: its changes are marked.

        Returns
        -------
        pair of matplotlib.axes.Axes
        """
        from riparian.evaluate.plots import plot_result

        return plot_result(self, axes=axes, model=model)

    def to_html(self, path: str | os.PathLike[str], model: Any, title: str = "riparian") -> None:
        """Write the report as one HTML file that needs nothing outside itself.

        Parameters
        ----------
        path : str or path-like
            One that is there is replaced.
        model : classifier
            The model that was evaluated, as it is now.
        title : str, default='riparian'
        """
        from riparian.report import write_report

        write_report(path, model, self, title)

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as what JSON can hold."""
        curve = self.curve
        confusion = self.confusion
        return {
            "rows": self.n,
            "skipped": self.skipped,
            **{name: _figure(value) for name, value in self.figures().items()},
            "f1": [
                [label, value]
                for label, value in zip(_plain(list(self.f1)), self.f1.values(), strict=True)
            ],
            "baselines": {name: _figure(value) for name, value in self.baselines.items()},
            "confusion": confusion
            and {"labels": _plain(confusion[0]), "matrix": confusion[1].tolist()},
            "curve": {
                "rows": curve.rows.tolist(),
                "accuracy": curve.accuracy.tolist(),
                "overall": curve.overall.tolist(),
                "sliding": curve.sliding.tolist(),
                "fading": curve.fading.tolist(),
                "leaves": curve.leaves.tolist(),
                "depth": curve.depth.tolist(),
                "memory": curve.memory.tolist(),
                "seconds": curve.seconds.tolist(),
            },
            "seconds": self.seconds,
            "model_seconds": self.model_seconds,
            "rate": _figure(self.rate),
        }

    def update(
        self,
        y: Any,
        predicted: Any,
        leaves: int = -1,
        *,
        depth: int = -1,
        memory: int = -1,
        probabilities: Mapping[Any, NDArray[np.float64]] | None = None,
    ) -> None:
        """Add a block: the labels, what was predicted, and the model's size after it.

        Parameters
        ----------
        y, predicted : array-like of shape (n_rows,)
            None among the predictions is no prediction, which is never right.
        leaves, depth, memory : int, default=-1
            The size of the tree after the block.
        probabilities : mapping of label to array of shape (n_rows,), optional
            What was predicted for each class. Either with every block or with none.
        """
        if not len(y):
            return
        true = self._encode(y)
        found = self._encode(predicted)
        right = true == found
        self._count(true, found, int(right.sum()))
        self._compare(true)
        if probabilities is not None:
            self._score(true, probabilities)
        self._extend(right, (leaves, depth, memory))

    def count_costs(self, costs: Any, classes: Iterable[Hashable]) -> None:
        """Say what errors cost, for `mean_cost`.

        Parameters
        ----------
        costs : array-like or dict
            As a model accepts it.
        classes : iterable
            The classes so far, in the order of the matrix.
        """
        self._costs, self._classes = costs, list(classes)

    def _priced(self) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """The confusion matrix, and the costs of its cells; only among classes with costs."""
        confusion = self.confusion
        if self._costs is None or confusion is None or not confusion[1].any():
            return None
        place = {label: i for i, label in enumerate(self._classes)}
        known = [i for i, label in enumerate(confusion[0]) if label in place]
        order = [place[confusion[0][i]] for i in known]
        costs = costs_among(self._costs, self._classes)
        return confusion[1][np.ix_(known, known)], costs[np.ix_(order, order)].T

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

    def _count(self, true: Codes, predicted: Codes, correct: int) -> None:
        k = len(self._codes)
        if k > len(self._true):
            grown = (0, k - len(self._true))
            self._true, self._predicted = np.pad(self._true, grown), np.pad(self._predicted, grown)
            if self._confusion is not None:
                self._confusion = (
                    np.pad(self._confusion, (grown, grown)) if k <= MOST_CONFUSED else None
                )
        known = predicted >= 0
        self._true += np.bincount(true, minlength=k)
        self._predicted += np.bincount(predicted[known], minlength=k)
        if self._confusion is not None:
            cells = np.bincount((true * k + predicted)[known], minlength=k * k)
            self._confusion += cells.reshape(k, k)
        self.n += len(true)
        self.correct += correct

    def _score(self, true: Codes, probabilities: Mapping[Any, NDArray[np.float64]]) -> None:
        if self._scores is None:
            self._scores = Scores()
        table = np.zeros((len(true), len(self._codes)))
        for label, column in probabilities.items():
            if label in self._codes:
                table[:, self._codes[label]] = column
        self._scores.update(true, table)

    def _compare(self, true: Codes) -> None:
        """Count what the two baselines would have predicted rightly."""
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

    def _extend(self, right: NDArray[np.bool_], state: tuple[int, int, int]) -> None:
        """Add the rows to the curve's windows, the last of which may be open."""
        done = 0
        while done < len(right):
            part = right[done : done + self.until_window()]
            if self._open[0]:
                self._points.pop()
            self._open = [self._open[0] + len(part), self._open[1] + int(part.sum())]
            done += len(part)
            self._remember(part)
            after = right[done:]
            row = self.n - len(after)
            overall = (self.correct - int(after.sum())) / row
            self._points.append(
                _Point(row, self._open[1], overall, self.sliding, self.fading, state, self.seconds)
            )
            if self._open[0] == self.window:
                self._open = [0, 0]
                if len(self._points) >= _MOST_POINTS and not self._fixed:
                    self._join()

    def _remember(self, right: NDArray[np.bool_]) -> None:
        """Move the sliding window on, and let the rows before it fade."""
        self._last_right = np.concatenate([self._last_right, right])[-self.sliding_rows :]
        waiting = np.concatenate([self._unfaded, right])
        whole = len(waiting) // _FADING_LOT * _FADING_LOT
        lots = waiting[:whole].reshape(-1, _FADING_LOT)
        weights = self.fading_factor ** np.arange(_FADING_LOT - 1, -1, -1)
        kept, added = self.fading_factor**_FADING_LOT, float(weights.sum())
        correct, n = self._faded
        for lot in (lots * weights).sum(axis=1).tolist():
            correct, n = correct * kept + lot, n * kept + added
        self._faded = (correct, n)
        self._unfaded = waiting[whole:]

    def _join(self) -> None:
        pairs = zip(self._points[::2], self._points[1::2], strict=True)
        self._points = [replace(b, right=a.right + b.right) for a, b in pairs]
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
