"""What a reader gives to a learner: rows, and news about the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from riparian.sources.decode.rows import Rows
from riparian.sources.events import Event
from riparian.sources.plan import Entry
from riparian.sources.source import Chunk, GapError, Position

__all__ = ["Gap", "Idle", "Item", "Note", "Opened", "Read", "Rewound", "Sampled"]


@dataclass(frozen=True)
class Read:
    """A chunk and its rows."""

    source: int
    chunk: Chunk
    rows: Rows
    #: The state of the decoder after the chunk.
    state: Mapping[str, Any]
    #: The chunk's entry, and whether it comes from the plan.
    entry: Entry
    replayed: bool = False


@dataclass(frozen=True)
class Opened:
    """A source is open; where its partitions begin."""

    source: int
    positions: Mapping[str, Position]


@dataclass(frozen=True)
class Sampled:
    """The first messages of a source have decided its schema."""

    source: int
    state: Mapping[str, Any]


@dataclass(frozen=True)
class Gap:
    """Messages are lost; reading goes on behind them."""

    source: int
    error: GapError


@dataclass(frozen=True)
class Note:
    """Something that the operator should know."""

    event: Event


@dataclass(frozen=True)
class Idle:
    """Nothing came for a moment."""


@dataclass(frozen=True)
class Rewound:
    """The sources are read again from earlier positions, or why they cannot be."""

    #: The states of the decoders there, by source.
    states: Sequence[Mapping[str, Any]]
    refused: str | None = None


Item: TypeAlias = Read | Opened | Sampled | Gap | Note | Idle | Rewound
