"""What may be given as a stream: streams, rows in memory, files, names and iterables."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from riparian.evaluate.learners import n_rows_of, rows_of
from riparian.streams.names import DATASET, PREFIX, open_named
from riparian.streams.readers.formats import open_stream
from riparian.streams.readers.records import from_iterable

__all__ = ["Rows", "is_file", "open_file", "opened"]


class Rows:
    """A stream of rows that are in memory.

    Parameters
    ----------
    X : array, frame or mapping of columns, of shape (n_rows, n_features)
        The rows, as a model accepts them.
    y : array-like of shape (n_rows,)
        The class of each row.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    labels : list
        The labels, in order of appearance.
    """

    def __init__(self, X: Any, y: Any) -> None:
        self._X = X if hasattr(X, "shape") or isinstance(X, Mapping) else np.asarray(X)
        self._y = np.asarray(y)
        self.n_rows = n_rows_of(self._X)
        if self._y.shape != (self.n_rows,):
            raise ValueError(
                f"y must have one label for each of {self.n_rows} rows, got the shape "
                f"{self._y.shape}"
            )

    @property
    def labels(self) -> list[Any]:
        return list(dict.fromkeys(self._y.tolist()))

    def blocks(self, size: int) -> Iterator[tuple[Any, Any]]:
        """Iterate over the rows in blocks."""
        for start in range(0, self.n_rows, size):
            stop = min(start + size, self.n_rows)
            yield rows_of(self._X, start, stop), self._y[start:stop]


@contextlib.contextmanager
def opened(stream: Any, y: Any = None, *, target: str | None = None) -> Iterator[Any]:
    """Open what a user gave as a stream, and close it if it is a file.

    Parameters
    ----------
    stream : stream, array, frame, mapping, pair (X, y), str, path-like or iterable
        A stream; rows with `y`; a pair of rows and labels; a file; a name such as
        ``"synth:sea"``; or an iterable of pairs of a dict and a label.
    y : array-like, optional
        The labels, if `stream` is an array, a frame or a mapping.
    target : str, optional
        The column of the labels, for a file.

    Examples
    --------
    >>> with opened(([[1.0], [2.0]], ["no", "yes"])) as stream:
    ...     stream.n_rows, stream.labels
    (2, ['no', 'yes'])
    """
    if target is not None and not is_file(stream):
        raise ValueError(f"target is for files, got a {type(stream).__name__}")
    if y is not None:
        if hasattr(stream, "blocks") or isinstance(stream, str | os.PathLike):
            raise ValueError("y is for rows in memory: a stream has its own labels")
        yield Rows(stream, y)
    elif hasattr(stream, "blocks"):
        yield stream
    elif is_file(stream):
        with open_file(stream, target) as file:
            yield file
    elif isinstance(stream, str):
        yield open_named(stream)
    elif isinstance(stream, tuple) and len(stream) == 2:
        yield Rows(*stream)
    elif _is_iterable(stream):
        yield from_iterable(stream)
    else:
        raise TypeError(
            f"a {type(stream).__name__} is not a stream; pass a stream of riparian.streams, "
            "rows and labels (X, y), a file, a name such as 'synth:sea', or an iterable of "
            "pairs of a dict and a label"
        )


def _is_iterable(stream: Any) -> bool:
    """Whether it may be an iterable of pairs; an array or frame without labels is not."""
    return isinstance(stream, Iterable) and not (
        isinstance(stream, Mapping) or hasattr(stream, "shape")
    )


def is_file(stream: Any) -> bool:
    """Whether it is the path of a file; other texts are names of streams."""
    if isinstance(stream, str):
        return not stream.startswith((PREFIX, DATASET))
    return isinstance(stream, os.PathLike)


def open_file(path: str | os.PathLike[str], target: str | None) -> Any:
    """Open a file of labelled rows; an error if nothing says which column has the labels."""
    file = open_stream(path, target=target)
    if file.target is None:
        names = ", ".join(repr(name) for name in file.names[:20])
        file.close()
        raise ValueError(f"{os.fspath(path)}: target must name the class column, one of {names}")
    return file
