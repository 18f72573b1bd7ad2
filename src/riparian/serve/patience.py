"""How long the server waits for bodies: one timer for all of them."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["STEP", "Patience"]

#: Seconds between two looks at what takes too long.
STEP = 0.25


class Patience:
    """Ends tasks that wait too long for the rest of a body.

    A timer for each request would cost more than to predict a row. Here all share one, so a task is
    ended up to a quarter of a second late. Time in which the event loop itself did not run, because
    the machine was busy, does not count.
    """

    def __init__(self) -> None:
        #: When each task that waits is to be ended; None if it was.
        self.waiting: dict[asyncio.Task[Any], float | None] = {}
        #: The time of the last look, and the event loop of the next; None if there is none.
        self.now = 0.0
        self.loop: asyncio.AbstractEventLoop | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at the tasks from now on, as long as there are any."""
        self.now, self.loop = loop.time(), loop
        loop.call_later(STEP, self._look, loop)

    def has_ended(self, task: asyncio.Task[Any]) -> bool:
        """Return whether a task was cancelled here; then it may go on."""
        if self.waiting[task] is not None:
            return False
        task.uncancel()
        return True

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        before, self.now = self.now, loop.time()
        late = max(0.0, self.now - before - 2 * STEP)
        for task, until in self.waiting.items():
            if until is None:
                continue
            if until + late <= self.now:
                self.waiting[task] = None
                task.cancel()
            else:
                self.waiting[task] = until + late
        if self.waiting:
            loop.call_later(STEP, self._look, loop)
        else:
            self.loop = None
