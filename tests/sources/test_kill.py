"""A learner that is killed at any moment ends with the bytes of one that nobody killed (A1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effort import ATTACK

#: Kills of each case. `RIPARIAN_KILLS=1000` is for a release.
KILLS = int(os.environ.get("RIPARIAN_KILLS", 10 * ATTACK))


def lives(case):
    """The runs of learners that were killed, and whether all of them were as one pass."""
    program = [sys.executable, "-m", "tests.sources.lives", str(KILLS), "1", case]
    done = subprocess.run(program, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert not done.stderr, done.stdout + done.stderr
    runs = [run for line in done.stdout.splitlines() if "case" in (run := json.loads(line))]
    assert sum(run["kills"] for run in runs) >= KILLS // 2
    return runs, done.returncode == 0


@pytest.mark.parametrize("case", ["tree", "forest", "limited"])
def test_nothing_is_lost_or_learned_twice(case):
    runs, same = lives(case)
    assert same, runs
    assert all(run["same"] for run in runs)


def test_no_row_or_label_of_two_sources_is_lost_or_learned_twice():
    """The order of rows and labels is free after a crash in the middle of a replay."""
    runs, _ = lives("labels")
    for run in runs:
        # 6,000 rows, of which some repeat a key, and 5,874 labels.
        assert (run["rows"], run["counters"]["learned"]) == (5_928, 5_928)
        assert run["counters"]["messages"] == 11_874
        assert run["counters"]["rejected"] == run["counters"]["lost"] == 0
