"""The calls of one worker, answered one after the other by a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Protocol, Self

from riparian.cluster.pool import Handle, Make, WorkerDied

__all__ = ["Args", "Lane", "LanePool", "Remote"]

Args = tuple[bytes | Handle, ...]


class Remote(Protocol):
    """The other end of a lane: where a worker lives."""

    def call(self, method: str, args: Args) -> bytes:
        """Answer a call; raises WorkerDied if the worker is dead."""

    def end(self) -> None:
        """End the worker; a call under way fails or is never looked at. May be called twice."""


class Lane:
    """A thread that brings the calls of one worker to it."""

    def __init__(self, name: str, begin: Callable[[], Remote]) -> None:
        self._begin = begin
        self._calls: queue.SimpleQueue[tuple[Future[bytes], str, Args] | None] = queue.SimpleQueue()
        self._open: set[Future[bytes]] = set()
        self._lock = threading.Lock()
        self._dead: str | None = None
        self._remote: Remote | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ask(self, method: str, args: Args) -> Future[bytes]:
        future: Future[bytes] = Future()
        with self._lock:
            if self._dead is not None:
                future.set_exception(WorkerDied(self._dead))
                return future
            self._open.add(future)
        self._calls.put((future, method, args))
        return future

    def end(self, why: str) -> None:
        """Fail all open calls and end the worker."""
        with self._lock:
            self._dead = self._dead or why
            left, self._open = self._open, set()
            remote = self._remote
        for future in left:
            _fail(future, WorkerDied(why))
        self._calls.put(None)
        if remote is not None:
            remote.end()

    def join(self) -> None:
        """Wait until the thread has ended. A call that is under way may still be computed."""
        self._thread.join()

    def _run(self) -> None:
        try:
            remote = self._begin()
        except BaseException as error:
            self._refuse_all(error)
            return
        with self._lock:
            self._remote = remote
            dead = self._dead is not None
        while not dead and (call := self._calls.get()) is not None:
            future, method, args = call
            try:
                answer = remote.call(method, args)
            except WorkerDied as error:
                self.end(str(error))
                break
            except BaseException as error:
                self._done(future)
                _fail(future, error)
            else:
                self._done(future)
                _succeed(future, answer)
        remote.end()

    def _refuse_all(self, error: BaseException) -> None:
        """The worker could not be made: every call says why."""
        with self._lock:
            self._dead = f"the worker could not be made: {type(error).__name__}: {error}"
            left, self._open = self._open, set()
        for future in left:
            _fail(future, error)

    def _done(self, future: Future[bytes]) -> None:
        with self._lock:
            self._open.discard(future)


def _succeed(future: Future[bytes], answer: bytes) -> None:
    with suppress(InvalidStateError):  # the worker was replaced while it answered
        future.set_result(answer)


def _fail(future: Future[bytes], error: BaseException) -> None:
    with suppress(InvalidStateError):
        future.set_exception(error)


class LanePool:
    """A pool with a lane for each worker of this machine."""

    #: How the pool is called in messages.
    kind: str
    here = False

    def __init__(self, workers: int) -> None:
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ValueError(f"workers must be a whole number from 1 on, got {workers!r}")
        self.workers = workers
        self._make: Make | None = None
        self._lanes: list[Lane] = []
        self._lock = threading.Lock()

    def begin(self, make: Make, worker: int) -> Remote:
        """Make the worker of a number."""
        raise NotImplementedError

    def start(self, make: Make) -> None:
        with self._lock:
            self._end("the pool was started again")
            self._make = make
            self._lanes = [self._lane(make, worker) for worker in range(self.workers)]

    def ask(self, worker: int, method: str, *args: bytes | Handle) -> Future[bytes]:
        with self._lock:
            if not self._lanes:
                raise RuntimeError("the pool has no workers: it was not started, or it is closed")
            lane = self._lanes[worker]
        return lane.ask(method, args)

    def put(self, data: bytes) -> Handle:
        return Handle(data)

    def replace(self, worker: int) -> None:
        with self._lock:
            if self._make is None:
                raise RuntimeError("the pool has no workers: it was not started, or it is closed")
            old, make = self._lanes[worker], self._make
            old.end(f"worker {worker} was replaced")
            self._lanes[worker] = self._lane(make, worker)

    def close(self) -> None:
        with self._lock:
            self._end("the pool was closed")
            self._make = None

    def _lane(self, make: Make, worker: int) -> Lane:
        return Lane(f"riparian {self.kind} {worker}", lambda: self.begin(make, worker))

    def _end(self, why: str) -> None:
        lanes, self._lanes = self._lanes, []
        for lane in lanes:
            lane.end(why)
        for lane in lanes:
            lane.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
