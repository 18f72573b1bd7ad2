"""The sentences in which a learner reports gaps, refused messages and generations."""

from __future__ import annotations

from collections.abc import Sequence

from riparian.sources.checkpoint import Generation
from riparian.sources.dead import DeadLetter
from riparian.sources.events import Event
from riparian.sources.reading import Feed
from riparian.sources.source import GapError
from riparian.sources.status import Status

__all__ = ["of_gap", "of_generation", "of_refused"]


def of_gap(feed: Feed, error: GapError) -> Event:
    """Return the event of messages that are lost and skipped."""
    fields = {
        "source": feed.source.name,
        "partition": error.partition,
        "lost": error.lost,
        "resume": dict(error.resume),
    }
    return Event("gap", f"messages are lost and skipped: {error}", "warning", fields)


def of_refused(feed: Feed, letters: Sequence[DeadLetter]) -> Event:
    """Return the one event of the refused messages of a chunk."""
    first = letters[0]
    text = f"{first.partition}, message {first.place}: {first.reason}"
    if len(letters) > 1:
        text = f"{len(letters):,} messages were refused; the first: {text}"
    fields = {
        "source": feed.source.name,
        "partition": first.partition,
        "place": first.place,
        "refused": len(letters),
    }
    return Event("dead_letter", text, "debug", fields)


def of_generation(generation: Generation, status: Status) -> Event:
    """Return the event of a generation that is durable."""
    text = f"generation {generation.number} is written: {generation.rows:,} rows"
    fields = {
        "generation": generation.number,
        "rows": generation.rows,
        "bytes": generation.size,
        "reason": generation.reason,
        "pause_seconds": round(status.pause, 6),
        "write_seconds": round(status.write, 6),
        "commit_seconds": round(status.commit, 6),
    }
    return Event("checkpoint", text, "debug", fields)
