"""Another package adds a source by an entry point."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from riparian import sources
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.registry import schemes

MODULE = '''
from riparian.sources import Chunk, EndOfSource

class Numbers:
    """`numbers:20` gives so many rows."""

    replayable = True
    identity = {"kind": "numbers"}

    def __init__(self, address, options, follow):
        self.name = address
        self._n = int(address.partition(":")[2])

    def open(self, positions, start):
        self._row = int(positions.get("all", {}).get("row", 0))

    def poll(self, most, timeout):
        first, last = self._row, min(self._row + most, self._n)
        if first == last:
            raise EndOfSource(self.name)
        self._row = last
        rows = [b'{"x": %d, "y": "%s"}' % (i, b"ab"[i % 2 :][:1]) for i in range(first, last)]
        return Chunk("all", {"row": first}, {"row": last}, rows)

    def seek(self, partition, position):
        self._row = int(position["row"])

    def behind(self):
        return {}

    def committed(self, positions):
        pass

    def close(self):
        pass
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with a source under the scheme `numbers`."""
    folder = tmp_path / "site"
    about = folder / "riparian_numbers-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "riparian_numbers.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: riparian-numbers\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[riparian.sources]\nnumbers = riparian_numbers:Numbers\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    yield folder
    sys.modules.pop("riparian_numbers", None)


def test_a_source_of_another_package_is_learned_and_resumed(package, tmp_path):
    assert "numbers" in schemes()
    state = tmp_path / "state"
    learn = ["learn", "numbers:40", "--target", "y", "--recipe", "VFDT", "--block", "10"]
    program = [sys.executable, "-m", "riparian", *learn, "--checkpoint", str(state)]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    for rows in (20, 40):
        subprocess.run([*program, "--rows", str(rows)], env=environment, check=True)
        with Checkpoint(state) as checkpoint:
            newest = checkpoint.generations()[0]
        assert (newest.rows, newest.counters["messages"]) == (rows, rows)
        assert newest.positions == [{"all": {"row": rows}}]


def test_an_unknown_scheme_is_refused():
    with pytest.raises(ValueError, match="numbers"):
        sources.open("numbers:40")
