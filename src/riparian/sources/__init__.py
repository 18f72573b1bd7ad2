"""Sources of messages with positions: what `riparian learn` reads."""

from riparian.sources.registry import open_source as open
from riparian.sources.registry import schemes
from riparian.sources.source import (
    Chunk,
    EndOfSource,
    GapError,
    IdentityError,
    Lag,
    Position,
    Source,
    Start,
)

__all__ = [
    "Chunk",
    "EndOfSource",
    "GapError",
    "IdentityError",
    "Lag",
    "Position",
    "Source",
    "Start",
    "open",
    "schemes",
]
