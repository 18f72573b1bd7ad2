"""A disk that fails at any call: the learner ends or tries again, and nothing is lost (A2)."""

from __future__ import annotations

import errno
import os
import random
import sqlite3
import warnings

import pytest

import riparian as rp
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.job import Job, open_learner
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings
from tests.effort import ALL
from tests.sources.lives import digest, write_rows

#: The calls of the checkpoint that reach the disk.
CALLS = ("open", "write", "fsync", "ftruncate", "pwrite", "unlink")


class Disk:
    """Counts calls of the system and of SQLite; some of them fail."""

    def __init__(self, monkeypatch, *, fails, error=errno.EIO, short=False):
        self.calls = 0
        self._fails = fails
        self._error = error
        self._short = short
        for name in CALLS:
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))
        connect = sqlite3.connect
        disk = self

        class Connection(sqlite3.Connection):
            def execute(self, statement, *parameters):
                if not statement.startswith(("SELECT", "ROLLBACK")):
                    disk.count(lambda: sqlite3.OperationalError("disk I/O error"))
                return super().execute(statement, *parameters)

        monkeypatch.setattr(
            sqlite3, "connect", lambda *a, **options: connect(*a, factory=Connection, **options)
        )

    def count(self, error):
        self.calls += 1
        if self._fails(self.calls):
            raise error()

    def _wrapped(self, name, call):
        def wrapped(*arguments, **options):
            self.calls += 1
            if self._fails(self.calls):
                if self._short and name == "write":
                    return call(arguments[0], bytes(arguments[1])[:1])
                raise OSError(self._error, os.strerror(self._error))
            return call(*arguments, **options)

        return wrapped


def learn(rows, folder, said=lambda text: None):
    job = Job(rp.VFDT(grace_period=50), rp.sources.open(str(rows)), Messages("y"), sample=100)
    settings = Settings(every_seconds=None, every_rows=150, block=60)
    with Checkpoint(folder) as checkpoint:
        open_learner(job, checkpoint, settings, said).run()


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_rows(path, 400)
    return path


@pytest.fixture(scope="module")
def whole(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    learn(rows, folder)
    return digest(folder)


def n_calls(rows, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch, fails=lambda n: False)
        learn(rows, tmp_path / "counted")
    return disk.calls


@pytest.mark.parametrize(
    ("error", "short", "for_ever"),
    [
        (errno.EIO, False, False),
        (errno.ENOSPC, False, True),
        (errno.EIO, True, False),
    ],
)
def test_a_fault_at_any_call_loses_nothing(rows, whole, tmp_path, error, short, for_ever):
    total = n_calls(rows, tmp_path)
    assert total > 40
    points = range(1, total + 1)
    if not ALL:
        points = sorted(random.Random(error + short).sample(points, 12))
    ended = 0
    for point in points:
        folder = tmp_path / str(point)
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            # A constructor that fails half-way leaves its files to the garbage collector.
            warnings.simplefilter("ignore")
            Disk(
                patch,
                fails=(lambda n, at=point: n >= at) if for_ever else (lambda n, at=point: n == at),
                error=error,
                short=short,
            )
            try:
                learn(rows, folder)
            except (OSError, sqlite3.Error):
                ended += 1
        learn(rows, folder)
        assert digest(folder) == whole, f"after a fault at call {point} of {total}"
    assert short or ended > 0
