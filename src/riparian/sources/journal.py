"""The journal: what was posted to be learned, in the database of a checkpoint.

A request is in the journal as a whole or not at all, and it is durable before it is answered. Rows
with labels are one entry for up to 1,000 of them, under the number of the last one. Requests that
wait at the same moment share one transaction, so one write to the disk. A thread of its own writes;
the learner reads the journal by position like any other source.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from riparian.sources.checkpoint import Checkpoint
from riparian.sources.decode.rows import Rows
from riparian.sources.front import Front, RowError
from riparian.sources.labelled import Labelled
from riparian.sources.post import Conflict, Done, Full, Known, Post, Posted, Reused

__all__ = ["Journal"]

#: Seconds after which replies to keys and labels of ids are forgotten.
_REMEMBERED = 86400.0
#: Requests that share a transaction, and entries that are removed at once.
_GROUP, _REMOVED = 500, 5000
#: Rows of an entry, and decoded values that are kept for the learner.
_ENTRY_ROWS, _KEPT_VALUES = 1000, 2_000_000

_INSERT = "INSERT INTO journal (seq, n, kind, at, head, body, state) VALUES "
#: Entries of a statement: 999 parameters are allowed everywhere. Each statement hands the
#: interpreter over, and a busy server gives it back late.
_AT_ONCE = 100


class Journal:
    """Writes what is posted.

    Parameters
    ----------
    checkpoint : Checkpoint
        The checkpoint whose database has the journal.
    front : Front
        Reads each row as the learner will; what it refuses is not written.
    most_rows, most_bytes : int
        More than this may not wait to be learned.
    wait : float, default=None
        Seconds that a row waits for its label. While nothing is posted, the time is written now
        and then, so that what waits expires.
    clock : callable, default=time.time
        Tells the time in seconds.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        front: Front,
        *,
        most_rows: int = 1_000_000,
        most_bytes: int = 1 << 30,
        wait: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._checkpoint = checkpoint
        self.front = front
        self.path = checkpoint.folder / "state.db"
        self._most = (most_rows, most_bytes)
        self._wait = wait or 0.0
        self._tick = min(max(self._wait / 10, 1.0), 60.0)
        self._clock = clock
        self._posts: queue.SimpleQueue[Post | None] = queue.SimpleQueue()
        self._forget = 0
        self._at = 0
        self._ticked = time.monotonic()
        #: Wakes the learner.
        self.written = threading.Event()
        #: What ended the journal; None while it can be written.
        self.fault: str | None = None
        #: Entries and bytes that were written and not read by the learner yet.
        self.rows, self.bytes = self._waiting()
        self._counted = threading.Lock()
        self.commits, self.commit_seconds = 0, 0.0
        self._stored = front.begun()
        self._last()
        #: Decoded rows that the learner has not read yet, and how many values they have.
        self._kept: deque[Known] = deque()
        self._kept_values = 0
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def _waiting(self) -> tuple[int, int]:
        query = "SELECT coalesce(sum(n), 0), coalesce(sum(length(body) + length(head)), 0) "
        query += "FROM journal"
        ((n, size),) = self._checkpoint.table(query)
        return int(n), int(size)

    def _last(self) -> None:
        """Find out the last time and the last number."""
        ((at,),) = self._checkpoint.table("SELECT coalesce(max(at), 0) FROM journal")
        query = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'journal'"
        ((seq,),) = self._checkpoint.table(query)
        self._at, self._seq = int(at), int(seq)

    def post(self, post: Post) -> Future[Done]:
        """Write a request soon; the future is done when it is durable.

        Raises
        ------
        Full
            If too much waits to be learned.
        """
        if self.fault is not None:
            raise OSError(self.fault)
        if self.rows + len(post) > self._most[0] or self.bytes > self._most[1]:
            raise Full(f"{self.rows:,} rows wait to be learned")
        self._posts.put(post)
        return post.done

    def read(self, n: int, size: int) -> None:
        """Note that the learner has read entries."""
        self._count(-n, -size)

    def decoded(self, seqs: Sequence[int]) -> list[Known] | None:
        """Return the decoded rows of entries, which are forgotten; None unless all are kept."""
        found: dict[int, Known] = {}
        with self._counted:
            while self._kept and self._kept[0].seq <= seqs[-1]:
                known = self._kept.popleft()
                self._kept_values -= known.values
                found[known.seq] = known
        return [found[seq] for seq in seqs] if all(seq in found for seq in seqs) else None

    def forget(self, before: int) -> None:
        """Remove the entries before a position soon: two checkpoints have them."""
        self._forget = max(self._forget, before)

    @property
    def forgotten(self) -> int:
        """The position before which entries are being removed; 0 if none are."""
        return self._forget

    def close(self) -> None:
        """Write what was posted, and end the thread."""
        self._posts.put(None)
        self._thread.join()

    # -- the thread -------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            try:
                first = self._posts.get(timeout=1.0)
            except queue.Empty:
                self._quiet()
                continue
            group: list[Post] = []
            while first is not None:
                group.append(first)
                if len(group) == _GROUP:
                    break
                try:
                    first = self._posts.get_nowait()
                except queue.Empty:
                    break
            if group:
                self._write(group)
            if first is None:
                return
            if self._forget:
                self._remove(_REMOVED)

    def _write(self, group: list[Post]) -> None:
        """Write requests in one transaction, then answer them."""
        before, seq = self.front.state(), self._seq
        clock = time.perf_counter()
        answers: list[Done | Exception] = []
        counts = (0, 0)
        kept: list[Known] = []
        rows: list[tuple[Any, ...]] = []
        try:
            with self._checkpoint.writing() as db:
                for post in group:
                    try:
                        done, n, size = self._one(db, post, rows, kept)
                    except (RowError, Conflict, Reused) as error:
                        answers.append(error)
                        continue
                    answers.append(done)
                    counts = (counts[0] + n, counts[1] + size)
                _insert(db, rows)
                if (begun := self.front.begun()) != self._stored:
                    text = json.dumps(begun)
                    db.execute("INSERT OR REPLACE INTO posted VALUES (1, ?)", (text,))
                # The learner may read them as soon as they are committed.
                self._count(*counts)
        except BaseException as error:
            # Nothing of the group is there: not even what the front has learned from it.
            self.front.restore(before)
            self._seq = seq
            if not isinstance(error, sqlite3.OperationalError):
                self.fault = str(error)
            for post in group:
                post.done.set_exception(OSError(f"the journal cannot be written: {error}"))
            return
        self._keep(kept)
        self._stored = begun
        self.commits += 1
        self.commit_seconds += time.perf_counter() - clock
        self.written.set()
        for post, answer in zip(group, answers, strict=True):
            if isinstance(answer, Exception):
                post.done.set_exception(answer)
            else:
                post.done.set_result(answer)

    def _count(self, n: int, size: int) -> None:
        with self._counted:
            self.rows, self.bytes = max(0, self.rows + n), max(0, self.bytes + size)

    def _keep(self, kept: Sequence[Known]) -> None:
        """Keep decoded rows for the learner, unless it is far behind."""
        with self._counted:
            for known in kept:
                if self._kept_values + known.values <= _KEPT_VALUES:
                    self._kept.append(known)
                    self._kept_values += known.values

    def _one(
        self,
        db: sqlite3.Connection,
        post: Post,
        entries: list[tuple[Any, ...]],
        kept: list[Known],
    ) -> tuple[Done, int, int]:
        """Add the entries of a request; return the answer, and the numbers of rows and bytes."""
        if post.key is not None:
            found = db.execute(
                "SELECT digest, reply FROM replied WHERE key = ?", (post.key,)
            ).fetchone()
            if found is not None:
                if found[0] != post.digest:
                    raise Reused("the key came with another request before")
                return Done(bytes(found[1]), replayed=True), 0, 0
        at = self._now()
        before = self.front.known()
        rows: list[tuple[Any, ...]] = []
        decoded: list[Known] = []
        if post.rows is not None and len(post.rows):
            rows, decoded = self._rows(post.rows, at)
        if post.entries:
            rows += self._entries(db, post.entries, at)
        now = self.front.known()
        if now == (before or self.front.first):
            kept += decoded
        elif rows:
            # The learner's decoder takes the same state, however many rows it decodes at once.
            rows[0] = (*rows[0][:-1], json.dumps(now))
        entries += rows
        self._seq = rows[-1][0] if rows else self._seq
        if post.key is not None:
            row = (post.key, post.digest, post.reply, at)
            db.execute("INSERT INTO replied VALUES (?, ?, ?, ?)", row)
        size = sum(len(row[4]) + len(row[5] or b"") for row in rows)
        return Done(post.reply), len(post), size

    def _rows(self, posted: Labelled, at: int) -> tuple[list[tuple[Any, ...]], list[Known]]:
        """Return the entries of rows with labels, and the decoded rows of each."""
        posted, decoded = self.front.check_rows(posted)
        state = self.front.known()
        assert state is not None
        found: list[tuple[Any, ...]] = []
        kept: list[Known] = []
        for start in range(0, len(posted), _ENTRY_ROWS):
            part = posted.piece(start, start + _ENTRY_ROWS)
            seq = self._seq + start + len(part)
            found.append((seq, len(part), "learn", at, part.head(), part.lines, None))
            rows = decoded
            if len(part) < len(posted):
                X = decoded.X.rows(slice(start, start + len(part)))
                rows = Rows(X, None, np.arange(len(part)))
            kept.append(Known(seq, rows, state))
        return found, kept

    def _entries(
        self, db: sqlite3.Connection, entries: Sequence[Posted], at: int
    ) -> list[tuple[Any, ...]]:
        """Return the entries of rows that wait, and of labels, which are marked as known."""
        before = self.front.state()
        labels = self.front.check(entries)
        try:
            new = self._new_labels(db, entries, labels)
        except Conflict:
            self.front.restore(before)
            raise
        db.executemany("INSERT INTO labelled VALUES (?, ?, ?)", [(*pair, at) for pair in new])
        pairs = zip(entries, labels, strict=True)
        return [
            (self._seq + 1 + i, 1, entry.kind, at, entry.head(label), entry.body, None)
            for i, (entry, label) in enumerate(pairs)
        ]

    def _new_labels(
        self, db: sqlite3.Connection, entries: Sequence[Posted], labels: Sequence[Any]
    ) -> list[tuple[str, str]]:
        """Return the labels of ids that had none; a Conflict if one has another already."""
        new: dict[str, str] = {}
        for row, (entry, label) in enumerate(zip(entries, labels, strict=True)):
            if entry.kind != "label" or entry.id is None:
                continue
            text = json.dumps(label if entry.weight == 1.0 else [label, entry.weight])
            found = db.execute("SELECT label FROM labelled WHERE id = ?", (entry.id,)).fetchone()
            known = new.get(entry.id) if found is None else found[0]
            if known is None:
                new[entry.id] = text
            elif known != text:
                raise Conflict(row, f"the id {entry.id!r} has the label {_shown(known)} already")
        return list(new.items())

    def _now(self) -> int:
        """Return the time in milliseconds; it never goes back."""
        self._at = max(self._at, int(1000 * self._clock()))
        return self._at

    def _quiet(self) -> None:
        """Do what has time: write the time, remove what is no use."""
        if self.fault is not None:
            return
        try:
            if time.monotonic() - self._ticked >= self._tick:
                self._ticked = time.monotonic()
                self._write([Post([Posted("tick")])])
                now = self._clock()
                with self._checkpoint.writing() as db:
                    limit = int(1000 * (now - _REMEMBERED))
                    db.execute("DELETE FROM replied WHERE at < ?", (limit,))
                    limit = int(1000 * (now - max(_REMEMBERED, 2 * self._wait)))
                    db.execute("DELETE FROM labelled WHERE at < ?", (limit,))
            if self._forget:
                self._remove(10 * _REMOVED)
        except sqlite3.OperationalError:
            pass  # the disk is full or busy: the next quiet second tries again
        except Exception as error:
            self.fault = str(error)

    def _remove(self, most: int) -> None:
        """Remove some of the entries before the position that is to be forgotten."""
        with self._checkpoint.writing() as db:
            ((first,),) = db.execute("SELECT min(seq) FROM journal").fetchall()
            if first is None or first >= self._forget:
                self._forget = 0
                return
            db.execute("DELETE FROM journal WHERE seq < ?", (min(self._forget, first + most),))


def _insert(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert entries."""
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        marks = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * len(part))
        db.execute(_INSERT + marks, [value for row in part for value in row])


def _shown(known: str) -> str:
    """Return a known label for people."""
    label = json.loads(known)
    return f"{label[0]!r} with the weight {label[1]:g}" if isinstance(label, list) else known
