"""The journal as a source: the learner reads what was posted, by position."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Mapping
from typing import Any

from riparian.sources.journal import Journal
from riparian.sources.source import Chunk, GapError, Lag, Position, Start

__all__ = ["NAME", "JournalSource"]

NAME = "journal:"
_PARTITION = "journal"


class JournalSource:
    """The entries of a journal, one message each.

    The features of an entry are its message, and its head is the key. An entry without features
    is a message without a value. Positions are sequence numbers.

    Parameters
    ----------
    journal : Journal
        The journal.
    """

    name = NAME
    replayable = True

    def __init__(self, journal: Journal) -> None:
        self.identity: Mapping[str, str] = {}
        self.journal = journal
        self._db: sqlite3.Connection | None = None
        self._seq = 1
        self._counted = 1  # entries before it have been counted as read
        # The generation before the last one stays usable, so its entries stay as well.
        self._durable: deque[int] = deque(maxlen=2)

    @property
    def decided(self) -> Mapping[str, Any] | None:
        """The state of a decoder before the first row."""
        return self.journal.front.first

    @property
    def positions(self) -> Mapping[str, Position]:
        """Where the next poll begins."""
        return {_PARTITION: {"seq": self._seq}}

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        if self._db is None:
            uri = f"{self.journal.path.absolute().as_uri()}?mode=ro"
            self._db = sqlite3.connect(
                uri, uri=True, check_same_thread=False, isolation_level=None, timeout=10.0
            )
        self.seek(_PARTITION, positions.get(_PARTITION, {"seq": 1}))
        self._durable.append(self._seq)
        query = "SELECT count(*), coalesce(sum(length(body) + length(head)), 0) FROM journal "
        n, size = self._db.execute(query + "WHERE seq < ?", (self._seq,)).fetchone()
        self.journal.read(n, size)
        self._counted = self._seq

    def seek(self, partition: str, position: Position) -> None:
        assert self._db is not None
        self._seq = int(position["seq"])
        first = self._first()
        if self._seq < first:
            raise GapError(
                f"the journal has lost the entries {self._seq:,} to {first - 1:,}",
                partition=_PARTITION,
                resume={"seq": first},
                lost=first - self._seq,
            )

    def _first(self) -> int:
        """Return the first entry that is there, or the next that will be."""
        assert self._db is not None
        (first,) = self._db.execute("SELECT min(seq) FROM journal").fetchone()
        if first is not None:
            return int(first)
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'journal'"
        last = self._db.execute(query).fetchone()
        return 1 if last is None else int(last[0]) + 1

    def poll(self, most: int, timeout: float) -> Chunk | None:
        assert self._db is not None
        self.journal.written.clear()
        rows = self._read(most)
        if not rows:
            self.journal.written.wait(timeout)
            rows = self._read(most)
        if not rows:
            return None
        seqs, _, times, _heads, bodies = zip(*rows, strict=True)
        first, self._seq = {"seq": seqs[0]}, seqs[-1] + 1
        new = [(head, body) for seq, _, _, head, body in rows if seq >= self._counted]
        self.journal.read(len(new), sum(len(h) + len(b or b"") for h, b in new))
        self._counted = max(self._counted, self._seq)
        keys = [f"{kind} ".encode() + head for _, kind, _, head, _ in rows]
        after = {"seq": self._seq}
        return Chunk(_PARTITION, first, after, bodies, keys=keys, times=times, places=seqs)

    def _read(self, most: int) -> list[tuple[Any, ...]]:
        assert self._db is not None
        query = "SELECT seq, kind, at, head, body FROM journal WHERE seq >= ? ORDER BY seq LIMIT ?"
        return self._db.execute(query, (self._seq, most)).fetchall()

    def behind(self) -> Mapping[str, Lag]:
        return {_PARTITION: Lag(messages=self.journal.rows)}

    def committed(self, positions: Mapping[str, Position]) -> None:
        if _PARTITION in positions:
            self._durable.append(int(positions[_PARTITION]["seq"]))
            if len(self._durable) == 2:
                self.journal.forget(self._durable[0])

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
