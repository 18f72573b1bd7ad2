"""What a source is: partitions of messages with positions that can be read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Chunk",
    "EndOfSource",
    "GapError",
    "IdentityError",
    "Lag",
    "Position",
    "Source",
    "Start",
]

#: The next thing to read in a partition: a small JSON object that only its source understands.
Position: TypeAlias = Mapping[str, int | str]

#: Where to begin in a partition without a position. A number is a time in milliseconds since 1970.
Start: TypeAlias = Literal["beginning", "end"] | int


class EndOfSource(Exception):  # noqa: N818 - the end is no error
    """Raised by `poll` if there will never be another message."""


class GapError(Exception):
    """Messages were there and can no longer be read.

    Parameters
    ----------
    message : str
        What is missing and where.
    partition : str
        The partition with the gap.
    resume : mapping
        The first position behind the gap that can be read.
    lost : int or None, default=None
        How many messages are lost; None if the source cannot know.
    """

    def __init__(
        self, message: str, *, partition: str, resume: Position, lost: int | None = None
    ) -> None:
        super().__init__(message)
        self.partition = partition
        self.resume = resume
        self.lost = lost


class IdentityError(Exception):
    """The source is not the one that the positions are from."""


@dataclass(frozen=True, slots=True)
class Lag:
    """How far the learner is behind the end of a partition; None is not known."""

    messages: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive messages of one partition.

    Parameters
    ----------
    partition : str
        For example "topic/3", the name of a file or the key of a stream.
    first, next : mapping
        The messages are those from `first` up to, but not including, `next`.
    values : sequence of bytes or None, or pyarrow.RecordBatch
        The messages. None is a tombstone: a message without a value. It counts as a message, but
        nothing is learned from it.
    keys : sequence of bytes or None, default=None
        The key of each message.
    times : sequence of int, default=None
        Milliseconds since 1970 of each message: its event time if the source knows it.
    places : sequence of int or str, default=None
        Offset, id or row of each message, for errors and dead letters.
    """

    partition: str
    first: Position
    next: Position
    values: Sequence[bytes | None] | pa.RecordBatch
    keys: Sequence[bytes | None] | None = None
    times: Sequence[int] | None = None
    places: Sequence[int | str] | None = None


class Source(Protocol):
    """Where messages come from.

    One thread calls a source. `open`, `poll` and `seek` raise `ConnectionError` if the other side
    cannot be reached now; the learner waits and tries again. Every other error ends the learner:
    wrong credentials (`PermissionError`), an unknown topic (`LookupError`), wrong options
    (`ValueError`).

    Reading again from the `first` of a chunk gives the messages of the chunk, in their order. The
    chunks may have other borders.
    """

    #: The address without secrets, for example "kafka://host:9092/topic".
    name: str
    #: Whether messages can be read again from a position.
    replayable: bool
    #: What must not change between two runs: topic id, creation time, digest of a file's beginning.
    #: Complete after `open`. A key that one of the two runs lacks is not compared.
    identity: Mapping[str, str]

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        """Begin to read at `positions`; partitions without one begin at `start`.

        Raises GapError if a position can no longer be read. The learner may then replace the
        position by `GapError.resume` and call `open` again.
        """

    def poll(self, most: int, timeout: float) -> Chunk | None:
        """Return at most `most` messages, or None if none came within `timeout` seconds.

        Raises EndOfSource if there will never be another message, and GapError if messages were
        lost; reading goes on behind the gap after `seek(partition, resume)`. A partition that
        appears later begins at its beginning.
        """

    def seek(self, partition: str, position: Position) -> None:
        """Go on reading a partition at a position."""

    def behind(self) -> Mapping[str, Lag]:
        """Return the lag of each partition. It must be cheap: cached for a second."""

    def committed(self, positions: Mapping[str, Position]) -> None:
        """Acknowledge, trim or report what is before `positions`: it is in a durable checkpoint."""

    def close(self) -> None:
        """Release everything; may be called twice."""
