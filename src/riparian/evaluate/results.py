"""The result of an evaluation, updated in constant memory."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.evaluate import metrics
from riparian.evaluate.counts import MOST_CONFUSED, Codes, Counts, LabelCodes
from riparian.evaluate.curve import Curve, Size, Windows
from riparian.evaluate.learners import CodedPredictions
from riparian.evaluate.scores import Scores

__all__ = ["MOST_CONFUSED", "Curve", "Result", "Size"]


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
        self._windows = Windows(every, sliding_rows, fading_factor)
        self._labels = LabelCodes()
        self._counts = Counts()
        self._scores: Scores | None = None
        self._costs: Any = None
        self._classes: list[Hashable] = []
        self.n = 0
        self.correct = 0
        self.skipped = 0
        self.seconds = 0.0
        self.model_seconds = 0.0

    def __repr__(self) -> str:
        return f"Result(n={self.n:,}, accuracy={self.accuracy:.4f}, kappa={self.kappa:.4f})"

    def _repr_html_(self) -> str:
        from riparian.show.notebook import result_html

        return result_html(self)

    @property
    def sliding_rows(self) -> int:
        """Number of rows of the sliding accuracy."""
        return self._windows.sliding_rows

    @property
    def fading_factor(self) -> float:
        """Factor by which the weight of a row in the fading accuracy decreases."""
        return self._windows.fading_factor

    @property
    def window(self) -> int:
        """Number of rows per window of the curve."""
        return self._windows.window

    @property
    def accuracy(self) -> float:
        """Share of rows that were predicted correctly; NaN before the first row."""
        return self.correct / self.n if self.n else float("nan")

    @property
    def kappa(self) -> float:
        """Cohen's kappa: 0 for random guesses by class frequency, 1 for no errors."""
        if not self.n:
            return float("nan")
        true, predicted = self._counts.true, self._counts.predicted
        chance = float(true.astype(float) @ predicted.astype(float)) / self.n**2
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else float("nan")

    @property
    def mean_cost(self) -> float:
        """Mean cost of a prediction, in the unit of the model's costs.

        NaN if the model has no costs, or if there is no confusion matrix.
        """
        found = self._priced()
        return float("nan") if found is None else metrics.mean_cost(*found)

    @property
    def cheapest_class_cost(self) -> float:
        """Mean cost of always predicting the cheapest class; NaN as for `mean_cost`."""
        found = self._priced()
        return float("nan") if found is None else metrics.cheapest_class_cost(*found)

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
        return self._windows.sliding

    @property
    def fading(self) -> float:
        """Accuracy with weights that decrease by `fading_factor` per row."""
        return self._windows.fading

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
        return self._labels.labels

    @property
    def confusion(self) -> tuple[list[Any], NDArray[np.int64]] | None:
        """The labels and the confusion matrix: true classes in rows, predictions in columns.

        None with more than 1,000 classes. Rows without a prediction are not counted.
        """
        confusion = self._counts.confusion
        if confusion is None:
            return None
        labels = self.labels
        order = [self._labels.codes[label] for label in labels]
        return labels, confusion[np.ix_(order, order)]

    @property
    def by_class(self) -> list[tuple[Any, int, int]]:
        """Each label with the number of rows that have it and the number of predictions."""
        true, predicted = self._counts.true, self._counts.predicted
        codes = self._labels.codes
        return [(k, int(true[codes[k]]), int(predicted[codes[k]])) for k in self.labels]

    @property
    def curve(self) -> Curve:
        """Accuracy and size of the model over time. The last window may be shorter."""
        return self._windows.curve

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
            "majority class": self._counts.majority_correct / n,
            "no change": self._counts.no_change_correct / n,
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
        from riparian.evaluate.saved_results import result_to_dict

        return result_to_dict(self)

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
        true = self._labels.encode(y)
        sizes = [Size(leaves, depth, memory, self.seconds)]
        self._add(true, self._labels.encode(predicted), probabilities, sizes)

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
        true, predicted = self._labels.translate(coded)
        self._add(true, predicted, None, sizes)

    def _add(
        self,
        true: Codes,
        predicted: Codes,
        probabilities: Mapping[Any, NDArray[np.float64]] | None,
        sizes: Sequence[Size],
    ) -> None:
        right = true == predicted
        self._counts.update(true, predicted, len(self._labels))
        self.n += len(true)
        self.correct += int(np.count_nonzero(right))
        if probabilities is not None:
            if self._scores is None:
                self._scores = Scores()
            self._scores.update(true, self._labels.table(probabilities, len(true)))
        self._windows.extend(right, sizes)

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
        return metrics.priced(*confusion, self._costs, self._classes)

    def until_window(self) -> int:
        """Return the number of rows that are left in the current window of the curve."""
        return self._windows.until_window()

    def window_ends(self, n: int) -> list[int]:
        """Return after which of the next `n` rows a window of the curve ends, counted from 1."""
        return self._windows.window_ends(n)
