"""Messages that were refused, in the database of a checkpoint."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["MOST_DEAD", "REMOVE_LAST", "DeadLetter", "add_dead"]

#: Dead letters are kept up to this many, and up to this many bytes of values; the oldest go first.
MOST_DEAD, MOST_DEAD_BYTES = 10_000, 1 << 26

#: Removes the newest dead letters; its parameter is their number.
REMOVE_LAST = "DELETE FROM dead WHERE seq IN (SELECT seq FROM dead ORDER BY seq DESC LIMIT ?)"


@dataclass(frozen=True)
class DeadLetter:
    """A message that was refused."""

    source: int
    partition: str
    place: str
    reason: str
    value: bytes | None


def add_dead(db: sqlite3.Connection, dead: Iterable[DeadLetter]) -> None:
    """Add dead letters, and remove the oldest beyond the limits."""
    rows = [(d.source, d.partition, d.place, d.reason, d.value) for d in dead]
    if not rows:
        return
    db.executemany(
        "INSERT INTO dead (source, partition, place, reason, value) VALUES (?, ?, ?, ?, ?)", rows
    )
    db.execute("DELETE FROM dead WHERE seq <= (SELECT max(seq) FROM dead) - ?", (MOST_DEAD,))
    total = 0
    for seq, size in db.execute(
        "SELECT seq, coalesce(length(value), 0) FROM dead ORDER BY seq DESC"
    ).fetchall():
        total += size
        if total > MOST_DEAD_BYTES:
            db.execute("DELETE FROM dead WHERE seq <= ?", (seq,))
            return
