"""Evaluate a model in rounds: each row is predicted by the model before its round."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from riparian.cluster.dealing import check_workers, rounds_for
from riparian.cluster.pool import Pool
from riparian.cluster.rounds import Learned
from riparian.cluster.shards import dealt
from riparian.cluster.worker import Lesson
from riparian.evaluate.learners import CodedPredictions, as_learner, rows_of
from riparian.evaluate.passes import named_blocks, set_costs, size_of, sizes_of
from riparian.evaluate.results import Result
from riparian.models.base import StreamClassifier

__all__ = ["evaluate", "steps"]


def evaluate(result: Result, model: StreamClassifier[Any], round_: Learned, seconds: float) -> None:
    """Add the predictions of a round to a result."""
    n = len(round_.true)
    result.model_seconds += seconds
    if n:
        size = size_of(model, time.perf_counter() - result.seconds)
        coded = CodedPredictions(round_.true, round_.predicted, model._schema.classes)
        result.update_codes(coded, [size] * (1 + len(result.window_ends(n))))
        set_costs(result, model)


def steps(
    model: StreamClassifier[Any],
    stream: Any,
    result: Result,
    pool: Pool,
    *,
    shards: int,
    alone: int,
    block: int,
    rows: int | None = None,
) -> Iterator[None]:
    """Learn a stream in rounds, and give control back after each block and round.

    Parameters
    ----------
    model : StreamClassifier
        A tree whose statistics can be merged.
    stream : stream
        Its ``blocks(size)`` yields pairs of rows and labels.
    result : Result
        The evaluation; rows are in it in the order of rounds, shards and rows.
    pool : Pool
        The workers.
    shards, alone : int
        The number of shards, and how many first rows are learned without workers.
    block : int
        Number of rows to read at once.
    rows : int, optional
        Stop after this many rows.
    """
    check_workers(model)
    rounds = rounds_for(model, pool, shards)
    learner = as_learner(model)
    began = time.perf_counter()
    read = waiting = 0
    held: list[tuple[Any, Any]] = []

    def learn() -> Iterator[None]:
        at = 0
        while at < waiting:
            n = rounds.next(waiting - at, model)
            clock = time.perf_counter()
            found = rounds.learn(model, _lessons(held, at, n, rounds.shards))
            result.seconds = time.perf_counter() - began
            evaluate(result, model, found, time.perf_counter() - clock)
            if found.faults:
                first = read - waiting + at
                raise ValueError(_refused(found, dealt(n, rounds.shards), first))
            at += n
            yield

    for X, y in named_blocks(stream, block):
        if rows is not None and read + len(y) > rows:
            X, y = rows_of(X, 0, rows - read), y[: rows - read]
        read += len(y)
        result.skipped = getattr(stream, "skipped", 0)
        if read <= alone or not hasattr(model, "classes_"):
            clock = time.perf_counter()
            try:
                predicted, _ = learner.prequential(X, y, False)
            except ValueError as error:
                raise ValueError(_of_row(str(error), read - len(y))) from error
            now = time.perf_counter()
            result.model_seconds += now - clock
            result.seconds = now - began
            result.update(y, predicted, probabilities=None, **sizes_of(model))
            set_costs(result, model)
            yield
        elif len(y):
            held.append((X, y))
            waiting += len(y)
            if waiting >= rounds.size(model):
                yield from learn()
                held, waiting = [], 0
        if rows is not None and read >= rows:
            break
    yield from learn()
    rounds.finish()


def _refused(found: Learned, shards: Sequence[tuple[int, int]], first: int) -> str:
    """Return why the first row of a round was refused; `first` is the number of its first row."""
    shard = min(found.faults)
    row, reason, _ = found.faults[shard][0]
    # A worker has found the row alone, as row 0.
    return _of_row(reason, first + shards[shard][0] + row)


def _of_row(reason: str, first: int) -> str:
    """Return a reason about a part of the rows with the number of the row in the whole."""
    place = r"(^|, )row (\d+):"
    return re.sub(place, lambda m: f"{m[1]}row {int(m[2]) + first}:", reason, count=1)


def _lessons(held: list[tuple[Any, Any]], at: int, n: int, shards: int) -> list[Lesson | None]:
    """Deal n rows of consecutive blocks to shards; a shard may have rows of several blocks."""
    found: list[Lesson | None] = []
    for start, stop in dealt(n, shards):
        pieces: list[tuple[Any, Any]] = []
        first = -at
        for X, y in held:
            a, b = max(start - first, 0), min(stop - first, len(y))
            if a < b:
                pieces.append((rows_of(X, a, b), y[a:b]))
            first += len(y)
        found.append(Lesson(rows=pieces) if pieces else None)
    return found
