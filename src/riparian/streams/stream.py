"""Streams of labelled rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.parameters import check_count

__all__ = ["CHUNK_ROWS", "Rows", "Stream"]

Rows: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]

# Rows are generated in chunks of this size, each with its own random numbers, so that the rows do
# not depend on the block size. Another chunk size gives another stream.
CHUNK_ROWS = 8192


class Stream:
    """A stream of labelled rows, which are generated on demand and are the same every time.

    Parameters
    ----------
    names : sequence of str
        The names of the features.
    classes : sequence of int or str
        The label of each class. ``y`` has indexes into it.
    n_rows : int or None
        Number of rows; None is an endless stream.
    make_chunk : callable
        Called with the number of a chunk, from 0; returns its `CHUNK_ROWS` rows ``(X, y)``. The
        result must depend on the number only.
    categories : mapping of str to sequence of str, optional
        The categories of each categorical feature. Its column of ``X`` has indexes into them.

    Attributes
    ----------
    names : list of str
        The names of the features.
    classes : list of int or str
        The label of each class.
    n_rows : int or None
        Number of rows; None is an endless stream.
    categories : dict of str to list of str
        The categories of each categorical feature.
    delay : int
        Number of rows after which a label is known; see `riparian.streams.delayed`.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> stream = sea(seed=3, n_rows=25_000)
    >>> stream.names, stream.classes
    (['x0', 'x1', 'x2'], [0, 1])
    >>> [len(y) for X, y in stream.blocks(10_000)]
    [10000, 10000, 5000]
    """

    def __init__(
        self,
        names: Sequence[str],
        classes: Sequence[int] | Sequence[str],
        n_rows: int | None,
        make_chunk: Callable[[int], Rows],
        *,
        categories: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if n_rows is not None:
            check_count("n_rows", n_rows)
        self.names: list[str] = list(names)
        self.classes: list[int] | list[str] = list(classes)  # type: ignore[assignment]
        self.n_rows = n_rows
        self.categories = {name: list(words) for name, words in (categories or {}).items()}
        self.delay = 0
        self._make_chunk = make_chunk

    def __repr__(self) -> str:
        rows = "endless" if self.n_rows is None else f"{self.n_rows:,} rows"
        return f"Stream({rows}, {len(self.names)} features, {len(self.classes)} classes)"

    def blocks(self, size: int = 10_000) -> Iterator[Rows]:
        """Iterate over the stream in blocks, from its first row.

        Parameters
        ----------
        size : int, default=10_000
            Number of rows per block. The last block may be shorter.

        Yields
        ------
        X : float64 array of shape (size, n_features)
            The features, C-contiguous.
        y : int64 array of shape (size,)
            Indexes into `classes`.
        """
        check_count("size", size)
        return self._blocks(size)

    def chunk(self, number: int) -> Rows:
        """Return a chunk: `CHUNK_ROWS` rows from row ``number * CHUNK_ROWS`` on.

        Parameters
        ----------
        number : int
            Number of the chunk, from 0.

        Returns
        -------
        X : float64 array of shape (n, n_features)
            The features. There are fewer rows at the end of the stream.
        y : int64 array of shape (n,)
            Indexes into `classes`.
        """
        X, y = self._make_chunk(number)
        if self.n_rows is not None:
            left = max(0, self.n_rows - number * CHUNK_ROWS)
            X, y = X[:left], y[:left]
        return X, y

    def take(self, n: int) -> Rows:
        """Return the first `n` rows as one block.

        Parameters
        ----------
        n : int
            Number of rows, at most `n_rows`.

        Returns
        -------
        X : float64 array of shape (n, n_features)
            The features.
        y : int64 array of shape (n,)
            Indexes into `classes`.

        Examples
        --------
        >>> from riparian.streams import led
        >>> X, y = led().take(1000)
        >>> X.shape, y.shape
        ((1000, 24), (1000,))
        """
        check_count("n", n)
        if self.n_rows is not None and n > self.n_rows:
            raise ValueError(
                f"n must be at most the number of rows of the stream, {self.n_rows}, got {n}"
            )
        return next(self._blocks(n))

    def _blocks(self, size: int) -> Iterator[Rows]:
        start = 0
        number = -1
        chunk: Rows | None = None
        while self.n_rows is None or start < self.n_rows:
            stop = start + size if self.n_rows is None else min(start + size, self.n_rows)
            X = np.empty((stop - start, len(self.names)))
            y = np.empty(stop - start, dtype=np.int64)
            row = start
            while row < stop:
                wanted, first = divmod(row, CHUNK_ROWS)
                if chunk is None or wanted != number:
                    chunk, number = self._make_chunk(wanted), wanted
                n = min(stop - row, CHUNK_ROWS - first)
                X[row - start : row - start + n] = chunk[0][first : first + n]
                y[row - start : row - start + n] = chunk[1][first : first + n]
                row += n
            yield X, y
            start = stop
