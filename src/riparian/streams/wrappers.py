"""Streams made from streams: drift, noise, imbalance, gaps, other orders, late labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.streams._chunks import row_positions
from riparian.streams._parameters import check_count, check_fraction, check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = [
    "abrupt_drift",
    "delayed",
    "gradual_drift",
    "imbalanced",
    "recurring_drift",
    "shuffled",
    "with_label_noise",
    "with_missing",
]


def abrupt_drift(before: Stream, after: Stream, *, at: int) -> Stream:
    """One stream up to a row, another from it on.

    Parameters
    ----------
    before, after : Stream
        With the same features and classes. Row i is row i of the one that holds there.
    at : int
        The first row of the second.

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
    r"""One stream that slowly gives way to another.

    Row t is of the second with probability :math:`1 / (1 + e^{-4 (t - center) / width})` [1]_.

    Parameters
    ----------
    before, after : Stream
        With the same features and classes.
    center : int
        The row at which both are equally likely.
    width : int
        Rows that most of the change takes.
    seed : int, default=0

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
        # Beyond these the probability is 0 or 1 to the last bit, and exp() would overflow.
        steps = np.clip(4 * (rows - center) / width, -700, 700)
        later: NDArray[np.bool_] = rng.random(len(rows)) * (1 + np.exp(-steps)) < 1
        return later.astype(np.intp)

    return _switching([before, after], newer, seed=seed)


def recurring_drift(concepts: Sequence[Stream], *, every: int) -> Stream:
    """Streams that take turns, each for so many rows, and come back.

    Parameters
    ----------
    concepts : sequence of Stream
        At least two, with the same features and classes.
    every : int
        Rows of a turn.

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


def with_label_noise(stream: Stream, fraction: float, *, seed: int = 0) -> Stream:
    """The same rows, some of them with another class.

    Parameters
    ----------
    stream : Stream
    fraction : float
        How many; the wrong class is any of the others.
    seed : int, default=0

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
        raise ValueError("a stream of one class has no wrong label to give")

    def make_chunk(number: int) -> Rows:
        X, y = stream.chunk(number)
        rng = _numbers("label noise", seed, number)
        other = (y + rng.integers(1, n_classes, size=len(y))) % n_classes
        return X, np.where(rng.random(len(y)) < fraction, other, y)

    return _like(stream, make_chunk)


def with_missing(
    stream: Stream, fraction: float, *, features: Sequence[str] | None = None, seed: int = 0
) -> Stream:
    """The same rows, some values of which are missing.

    Parameters
    ----------
    stream : Stream
    fraction : float
        How many of the values, each by itself.
    features : sequence of str, optional
        Only these have gaps; by default all.
    seed : int, default=0

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
        gaps = _numbers("missing", seed, number).random(X.shape) < fraction
        return np.where(gaps & columns, np.nan, X), y

    return _like(stream, make_chunk)


def imbalanced(
    stream: Stream, shares: Sequence[Sequence[float]], *, seed: int = 0, n_rows: int | None = None
) -> Stream:
    """A stream whose classes have other shares, which may shift along it.

    Each row's class is drawn by the shares that hold there; the row is the next one of that class
    among about four times as many rows of the stream. Where they do not suffice, some come again.

    Parameters
    ----------
    stream : Stream
        Rows are taken from it more than once over, so a finite one must be long enough:
        four times `n_rows`.
    shares : sequence of sequences of float
        Shares of the classes at the start, and at any number of equally distant later places, the
        last of which is the end; straight lines between them. A single one is constant.
    seed : int, default=0
    n_rows : int, optional
        Length of the stream; needed unless the shares are constant. By default a quarter of
        that of `stream`.

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
        raise ValueError("n_rows must be given: shares that shift need an end")
    if n_rows is not None and stream.n_rows is not None and n_rows * _POOL > stream.n_rows:
        raise ValueError(
            f"n_rows must be at most a quarter of the stream's {stream.n_rows} rows, got {n_rows}"
        )
    check_seed(seed)
    corners = corners / corners.sum(axis=1, keepdims=True)

    def make_chunk(number: int) -> Rows:
        rng = _numbers("imbalance", seed, number)
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
                raise ValueError(f"the stream has no row of class {stream.classes[k]!r} to draw")
            if len(places):
                picked[places] = rows[np.arange(len(places)) % len(rows)]
        return X[picked], y[picked]

    return Stream(stream.names, stream.classes, n_rows, make_chunk, categories=stream.categories)


def shuffled(stream: Stream, *, seed: int = 0) -> Stream:
    """All rows of a finite stream in random order.

    They are held in memory from the first block on.

    Parameters
    ----------
    stream : Stream
        With an end.
    seed : int, default=0

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
        raise ValueError("an endless stream cannot be shuffled; give it n_rows")
    held: list[Rows] = []

    def make_chunk(number: int) -> Rows:
        if not held:
            X, y = stream.take(n)
            order = _numbers("shuffle", seed, 0).permutation(n)
            held.append((X[order], y[order]))
        rows = slice(number * CHUNK_ROWS, (number + 1) * CHUNK_ROWS)
        return held[0][0][rows], held[0][1][rows]

    return _like(stream, make_chunk)


def delayed(stream: Any, *, rows: int) -> Any:
    """The same stream, whose labels are known only so many rows later.

    `riparian.evaluate.prequential` then learns a row only after it has predicted `rows` further
    ones. The rows themselves are the same.

    Parameters
    ----------
    stream : Stream
    rows : int

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


Places = NDArray[np.float64]

_POOL = 4
_PURPOSES = ("drift", "label noise", "missing", "imbalance", "shuffle")


def _numbers(purpose: str, seed: int, chunk: int) -> np.random.Generator:
    """Random numbers of a chunk that have nothing to do with those of the wrapped stream."""
    check_seed(seed)
    key = (2, _PURPOSES.index(purpose), chunk)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def _like(stream: Stream, make_chunk: Callable[[int], Rows]) -> Stream:
    made = Stream(
        stream.names, stream.classes, stream.n_rows, make_chunk, categories=stream.categories
    )
    made.delay = stream.delay
    return made


def _switching(
    streams: Sequence[Stream],
    which: Callable[[Places, np.random.Generator], NDArray[np.intp]],
    *,
    seed: int,
) -> Stream:
    """Row i is row i of the stream that `which` names for it."""
    first = streams[0]
    for other in streams[1:]:
        for what in ("names", "classes", "categories"):
            if getattr(other, what) != getattr(first, what):
                raise ValueError(
                    f"streams that follow each other must have the same {what}, "
                    f"got {getattr(first, what)} and {getattr(other, what)}"
                )
    check_seed(seed)
    lengths = [s.n_rows for s in streams if s.n_rows is not None]

    def make_chunk(number: int) -> Rows:
        source = which(row_positions(number), _numbers("drift", seed, number))
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
