"""Streams that change from one stream to another: at once, gradually, or again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.chunks import row_positions, wrapper_numbers
from riparian.streams.generators.parameters import check_count, check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["abrupt_drift", "gradual_drift", "recurring_drift"]

Places = NDArray[np.float64]


def abrupt_drift(before: Stream, after: Stream, *, at: int) -> Stream:
    """Return a stream that switches from one stream to another at a row.

    Parameters
    ----------
    before, after : Stream
        Two streams with the same features and classes. Row i of the result is row i of one of
        them.
    at : int
        The first row of the second stream.

    Returns
    -------
    stream : Stream
        The combined stream.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> stream = abrupt_drift(sea(concept=1, noise=0), sea(concept=3, noise=0), at=5000)
    >>> X, y = stream.take(10_000)
    >>> bool(((X[5000:, 0] + X[5000:, 1] > 7) == y[5000:]).all())
    True
    """
    check_count("at", at, least=0)

    def newer(rows: Places, rng: np.random.Generator) -> NDArray[np.intp]:
        return (rows >= at).astype(np.intp)

    return _switching([before, after], newer, seed=0)


def gradual_drift(
    before: Stream, after: Stream, *, center: int, width: int, seed: int = 0
) -> Stream:
    r"""Return a stream that changes gradually from one stream to another.

    Row t comes from the second stream with probability
    :math:`1 / (1 + e^{-4 (t - center) / width})` [1]_.

    Parameters
    ----------
    before, after : Stream
        Two streams with the same features and classes.
    center : int
        The row at which both streams are equally likely.
    width : int
        Number of rows in which most of the change happens.
    seed : int, default=0
        Random seed.

    Returns
    -------
    stream : Stream
        The combined stream.

    References
    ----------
    .. [1] A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby, R. Gavalda. New ensemble methods for
       evolving data streams. KDD 2009, pp. 139-148, section 3.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> gradual_drift(sea(), sea(concept=3), center=50_000, width=10_000)
    Stream(endless, 3 features, 2 classes)
    """
    check_count("center", center, least=0)
    check_count("width", width)

    def newer(rows: Places, rng: np.random.Generator) -> NDArray[np.intp]:
        # Beyond these limits the probability is exactly 0 or 1, and exp() would overflow.
        steps = np.clip(4 * (rows - center) / width, -700, 700)
        later: NDArray[np.bool_] = rng.random(len(rows)) * (1 + np.exp(-steps)) < 1
        return later.astype(np.intp)

    return _switching([before, after], newer, seed=seed)


def recurring_drift(concepts: Sequence[Stream], *, every: int) -> Stream:
    """Return a stream that cycles through several streams.

    Parameters
    ----------
    concepts : sequence of Stream
        At least two streams with the same features and classes.
    every : int
        Number of rows before the next stream follows.

    Returns
    -------
    stream : Stream
        The combined stream.

    Examples
    --------
    >>> from riparian.streams import sine
    >>> recurring_drift([sine(concept=k) for k in (1, 2, 3)], every=10_000)
    Stream(endless, 2 features, 2 classes)
    """
    check_count("every", every)
    if len(concepts) < 2:
        raise ValueError(f"concepts must be at least two streams, got {len(concepts)}")

    def turn(rows: Places, rng: np.random.Generator) -> NDArray[np.intp]:
        return (rows // every).astype(np.intp) % len(concepts)

    return _switching(concepts, turn, seed=0)


def _switching(
    streams: Sequence[Stream],
    which: Callable[[Places, np.random.Generator], NDArray[np.intp]],
    *,
    seed: int,
) -> Stream:
    """Return a stream whose row i is row i of the stream that `which` chooses for it."""
    first = streams[0]
    for other in streams[1:]:
        for what in ("names", "classes", "categories"):
            if getattr(other, what) != getattr(first, what):
                raise ValueError(
                    f"combined streams must have the same {what}, got {getattr(first, what)} and "
                    f"{getattr(other, what)}"
                )
    check_seed(seed)
    lengths = [s.n_rows for s in streams if s.n_rows is not None]

    def make_chunk(number: int) -> Rows:
        source = which(row_positions(number), wrapper_numbers("drift", seed, number))
        X, y = np.empty((CHUNK_ROWS, len(first.names))), np.empty(CHUNK_ROWS, dtype=np.int64)
        for k in np.unique(source):
            chunk_X, chunk_y = streams[k].chunk(number)
            mine = np.flatnonzero(source == k)
            mine = mine[mine < len(chunk_y)]
            X[mine], y[mine] = chunk_X[mine], chunk_y[mine]
        return X, y

    return Stream(
        first.names,
        first.classes,
        min(lengths) if lengths else None,
        make_chunk,
        categories=first.categories,
    )
