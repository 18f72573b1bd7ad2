"""The log of ``riparian learn`` on standard error: sentences, or a line of JSON for each event."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from riparian.cli.messages import print_message

if TYPE_CHECKING:
    from riparian.sources.events import Event, Report

__all__ = ["LOGS", "log_of"]


def log_of(name: str) -> Report:
    """Return what writes the events: as sentences, or as JSON."""
    return LOGS[name]


def _text(event: Event) -> None:
    if event.level != "debug":
        print_message(event.text)


def _json(event: Event) -> None:
    import json
    from datetime import UTC, datetime

    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "level": event.level,
        "event": event.name,
        "message": " ".join(event.text.split()),
        **event.fields,
    }
    # One write: other threads write whole lines, too.
    sys.stderr.write(json.dumps(line, default=str) + "\n")
    sys.stderr.flush()


LOGS: dict[str, Report] = {"text": _text, "json": _json}
