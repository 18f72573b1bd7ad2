"""Rounds: the shards of a round are dealt to workers, and their summaries grow the model.

What is asked is a function of the model and the rows, so any worker may answer, twice if need be.
The model depends on the rows and the number of shards alone: not on the workers, on who answered
what, in which order, or how often it had to be asked.
"""

from __future__ import annotations

import functools
import json
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, NamedTuple, Protocol

import numpy as np

from riparian.cluster.message import MessageError, digest_of, pack, pack_arrays, pickled, unpack
from riparian.cluster.pool import Pool, WorkerDied
from riparian.cluster.shards import check_shards, groups, merged
from riparian.cluster.summary import Codes, absorb
from riparian.cluster.worker import Lesson, Part, RowWorker, merge_parts, read_part
from riparian.models.base import StreamClassifier
from riparian.sources.messages import Messages
from riparian.storage.modelfile import freeze

__all__ = ["Clock", "DifferentAnswers", "Learned", "Rounds", "Task", "round_size"]

#: Rows of a round: for each leaf, at least, and at most. 200 is the grace period of VFDT: a leaf is
#: checked as often as in one process. Twice as many cost 0.25 points of accuracy more.
ROWS_PER_LEAF, LEAST_ROWS, MOST_ROWS = 200, 2_000, 1 << 22
#: Shards that take this many times the median are also given to another worker.
STRAGGLES = 3.0
#: After the last round, answers that are late are waited for this many seconds.
LAST_WAIT = 30.0
#: A task that has ended this many workers, or got so many answers to something else, is given up.
MOST_DEATHS = 20


def round_size(leaves: int) -> int:
    """Return how many rows the next round has.

    Examples
    --------
    >>> round_size(1), round_size(1000)
    (2000, 200000)
    """
    return min(max(ROWS_PER_LEAF * leaves, LEAST_ROWS), MOST_ROWS)


class DifferentAnswers(RuntimeError):  # noqa: N818 - it says what happened
    """Two workers gave different bytes for the same shards: one is broken, or rows changed."""


class Clock(Protocol):
    """What time it is, and waiting. Tests have one of their own."""

    def now(self) -> float:
        """Return seconds."""

    def wait(self, futures: Iterable[Future[bytes]], seconds: float | None) -> None:
        """Wait until one of the futures is done, or for so long."""


class _RealClock:
    def now(self) -> float:
        return time.monotonic()

    def wait(self, futures: Iterable[Future[bytes]], seconds: float | None) -> None:
        wait(list(futures), seconds, FIRST_COMPLETED)


class Learned(NamedTuple):
    """What a round brought.

    Attributes
    ----------
    true, predicted : ndarray of shape (n_rows,)
        Codes of the classes, in the order of shards and rows.
    faults : dict
        By shard: the number of the message in the shard, the reason, and what refused it.
    decoder : dict
        What the decoders know now.
    """

    true: Codes
    predicted: Codes
    faults: dict[int, list[tuple[int, str, str]]]
    decoder: dict[str, Any]


class Task:
    """What one worker is asked for: shards of a subtree, or members of a forest."""

    def __init__(self, first: int, end: int, data: tuple[Any, ...], key: Mapping[str, Any]) -> None:
        self.first, self.end, self.data, self.key = first, end, data, key
        #: Bytes, or what they stand for if the worker lives here.
        self.answer: Any = None
        self.by = -1
        self.deaths = self.dropped = 0
        self.asked: dict[int, float] = {}  # worker: since when


class Rounds:
    """Rounds of one job on a pool.

    Parameters
    ----------
    pool : Pool
        The workers. It is started here.
    shards : int
        The number of shards, which the model depends on.
    messages : Messages, default=None
        What messages hold; None if rows come with their labels.
    job : str, default=''
        Its name in messages.
    clock : Clock, default=None
        Another clock, for tests.
    """

    #: What a worker is, what it is asked for, and what its numbers count.
    worker: Callable[..., object] = RowWorker
    method = "summarize"
    parts = "shards"
    #: Whether bytes are asked for in any case.
    only_bytes = False

    def __init__(
        self,
        pool: Pool,
        shards: int,
        messages: Messages | None = None,
        *,
        job: str = "",
        clock: Clock | None = None,
    ) -> None:
        self.shards = check_shards(shards)
        self.number = 0
        #: What happened so far: workers that died, shards asked twice, answers that were dropped.
        self.counts = {"died": 0, "doubled": 0, "dropped": 0}
        self._pool = pool
        self._is_here = pool.here and not self.only_bytes
        self._job = job
        self._clock = clock or _RealClock()
        #: Calls that nobody waits for any more, with what they were to answer.
        self._late: dict[Future[bytes], tuple[int, Task]] = {}
        #: What each worker does; a replaced worker has no late calls.
        self._busy: dict[int, Future[bytes]] = {}
        pool.start(functools.partial(self.worker, messages))

    def size(self, model: StreamClassifier[Any]) -> int:
        """Return how many rows the next round needs."""
        return round_size(model.n_leaves_)

    def next(self, left: int, model: StreamClassifier[Any]) -> int:
        """Return how many of the rows that are there make the next round: all, or an equal part.

        The number of parts is the one that brings them nearest to the size of a round.
        """
        size = self.size(model)
        return -(-left // max(1, (2 * left + size) // (2 * size)))

    def learn(
        self,
        model: StreamClassifier[Any],
        lessons: Sequence[Lesson | None],
        decoder: Mapping[str, Any] | None = None,
    ) -> Learned:
        """Learn the rows of a round.

        Parameters
        ----------
        model : StreamClassifier
            The model, which has learned at least one row.
        lessons : sequence of Lesson or None
            The rows of each shard.
        decoder : mapping, default=None
            What the decoder knows.
        """
        found = self._here if self._is_here else self._elsewhere
        whole = merged(found(model, lessons, dict(decoder or {})), 0, self.shards, merge_parts)
        self.number += 1
        if whole is None:
            empty = np.empty(0, np.int32)
            return Learned(empty, empty, {}, dict(decoder or {}))
        absorb(model, whole.summary)
        return Learned(whole.true, whole.predicted, whole.faults, whole.decoder)

    def _here(
        self,
        model: StreamClassifier[Any],
        lessons: Sequence[Lesson | None],
        decoder: dict[str, Any],
    ) -> dict[int, Part]:
        """Return the parts that workers of this process have made, by their first shards."""
        # Two tasks for each thread: one that has to wait for a core leaves the last one to another.
        most = self._pool.workers * (2 if self._pool.workers > 1 else 1)
        tasks = [
            Task(first, end, (first, end, found), {})
            for first, end, found in self._dealt_lessons(lessons, most)
        ]
        self._ask_all(tasks, "part", model, decoder)
        return {
            # As states become in a message and in a checkpoint.
            task.first: task.answer._replace(decoder=json.loads(json.dumps(task.answer.decoder)))
            for task in tasks
        }

    def _elsewhere(
        self,
        model: StreamClassifier[Any],
        lessons: Sequence[Lesson | None],
        decoder: dict[str, Any],
    ) -> dict[int, Part]:
        """Return the parts that other processes have sent, by their first shards."""
        frozen = freeze(model)
        data = pack_arrays(frozen.header, frozen.arrays)
        key = {"job": self._job, "round": self.number, "version": digest_of(data)}
        begin = pack({**key, "decoder": decoder})
        tasks = [
            Task(first, end, pickled((first, end, found)), {**key, "shards": [first, end]})
            for first, end, found in self._dealt_lessons(lessons, self._pool.workers)
        ]
        self._ask_all(tasks, self.method, self._pool.put(data), begin)
        return {
            task.first: read_part(model, task.answer, (task.first, task.end), task.by)
            for task in tasks
        }

    def _dealt_lessons(
        self, lessons: Sequence[Lesson | None], parts: int
    ) -> Iterator[tuple[int, int, dict[int, Lesson]]]:
        """Yield the subtrees that have rows, with the lessons of their shards."""
        for first, end in groups(self.shards, parts):
            found = {s: x for s in range(first, end) if (x := lessons[s]) is not None}
            if found:
                yield first, end, found

    def finish(self) -> None:
        """Wait for late answers of the last round, and compare them with those that counted.

        A worker that does not answer within 30 seconds is not waited for.
        """
        end = self._clock.now() + LAST_WAIT
        while self._late and (left := end - self._clock.now()) > 0:
            self._clock.wait(self._late, left)
            self._forget_late()

    # -- asking -----------------------------------------------------------------------------

    def _ask_all(self, tasks: list[Task], method: str, *begin: Any) -> None:
        """Ask until every task has an answer. `begin`: what all tasks begin with."""
        waiting = deque(tasks)
        took: list[float] = []
        open_: dict[Future[bytes], tuple[int, Task]] = {}
        while any(task.answer is None for task in tasks):
            idle = [w for w in range(self._pool.workers) if w not in self._busy]
            for worker in idle:
                task = waiting.popleft() if waiting else self._straggler(tasks, took)
                if task is None:
                    break
                self.counts["doubled"] += bool(task.asked)
                task.asked[worker] = self._clock.now()
                future = self._pool.ask(worker, method, *begin, *task.data)
                open_[future] = worker, task
                self._busy[worker] = future
            self._clock.wait([*open_, *self._late], self._patience(tasks, took))
            for future in [f for f in open_ if f.done()]:
                worker, task = open_.pop(future)
                self._take(future, worker, task, waiting, took)
            self._forget_late()
        self._late |= open_

    def _slowest(self, tasks: Sequence[Task], took: Sequence[float]) -> tuple[float, Task] | None:
        """Return the task that one worker has had for longest, and when a second one gets it.

        A second thread of the same process would not be faster, so it gets none.
        """
        if self._is_here:
            return None
        open_ = [t for t in tasks if t.answer is None and len(t.asked) == 1]
        if not (took and open_):
            return None
        found = min(open_, key=lambda t: min(t.asked.values()))
        return min(found.asked.values()) + STRAGGLES * statistics.median(took), found

    def _straggler(self, tasks: Sequence[Task], took: Sequence[float]) -> Task | None:
        """Return a task that takes much longer than the others and that one worker has."""
        slowest = self._slowest(tasks, took)
        return slowest[1] if slowest is not None and self._clock.now() >= slowest[0] else None

    def _patience(self, tasks: Sequence[Task], took: Sequence[float]) -> float | None:
        """Return how long to wait before a task is given to a second worker."""
        slowest = self._slowest(tasks, took)
        if slowest is None or len(self._busy) == self._pool.workers:
            return None
        return max(0.0, slowest[0] - self._clock.now())

    def _take(
        self,
        future: Future[bytes],
        worker: int,
        task: Task,
        waiting: deque[Task],
        took: list[float],
    ) -> None:
        """Take the answer of a worker, or ask another one if it died."""
        since = task.asked.pop(worker)
        self._busy.pop(worker, None)
        error = future.exception()
        if isinstance(error, WorkerDied):
            self._replace(worker)
            task.deaths += 1
            if task.deaths > MOST_DEATHS:
                named = f"{self.parts} {task.first} to {task.end - 1}"
                raise WorkerDied(f"{named} have ended {task.deaths} workers: {error}") from error
            if task.answer is None and not task.asked:
                waiting.append(task)
            return
        if error is not None:
            raise error
        answer = future.result()
        if not (self._is_here or _is_about(answer, task)):
            self.counts["dropped"] += 1
            task.dropped += 1
            if task.dropped > MOST_DEATHS:
                raise MessageError(
                    f"workers have answered {task.dropped} times to something else than "
                    f"{self.parts} {task.first} to {task.end - 1}"
                )
            if task.answer is None and not task.asked:
                waiting.append(task)
            return
        if task.answer is None:
            task.answer, task.by = answer, worker
            took.append(self._clock.now() - since)
        else:
            self._compare(task, answer, worker)

    def _compare(self, task: Task, answer: bytes, worker: int) -> None:
        self.counts["dropped"] += 1
        if _is_about(answer, task) and answer != task.answer:
            raise DifferentAnswers(
                f"workers {task.by} and {worker} gave different bytes for {self.parts} "
                f"{task.first} to {task.end - 1}: one of the two machines is broken, or rows "
                "changed"
            )

    def _replace(self, worker: int) -> None:
        self.counts["died"] += 1
        self._pool.replace(worker)

    def _forget_late(self) -> None:
        """Compare late answers, and let their workers work again."""
        for future in [f for f in self._late if f.done()]:
            worker, task = self._late.pop(future)
            self._busy.pop(worker, None)
            if isinstance(future.exception(), WorkerDied):
                self._replace(worker)
            elif future.exception() is None:
                self._compare(task, future.result(), worker)


def _is_about(answer: bytes, task: Task) -> bool:
    """Whether an answer is about the round, the version and the shards or members of a task."""
    header = unpack(answer)[0]
    return {name: header.get(name) for name in task.key} == dict(task.key)
