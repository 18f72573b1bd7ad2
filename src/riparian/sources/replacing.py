"""Another model in the place of the present one: one from outside, or that of a generation."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from riparian.models.base import StreamClassifier
from riparian.sources.checkpoint import Checkpoint, Generation
from riparian.sources.reading import Feed

__all__ = ["Asked", "CannotGoBackError", "why_not_back"]


class CannotGoBackError(Exception):
    """The rows since a generation cannot be learned again."""


@dataclass(frozen=True)
class Asked:
    """A model that is to take the place of the present one."""

    model: StreamClassifier[Any]
    reason: str
    text: str
    #: The rows since then are learned again; None goes on from the present positions.
    since: Generation | None = None
    done: Future[int] = field(default_factory=Future)


def why_not_back(checkpoint: Checkpoint, feeds: Sequence[Feed], since: Generation) -> str | None:
    """Return why the rows since a generation cannot be learned again; None if they can.

    Whether the sources still have them shows when they are opened there.
    """
    kept = checkpoint.generations()
    newest = kept[0]
    if all(since.number != one.number for one in kept):
        return f"generation {since.number} is no longer kept"
    for feed in feeds:
        if not feed.source.replayable:
            return f"{feed.source.name} cannot be read again"
    # What waits for labels is stored as it was in the newest generation only.
    then, now = (one.state.get("join", {}).get("changes") for one in (since, newest))
    if since.number != newest.number and then != now:
        return (
            f"rows have begun or ended to wait for labels since generation {since.number}; only "
            f"the rows since generation {newest.number} can be learned again"
        )
    return None
