"""The result of an evaluation, updated in constant memory."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.costs import costs_among
from riparian.data.labels import sorted_labels
from riparian.evaluate import metrics
from riparian.evaluate.learners import CodedPredictions
from riparian.evaluate.scores import Scores

__all__ = ["MOST_CONFUSED", "Curve", "Result", "Size"]

Codes: TypeAlias = NDArray[np.intp]

#: With more classes only the sums of the confusion matrix are kept.
MOST_CONFUSED = 1000

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


class Result:
    """The result of an evaluation, which is updated with the stream in constant memory.

    Parameters
    ----------
    every : int, optional
        Number of rows per window of the curve. By default windows have 1,000 rows, and their size
        doubles whenever the curve has 400 points.
    sliding_rows : int, default=1000
        Number of rows of the sliding accuracy.
    fading_factor : float, default=0.999
        Factor by which the weight of a row in the fading accuracy decreases with each later row.

    Attributes
    ----------
    n, correct : int
        Number of rows, and number of rows that were predicted correctly.
    skipped : int
        Number of rows that could not be read and were skipped (``skip_bad_rows``). They are not
        counted in `n`.
    seconds : float
        Time of the evaluation, including the time to read.
    model_seconds : float
        Time to predict and learn.
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
        self._classes_of_codes: list[Any] = []
        self._place_of_code: Codes = np.empty(0, dtype=np.intp)
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
        self._fading_weights = fading_factor ** np.arange(_FADING_LOT - 1, -1, -1)
        self._faded = (0.0, 0.0)  # right rows, and all rows
        self._unfaded = np.zeros(0, dtype=bool)
        self._costs: Any = None
        self._classes: list[Hashable] = []

    def __repr__(self) -> str:
        return f"Result(n={self.n:,}, accuracy={self.accuracy:.4f}, kappa={self.kappa:.4f})"

    def _repr_html_(self) -> str:
        from riparian.show.notebook import result_html

        return result_html(self)

    @property
    def accuracy(self) -> float:
        """Share of rows that were predicted correctly; NaN before the first row."""
        return self.correct / self.n if self.n else float("nan")

    @property
    def kappa(self) -> float:
        """Cohen's kappa: 0 for random guesses by class frequency, 1 for no errors."""
        if not self.n:
            return float("nan")
        chance = float(self._true.astype(float) @ self._predicted.astype(float)) / self.n**2
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else float("nan")

    @property
    def mean_cost(self) -> float:
        """Mean cost of a prediction, in the unit of the model's costs.

        NaN if the model has no costs, or if there is no confusion matrix.
        """
        confusion = self._priced()
        if confusion is None:
            return float("nan")
        counts, costs = confusion
        return float((counts * costs).sum() / counts.sum())

    @property
    def cheapest_class_cost(self) -> float:
        """Mean cost of always predicting the cheapest class; NaN as for `mean_cost`."""
        confusion = self._priced()
        if confusion is None:
            return float("nan")
        counts, costs = confusion
        return float((counts.sum(axis=1) @ costs).min() / counts.sum())

    @property
    def kappa_m(self) -> float:
        """Accuracy relative to the majority class; see `riparian.evaluate.metrics.beyond`."""
        return metrics.beyond(self.accuracy, self.baselines["majority class"])

    @property
    def kappa_temporal(self) -> float:
        """Accuracy relative to predicting the class of the previous row."""
        return metrics.beyond(self.accuracy, self.baselines["no change"])

    @property
    def f1(self) -> dict[Any, float]:
        """F1 score of each class; empty with more than 1,000 classes."""
        confusion = self.confusion
        if confusion is None:
            return {}
        return dict(zip(confusion[0], metrics.f1(confusion[1]).tolist(), strict=True))

    @property
    def macro_f1(self) -> float:
        """Mean F1 score of the classes; NaN with more than 1,000 classes."""
        confusion = self.confusion
        return float("nan") if confusion is None else metrics.macro_f1(confusion[1])

    @property
    def g_mean(self) -> float:
        """Geometric mean of the recalls of the classes; NaN with more than 1,000 classes."""
        confusion = self.confusion
        return float("nan") if confusion is None else metrics.g_mean(confusion[1])

    @property
    def log_loss(self) -> float:
        """Mean of -ln of the predicted probability of the true class.

        NaN if the evaluation had ``proba=False``. Rows without a prediction are not counted.
        """
        return float("nan") if self._scores is None else self._scores.log_loss

    @property
    def auc(self) -> float:
        """Area under the ROC curve for two classes, in steps of 0.0001; NaN as for `log_loss`."""
        return float("nan") if self._scores is None else self._scores.auc

    @property
    def sliding(self) -> float:
        """Accuracy over the last `sliding_rows` rows."""
        n = len(self._last_right)
        return int(np.count_nonzero(self._last_right)) / n if n else float("nan")

    @property
    def fading(self) -> float:
        """Accuracy with weights that decrease by `fading_factor` per row."""
        if not self.n:
            return float("nan")
        weights = self._fading_weights[_FADING_LOT - len(self._unfaded) :]
        kept = self.fading_factor ** len(self._unfaded)
        correct, n = self._faded
        correct = correct * kept + float((weights * self._unfaded).sum())
        return correct / (n * kept + float(weights.sum()))

    def figures(self) -> dict[str, float]:
        """Return all metrics of the whole stream by name; NaN if a metric is not defined."""
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
        """The classes, sorted if they can be sorted."""
        return sorted_labels(self._codes)

    @property
    def confusion(self) -> tuple[list[Any], NDArray[np.int64]] | None:
        """The labels and the confusion matrix: true classes in rows, predictions in columns.

        None with more than 1,000 classes. Rows without a prediction are not counted.
        """
        if self._confusion is None:
            return None
        labels = self.labels
        order = [self._codes[label] for label in labels]
        return labels, self._confusion[np.ix_(order, order)]

    @property
    def by_class(self) -> list[tuple[Any, int, int]]:
        """Each label with the number of rows that have it and the number of predictions."""
        codes = self._codes
        return [(k, int(self._true[codes[k]]), int(self._predicted[codes[k]])) for k in self.labels]

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

    @property
    def recent(self) -> float:
        """Accuracy in the last window; NaN before the first row."""
        accuracy = self.curve.accuracy
        return float(accuracy[-1]) if len(accuracy) else float("nan")

    @property
    def baselines(self) -> dict[str, float]:
        """Accuracy of predicting the most frequent class so far, or the class of the last row."""
        n = self.n or float("nan")
        return {
            "majority class": self._majority_correct / n,
            "no change": self._no_change_correct / n,
        }

    @property
    def rate(self) -> float:
        """Rows per second, including the time to read."""
        return self.n / self.seconds if self.seconds else float("nan")

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the curve as columns, for `pandas.DataFrame` or `polars.DataFrame`."""
        return self.curve.table()

    def plot(self, *, axes: Any = None, model: Any = None) -> Any:
        """Plot accuracy, baselines and leaves over time. Needs matplotlib.

        Parameters
        ----------
        axes : pair of matplotlib.axes.Axes, optional
            The axes to draw on. By default those of a new figure.
        model : HoeffdingTree, optional
            The evaluated model, to mark its changes. It must have been evaluated from its first
            row on.

        Returns
        -------
        axes : pair of matplotlib.axes.Axes
            The axes.
        """
        from riparian.show.comparison import plot_result

        return plot_result(self, axes=axes, model=model)

    def to_html(self, path: str | os.PathLike[str], model: Any, title: str = "riparian") -> None:
        """Write a report as a single HTML file without external resources.

        Parameters
        ----------
        path : str or path-like
            The file. An existing file is replaced.
        model : classifier
            The evaluated model, in its current state.
        title : str, default='riparian'
            Title of the report.
        """
        from riparian.show.report import write_report

        write_report(path, model, self, title)

    def to_dict(self) -> dict[str, Any]:
        """Return all metrics as JSON values."""
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

    def to_bytes(self, *, clock: bool = True) -> bytes:
        """Return the whole result as bytes, from which `from_bytes` makes an equal one.

        Parameters
        ----------
        clock : bool, default=True
            Whether to keep what was measured: times, and the memory of the model. Without them,
            equal rows and predictions give equal bytes.

        Returns
        -------
        bytes
        """
        from riparian.evaluate.saved_results import result_to_bytes

        return result_to_bytes(self, clock=clock)

    @classmethod
    def from_bytes(cls, data: bytes) -> Result:
        """Return the result that these bytes hold. It can be updated further.

        Parameters
        ----------
        data : bytes
            The bytes of `to_bytes`.

        Returns
        -------
        Result
        """
        from riparian.evaluate.saved_results import result_from_bytes

        return result_from_bytes(data)

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
        """Add a block of labels and predictions.

        Parameters
        ----------
        y, predicted : array-like of shape (n_rows,)
            Labels and predictions. None is no prediction and counts as wrong.
        leaves, depth, memory : int, default=-1
            Size of the model after the block.
        probabilities : mapping of label to array of shape (n_rows,), optional
            Predicted probabilities. They must be given with every block or with none.
        """
        if not len(y):
            return
        true = self._encode(y)
        sizes = [Size(leaves, depth, memory, self.seconds)]
        self._add(true, self._encode(predicted), probabilities, sizes)

    def update_codes(self, coded: CodedPredictions, sizes: Sequence[Size]) -> None:
        """Add a block of labels and predictions that are positions in a list of labels.

        Parameters
        ----------
        coded : CodedPredictions
            The block. Its list of labels may grow from block to block.
        sizes : sequence of Size
            Sizes of the model at the rows of :meth:`window_ends`, then after the block.
        """
        if not len(coded.true):
            return
        if coded.classes is not self._classes_of_codes:
            self._classes_of_codes = coded.classes
            self._place_of_code = np.empty(0, dtype=np.intp)
        true = self._places(coded.true)
        self._add(true, self._places(coded.predicted), None, sizes)

    def _places(self, codes: NDArray[np.int32]) -> Codes:
        """Return the codes of this result for positions in the list of labels."""
        classes, table = self._classes_of_codes, self._place_of_code
        if len(table) < len(classes):
            table = np.pad(table, (0, len(classes) - len(table)), constant_values=-1)
            self._place_of_code = table
        found: Codes = table[codes]
        if found.min() < 0:
            # In the order of the rows, as for labels.
            for code in dict.fromkeys(codes[found < 0].tolist()):
                table[code] = self._codes.setdefault(classes[code], len(self._codes))
            found = table[codes]
        return found

    def _add(
        self,
        true: Codes,
        predicted: Codes,
        probabilities: Mapping[Any, NDArray[np.float64]] | None,
        sizes: Sequence[Size],
    ) -> None:
        right = true == predicted
        self._count(true, predicted, int(np.count_nonzero(right)))
        self._compare(true)
        if probabilities is not None:
            self._score(true, probabilities)
        self._extend(right, sizes)

    def count_costs(self, costs: Any, classes: Iterable[Hashable]) -> None:
        """Set the misclassification costs for `mean_cost`.

        Parameters
        ----------
        costs : array-like or dict
            The costs, as for a model.
        classes : iterable
            The classes so far, in the order of the matrix.
        """
        self._costs, self._classes = costs, list(classes)

    def _priced(self) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Return the confusion matrix and the cost of each cell, for classes with costs."""
        confusion = self.confusion
        if self._costs is None or confusion is None or not confusion[1].any():
            return None
        place = {label: i for i, label in enumerate(self._classes)}
        known = [i for i, label in enumerate(confusion[0]) if label in place]
        order = [place[confusion[0][i]] for i in known]
        costs = costs_among(self._costs, self._classes)
        return confusion[1][np.ix_(known, known)], costs[np.ix_(order, order)].T

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

    def _encode(self, labels: Any) -> Codes:
        # The fast path: small whole numbers are looked up for the whole block.
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
        self._true += np.bincount(true, minlength=k)
        of, guess = true, predicted
        if predicted.min() < 0:
            known = predicted >= 0
            of, guess = true[known], predicted[known]
        self._predicted += np.bincount(guess, minlength=k)
        if self._confusion is not None:
            cells = np.bincount(of * k + guess, minlength=k * k)
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
        """Count the rows that the two baselines would have predicted correctly."""
        same = int(np.count_nonzero(true[1:] == true[:-1]))
        self._no_change_correct += same + int(true[0] == self._last)
        self._last = int(true[-1])
        k = len(self._codes)
        counts = self._true - np.bincount(true, minlength=k)
        # In parts, because the running counts need rows x classes numbers.
        step = max(1, min(1000, 1_000_000 // k))
        start = 0
        while start < len(true):
            part = true[start:]
            second, first = np.sort(counts)[-2:] if k > 1 else (-len(part) - 1, counts[0])
            clear = first - second > len(part)
            if not clear:
                part = part[:step]
                clear = first - second > len(part)
            after = np.bincount(part, minlength=k)
            start += len(part)
            if clear:
                # No other class can become the majority within this part.
                right = int(after[counts.argmax()])
            else:
                seen = np.zeros((len(part), k), dtype=np.int64)
                seen[np.arange(1, len(part)), part[:-1]] = 1
                right = int((np.argmax(counts + seen.cumsum(axis=0), axis=1) == part).sum())
            # Before the first row there is no majority.
            self._majority_correct += right - int(not counts.any() and part[0] == 0)
            counts = counts + after

    def _extend(self, right: NDArray[np.bool_], sizes: Sequence[Size]) -> None:
        """Add the rows to the windows of the curve. The last window may be incomplete."""
        done, correct = 0, self.correct - int(np.count_nonzero(right))
        # The last size holds for all windows that have none of their own.
        for size in chain(sizes, repeat(sizes[-1])):
            if done == len(right):
                break
            part = right[done : done + self.until_window()]
            if self._open[0]:
                self._points.pop()
            in_part = int(np.count_nonzero(part))
            self._open = [self._open[0] + len(part), self._open[1] + in_part]
            done, correct = done + len(part), correct + in_part
            self._remember(part)
            row = self.n - len(right) + done
            overall = correct / row
            point = _Point(row, self._open[1], overall, self.sliding, self.fading, size)
            self._points.append(point)
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


def _figure(value: float) -> float | None:
    """Return None for NaN, which JSON does not have."""
    return None if np.isnan(value) else float(value)


def _plain(labels: list[Any]) -> list[Any]:
    return [k if isinstance(k, bool | int | float | str) else str(k) for k in labels]
