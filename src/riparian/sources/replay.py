"""Chunks with the borders of the plan, from what a source gives in its own order and borders."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from riparian.sources.parts import cut, joined
from riparian.sources.plan import Entry
from riparian.sources.source import Chunk, Position

__all__ = ["Waiting", "drop_ahead", "held", "taken"]

#: Chunks that were polled and not handed out, in the order of their polls.
Waiting: TypeAlias = deque[Chunk]


def drop_ahead(waiting: Waiting, entry: Entry, most: int) -> dict[str, Position]:
    """Drop the newest chunks of other partitions than the entry's if too many messages wait.

    Parameters
    ----------
    waiting : deque of Chunk
        What waits.
    entry : Entry
        What is needed next.
    most : int
        The number of messages above which chunks are dropped.

    Returns
    -------
    positions : dict
        Where to read the partitions again from which something was dropped.
    """
    dropped: dict[str, Position] = {}
    n = sum(len(chunk.values) for chunk in waiting)
    for at in range(len(waiting) - 1, -1, -1):
        if n <= most:
            break
        chunk = waiting[at]
        if chunk.partition != entry.partition:
            n -= len(chunk.values)
            dropped[chunk.partition] = chunk.first
            del waiting[at]
    return dropped


def held(waiting: Waiting, entry: Entry) -> int:
    """Return how many messages of the entry's partition wait."""
    return sum(len(c.values) for c in waiting if c.partition == entry.partition)


def taken(waiting: Waiting, entry: Entry) -> Chunk | None:
    """Take the chunk of an entry from what waits; None if its messages are not there."""
    mine = [chunk for chunk in waiting if chunk.partition == entry.partition]
    if not mine or dict(mine[0].first) != dict(entry.first) or held(waiting, entry) < entry.n:
        return None
    pieces: list[Chunk] = []
    left = entry.n
    for chunk in mine:
        at = waiting.index(chunk)
        if len(chunk.values) <= left:
            del waiting[at]
            pieces.append(chunk)
        else:
            pieces.append(_cut(chunk, slice(0, left), chunk.first, entry.next))
            waiting[at] = _cut(chunk, slice(left, None), entry.next, chunk.next)
        left -= len(pieces[-1].values)
        if not left:
            break
    if dict(pieces[-1].next) != dict(entry.next):
        waiting.extendleft(reversed(pieces))
        return None
    return _joined(pieces)


def _cut(chunk: Chunk, part: slice, first: Position, after: Position) -> Chunk:
    start, stop, _ = part.indices(len(chunk.values))
    return replace(
        chunk,
        first=first,
        next=after,
        values=cut(chunk.values, start, stop),
        keys=None if chunk.keys is None else chunk.keys[part],
        times=None if chunk.times is None else chunk.times[part],
        places=None if chunk.places is None else chunk.places[part],
    )


def _joined(pieces: Sequence[Chunk]) -> Chunk:
    if len(pieces) == 1:
        return pieces[0]
    first = pieces[0]
    return replace(
        first,
        next=pieces[-1].next,
        values=joined([piece.values for piece in pieces]),
        keys=_listed(pieces, "keys"),
        times=_listed(pieces, "times"),
        places=_listed(pieces, "places"),
    )


def _listed(pieces: Sequence[Chunk], name: str) -> list[Any] | None:
    if getattr(pieces[0], name) is None:
        return None
    return [value for piece in pieces for value in getattr(piece, name)]
