"""The checkpoint folder: model files and one database, which move together or not at all.

::

    DIR/
      lock                  the process that writes
      state.db              SQLite: the generations and all that must move with them
      models/00000042.7.rip the model of generation 42, written by the process with epoch 7
      plan/                 what was learned since the last generation (plan.py)

A generation is committed by one transaction, after the file that it names is durable. The
same transaction compares the epoch, the number of the writing process. So a process that was taken
for dead commits nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from riparian.errors import ModelFileError
from riparian.sources.dead import DeadLetter, add_dead
from riparian.sources.lock import FencedError, FolderLock, check_disk, sync_folder
from riparian.sources.retention import Retention
from riparian.storage.modelfile import Frozen, from_bytes

__all__ = ["Checkpoint", "Generation", "Snapshot", "read_generations", "read_job"]

_FORMAT = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS writer (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS job (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS generation (
    number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL,
    size INTEGER NOT NULL, rows INTEGER NOT NULL, positions TEXT NOT NULL,
    identity TEXT NOT NULL, state TEXT NOT NULL, counters TEXT NOT NULL, plan INTEGER NOT NULL,
    result BLOB NOT NULL, written_at REAL NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS dead (
    seq INTEGER PRIMARY KEY, source INTEGER NOT NULL, partition TEXT NOT NULL,
    place TEXT NOT NULL, reason TEXT NOT NULL, value BLOB);
CREATE TABLE IF NOT EXISTS pending (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL, row TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS early (
    id TEXT PRIMARY KEY, label TEXT NOT NULL, at INTEGER NOT NULL, weight REAL NOT NULL);
CREATE TABLE IF NOT EXISTS seen (
    id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL, kind TEXT NOT NULL,
    at INTEGER NOT NULL, head BLOB NOT NULL, body BLOB, state TEXT);
CREATE TABLE IF NOT EXISTS replied (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, reply BLOB NOT NULL, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS labelled (id TEXT PRIMARY KEY, label TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS posted (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Snapshot:
    """All state between two chunks: what a generation consists of."""

    model: Frozen
    rows: int
    #: By source, then by partition.
    positions: Sequence[Mapping[str, Any]]
    identity: Sequence[Mapping[str, str]]
    #: The decoders and the join, as JSON.
    state: Mapping[str, Any]
    counters: Mapping[str, int]
    #: The number of the plan that begins with this snapshot.
    plan: int
    result: bytes
    reason: str
    dead: Sequence[DeadLetter] = ()
    #: Further statements of the transaction, with the parameters of each execution.
    changes: Sequence[tuple[str, Iterable[Sequence[Any]]]] = ()


@dataclass(frozen=True)
class Generation:
    """A committed checkpoint."""

    number: int
    epoch: int
    file: str
    sha256: str
    size: int
    rows: int
    positions: list[dict[str, Any]]
    identity: list[dict[str, str]]
    state: dict[str, Any]
    counters: dict[str, int]
    plan: int
    result: bytes
    written_at: float
    reason: str


class Checkpoint:
    """A checkpoint folder that this process writes to.

    Parameters
    ----------
    folder : str or path-like
        The folder; it is made if it is not there.
    keep : int or str, default=2
        How many generations are kept, at least two; ``'2,24h,30d'`` also keeps one of each hour
        for a day, and one of each day for 30 days.

    Raises
    ------
    FencedError
        If another process writes to it.
    OSError
        If the disk cannot hold a checkpoint safely.
    """

    def __init__(self, folder: str | os.PathLike[str], *, keep: int | str = 2) -> None:
        self._retention = Retention.parse(keep)
        self.folder = Path(folder)
        #: How long the parts of the last commit took: writing the file, and the transaction.
        self.seconds = (0.0, 0.0)
        new = not self.folder.exists()
        for part in (self.folder, self.folder / "models", self.folder / "plan"):
            part.mkdir(parents=True, exist_ok=True)
        if new:
            sync_folder(self.folder.resolve().parent)
        check_disk(self.folder)
        # One thread learns and another one commits, with the same connection.
        self._turn = threading.RLock()
        self._lock = FolderLock(self.folder)
        try:
            self._db = _connect(self.folder / "state.db")
        except BaseException:
            self._lock.release()
            raise
        try:
            self._db.executescript(_TABLES)
            sync_folder(self.folder)
            with self._transaction() as db:
                db.execute("INSERT OR IGNORE INTO writer VALUES (1, 0)")
                db.execute("UPDATE writer SET epoch = epoch + 1")
                self.epoch = int(db.execute("SELECT epoch FROM writer").fetchone()[0])
            self._lock.sign(self.epoch)
            self._remove_unnamed()
        except BaseException:
            self.close()
            raise

    def publish_address(self, address: str) -> None:
        """Tell those who follow the folder where its server is."""
        self._lock.sign(self.epoch, address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and drop the lock."""
        self._db.close()
        self._lock.release()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the database for one transaction; a FencedError if another process has taken over.

        It is durable when the block has ended, and nothing of it if the block raises.
        """
        with self._transaction() as db:
            self._check_epoch(db)
            yield db

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._turn:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @property
    def job(self) -> dict[str, Any] | None:
        """What is learned from what; None in a new folder."""
        with self._turn:
            return read_job(self._db)

    def write_job(self, job: Mapping[str, Any]) -> None:
        """Store what is learned from what, before the first row."""
        text = json.dumps({"format": _FORMAT, **job})
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO job VALUES (1, ?)", (text,))

    def generations(self) -> list[Generation]:
        """Return the generations, the newest first."""
        with self._turn:
            return read_generations(self._db)

    def table(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query, for what moves with the generations."""
        with self._turn:
            return self._db.execute(statement).fetchall()

    def load(self, generation: Generation, functions: Mapping[str, Any] | None = None) -> Any:
        """Return the model of a generation.

        Raises
        ------
        ModelFileError
            If its file is gone, damaged, or not the one that the generation names.
        """
        return load(self.folder, generation, functions)

    def commit(self, snapshot: Snapshot) -> Generation:
        """Make a generation durable. Until the last step nothing of it counts.

        Raises
        ------
        OSError
            If the model file could not be written: the generation before stays, and another commit
            may follow.
        FencedError
            If another process has taken over.
        """
        clock = time.perf_counter()
        number = 1 + self._newest_number()
        name = f"{number:08d}.{self.epoch}.rip"
        data = snapshot.model.to_bytes()
        _write_file(self.folder / "models" / name, data)
        digest = hashlib.sha256(data).hexdigest()
        found = Generation(
            number,
            self.epoch,
            name,
            digest,
            len(data),
            snapshot.rows,
            [dict(positions) for positions in snapshot.positions],
            [dict(identity) for identity in snapshot.identity],
            dict(snapshot.state),
            dict(snapshot.counters),
            snapshot.plan,
            snapshot.result,
            time.time(),
            snapshot.reason,
        )
        written = time.perf_counter()
        try:
            self._insert(found, snapshot)
        except FencedError:
            (self.folder / "models" / name).unlink(missing_ok=True)
            raise
        self.seconds = (written - clock, time.perf_counter() - written)
        self._remove_unnamed()
        return found

    def _insert(self, found: Generation, snapshot: Snapshot) -> None:
        """Commit a generation whose model is durable."""
        with self.writing() as db:
            db.execute(f"INSERT INTO generation VALUES ({', '.join('?' * 14)})", _row_of(found))
            add_dead(db, snapshot.dead)
            for statement, parameters in snapshot.changes:
                db.executemany(statement, parameters)
            rows = db.execute("SELECT number, written_at FROM generation ORDER BY number DESC")
            gone = self._retention.gone(rows.fetchall(), found.written_at)
            db.executemany("DELETE FROM generation WHERE number = ?", [(n,) for n in gone])

    def discard(self, generation: Generation) -> None:
        """Forget a generation whose file is damaged; the file is kept under another name."""
        with self.writing() as db:
            db.execute("DELETE FROM generation WHERE number = ?", (generation.number,))
        path = self.folder / "models" / generation.file
        if path.exists():
            path.rename(path.with_suffix(".damaged"))

    def _newest_number(self) -> int:
        ((number,),) = self.table("SELECT coalesce(max(number), 0) FROM generation")
        return int(number)

    def _check_epoch(self, db: sqlite3.Connection) -> None:
        (epoch,) = db.execute("SELECT epoch FROM writer").fetchone()
        if epoch != self.epoch:
            raise FencedError(
                f"{self.folder} was taken over by another learner (epoch {epoch}, mine is "
                f"{self.epoch}); nothing was written"
            )

    def _remove_unnamed(self) -> None:
        """Remove model files that no generation names."""
        named = {file for (file,) in self.table("SELECT file FROM generation")}
        for path in (self.folder / "models").glob("*.rip"):
            if path.name not in named:
                path.unlink(missing_ok=True)


def load(folder: Path, generation: Generation, functions: Mapping[str, Any] | None = None) -> Any:
    """Return the model of a generation in a folder; see `Checkpoint.load`."""
    path = folder / "models" / generation.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != generation.sha256:
        raise ModelFileError(f"{path}: the digest is not the one that the checkpoint names")
    model = from_bytes(data, functions)
    if model.positions_.get("sources") != generation.positions:
        raise ModelFileError(f"{path}: the positions are not those of the checkpoint")
    return model


def read_generations(db: sqlite3.Connection) -> list[Generation]:
    """Return the generations of a database, the newest first."""
    found = []
    for row in db.execute("SELECT * FROM generation ORDER BY number DESC"):
        texts = [json.loads(text) for text in row[6:10]]
        found.append(Generation(*row[:6], *texts, *row[10:]))
    return found


def read_job(db: sqlite3.Connection) -> dict[str, Any] | None:
    """Return the job of a database; None if there is none."""
    row = db.execute("SELECT text FROM job").fetchone()
    if row is None:
        return None
    job: dict[str, Any] = json.loads(row[0])
    if job.get("format") != _FORMAT:
        raise ValueError(
            f"the checkpoint has format {job.get('format')!r}; this version reads {_FORMAT}"
        )
    return job


def _row_of(generation: Generation) -> tuple[Any, ...]:
    values = list(vars(generation).values())
    values[6:10] = [json.dumps(value, separators=(",", ":")) for value in values[6:10]]
    return tuple(values)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30.0)
    try:
        (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise OSError(f"{path}: the disk does not allow SQLite's write-ahead log")
        db.execute("PRAGMA synchronous = FULL")
    except BaseException:
        db.close()
        raise
    return db


def _write_file(path: Path, data: bytes) -> None:
    """Write a new file so that it is on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(path.parent)
