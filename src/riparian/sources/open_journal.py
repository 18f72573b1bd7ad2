"""Opens the journal of a checkpoint where its last process left it."""

from __future__ import annotations

import json
from typing import Any

from riparian.sources.checkpoint import Checkpoint
from riparian.sources.front import Front
from riparian.sources.journal import Journal
from riparian.sources.messages import Messages

__all__ = ["open_journal"]


def open_journal(
    checkpoint: Checkpoint, messages: Messages, integers: bool | None, **options: Any
) -> Journal:
    """Return the journal of a checkpoint.

    Parameters
    ----------
    checkpoint : Checkpoint
        The open checkpoint.
    messages : Messages
        What rows hold.
    integers : bool or None
        Whether labels are whole numbers; None lets the first label decide.
    **options
        As for `Journal`.
    """
    first = now = None
    if stored := checkpoint.table("SELECT text FROM posted"):
        begun = json.loads(stored[0][0])
        first, integers = begun["first"], begun["integers"]
    for generation in checkpoint.generations()[:1]:
        now = generation.state["decoders"][0]
    # A later request may have added columns.
    newest = "SELECT state FROM journal WHERE state IS NOT NULL ORDER BY seq DESC LIMIT 1"
    for (text,) in checkpoint.table(newest):
        now = json.loads(text)
    front = Front(messages, integers)
    if first is not None:
        front.begin(first, now or first)
    return Journal(checkpoint, front, **options)
