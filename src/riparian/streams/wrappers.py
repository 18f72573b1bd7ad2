"""Streams from other streams: noise, class imbalance, missing values, order, delay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riparian.streams.generators.chunks import row_positions, wrapper_numbers
from riparian.streams.generators.parameters import check_count, check_fraction, check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = [
    "delayed",
    "imbalanced",
    "shuffled",
    "with_label_noise",
    "with_missing",
]


def with_label_noise(stream: Stream, fraction: float, *, seed: int = 0) -> Stream:
    """Return the same rows, a fraction of which has a wrong label.

    Parameters
    ----------
    stream : Stream
        The stream.
    fraction : float
        Probability of a wrong label, which is any of the other classes.
    seed : int, default=0
        Random seed.

    Returns
    -------
    stream : Stream
        The changed stream.

    Examples
    --------
    >>> from riparian.streams import led
    >>> stream = with_label_noise(led(), 0.2)
    >>> float((stream.take(50_000)[1] != led().take(50_000)[1]).mean().round(1))
    0.2
    """
    check_fraction("fraction", fraction)
    n_classes = len(stream.classes)
    if n_classes < 2:
        raise ValueError("label noise needs a stream of at least two classes")

    def make_chunk(number: int) -> Rows:
        X, y = stream.chunk(number)
        rng = wrapper_numbers("label noise", seed, number)
        other = (y + rng.integers(1, n_classes, size=len(y))) % n_classes
        return X, np.where(rng.random(len(y)) < fraction, other, y)

    return _like(stream, make_chunk)


def with_missing(
    stream: Stream, fraction: float, *, features: Sequence[str] | None = None, seed: int = 0
) -> Stream:
    """Return the same rows with missing values.

    Parameters
    ----------
    stream : Stream
        The stream.
    fraction : float
        Probability that a value is missing, independently of the others.
    features : sequence of str, optional
        The features with missing values. By default all features.
    seed : int, default=0
        Random seed.

    Returns
    -------
    stream : Stream
        The changed stream.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> X, _ = with_missing(sea(), 0.5, features=["x0"]).take(1000)
    >>> np.isnan(X).any(axis=0)
    array([ True, False, False])
    """
    check_fraction("fraction", fraction)
    wanted = list(stream.names) if features is None else list(features)
    for name in wanted:
        if name not in stream.names:
            raise ValueError(f"features must be among {stream.names}, got {name!r}")
    columns = np.array([name in wanted for name in stream.names])

    def make_chunk(number: int) -> Rows:
        X, y = stream.chunk(number)
        gaps = wrapper_numbers("missing", seed, number).random(X.shape) < fraction
        return np.where(gaps & columns, np.nan, X), y

    return _like(stream, make_chunk)


def imbalanced(
    stream: Stream, shares: Sequence[Sequence[float]], *, seed: int = 0, n_rows: int | None = None
) -> Stream:
    """Return a stream with other class shares, which may change over the stream.

    The class of each row is drawn by the current shares. The row is the next one of that class
    among about four times as many rows of `stream`. If there are too few, rows are repeated.

    Parameters
    ----------
    stream : Stream
        The stream. A finite one must have at least four times `n_rows` rows.
    shares : sequence of sequences of float
        Class shares at equally spaced points from the start to the end of the stream, with linear
        interpolation between them. A single entry is constant.
    seed : int, default=0
        Random seed.
    n_rows : int, optional
        Number of rows. By default a quarter of the rows of `stream`. Required if `stream` is
        endless and the shares change.

    Returns
    -------
    stream : Stream
        The changed stream.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> shifting = imbalanced(sea(), [[0.99, 0.01], [0.5, 0.5]], n_rows=100_000)
    >>> _, y = shifting.take(100_000)
    >>> bool(y[:5000].mean() < 0.03), bool(y[-5000:].mean() > 0.47)
    (True, True)
    """
    corners = np.asarray(shares, dtype=float)
    if corners.ndim != 2 or corners.shape[1] != len(stream.classes) or not len(corners):
        rule = f"rows with a share for each of the {len(stream.classes)} classes"
        raise ValueError(f"shares must be {rule}, got {shares!r}")
    if not (np.isfinite(corners).all() and (corners >= 0).all() and corners.any(axis=1).all()):
        raise ValueError(f"shares must be finite and not negative, not all 0, got {shares!r}")
    if n_rows is None and stream.n_rows is not None:
        n_rows = stream.n_rows // _POOL
    if n_rows is None and len(corners) > 1:
        raise ValueError("n_rows must be given if the shares change")
    if n_rows is not None and stream.n_rows is not None and n_rows * _POOL > stream.n_rows:
        raise ValueError(
            f"n_rows must be at most a quarter of the {stream.n_rows} rows of the stream, got "
            f"{n_rows}"
        )
    check_seed(seed)
    corners = corners / corners.sum(axis=1, keepdims=True)

    def make_chunk(number: int) -> Rows:
        rng = wrapper_numbers("imbalance", seed, number)
        chunks = [stream.chunk(_POOL * number + i) for i in range(_POOL)]
        X, y = np.concatenate([c[0] for c in chunks]), np.concatenate([c[1] for c in chunks])
        now = corners[0]
        if n_rows is not None and len(corners) > 1:
            place = row_positions(number) / max(1, n_rows - 1) * (len(corners) - 1)
            knots = np.arange(len(corners))
            now = np.column_stack([np.interp(place, knots, share) for share in corners.T])
        edges = np.cumsum(np.broadcast_to(now, (CHUNK_ROWS, len(stream.classes))), axis=1)
        edges[:, -1] = np.inf
        drawn = (rng.random(CHUNK_ROWS)[:, None] >= edges).sum(axis=1)
        picked = np.empty(CHUNK_ROWS, dtype=np.intp)
        for k in range(len(stream.classes)):
            places = np.flatnonzero(drawn == k)
            rows = np.flatnonzero(y == k)
            if len(places) and not len(rows):
                raise ValueError(f"the stream has too few rows of class {stream.classes[k]!r}")
            if len(places):
                picked[places] = rows[np.arange(len(places)) % len(rows)]
        return X[picked], y[picked]

    return Stream(stream.names, stream.classes, n_rows, make_chunk, categories=stream.categories)


def shuffled(stream: Stream, *, seed: int = 0) -> Stream:
    """Return the rows of a finite stream in random order.

    All rows are kept in memory from the first block on.

    Parameters
    ----------
    stream : Stream
        A finite stream.
    seed : int, default=0
        Random seed.

    Returns
    -------
    stream : Stream
        The shuffled stream.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> X, _ = sea(n_rows=20_000).take(20_000)
    >>> other, _ = shuffled(sea(n_rows=20_000), seed=1).take(20_000)
    >>> bool((np.sort(other, axis=0) == np.sort(X, axis=0)).all()), bool((other == X).all())
    (True, False)
    """
    check_seed(seed)
    n = stream.n_rows
    if n is None:
        raise ValueError("an endless stream cannot be shuffled; set its n_rows")
    held: list[Rows] = []

    def make_chunk(number: int) -> Rows:
        if not held:
            X, y = stream.take(n)
            order = wrapper_numbers("shuffle", seed, 0).permutation(n)
            held.append((X[order], y[order]))
        rows = slice(number * CHUNK_ROWS, (number + 1) * CHUNK_ROWS)
        return held[0][0][rows], held[0][1][rows]

    return _like(stream, make_chunk)


def delayed(stream: Any, *, rows: int) -> Any:
    """Return the same stream with delayed labels.

    `riparian.evaluate.prequential` then learns a row only after it has predicted the next `rows`
    rows. The rows themselves are unchanged.

    Parameters
    ----------
    stream : Stream
        The stream.
    rows : int
        Number of rows after which a label is known.

    Returns
    -------
    stream : Stream
        The stream with a `delay`.

    Examples
    --------
    >>> from riparian.streams import sea
    >>> delayed(sea(), rows=1000).delay
    1000
    """
    check_count("rows", rows, least=0)
    late = _like(stream, stream.chunk)
    late.delay = rows
    return late


_POOL = 4


def _like(stream: Stream, make_chunk: Callable[[int], Rows]) -> Stream:
    result = Stream(
        stream.names, stream.classes, stream.n_rows, make_chunk, categories=stream.categories
    )
    result.delay = stream.delay
    return result
