"""Messages that cannot be learned: dead letters, and the breaker that stops at too many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from riparian.sources.checkpoint import DeadLetter
from riparian.sources.reading import Read
from riparian.sources.settings import Settings

__all__ = ["BadMessagesError", "Refused"]

#: The circuit breaker looks at this many messages.
_RECENT = 1000
#: Bytes of a refused message that are kept.
_MOST_VALUE = 1 << 16


class BadMessagesError(Exception):
    """Too many messages were refused: the format of the source has probably changed."""


class Refused:
    """The messages that were refused since the last checkpoint.

    Parameters
    ----------
    settings : Settings
        Says whether a refused message ends the learner, and how many of them may come.
    count : callable
        Called with the name of a counter and a number.
    """

    def __init__(self, settings: Settings, count: Callable[[str, int], None]) -> None:
        self.letters: list[DeadLetter] = []
        self._settings = settings
        self._count = count
        self._recent: deque[tuple[int, int]] = deque()

    def check_share(self, n: int, faults: Mapping[int, str]) -> None:
        """Stop before a chunk with which too many of the last messages would be refused."""
        self._recent.append((n, len(faults)))
        while sum(n for n, _ in self._recent) - self._recent[0][0] >= _RECENT:
            self._recent.popleft()
        bad = sum(bad for _, bad in self._recent)
        total = max(_RECENT, sum(n for n, _ in self._recent))
        if bad > self._settings.max_bad * total:
            first = faults[min(faults)] if faults else "see the dead letters"
            raise BadMessagesError(
                f"{bad:,} of the last {total:,} messages were refused, more than --max-bad "
                f"{self._settings.max_bad:g} allows; for example: {first}"
            )

    def add_message(self, read: Read, i: int, reason: str) -> None:
        """Keep a message of a chunk as a dead letter."""
        chunk = read.chunk
        value = None
        if not hasattr(chunk.values, "num_rows"):
            value = chunk.values[i]
        place = str(i if chunk.places is None else chunk.places[i])
        self.add(read.source, chunk.partition, place, reason, value)

    def add(
        self, source: int, partition: str, place: str, reason: str, value: bytes | None
    ) -> None:
        """Keep a dead letter, or end the learner."""
        if self._settings.on_bad == "stop":
            raise BadMessagesError(f"{partition}, message {place}: {reason}")
        kept = None if value is None else bytes(value[:_MOST_VALUE])
        self.letters.append(DeadLetter(source, partition, place, reason, kept))
        self._count("rejected", 1)
