"""A thread that reads ahead while the model learns."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["Ahead"]

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
