"""When a generation is written, and what is done once it is durable."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from riparian.sources.checkpoint import Checkpoint, Generation, Snapshot
from riparian.sources.dead_letters import Sink
from riparian.sources.plan import Plan
from riparian.sources.process import release_memory
from riparian.sources.settings import Settings
from riparian.sources.status import Status

__all__ = ["Commits"]

#: Seconds between two times at which freed memory is given back; it takes some milliseconds.
_RELEASE = 20.0


class Commits:
    """Writes one generation at a time in a thread of its own.

    Parameters
    ----------
    checkpoint : Checkpoint
        Where generations are written.
    plan : Plan
        What was learned since the last two generations.
    settings : Settings
        Says how often a generation is due.
    status : Status
        Says how many rows were learned; gets the figures of each generation.
    sink : Sink or None
        Where dead letters are sent on to.
    take : callable
        Copies all state: called with the number of the plan that begins and with the reason.
    done : callable
        Called with a snapshot that is durable, and its generation.
    failed : callable
        Called with a snapshot that could not be written, and the error.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        plan: Plan,
        settings: Settings,
        status: Status,
        sink: Sink | None,
        *,
        take: Callable[[int, str], Snapshot],
        done: Callable[[Snapshot, Generation], None],
        failed: Callable[[Snapshot, OSError], None],
    ) -> None:
        #: Whether anything happened since the last snapshot.
        self.changed = False
        self._checkpoint = checkpoint
        self._plan = plan
        self._settings = settings
        self._status = status
        self._sink = sink
        self._take = take
        self._done = done
        self._failed = failed
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._writing: tuple[Future[Generation], Snapshot] | None = None
        self._last = (time.monotonic(), self._read)
        self._taken_at = 0.0
        self._released = time.monotonic()
        found = checkpoint.generations()
        if found:
            status.set_generation(found[0].number, found[0].written_at, found[0].size)
        self._plans = [g.plan for g in found][:1]

    @property
    def _read(self) -> int:
        # A message may hold several rows, and rows may wait for their labels.
        return max(self._status.counters["learned"], self._status.counters["messages"])

    @property
    def any(self) -> bool:
        """Whether a generation has been written."""
        return bool(self._plans)

    def touch(self) -> None:
        """Note that something has changed."""
        self.changed = True
        if self._status.unsaved_since is None:
            self._status.unsaved_since = time.time()

    def is_due(self) -> bool:
        """Return whether it is time for a generation."""
        if self._writing is not None or not self.changed:
            return False
        seconds, rows = self._settings.every_seconds, self._settings.every_rows
        since, before = self._last
        if seconds is not None and time.monotonic() - since >= seconds:
            return True
        return rows is not None and self._read - before >= rows

    def begin(self, reason: str) -> None:
        """Copy all state between two chunks; another thread writes the copy."""
        clock = time.perf_counter()
        snapshot = self._take(self._plan.begin(), reason)
        self._last = (time.monotonic(), self._read)
        self._taken_at = time.time()
        self.changed = False
        self._status.pause = time.perf_counter() - clock
        self._writing = self._writer.submit(self._commit, snapshot), snapshot

    def _commit(self, snapshot: Snapshot) -> Generation:
        # Before the commit: after a crash between the two they are sent again.
        if self._sink is not None and snapshot.dead:
            self._sink.send(snapshot.dead)
        generation = self._checkpoint.commit(snapshot)
        if time.monotonic() - self._released >= _RELEASE:
            release_memory()
            self._released = time.monotonic()
        return generation

    def collect(self, *, wait: bool) -> None:
        """Look whether the generation that is being written is durable."""
        if self._writing is None or not (wait or self._writing[0].done()):
            return
        (writing, snapshot), self._writing = self._writing, None
        status = self._status
        try:
            generation = writing.result()
        except OSError as error:
            # The generation before stays; the next one has all that this one would have had.
            status.failed_checkpoints += 1
            self.changed = True
            self._failed(snapshot, error)
            return
        status.set_generation(generation.number, generation.written_at, generation.size)
        status.unsaved_since = self._taken_at if self.changed else None
        status.checkpoints += 1
        status.write, status.commit = self._checkpoint.seconds
        self._done(snapshot, generation)
        # The generation before stays usable, so its plan stays as well.
        self._plans = [*self._plans[-1:], generation.plan]
        self._plan.forget(self._plans[0])

    def finish(self, reason: str) -> None:
        """Write the last generation."""
        self.collect(wait=True)
        if self.changed or not self._checkpoint.generations():
            failed = self._status.failed_checkpoints
            self.begin(reason)
            self.collect(wait=True)
            if self._status.failed_checkpoints > failed:
                raise OSError("the last checkpoint could not be written")

    def close(self) -> None:
        """Wait for the thread."""
        self._writer.shutdown(wait=True)
        if self._sink is not None:
            self._sink.close()
