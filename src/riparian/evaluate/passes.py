"""Prequential and hold-out evaluation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian.evaluate.inputs import opened
from riparian.evaluate.interrupts import uninterrupted
from riparian.evaluate.learners import Native, as_learner, rows_of
from riparian.evaluate.results import Result, Size
from riparian.models.base import StreamClassifier
from riparian.models.engine import Pauses

__all__ = [
    "Stream",
    "holdout",
    "named_blocks",
    "prequential",
    "set_costs",
    "size_of",
    "sizes_of",
    "steps",
]


#: Number of rows that are learned at once in the beginning, and the longest time for one call.
_FIRST_ROWS, _LONGEST = 256, 0.1


class Stream(Protocol):
    """The interface of a stream: blocks of rows and labels."""

    def blocks(self, size: int) -> Iterator[tuple[Any, Any]]: ...


def prequential(
    model: Any,
    stream: Any,
    y: Any = None,
    *,
    target: str | None = None,
    block: int = 10_000,
    rows: int | None = None,
    every: int | None = None,
    sliding_rows: int = 1000,
    fading_factor: float = 0.999,
    proba: bool = False,
    delay: int | None = None,
    classes: Sequence[Any] | None = None,
    progress: bool | None = None,
) -> Result:
    """Evaluate a model prequentially: each row is predicted, then learned.

    Parameters
    ----------
    model : classifier
        A model with ``prequential(X, y)``, such as `riparian.VFDT`, which continues to learn; a
        River classifier; or a scikit-learn classifier with ``partial_fit``, which predicts 100 rows
        at a time and then learns them.
    stream : stream, rows, pair, path or iterable
        A stream of `riparian.streams`, or any object whose ``blocks(size)`` yields pairs of rows
        and labels; an array, a data frame or a mapping of columns, with `y`; a pair ``(X, y)``; the
        path of a file; a name such as ``"synth:sea"``; or an iterable of pairs of a dict and a
        label, such as River's data sets.
    y : array-like, optional
        The labels, if `stream` is an array, a data frame or a mapping.
    target : str, optional
        The column of the labels, if `stream` is a file that does not define it.
    block : int, default=10_000
        Number of rows to read at once. The result does not depend on it.
    rows : int, optional
        Stop after this many rows.
    every : int, optional
        Number of rows per window of the accuracy curve. By default it grows with the stream, so
        that the curve has at most 400 points.
    sliding_rows : int, default=1000
        Number of rows of the sliding accuracy.
    fading_factor : float, default=0.999
        Factor by which the weight of a row in the fading accuracy decreases with each later row.
    proba : bool, default=False
        Whether to compute the log loss and the area under the ROC curve.
    delay : int, optional
        Number of rows after which a label is known. By default that of the stream, which is 0
        unless it comes from `riparian.streams.delayed`. Late labels are learned in groups of
        a tenth of the delay, at most 100 rows.
    classes : sequence, optional
        All labels, for a scikit-learn classifier on a stream that does not have `classes`.
    progress : bool, optional
        Whether to show the progress on standard error. By default only on a terminal.

    Returns
    -------
    result : Result
        Accuracy and other metrics, overall and over time.

    Examples
    --------
    >>> import riparian as rp
    >>> result = prequential(rp.VFDT(), rp.streams.sea(n_rows=20_000), progress=False)
    >>> result.n, result.accuracy > result.baselines["majority class"]
    (20000, True)

    Rows and labels in memory are a stream too.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> prequential(rp.VFDT(), X, y, progress=False).n
    150
    """
    result = Result(every, sliding_rows=sliding_rows, fading_factor=fading_factor)
    with opened(stream, y, target=target) as source:
        done = steps(
            model, source, result, block=block, rows=rows, proba=proba, delay=delay, classes=classes
        )
        return _with_progress(done, model, source, result, rows=rows, progress=progress)


def holdout(
    model: Any,
    stream: Any,
    y: Any = None,
    *,
    train: int,
    test: int | None = None,
    target: str | None = None,
    block: int = 10_000,
    every: int | None = None,
    proba: bool = False,
    classes: Sequence[Any] | None = None,
    progress: bool | None = None,
) -> Result:
    """Learn the first rows of a stream, then predict the next rows without learning them.

    Parameters
    ----------
    model, stream, y, target
        As for `prequential`.
    train : int
        Number of rows to learn.
    test : int, optional
        Number of rows to predict. By default all remaining rows.
    block, every, proba, classes, progress
        As for `prequential`.

    Returns
    -------
    result : Result
        The metrics of the predicted rows.

    Examples
    --------
    >>> import riparian as rp
    >>> result = holdout(rp.VFDT(), rp.streams.sea(n_rows=30_000), train=20_000, progress=False)
    >>> result.n, result.accuracy > 0.8
    (10000, True)
    """
    for name, value in (("train", train), ("test", 1 if test is None else test)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    result = Result(every)
    rows = None if test is None else train + test
    with opened(stream, y, target=target) as source:
        done = _hold_out(model, source, result, train, test, block, proba, classes)
        return _with_progress(done, model, source, result, rows=rows, progress=progress)


def _hold_out(
    model: Any,
    stream: Stream,
    result: Result,
    train: int,
    test: int | None,
    block: int,
    proba: bool,
    classes: Sequence[Any] | None,
) -> Iterator[None]:
    learner = as_learner(model, classes=_known(classes, stream))
    began = time.perf_counter()
    seen = 0
    for X, y in named_blocks(stream, block):
        cut = max(0, min(len(y), train - seen))
        last = len(y) if test is None else max(0, min(len(y), train + test - seen))
        if cut:
            learner.learn(rows_of(X, 0, cut), y[:cut])
        if cut < last:
            clock = time.perf_counter()
            predicted, chances = learner.predict(rows_of(X, cut, last), proba)
            now = time.perf_counter()
            result.model_seconds += now - clock
            result.seconds = now - began
            result.update(y[cut:last], predicted, probabilities=chances, **sizes_of(model))
            set_costs(result, model)
        seen += len(y)
        result.skipped = getattr(stream, "skipped", 0)
        yield
        if test is not None and seen >= train + test:
            return
    if seen <= train:
        raise ValueError(
            f"train must be below the number of rows of the stream, {seen}, got {train}"
        )


def _with_progress(
    done: Iterator[None],
    model: Any,
    stream: Any,
    result: Result,
    *,
    rows: int | None,
    progress: bool | None,
) -> Result:
    """Run all steps with a progress bar, and return the result."""
    if progress is None or progress:
        from riparian.show.progress import Progress

        with Progress(stream, result, rows=rows, lines=bool(progress)) as shown:
            for _ in done:
                shown.update(model)
    else:
        for _ in done:
            pass
    return result


def steps(
    model: Any,
    stream: Stream,
    result: Result,
    *,
    block: int = 10_000,
    rows: int | None = None,
    proba: bool = False,
    delay: int | None = None,
    classes: Sequence[Any] | None = None,
) -> Iterator[None]:
    """Evaluate as `prequential` does, but yield after each block.

    After each step the result is up to date. If the loop is interrupted, for example by Ctrl-C,
    model and result have seen the same rows.

    Parameters
    ----------
    model, stream, block, rows, proba, delay, classes
        As for `prequential`.
    result : Result
        The result to update.

    Yields
    ------
    None
        After each block.
    """
    if block < 1:
        raise ValueError(f"block must be at least 1, got {block}")
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}")
    late = getattr(stream, "delay", 0) if delay is None else delay
    learner = as_learner(model, classes=_known(classes, stream), delay=late)
    native = learner if isinstance(learner, Native) and not proba else None
    began = time.perf_counter()
    # Ctrl-C is deferred until a batch is learned, so a batch takes about a tenth of a second. The
    # models of riparian do not depend on how rows are divided into batches.
    at_once = _FIRST_ROWS if isinstance(model, StreamClassifier) else block
    for X, y in named_blocks(stream, block if rows is None else min(block, rows)):
        n = len(y) if rows is None else min(len(y), rows - result.n)
        start = 0
        while start < n:
            with uninterrupted():
                stop = min(n, start + at_once)
                clock = time.perf_counter()
                # Codes cost less than labels, which would be looked up one by one.
                coded, sizes = None, []
                if native is not None:
                    part = X if stop - start == len(y) else rows_of(X, start, stop)
                    pauses = Pauses(
                        result.window_ends(stop - start),
                        lambda: sizes.append(size_of(model, began)),  # noqa: B023
                    )
                    coded = native.coded(part, y[start:stop], pauses)
                if coded is None:
                    # End the batch where a window of the curve ends, to record the leaves there.
                    stop = min(stop, start + result.until_window())
                    part = X if stop - start == len(y) else rows_of(X, start, stop)
                    predicted, chances = learner.prequential(part, y[start:stop], proba)
                now = time.perf_counter()
                result.model_seconds += now - clock
                result.seconds = now - began
                if coded is None:
                    result.update(
                        y[start:stop], predicted, probabilities=chances, **sizes_of(model)
                    )
                else:
                    result.update_codes(coded, [*sizes, size_of(model, began)])
                set_costs(result, model)
                if isinstance(model, StreamClassifier):
                    if now - clock > _LONGEST:
                        at_once = max(1, at_once // 2)
                    elif stop - start == at_once:
                        at_once = min(2 * at_once, block)
                start = stop
        result.skipped = getattr(stream, "skipped", 0)
        yield
        if rows is not None and result.n >= rows:
            return
    result.skipped = getattr(stream, "skipped", 0)


def _known(classes: Sequence[Any] | None, stream: Any) -> Sequence[Any] | None:
    if classes is not None:
        return classes
    found: Sequence[Any] | None = getattr(stream, "classes", None)
    return getattr(stream, "labels", None) if found is None else found


def sizes_of(model: Any) -> dict[str, int]:
    """Return the size of a model, as `Result.update` accepts it; -1 for what it does not have."""
    return {
        "leaves": int(getattr(model, "n_leaves_", -1)),
        "depth": int(getattr(model, "depth_", -1)),
        "memory": int(getattr(model, "memory_bytes_", -1)),
    }


def size_of(model: Any, began: float) -> Size:
    """Return the size of a model, with the seconds since a pass began."""
    return Size(**sizes_of(model), seconds=time.perf_counter() - began)


def set_costs(result: Result, model: Any) -> None:
    """Pass the misclassification costs of the model on to the result."""
    costs, classes = getattr(model, "costs", None), getattr(model, "classes_", None)
    if costs is not None and classes is not None:
        result.count_costs(costs, classes.tolist())


def named_blocks(stream: Any, size: int) -> Iterator[tuple[Any, Any]]:
    """Iterate over the blocks of a stream with its names of features, categories and classes.

    Parameters
    ----------
    stream : stream
        The stream. Its `names`, `categories` and `classes` replace positions and codes in blocks
        of arrays, unless they are the default names.
    size : int
        Number of rows per block.

    Yields
    ------
    X, y
        A block, as a model accepts it.
    """
    names = getattr(stream, "names", None)
    classes = getattr(stream, "classes", None)
    numbered = names is not None and names == [f"x{i}" for i in range(len(names))]
    has_names = not numbered or bool(getattr(stream, "categories", None))
    words = None
    # The classes 0, 1, ... are the codes themselves; False and True are equal to 0 and 1 but not
    # the same labels.
    if classes is not None and list(map(repr, classes)) != list(map(repr, range(len(classes)))):
        words = _words(classes)
    # Code -1 selects the last entry, None, for a missing category.
    categories = {
        name: _words([*listed, None]) for name, listed in getattr(stream, "categories", {}).items()
    }
    for X, y in stream.blocks(size):
        if has_names and names is not None and isinstance(X, np.ndarray):
            X = {name: X[:, i] for i, name in enumerate(names)}
            for name, listed in categories.items():
                codes = np.where(np.isnan(X[name]), -1, X[name])
                X[name] = listed[codes.astype(np.intp)]
        yield X, y if words is None else words[y]


def _words(values: Sequence[Any]) -> NDArray[np.object_]:
    words = np.empty(len(values), dtype=object)
    words[:] = values
    return words
