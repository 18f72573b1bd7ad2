"""One interface for the models of riparian, River and scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block
from riparian.models.base import StreamClassifier
from riparian.models.engine import Pauses

__all__ = [
    "LOT_ROWS",
    "CodedPredictions",
    "Learner",
    "Native",
    "as_learner",
    "n_rows_of",
    "rows_of",
]

#: Number of rows that a scikit-learn classifier predicts before it learns them together.
LOT_ROWS = 100

#: The predictions, and if requested the probabilities by label.
Predictions: TypeAlias = tuple[Any, dict[Any, NDArray[np.float64]] | None]


class CodedPredictions(NamedTuple):
    """True and predicted classes as positions in a list of labels."""

    true: NDArray[np.int32]
    predicted: NDArray[np.int32]
    classes: list[Any]


class Learner(Protocol):
    """The interface that an evaluation needs."""

    def prequential(self, X: Any, y: Any, proba: bool) -> Predictions:
        """Predict each row, then learn it."""

    def learn(self, X: Any, y: Any) -> None:
        """Learn rows."""

    def predict(self, X: Any, proba: bool) -> Predictions:
        """Predict rows."""


def as_learner(model: Any, *, classes: Sequence[Any] | None = None, delay: int = 0) -> Learner:
    """Return a learner for a model of any library.

    Parameters
    ----------
    model : classifier
        A model of riparian; a River classifier (``learn_one``, ``predict_one``); or a scikit-learn
        classifier with ``partial_fit``, which learns 100 rows at a time.
    classes : sequence, optional
        All labels of the stream. scikit-learn's classifiers need them.
    delay : int, default=0
        Number of rows after which a label is known.

    Returns
    -------
    learner : Learner
        The learner.
    """
    if delay < 0:
        raise ValueError(f"delay must be at least 0, got {delay}")
    if hasattr(model, "prequential"):
        native = Native(model)
        return _InLots(native, delay, max(1, min(LOT_ROWS, delay // 10))) if delay else native
    if hasattr(model, "learn_one") and hasattr(model, "predict_one"):
        return _OneByOne(model, delay)
    if hasattr(model, "partial_fit") and hasattr(model, "predict"):
        return _InLots(_Batch(model, classes), delay, LOT_ROWS)
    raise TypeError(
        f"{type(model).__name__} cannot be evaluated: it must have prequential, or learn_one and "
        "predict_one, or partial_fit and predict"
    )


class Native:
    """A model of riparian, or any model with `prequential`."""

    def __init__(self, model: Any) -> None:
        self.model = model
        # Before its first row a model has no classes, so its first result is not a prediction.
        self._blank = hasattr(type(model), "n_seen_") and not hasattr(model, "n_seen_")

    def prequential(self, X: Any, y: Any, proba: bool) -> Predictions:
        if proba:
            predicted, table = self.model.prequential(X, y, proba=True)
            chances = self._by_label(table)
        else:
            predicted, chances = self.model.prequential(X, y), None
        if self._blank:
            predicted = [None, *predicted[1:].tolist()]
            self._blank = False
        return predicted, chances

    def coded(self, X: Any, y: Any, pauses: Pauses) -> CodedPredictions | None:
        """Predict each row, then learn it, with pauses.

        None, and nothing is learned, if the model has only labels or cannot be looked at in pauses.
        """
        plain = getattr(type(self.model), "prequential", None) is StreamClassifier.prequential
        if self._blank or not plain or self.model._calls_user_functions:
            return None
        found = self.model._prequential_codes(X, y, pauses)
        return found and CodedPredictions(*found)

    def learn(self, X: Any, y: Any) -> None:
        self.model.partial_fit(X, y)
        self._blank = False

    def predict(self, X: Any, proba: bool) -> Predictions:
        if self._blank:
            return [None] * n_rows_of(X), {} if proba else None
        chances = self._by_label(self.model.predict_proba(X)) if proba else None
        return self.model.predict(X), chances

    def _by_label(self, table: NDArray[np.float64]) -> dict[Any, NDArray[np.float64]]:
        return dict(zip(self.model.classes_.tolist(), table.T, strict=True))


class _Batch:
    """A scikit-learn classifier, which accepts only numbers and needs all classes in advance."""

    def __init__(self, model: Any, classes: Sequence[Any] | None) -> None:
        self.model = model
        self._classes = None if classes is None else np.asarray(list(classes))

    def learn(self, X: Any, y: Any) -> None:
        if hasattr(self.model, "classes_"):
            self.model.partial_fit(self._matrix(X), y)
            return
        if self._classes is None:
            raise ValueError(
                f"{type(self.model).__name__} needs all classes before it learns; pass the labels "
                "of the stream as classes="
            )
        self.model.partial_fit(self._matrix(X), y, classes=self._classes)

    def predict(self, X: Any, proba: bool) -> Predictions:
        if not hasattr(self.model, "classes_"):
            return [None] * n_rows_of(X), {} if proba else None
        matrix = self._matrix(X)
        chances = None
        if proba:
            table = self.model.predict_proba(matrix)
            chances = dict(zip(self.model.classes_.tolist(), table.T, strict=True))
        return self.model.predict(matrix), chances

    def _matrix(self, X: Any) -> NDArray[Any]:
        if not isinstance(X, Mapping):
            return np.asarray(X)
        for name, column in X.items():
            if np.asarray(column).dtype.kind not in "biuf":
                raise TypeError(
                    f"{type(self.model).__name__} accepts only numbers, but column {name!r} has "
                    "text; drop or encode it"
                )
        return np.column_stack([np.asarray(column, dtype=np.float64) for column in X.values()])


class _InLots:
    """Predicts rows at once, and learns them in lots when their labels are known."""

    def __init__(self, learner: Native | _Batch, delay: int, lot: int) -> None:
        self._learner = learner
        self._full, self._lot = delay + lot, lot
        self._waiting: list[tuple[Any, Any]] = []
        self._n_waiting = 0

    def prequential(self, X: Any, y: Any, proba: bool) -> Predictions:
        predicted: list[Any] = []
        tables: list[dict[Any, NDArray[np.float64]]] = []
        ends = [0]
        while ends[-1] < len(y):
            start = ends[-1]
            stop = min(len(y), start + self._full - self._n_waiting)
            part = rows_of(X, start, stop)
            labels, chances = self._learner.predict(part, proba)
            predicted.extend(labels)
            tables.append(chances or {})
            self._waiting.append((part, y[start:stop]))
            self._n_waiting += stop - start
            ends.append(stop)
            if self._n_waiting == self._full:
                self._learn_lot()
        return predicted, _joined(tables, ends) if proba else None

    def learn(self, X: Any, y: Any) -> None:
        self._learner.learn(X, y)

    def predict(self, X: Any, proba: bool) -> Predictions:
        return self._learner.predict(X, proba)

    def _learn_lot(self) -> None:
        """Learn the oldest rows, which may be in several blocks."""
        wanted = self._lot
        while wanted:
            X, y = self._waiting.pop(0)
            n = min(len(y), wanted)
            if n < len(y):
                self._waiting.insert(0, (rows_of(X, n, len(y)), y[n:]))
            self._learner.learn(rows_of(X, 0, n), y[:n])
            wanted -= n
        self._n_waiting -= self._lot


class _OneByOne:
    """A River classifier, which accepts dicts."""

    def __init__(self, model: Any, delay: int) -> None:
        self.model = model
        self._delay = delay
        self._waiting: list[tuple[dict[Any, Any], Any]] = []

    def prequential(self, X: Any, y: Any, proba: bool) -> Predictions:
        predicted: list[Any] = []
        tables: list[dict[Any, NDArray[np.float64]]] = []
        for x, label in zip(_dicts(X), np.asarray(y).tolist(), strict=True):
            predicted.append(self.model.predict_one(x))
            if proba:
                tables.append(self._chances(x))
            self._waiting.append((x, label))
            if len(self._waiting) > self._delay:
                self.model.learn_one(*self._waiting.pop(0))
        return predicted, _joined(tables, range(len(predicted) + 1)) if proba else None

    def learn(self, X: Any, y: Any) -> None:
        for x, label in zip(_dicts(X), np.asarray(y).tolist(), strict=True):
            self.model.learn_one(x, label)

    def predict(self, X: Any, proba: bool) -> Predictions:
        rows = _dicts(X)
        tables = [self._chances(x) for x in rows] if proba else []
        predicted = [self.model.predict_one(x) for x in rows]
        return predicted, _joined(tables, range(len(predicted) + 1)) if proba else None

    def _chances(self, x: dict[Any, Any]) -> dict[Any, NDArray[np.float64]]:
        return {k: np.array([p]) for k, p in self.model.predict_proba_one(x).items()}


def rows_of(X: Any, start: int, stop: int) -> Any:
    """Return some rows of a block, an array or a mapping of columns."""
    if isinstance(X, Block):
        return X.rows(slice(start, stop))
    if isinstance(X, Mapping):
        return {name: column[start:stop] for name, column in X.items()}
    if hasattr(X, "iloc"):  # pandas
        return X.iloc[start:stop]
    if hasattr(X, "slice"):  # polars and Arrow
        return X.slice(start, stop - start)
    return X[start:stop]


def n_rows_of(X: Any) -> int:
    """Return the number of rows of an array, a frame or a mapping of columns."""
    if isinstance(X, Mapping):
        return len(next(iter(X.values()))) if X else 0
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _joined(
    tables: Sequence[Mapping[Any, NDArray[np.float64]]], ends: Sequence[int]
) -> dict[Any, NDArray[np.float64]]:
    """Concatenate tables of probabilities, whose classes may differ, into columns by label."""
    columns: dict[Any, NDArray[np.float64]] = {}
    for i, table in enumerate(tables):
        for label, column in table.items():
            columns.setdefault(label, np.zeros(ends[-1]))[ends[i] : ends[i + 1]] = column
    return columns


def _dicts(X: Any) -> list[dict[Any, Any]]:
    """Return the rows as dicts for River, without keys for missing values."""
    if hasattr(X, "column_names"):  # Arrow
        X = dict(zip(X.column_names, X.columns, strict=True))
    elif hasattr(X, "columns") and not isinstance(X, Mapping):  # pandas and polars
        X = {name: X[name] for name in X.columns}
    if isinstance(X, Mapping):
        names, columns = list(X), [np.asarray(column).tolist() for column in X.values()]
    else:
        names, columns = list(range(X.shape[1])), np.asarray(X).T.tolist()
    return [
        {name: v for name, v in zip(names, row, strict=True) if v is not None and v == v}
        for row in zip(*columns, strict=True)
    ]
