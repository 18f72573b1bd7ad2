"""The journal as a source: the learner reads what was posted, by position.

Rows with labels come as lines, which stay one text; rows that wait and labels as single messages.
"""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from riparian.data.block import joined
from riparian.sources.decode.rows import Rows
from riparian.sources.journal import Journal
from riparian.sources.labelled import JournalEntries, JournalLines, LabelKeys
from riparian.sources.post import Known
from riparian.sources.source import Chunk, GapError, Lag, Position, Start

__all__ = ["NAME", "JournalSource"]

NAME = "journal:"
_PARTITION = "journal"


class Entry(NamedTuple):
    """An entry of the journal: `n` messages, the last of which has the number `seq`."""

    seq: int
    n: int
    kind: str
    at: int
    head: bytes
    body: bytes | None
    state: str | None

    @property
    def first(self) -> int:
        """The number of its first message."""
        return self.seq - self.n + 1


class JournalSource:
    """The entries of a journal. A chunk has rows with labels, or other entries.

    The features of a row are its message, and what else is known is the key. An entry without
    features is a message without a value. Positions are sequence numbers of messages.

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
        if not self._durable:
            self._durable.append(self._seq)
        start, stop = sorted((self._counted, self._seq))
        n = max(0, stop - max(start, self._first()))
        query = "SELECT coalesce(sum(length(body) + length(head)), 0) FROM journal "
        (size,) = self._db.execute(query + "WHERE seq >= ? AND seq < ?", (start, stop)).fetchone()
        sign = 1 if self._seq == stop else -1  # after a rollback they are to be read again
        self.journal.read(sign * n, sign * size)
        self._counted = self._seq

    def seek(self, partition: str, position: Position) -> None:
        assert self._db is not None
        self._seq = int(position["seq"])
        forgotten = self.journal.forgotten  # first: what goes meanwhile is gone in `_first`
        first = max(forgotten, self._first())
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
        query = "SELECT seq - n + 1 FROM journal ORDER BY seq LIMIT 1"
        if (first := self._db.execute(query).fetchone()) is not None:
            return int(first[0])
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'journal'"
        last = self._db.execute(query).fetchone()
        return 1 if last is None else int(last[0]) + 1

    def poll(self, most: int, timeout: float) -> Chunk | None:
        assert self._db is not None
        self.journal.written.clear()
        entries = self._read(most)
        if not entries:
            self.journal.written.wait(timeout)
            entries = self._read(most)
        if not entries:
            return None
        start = self._seq
        stop = min(entries[-1].seq + 1, start + most)
        self._seq = stop
        done = [entry for entry in entries if self._counted <= entry.seq < stop]
        size = sum(len(entry.head) + len(entry.body or b"") for entry in done)
        self.journal.read(max(0, stop - max(start, self._counted)), size)
        self._counted = max(self._counted, stop)
        part = slice(start - entries[0].first, stop - entries[0].first)
        learned = entries[0].kind == "learn"
        values, keys = _lines(entries, part, self.journal) if learned else _messages(entries)
        times = [at for entry in entries for at in [entry.at] * entry.n][part]
        places = range(start, stop)
        return Chunk(
            _PARTITION, {"seq": start}, {"seq": stop}, values, keys=keys, times=times, places=places
        )

    def _entries(self) -> Iterator[Entry]:
        assert self._db is not None
        query = "SELECT seq, n, kind, at, head, body, state FROM journal WHERE seq >= ? "
        return map(Entry._make, self._db.execute(query + "ORDER BY seq", (self._seq,)))

    def _read(self, most: int) -> list[Entry]:
        """Return the next entries, of one form. A decoder takes a new state before a chunk."""
        found: list[Entry] = []
        n = 0
        for entry in self._entries():
            learned = entry.kind == "learn"
            if found and (
                n + entry.n > most
                or entry.state is not None
                or learned != (found[0].kind == "learn")
            ):
                break
            found.append(entry)
            n += min(entry.n, entry.seq - self._seq + 1)
            if n >= most:
                break
        return found

    def behind(self) -> Mapping[str, Lag]:
        return {_PARTITION: Lag(messages=self.journal.rows)}

    def committed(self, positions: Mapping[str, Position]) -> None:
        if _PARTITION in positions:
            self._durable.append(int(positions[_PARTITION]["seq"]))
            if len(self._durable) == 2:
                # After a rollback the last generation may be before the one before it.
                self.journal.forget(min(self._durable))

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def _state(entries: Sequence[Entry]) -> Mapping[str, Any] | None:
    return None if entries[0].state is None else json.loads(entries[0].state)


def _messages(entries: Sequence[Entry]) -> tuple[JournalEntries, list[bytes]]:
    """Return rows that wait and labels, and their keys."""
    keys = [f"{entry.kind} ".encode() + entry.head for entry in entries]
    return JournalEntries([entry.body for entry in entries], _state(entries)), keys


def _lines(
    entries: Sequence[Entry], part: slice, journal: Journal
) -> tuple[JournalLines, LabelKeys]:
    """Return rows with labels, and these."""
    text = b"".join([entry.body or b"" for entry in entries])
    keys = LabelKeys.stored([entry.head for entry in entries])
    known = journal.decoded([entry.seq for entry in entries])
    if part.start or part.stop < len(keys):
        lines = JournalLines(text)[part]
        return JournalLines(b"".join([line + b"\n" for line in lines]), _state(entries)), keys[part]
    if known is None or any(one.state != known[0].state for one in known):
        return JournalLines(text, _state(entries)), keys
    return JournalLines(text, None, _joined(known), known[0].state), keys


def _joined(known: Sequence[Known]) -> Rows:
    """Return the decoded rows of entries."""
    if len(known) == 1:
        return known[0].rows
    X = joined([one.rows.X for one in known])
    return Rows(X, None, np.arange(X.n_rows))
