"""Workers that are threads of this process: nothing is copied."""

from __future__ import annotations

import os

from riparian.cluster.lane import Args, LanePool, Remote
from riparian.cluster.pool import Handle, Make, Pool

__all__ = ["threads"]


def threads(workers: int | None = None) -> Pool:
    """Return a pool of threads of this process.

    The core lets other threads run while it learns and reads columns, so threads use all cores
    where the work is done there. Work in Python, such as your own decoder, needs `processes`.

    Parameters
    ----------
    workers : int, default=None
        Number of threads; None for one for each core that this process may use.

    Returns
    -------
    pool : Pool
        The pool. A thread cannot be ended: a worker that is replaced finishes its call, and nobody
        looks at the answer.

    Examples
    --------
    >>> import riparian as rp
    >>> class Echo:
    ...     def __init__(self, number):
    ...         self.number = number
    ...     def upper(self, text):
    ...         return text.upper()
    >>> with rp.cluster.threads(2) as pool:
    ...     pool.start(Echo)
    ...     pool.ask(1, "upper", b"abc").result()
    b'ABC'
    """
    return _ThreadPool(cores() if workers is None else workers)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Here:
    """A worker in this process."""

    def __init__(self, worker: object) -> None:
        self._worker = worker

    def call(self, method: str, args: Args) -> bytes:
        answer: bytes = getattr(self._worker, method)(
            *(arg.data if isinstance(arg, Handle) else arg for arg in args)
        )
        return answer

    def end(self) -> None:
        """Nothing to end: the thread of the lane looks at its list of calls after each call."""


class _ThreadPool(LanePool):
    kind = "thread"
    here = True

    def begin(self, make: Make, worker: int) -> Remote:
        return _Here(make(worker))
