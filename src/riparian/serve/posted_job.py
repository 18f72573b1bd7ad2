"""The job of a server that learns what is posted to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riparian.serve.limits import Limits
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.job import Job
from riparian.sources.join import JoinSettings
from riparian.sources.journal_source import NAME, JournalSource
from riparian.sources.messages import Messages
from riparian.sources.open_journal import open_journal
from riparian.storage.modelfile import unfitted

__all__ = ["posted_job"]


def posted_job(
    checkpoint: Checkpoint,
    model: Any,
    messages: Messages,
    join: JoinSettings,
    limits: Limits,
) -> Job:
    """Return the job of a folder: that which is stored there, or a new one.

    Parameters
    ----------
    checkpoint : Checkpoint
        The open checkpoint.
    model : StreamClassifier or None
        The model of a new folder. None goes on with the job of the folder.
    messages, join : Messages, JoinSettings
        What rows hold and how long they wait, in a new folder.
    limits : Limits
        How much may wait to be learned.

    Raises
    ------
    ValueError
        If the folder belongs to a learner with another source.
    """
    stored = checkpoint.job
    if stored is not None and stored["source"] != NAME:
        raise ValueError(
            f"{checkpoint.folder} learns from {stored['source']}: serve it with riparian learn "
            f"--resume {checkpoint.folder} --serve HOST:PORT, or only answer with --follow"
        )
    if stored is not None and model is None:
        model = unfitted(stored["recipe"], stored["parameters"])
        messages, join = Messages.from_json(stored["messages"]), JoinSettings(**stored["join"])
    elif model is None:
        from riparian import StreamTree

        model = StreamTree()
    journal = open_journal(
        *(checkpoint, messages, _integers(checkpoint, messages)),
        most_rows=limits.journal_rows,
        most_bytes=limits.journal_bytes,
        wait=join.wait,
    )
    return Job(model, JournalSource(journal), messages, join=join)


def _integers(checkpoint: Checkpoint, messages: Messages) -> bool | None:
    """Return whether labels are whole numbers, as far as it is declared."""
    if messages.schema is None:
        return None
    declared: Mapping[str, Any] = {"integers": True, "text": False}
    found: bool | None = declared.get(messages.labels)
    return found
