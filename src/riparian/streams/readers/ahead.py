"""Threads that read ahead while the model learns."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

__all__ = ["Ahead", "with_results"]

R = TypeVar("R")
T = TypeVar("T")

# Two are enough: one that is ready and one that is being made.
_WAITING = 2


class Ahead(Generic[T]):
    """The items of an iterator, which runs in a thread of its own, a few items ahead.

    An error of the iterator is raised after the items before it.
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._queue: queue.Queue[T | None] = queue.Queue(_WAITING)
        self._error: BaseException | None = None
        self._stopped = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, args=(items,), daemon=True)
        self._thread.start()

    def _run(self, items: Iterator[T]) -> None:
        try:
            for item in items:
                if not self._put(item):
                    return
        except BaseException as error:
            self._error = error
        self._put(None)

    def _put(self, item: T | None) -> bool:
        while not self._stopped.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def get(self) -> T | None:
        """Wait for the next item; None is the end."""
        if self._ended:
            return None
        item = self._queue.get()
        if item is None:
            self._ended = True
            if self._error is not None:
                raise self._error
        return item

    def close(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._thread.join(timeout=10.0)


def with_results(
    function: Callable[[T], R], items: Iterator[T], n_threads: int
) -> Iterator[tuple[T, R]]:
    """Give items in their order, each with the result of a function that threads call.

    Parameters
    ----------
    function : callable
        Called with one item. Several calls run at once.
    items : iterator
        Read in the calling thread, at most `n_threads` items ahead. Its error is raised after the
        items before it.
    n_threads : int
        How many threads.

    Yields
    ------
    item, result
        An item and what the function returned for it.
    """
    error: Exception | None = None
    ended = False
    waiting: deque[tuple[T, Future[R]]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        while waiting or not ended:
            while not ended and len(waiting) <= n_threads:
                try:
                    item = next(items)
                    waiting.append((item, pool.submit(function, item)))
                except StopIteration:
                    ended = True
                except Exception as raised:
                    error, ended = raised, True
            if waiting:
                item, future = waiting.popleft()
                yield item, future.result()
    if error is not None:
        raise error
