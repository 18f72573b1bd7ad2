"""The loop of `riparian learn`: read, predict, learn, and from time to time a checkpoint."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from riparian.data.block import Block, Coded
from riparian.data.times import Times
from riparian.evaluate.learners import CodedPredictions, Native
from riparian.evaluate.passes import set_costs, size_of, sizes_of
from riparian.evaluate.results import Result, Size
from riparian.models.base import StreamClassifier
from riparian.models.engine import Pauses
from riparian.sources.checkpoint import Checkpoint, DeadLetter, Generation, Snapshot
from riparian.sources.join import Join, Joined, JoinSettings, block_of
from riparian.sources.plan import Plan
from riparian.sources.reading import Feed, Gap, Idle, Note, Opened, Read, Reader, Sampled
from riparian.storage.modelfile import freeze
from riparian.streams.readers.ahead import Ahead

__all__ = ["BadMessagesError", "Learner", "Settings", "Status"]

#: The circuit breaker looks at this many messages.
_RECENT = 1000
#: Bytes of a refused message that are kept.
_MOST_VALUE = 1 << 16


class BadMessagesError(Exception):
    """Too many messages were refused: the format of the source has probably changed."""


@dataclass(frozen=True)
class Settings:
    """How a learner runs. None of this changes what is learned.

    Parameters
    ----------
    every_seconds, every_rows : float, int
        A checkpoint is written after so much time or so many rows; None for never by that.
    block : int
        The most messages that are learned at once.
    rows : int or None
        Stop after this many rows.
    on_gap : {'error', 'skip'}
        Whether lost messages end the learner or are counted.
    on_bad : {'skip', 'stop'}
        Whether a refused message is counted and kept as a dead letter, or ends the learner.
    max_bad : float
        The greatest share of refused messages among the last 1,000.
    """

    every_seconds: float | None = 30.0
    every_rows: int | None = None
    block: int = 10_000
    rows: int | None = None
    on_gap: Literal["error", "skip"] = "error"
    on_bad: Literal["skip", "stop"] = "skip"
    max_bad: float = 0.1


@dataclass
class Status:
    """What the learner is doing, for logs and metrics. Times are seconds."""

    counters: dict[str, int] = field(default_factory=dict)
    generation: int = 0
    committed_at: float = 0.0
    pause: float = 0.0
    write: float = 0.0
    size: int = 0
    block_seconds: float = 0.0
    failed_checkpoints: int = 0
    checkpoints: int = 0


class Learner:
    """Learns what a reader gives, exactly once in the line of checkpoints.

    Parameters
    ----------
    model : StreamClassifier
        The model, as it is in the last checkpoint.
    result : Result
        Its evaluation so far.
    checkpoint : Checkpoint
        Where generations are written.
    feeds : sequence of Feed
        The source of rows.
    plan : Plan
        The plan, which was resumed.
    reader : Reader
        Reads the plan, then on.
    settings : Settings
    counters : mapping of str to int
        The counters of the last checkpoint.
    report : callable
        Called with messages for the operator.
    sampled : callable
        Called with the number of a source and the state of its decoder, before the first row.
    join, join_state : JoinSettings, mapping
        How the labels of a second source find their rows, and the state of that.
    """

    def __init__(
        self,
        model: StreamClassifier[Any],
        result: Result,
        checkpoint: Checkpoint,
        feeds: Sequence[Feed],
        plan: Plan,
        reader: Reader,
        settings: Settings,
        *,
        counters: Mapping[str, int],
        report: Callable[[str], None],
        sampled: Callable[[int, Mapping[str, Any]], None],
        join: JoinSettings | None = None,
        join_state: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.result = result
        self.settings = settings
        self.status = Status(counters={**_COUNTERS, **counters})
        self.feeds = list(feeds)
        self._checkpoint = checkpoint
        self._plan = plan
        self._reader = reader
        self._report = report
        self._sampled = sampled
        self._native = Native(model)
        self._positions = [dict(feed.positions) for feed in feeds]
        self._states: list[Mapping[str, Any]] = [feed.state for feed in feeds]
        self._dead: list[DeadLetter] = []
        self._recent: deque[tuple[int, int]] = deque()
        self._join: Join | None = None
        self._failed: list[Any] = []  # changes of a generation that could not be written
        if join is not None:
            self._join = Join(join, join_state or {}, self._count)
            self._join.restore(checkpoint.table)
        self._stop = threading.Event()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._writing: Future[Generation] | None = None
        self._in_flight: Snapshot | None = None
        self._began = time.perf_counter() - result.seconds
        self._last = (time.monotonic(), self.rows)
        self._changed = False
        self._plans = [g.plan for g in checkpoint.generations()][:1]

    @property
    def rows(self) -> int:
        """How many rows were learned in all."""
        return self.status.counters["learned"]

    def stop(self) -> None:
        """Ask the learner to finish its chunk, write a checkpoint and end."""
        self._stop.set()

    def run(self) -> str:
        """Learn until the sources end or `stop` is called; return which of them it was."""
        ahead = Ahead(self._reader.items())
        try:
            while (item := ahead.get()) is not None:
                self._take(item)
                self._collect(wait=False)
                if self._stop.is_set():
                    return self._finish("signal")
                if self.settings.rows is not None and self.rows >= self.settings.rows:
                    return self._finish("rows")
                if self._is_due():
                    self._begin_commit("time" if self.settings.every_rows is None else "rows")
            return self._finish("end")
        finally:
            self._reader.stop()
            ahead.close()
            self._reader.close()
            self._writer.shutdown(wait=True)
            self._plan.close()

    # -- one item ---------------------------------------------------------------------------

    def _take(self, item: Any) -> None:
        if isinstance(item, Read):
            self._learn(item)
        elif isinstance(item, Opened):
            self._positions[item.source] = {**item.positions, **self._positions[item.source]}
            if self.feeds[item.source].start != "beginning" and not self._plans:
                # Where the end was, nobody could tell after a crash.
                self._begin_commit("start")
                self._collect(wait=True)
        elif isinstance(item, Sampled):
            self._states[item.source] = item.state
            self._sampled(item.source, item.state)
        elif isinstance(item, Gap):
            self._count("gaps", 1)
            self._count("lost", item.error.lost or 0)
            self._positions[item.source][item.error.partition] = dict(item.error.resume)
            self._changed = True
            self._report(f"messages are lost and skipped: {item.error}")
        elif isinstance(item, Note):
            self._report(item.text)
        else:
            assert isinstance(item, Idle)

    def _learn(self, read: Read) -> None:
        chunk, rows = read.chunk, read.rows
        self._check_share(len(chunk.values), rows.faults)
        if not read.replayed:
            self._plan.append(read.entry)
        clock = time.perf_counter()
        for i in sorted(rows.faults):
            self._refuse(read, i, rows.faults[i])
        if self._join is not None:
            self._learn_joined(read, self._join)
        elif rows.y is not None and len(rows.index):
            self._learn_rows(read, rows.X, rows.y)
        self.status.block_seconds = time.perf_counter() - clock
        self._count("messages", len(chunk.values))
        self._positions[read.source][chunk.partition] = dict(chunk.next)
        self._states[read.source] = read.state
        self._changed = True

    def _learn_rows(self, read: Read, X: Any, y: Any) -> None:
        """Predict rows, then learn them; those that the model refuses are found by halving."""

        def learn(start: int, stop: int) -> int:
            sizes: list[Size] = []
            pauses = Pauses(
                self.result.window_ends(stop - start),
                lambda: sizes.append(size_of(self.model, self._began)),
            )
            clock = time.perf_counter()
            part = X if stop - start == len(y) else X.rows(slice(start, stop))
            coded = self._native.coded(part, y[start:stop], pauses)
            predicted = None
            if coded is None:
                stop = self._window_end(start, stop)
                part = X.rows(slice(start, stop))
                predicted, _ = self._native.prequential(part, y[start:stop], False)
            self.result.model_seconds += time.perf_counter() - clock
            self._evaluate(coded, y[start:stop], predicted, sizes)
            return stop

        def refuse(i: int, reason: str) -> None:
            self._refuse(read, int(read.rows.index[i]), reason)

        self._by_halves(len(y), learn, refuse)

    def _window_end(self, start: int, stop: int) -> int:
        """Return where a call must end so that the size of the model at a window is known."""
        return min(stop, start + self.result.until_window())

    def _by_halves(
        self, n: int, call: Callable[[int, int], int], refuse: Callable[[int, str], None]
    ) -> None:
        """Call with parts of n rows; a part that is refused is halved until single rows are.

        `call` returns where it ended.
        """
        start, most = 0, n
        while start < n:
            stop = min(n, start + most)
            try:
                stop = call(start, stop)
            except ValueError as error:
                if stop - start > 1:
                    most = (stop - start) // 2
                    continue
                refuse(start, str(error))
            start, most = stop, 2 * most

    # -- labels that come late --------------------------------------------------------------

    def _learn_joined(self, read: Read, join: Join) -> None:
        """Let rows wait for their labels, or learn the rows whose labels these are."""
        settings = join.settings
        stored, n = dict(read.rows.X.stored), len(read.rows.index)
        if n:
            keys = stored.pop(settings.key, None)
            times = self._event_times(read, stored, settings)
            block = Block(stored, n)
            if keys is None:
                for i in read.rows.index.tolist():
                    self._refuse(read, i, f"the key {settings.key!r} is not there")
            else:
                kept = self._with_keys(read, keys)
                rows = np.flatnonzero([key is not None for key in kept])
                join.see(f"{read.source} {read.chunk.partition}", times)
                keys_kept = [str(kept[i]) for i in rows]
                times_kept = [times[i] for i in rows]
                mask = np.zeros(n, dtype=bool)
                mask[rows] = True
                if read.source == 0:
                    X = block.rows(mask)
                    predicted = self._predict(X)
                    self._learn_found(read, join.add_rows(keys_kept, times_kept, predicted, X))
                else:
                    assert read.rows.y is not None
                    labels = read.rows.y[mask].tolist()
                    self._learn_found(read, join.add_labels(keys_kept, times_kept, labels))
        self._learn_found(read, join.expire())

    def _with_keys(self, read: Read, column: Any) -> list[Any]:
        keys = column.objects() if isinstance(column, Coded) else column
        for i in np.flatnonzero([key is None for key in keys]).tolist():
            self._refuse(read, int(read.rows.index[i]), "the key is missing")
        return list(keys)

    def _event_times(self, read: Read, stored: dict[str, Any], settings: JoinSettings) -> list[int]:
        """Return the event time of each row in milliseconds; 0 if nobody knows it."""
        if settings.time is not None:
            column = stored.pop(settings.time, None)
            if column is None:
                return [0] * len(read.rows.index)
            seconds = column.seconds if isinstance(column, Times) else column
            return [0 if s != s else int(1000 * s) for s in np.asarray(seconds, float).tolist()]
        times = read.chunk.times
        return [0 if times is None else int(times[i]) for i in read.rows.index.tolist()]

    def _predict(self, X: Block) -> list[Any]:
        if not hasattr(self.model, "classes_") or not X.n_rows:
            return [None] * X.n_rows
        found: list[Any] = [None] * X.n_rows

        def predict(start: int, stop: int) -> int:
            found[start:stop] = self.model.predict(X.rows(slice(start, stop))).tolist()
            return stop

        # A row that cannot be predicted has no prediction; whether it can be learned shows later.
        self._by_halves(X.n_rows, predict, lambda i, reason: None)
        return found

    def _learn_found(self, read: Read, found: Joined) -> None:
        """Learn rows that have their labels now."""
        if not found.ids:
            return
        labels = [self._label(label) for label in found.labels]
        whole = all(isinstance(label, int) for label in labels)
        y = np.array(labels, dtype=np.int64 if whole else object)
        names = dict.fromkeys(name for row in found.rows for name in row)
        order = {name: place for place, name in enumerate(self._states[0].get("kinds", {}))}
        X = block_of(found.rows, sorted(names, key=lambda name: order.get(name, len(order))))

        def learn(start: int, stop: int) -> int:
            stop = self._window_end(start, stop)
            clock = time.perf_counter()
            self.model.partial_fit(X.rows(slice(start, stop)), y[start:stop])
            self.result.model_seconds += time.perf_counter() - clock
            self._evaluate(None, y[start:stop].tolist(), found.predicted[start:stop], [])
            return stop

        def refuse(i: int, reason: str) -> None:
            text = json.dumps(found.rows[i]).encode()[:_MOST_VALUE]
            self._kill(read.source, read.chunk.partition, found.ids[i], reason, text)

        self._by_halves(len(y), learn, refuse)

    def _label(self, label: Any) -> Any:
        """Return a label as the labels of the second source are: the other label is a text."""
        whole = len(self._states) > 1 and (self._states[1].get("labels") or {}).get("integers")
        return int(label) if whole and isinstance(label, str) else label

    def _evaluate(
        self, coded: CodedPredictions | None, y: Any, predicted: Any, sizes: list[Size]
    ) -> None:
        self.result.seconds = time.perf_counter() - self._began
        if coded is None:
            self.result.update(y, predicted, probabilities=None, **sizes_of(self.model))
        else:
            self.result.update_codes(coded, [*sizes, size_of(self.model, self._began)])
        set_costs(self.result, self.model)
        self._count("learned", len(y))

    def _refuse(self, read: Read, i: int, reason: str) -> None:
        """Keep a message that cannot be learned as a dead letter."""
        chunk = read.chunk
        place = str(i if chunk.places is None else chunk.places[i])
        value: Any = None
        if not hasattr(chunk.values, "num_rows"):
            value = chunk.values[i]
            value = None if value is None else bytes(value[:_MOST_VALUE])
        self._kill(read.source, chunk.partition, place, reason, value)

    def _kill(
        self, source: int, partition: str, place: str, reason: str, value: bytes | None
    ) -> None:
        if self.settings.on_bad == "stop":
            raise BadMessagesError(f"{partition}, message {place}: {reason}")
        self._dead.append(DeadLetter(source, partition, place, reason, value))
        self._count("rejected", 1)

    def _check_share(self, n: int, faults: Mapping[int, str]) -> None:
        """Stop before a chunk with which too many of the last messages would be refused."""
        self._recent.append((n, len(faults)))
        while sum(n for n, _ in self._recent) - self._recent[0][0] >= _RECENT:
            self._recent.popleft()
        bad = sum(bad for _, bad in self._recent)
        total = max(_RECENT, sum(n for n, _ in self._recent))
        if bad > self.settings.max_bad * total:
            first = faults[min(faults)] if faults else "see the dead letters"
            raise BadMessagesError(
                f"{bad:,} of the last {total:,} messages were refused, more than --max-bad "
                f"{self.settings.max_bad:g} allows; for example: {first}"
            )

    def _count(self, name: str, n: int) -> None:
        self.status.counters[name] += n

    # -- checkpoints ------------------------------------------------------------------------

    def _is_due(self) -> bool:
        if self._writing is not None or not self._changed:
            return False
        seconds, rows = self.settings.every_seconds, self.settings.every_rows
        since, learned = self._last
        if seconds is not None and time.monotonic() - since >= seconds:
            return True
        return rows is not None and self.rows - learned >= rows

    def _begin_commit(self, reason: str) -> None:
        """Copy all state between two chunks; another thread writes the copy."""
        clock = time.perf_counter()
        positions = [dict(found) for found in self._positions]
        identity = [dict(feed.source.identity) for feed in self.feeds]
        self.model.positions_ = {"sources": positions, "identity": identity}
        frozen = freeze(self.model)
        plan = self._plan.begin()
        state: dict[str, Any] = {"decoders": list(self._states)}
        changes, self._failed = self._failed, []
        if self._join is not None:
            state["join"] = self._join.state()
            changes = [*changes, *self._join.changes()]
        snapshot = Snapshot(
            frozen,
            self.rows,
            positions,
            identity,
            state,
            dict(self.status.counters),
            plan,
            self.result.to_bytes(),
            reason,
            list(self._dead),
            changes,
        )
        self._last = (time.monotonic(), self.rows)
        self._changed = False
        self.status.pause = time.perf_counter() - clock
        self._in_flight = snapshot
        self._writing = self._writer.submit(self._checkpoint.commit, snapshot)

    def _collect(self, *, wait: bool) -> None:
        """Look whether the checkpoint that is being written is durable."""
        if self._writing is None or not (wait or self._writing.done()):
            return
        writing, snapshot = self._writing, self._in_flight
        self._writing = self._in_flight = None
        assert snapshot is not None
        try:
            generation = writing.result()
        except OSError as error:
            # The generation before stays; the next one has all that this one would have had.
            self._failed = list(snapshot.changes)
            self.status.failed_checkpoints += 1
            self._changed = True
            self._report(f"the checkpoint could not be written, trying again: {error}")
            return
        self.status.generation = generation.number
        self.status.committed_at = generation.written_at
        self.status.size = generation.size
        self.status.checkpoints += 1
        self.status.write = time.monotonic() - self._last[0]
        del self._dead[: len(snapshot.dead)]
        self._reader.committed(snapshot.positions)
        # The generation before stays usable, so its plan stays as well.
        self._plans = [*self._plans[-1:], generation.plan]
        self._plan.forget(self._plans[0])

    def _finish(self, reason: str) -> str:
        """Write the last checkpoint."""
        self._collect(wait=True)
        if self._changed or not self._checkpoint.generations():
            self._begin_commit(reason)
            assert self._writing is not None
            failed = self.status.failed_checkpoints
            self._writing.exception()
            self._collect(wait=True)
            if self.status.failed_checkpoints > failed:
                raise OSError("the last checkpoint could not be written")
        return reason


#: Everything that is counted for ever, from its beginning.
_COUNTERS = dict.fromkeys(
    ("messages", "learned", "rejected", "gaps", "lost", "expired", "duplicate", "orphan"), 0
)
