"""After a power failure the last committed generation is there, whatever was not synced (A3)."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from riparian.sources.checkpoint import Checkpoint
from riparian.sources.plan import Plan
from tests.effort import ATTACK
from tests.sources.lives import digest, write_rows
from tests.sources.power_loss import image, learn, recorded

#: How many disks are tried, and how many of them are learned on from.
IMAGES = int(os.environ.get("RIPARIAN_IMAGES", 1000 * ATTACK))
LEARNED = IMAGES // 50


@pytest.fixture
def memory():
    """A folder that is no disk, if there is one: its images are written and synced at once."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as name:
        yield Path(name)


def test_no_committed_generation_is_lost(tmp_path, memory):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    rows, folder, marks = tmp_path / "rows.jsonl", tmp_path / "state", tmp_path / "marks"
    write_rows(rows, 600)
    calls = recorded(rows, folder, marks)
    whole = digest(folder)
    models = {c.path: c.data for c in calls if c.name == "write" and c.path.endswith(".rip")}
    assert len(models) >= 3
    chance = random.Random(1)
    for i in range(IMAGES):
        found, n = image([c for c in calls if c.path != str(marks)], chance)
        # Where the calls of the image end among all calls, with the marks.
        seen = committed = 0
        for call in calls:
            seen += call.path != str(marks)
            if seen > n:
                break
            committed += call.path == str(marks) and call.name == "write"
        disk = memory / str(i)
        for path, data in found.items():
            if not path.endswith("-shm"):  # SQLite makes it again
                place = disk / Path(path).relative_to(folder)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        if i < LEARNED:
            learn(rows, disk)
            assert digest(disk) == whole, f"image {i}, {n} calls"
        else:
            check(disk, committed)
        shutil.rmtree(disk)


def check(folder, committed):
    """The newest generation is one that was committed last, or a later one, and is whole."""
    with Checkpoint(folder) as checkpoint:
        generations = checkpoint.generations()
        assert (generations[0].number if generations else 0) >= committed
        for generation in generations:
            checkpoint.load(generation)
        plan = Plan(folder / "plan", checkpoint.epoch)
        rows = generations[0].positions[0] if generations else {}
        at = next(iter(rows.values()), {"byte": 0})["byte"]
        for entry in plan.resume(generations[0].plan if generations else 0):
            assert entry.first["byte"] == at
            at = entry.next["byte"]
        plan.close()
