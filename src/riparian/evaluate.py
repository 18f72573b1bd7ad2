"""How good a model is on a stream: each row is predicted first, then learned."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian.results import Curve, Result

__all__ = ["Curve", "Model", "Result", "Stream", "named_blocks", "prequential", "steps"]


class Model(Protocol):
    """What is evaluated: anything that predicts each row of a block before it learns it."""

    def prequential(self, X: Any, y: Any) -> Any: ...


class Stream(Protocol):
    """What it is evaluated on: blocks of rows and labels."""

    def blocks(self, size: int) -> Iterator[tuple[Any, Any]]: ...


def prequential(
    model: Model,
    stream: Stream,
    *,
    block: int = 10_000,
    rows: int | None = None,
    every: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Go through a stream, predicting each row before learning it.

    Parameters
    ----------
    model : classifier
        Anything with ``prequential(X, y)``, such as a `riparian.VFDT`; it goes on learning.
    stream : stream
        A file of `riparian.streams.open_stream`, a generator of `riparian.streams`, or anything
        whose ``blocks(size)`` gives pairs of rows and labels.
    block : int, default=10_000
        Rows that are read and learned at once. The figures do not depend on it.
    rows : int, optional
        Stop after so many rows.
    every : int, optional
        Rows of a window of the accuracy curve; by default as many as keep it short.
    progress : bool, optional
        Show the progress on standard error. By default only on a terminal.

    Returns
    -------
    result : Result

    Examples
    --------
    >>> import riparian as rp
    >>> result = prequential(rp.VFDT(), rp.streams.sea(n_rows=20_000), progress=False)
    >>> result.n, result.accuracy > result.baselines["majority class"]
    (20000, True)
    """
    result = Result(every)
    if progress is None or progress:
        from riparian.progress import Progress

        with Progress(stream, result, rows=rows, lines=bool(progress)) as shown:
            for _ in steps(model, stream, result, block=block, rows=rows):
                shown.update(model)
    else:
        for _ in steps(model, stream, result, block=block, rows=rows):
            pass
    return result


def steps(
    model: Model,
    stream: Stream,
    result: Result,
    *,
    block: int = 10_000,
    rows: int | None = None,
) -> Iterator[None]:
    """Do what `prequential` does, coming back after each block.

    The caller holds the result, which is whole after every step: when the loop is broken off, by
    Ctrl-C for one, model and result have seen the same rows.

    Parameters
    ----------
    model, stream, block, rows
        As for `prequential`.
    result : Result
        Takes in the figures.

    Yields
    ------
    None
        After each block.
    """
    if block < 1:
        raise ValueError(f"block must be at least 1, got {block}")
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}")
    # Of its very first row a model knows nothing, and what it says of it is no prediction.
    blank = hasattr(type(model), "n_seen_") and not hasattr(model, "n_seen_")
    began = time.perf_counter()
    for X, y in named_blocks(stream, block if rows is None else min(block, rows)):
        n = len(y) if rows is None else min(len(y), rows - result.n)
        start = 0
        while start < n:
            # Cut where a window of the curve ends, to know the leaves there.
            stop = min(n, start + result.until_window())
            part = X if stop - start == len(y) else _slice(X, start, stop)
            with _uninterrupted():
                clock = time.perf_counter()
                predicted = model.prequential(part, y[start:stop])
                now = time.perf_counter()
                result.model_seconds += now - clock
                if blank:
                    predicted = [None, *predicted[1:].tolist()]
                    blank = False
                result.update(y[start:stop], predicted, getattr(model, "n_leaves_", -1))
                result.seconds = now - began
            start = stop
        result.skipped = getattr(stream, "skipped", 0)
        yield
        if rows is not None and result.n >= rows:
            return
    result.skipped = getattr(stream, "skipped", 0)


def named_blocks(stream: Any, size: int) -> Iterator[tuple[Any, Any]]:
    """Give the blocks of a stream with its own names for features and classes.

    Parameters
    ----------
    stream : stream
        Blocks of arrays get `names`, `categories` and `classes` of the stream, if it has them and
        they say more than the place.
    size : int
        Rows of a block.

    Yields
    ------
    X, y
        As a model takes them.
    """
    names = getattr(stream, "names", None)
    classes = getattr(stream, "classes", None)
    numbered = names is not None and names == [f"x{i}" for i in range(len(names))]
    told = not numbered or bool(getattr(stream, "categories", None))
    words = None
    # The numbers themselves need no word; False and True, which equal them, do.
    if classes is not None and list(map(repr, classes)) != list(map(repr, range(len(classes)))):
        words = _words(classes)
    # One more word, at -1, for a missing category.
    categories = {
        name: _words([*listed, None]) for name, listed in getattr(stream, "categories", {}).items()
    }
    for X, y in stream.blocks(size):
        if told and names is not None and isinstance(X, np.ndarray):
            X = {name: X[:, i] for i, name in enumerate(names)}
            for name, listed in categories.items():
                codes = np.where(np.isnan(X[name]), -1, X[name])
                X[name] = listed[codes.astype(np.intp)]
        yield X, y if words is None else words[y]


def _words(values: Sequence[Any]) -> NDArray[np.object_]:
    words = np.empty(len(values), dtype=object)
    words[:] = values
    return words


def _slice(X: Any, start: int, stop: int) -> Any:
    if isinstance(X, Mapping):
        return {name: column[start:stop] for name, column in X.items()}
    return X[start:stop]


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block is learned and counted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *event: held.append(event))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        signal.raise_signal(signal.SIGINT)
