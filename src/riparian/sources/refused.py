"""Messages that cannot be learned: dead letters, and the breaker that stops at too many."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from riparian.sources.dead import DeadLetter
from riparian.sources.items import Read
from riparian.sources.settings import Settings
from riparian.sources.status import Status

__all__ = ["BadMessagesError", "Refused"]

#: The circuit breaker looks at this many messages.
_RECENT = 1000
#: Bytes of a refused message that are kept.
_MOST_VALUE = 1 << 16

#: What refuses a message: its decoder, the model, or the join, which needs its key.
Kind: TypeAlias = Literal["message", "model", "key"]


class BadMessagesError(Exception):
    """Too many messages were refused: the format of the source has probably changed."""


class Refused:
    """The messages that were refused since the last checkpoint.

    Parameters
    ----------
    settings : Settings
        Says whether a refused message ends the learner, and how many of them may come.
    status : Status
        Counts the refused messages.
    """

    def __init__(self, settings: Settings, status: Status) -> None:
        self.letters: list[DeadLetter] = []
        self._settings = settings
        self._status = status
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

    def add_message(self, read: Read, i: int, reason: str, kind: Kind) -> None:
        """Keep a message of a chunk as a dead letter."""
        chunk = read.chunk
        value = None if hasattr(chunk.values, "num_rows") else chunk.values[i]
        place = str(i if chunk.places is None else chunk.places[i])
        self.add(DeadLetter(read.source, chunk.partition, place, reason, value), kind)

    def add(self, letter: DeadLetter, kind: Kind) -> None:
        """Keep a dead letter, or end the learner."""
        if self._settings.on_bad == "stop":
            raise BadMessagesError(f"{letter.partition}, message {letter.place}: {letter.reason}")
        if letter.value is not None:
            letter = replace(letter, value=bytes(letter.value[:_MOST_VALUE]))
        self.letters.append(letter)
        self._status.refuse(kind)
