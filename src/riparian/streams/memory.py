"""Streams of data in memory, which can be read more than once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian.data.labels import sorted_labels
from riparian.streams.readers.blocks import BlockStream
from riparian.streams.readers.columns import Column
from riparian.streams.readers.files import FileStream
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["array_stream", "from_arrays", "gathered", "in_memory"]


def from_arrays(
    X: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    classes: Sequence[int] | Sequence[str] | None = None,
) -> Stream:
    """Return a stream of arrays.

    It can be read more than once, shuffled, and combined with other streams.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Numbers; NaN is missing. A C-contiguous float64 array is not copied.
    y : array-like of shape (n_rows,)
        The labels, or indexes into `classes`.
    names : sequence of str, optional
        The names of the features. By default x0, x1 and so on.
    categories : mapping of str to sequence of str, optional
        The categories of each categorical feature. Its column has indexes into them.
    classes : sequence of int or str, optional
        The label of each class. By default the distinct labels, sorted.

    Returns
    -------
    stream : Stream
        The stream.

    Examples
    --------
    >>> stream = from_arrays([[1.5, 0], [2.5, 1]], ["no", "yes"], names=["age", "job"],
    ...                      categories={"job": ["nurse", "smith"]})
    >>> stream
    Stream(2 rows, 2 features, 2 classes)
    >>> stream.classes, stream.take(2)[1]
    (['no', 'yes'], array([0, 1]))
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[0] or not rows.shape[1]:
        raise ValueError(f"X must have rows and columns, got the shape {rows.shape}")
    labels = np.asarray(y)
    if labels.shape != (len(rows),):
        raise ValueError(
            f"y must have one label for each of {len(rows)} rows, got the shape {labels.shape}"
        )
    listed = [f"x{i}" for i in range(rows.shape[1])] if names is None else list(names)
    if len(listed) != rows.shape[1] or len(set(listed)) != len(listed):
        raise ValueError(
            f"names must be {rows.shape[1]} different names, one per column of X, got {listed}"
        )
    declared = {name: list(words) for name, words in (categories or {}).items()}
    features = set(listed)
    for name in declared:
        if name not in features:
            raise ValueError(f"categories must be given for features, got {name!r}")
    for i, name in enumerate(listed):
        _check_column(name, rows[:, i], declared.get(name))
    codes, known = _coded(labels, classes)
    return array_stream(listed, rows, codes, known, declared)


def in_memory(stream: BlockStream) -> Stream:
    """Read a whole file, iterable or sequence of frames into memory.

    The result can be read more than once, shuffled, and combined with drift, noise or missing
    values.

    Parameters
    ----------
    stream : BlockStream
        A stream of `open_stream`, `from_frames` or `from_iterable` with labels. It is read to its
        end. A file is closed.

    Returns
    -------
    stream : Stream
        A stream with the same names. Classes are sorted and categories are in order of
        appearance, unless the file declares them.

    Examples
    --------
    >>> from riparian.streams import from_iterable, shuffled
    >>> rows = [({"age": 31, "job": "nurse"}, "yes"), ({"age": 44}, "no")]
    >>> shuffled(in_memory(from_iterable(rows)), seed=1)
    Stream(2 rows, 2 features, 2 classes)
    """
    return array_stream(stream.names, *gathered(stream))


def gathered(
    stream: BlockStream,
) -> tuple[NDArray[np.float64], NDArray[np.int64], list[Any], dict[str, list[str]]]:
    """Read a whole stream, and return rows, class codes, classes and categories."""
    found = _Collector(stream)
    with stream if isinstance(stream, FileStream) else nullcontext():
        for X, y in stream.blocks():
            if y is None:
                raise ValueError(f"{stream.name} has no labels; set target to the class column")
            found.add(X, y)
    if not found.n:
        raise ValueError(f"{stream.name} has no rows")
    rows, labels = found.arrays()
    return rows, *_coded(labels, found.classes), found.categories()


class _Collector:
    """Collects the blocks of a stream in one array, with codes for categories."""

    def __init__(self, stream: BlockStream) -> None:
        self.n = 0
        self.classes = stream.declared_classes
        self._stream = stream
        # The announced number of rows; the array grows if there are more.
        self._X = np.empty((stream.n_rows or 0, len(stream.names)))
        self._y: list[Column] = []
        self._codes: dict[str, dict[str, int]] = {
            name: {word: code for code, word in enumerate(words)}
            for name, words in stream.declared_categories.items()
        }

    def add(self, X: Mapping[str, Column], y: Column) -> None:
        start, stop = self.n, self.n + len(y)
        names = self._stream.names
        if stop > len(self._X) or len(names) > self._X.shape[1]:
            room = len(self._X) if stop <= len(self._X) else max(stop, len(self._X) * 3 // 2)
            grown = np.full((room, len(names)), np.nan)
            grown[:start, : self._X.shape[1]] = self._X[:start]
            self._X = grown
        for i, name in enumerate(names):
            self._X[start:stop, i] = self._numbers(name, X[name]) if name in X else np.nan
        self._y.append(y)
        self.n = stop

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        labels = np.concatenate(self._y) if len({y.dtype for y in self._y}) == 1 else None
        if labels is None:
            labels = np.concatenate([y.astype(object) for y in self._y])
        return np.ascontiguousarray(self._X[: self.n]), labels

    def categories(self) -> dict[str, list[str]]:
        return {name: list(codes) for name, codes in self._codes.items()}

    def _numbers(self, name: str, column: Column) -> Column:
        if column.dtype == np.float64:
            return column
        codes = self._codes.setdefault(name, {})
        values = column.tolist()
        for value in dict.fromkeys(values):
            if value is not None:
                codes.setdefault(value, len(codes))
        return np.array([np.nan if v is None else codes[v] for v in values])


def _coded(
    labels: NDArray[Any], classes: Sequence[int] | Sequence[str] | None
) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the labels as indexes into the classes, and the classes."""
    if classes is not None and labels.dtype.kind in "iu":
        if labels.min(initial=0) < 0 or labels.max(initial=0) >= len(classes):
            raise ValueError(f"y must have indexes into the {len(classes)} classes")
        return labels.astype(np.int64), list(classes)
    values = labels.tolist()
    distinct = dict.fromkeys(values)
    if any(value is None or value != value for value in distinct):
        row = next(i for i, value in enumerate(values) if value is None or value != value)
        raise ValueError(f"y, row {row}: the label is missing; drop rows without a label")
    known = sorted_labels(distinct) if classes is None else list(classes)
    code_of = {label: code for code, label in enumerate(known)}
    for label in distinct:
        if label not in code_of:
            raise ValueError(f"y has the label {label!r}, which is not in classes")
    return np.array([code_of[value] for value in values], dtype=np.int64), known


def _check_column(name: str, values: NDArray[np.float64], words: Sequence[str] | None) -> None:
    wrong = np.isinf(values)
    rule = "inf cannot be learned; use NaN for a missing value"
    if words is not None:
        known = values[~np.isnan(values)]
        if ((known < 0) | (known >= len(words)) | (known != np.floor(known))).any():
            with np.errstate(invalid="ignore"):
                wrong = (values < 0) | (values >= len(words)) | (values != np.floor(values))
            wrong &= ~np.isnan(values)
            rule = f"a category must be an index into its {len(words)} categories"
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"column {name!r}, row {row}: {rule}, got {values[row]}")


def array_stream(
    names: Sequence[str],
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    classes: Sequence[Any],
    categories: Mapping[str, Sequence[str]],
) -> Stream:
    """Return a stream of arrays without checking them."""

    def make_chunk(number: int) -> Rows:
        rows = slice(number * CHUNK_ROWS, (number + 1) * CHUNK_ROWS)
        return X[rows], y[rows]

    return Stream(names, classes, len(X), make_chunk, categories=categories)
