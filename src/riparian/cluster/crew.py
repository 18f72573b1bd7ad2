"""The workers of a pool as the crew of a batch tree; a dead worker is replaced."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from riparian.cluster.pool import Make, Pool, WorkerDied

__all__ = ["PoolCrew"]

#: How often one call is made again because its worker died.
_MOST_TRIES = 5


class PoolCrew:
    """Calls every worker of a pool, and waits for all answers.

    Parameters
    ----------
    pool : Pool
        The pool, which is started.
    make : callable
        Makes the worker of a number.
    """

    def __init__(self, pool: Pool, make: Make) -> None:
        self.workers = pool.workers
        self._pool = pool
        #: The calls that a worker which takes the place of a dead one has to repeat first.
        self._history: list[list[tuple[str, bytes]]] = [[] for _ in range(pool.workers)]
        self._replaces = False
        pool.start(make)

    def prepare(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Call every worker, and let later workers of its number begin with this call."""
        answers = self.each(method, messages)
        for history, message in zip(self._history, messages, strict=True):
            history.append((method, message))
        self._replaces = True
        return answers

    def each(self, method: str, messages: Sequence[bytes | None]) -> list[bytes]:
        """Call a method of every worker with its message; None: without one."""
        asked = [self._ask(w, method, message) for w, message in enumerate(messages)]
        return [self._answer(w, method, messages[w], future) for w, future in enumerate(asked)]

    def some(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Deal messages over the workers."""
        asked = [
            (i % self.workers, self._ask(i % self.workers, method, message))
            for i, message in enumerate(messages)
        ]
        return [self._answer(w, method, messages[i], future) for i, (w, future) in enumerate(asked)]

    def _ask(self, worker: int, method: str, message: bytes | None) -> Future[bytes]:
        return self._pool.ask(worker, method, *(() if message is None else (message,)))

    def _answer(
        self, worker: int, method: str, message: bytes | None, future: Future[bytes]
    ) -> bytes:
        """Wait for an answer; if the worker died, ask the next one of its number."""
        for tries in range(_MOST_TRIES):
            try:
                return future.result()
            except WorkerDied:
                if not self._replaces or tries == _MOST_TRIES - 1:
                    raise
                self._pool.replace(worker)
                for earlier, own in self._history[worker]:
                    self._ask(worker, earlier, own)
                future = self._ask(worker, method, message)
        raise AssertionError("not reached")
