"""How long the server waits for bodies: one timer for all of them."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["Patience"]

#: Seconds between two looks at what takes too long.
_STEP = 0.25


class Patience:
    """Ends tasks that wait too long for the rest of a body.

    A timer for each request would cost more than to predict a row. Here all share one, so a task is
    ended up to a quarter of a second late. Time in which the event loop itself did not run, because
    the machine was busy, does not count.
    """

    def __init__(self) -> None:
        #: When each task that waits is to be ended; None if it was.
        self._waiting: dict[asyncio.Task[Any], float | None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._now = 0.0

    def begin(self, seconds: float) -> asyncio.Task[Any]:
        """Cancel the present task after this many seconds, unless it has said `end` by then."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._now = loop.time()
            loop.call_later(_STEP, self._look, loop)
        task = asyncio.current_task(loop)
        assert task is not None, "a request is answered in a task"
        self._waiting[task] = self._now + seconds + _STEP
        return task

    def has_ended(self, task: asyncio.Task[Any]) -> bool:
        """Return whether a task was cancelled here; then it may go on."""
        if self._waiting[task] is not None:
            return False
        task.uncancel()
        return True

    def end(self, task: asyncio.Task[Any]) -> None:
        """Let a task take as long as it wants from now on."""
        del self._waiting[task]

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        before, self._now = self._now, loop.time()
        late = max(0.0, self._now - before - 2 * _STEP)
        for task, until in self._waiting.items():
            if until is None:
                continue
            if until + late <= self._now:
                self._waiting[task] = None
                task.cancel()
            else:
                self._waiting[task] = until + late
        if self._waiting:
            loop.call_later(_STEP, self._look, loop)
        else:
            self._loop = None
