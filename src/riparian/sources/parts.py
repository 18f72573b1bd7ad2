"""Messages of chunks, cut and joined; lines and payloads stay one text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riparian.sources.lines import Lines
from riparian.sources.payloads import Payloads
from riparian.sources.record_batches import one_batch

__all__ = ["cut", "joined", "part_of"]


def cut(values: Any, start: int, stop: int) -> Any:
    """Return some of the messages of a chunk."""
    if hasattr(values, "num_rows"):
        return values.slice(start, stop - start)
    return values[start:stop]


def joined(parts: Sequence[Any]) -> Any:
    """Return the messages of several chunks of one source as those of one."""
    if len(parts) == 1:
        return parts[0]
    if hasattr(parts[0], "num_rows"):
        return one_batch(parts)
    for kind in (Lines, Payloads):
        if all(isinstance(part, kind) for part in parts):
            return kind.joined(parts)
    return [value for part in parts for value in part]


def part_of(chunks: Sequence[Any], start: int, stop: int) -> Any:
    """Return some of the messages of consecutive chunks, which are counted through.

    Examples
    --------
    >>> part_of([[b"a", b"b"], [b"c"], [b"d", b"e"]], 1, 4)
    [b'b', b'c', b'd']
    """
    found = []
    first = 0
    for values in chunks:
        a, b = max(start - first, 0), min(stop - first, len(values))
        if a < b:
            found.append(cut(values, a, b))
        first += len(values)
    return joined(found)
