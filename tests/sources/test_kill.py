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
#: Chooses the moments of the kills.
SEED = os.environ.get("RIPARIAN_SEED", "1")


@pytest.mark.parametrize("case", ["tree", "forest", "labels", "limited"])
def test_nothing_is_lost_or_learned_twice(case):
    program = [sys.executable, "-m", "tests.sources.lives", str(KILLS), SEED, case]
    done = subprocess.run(program, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(run["kills"] for run in runs) >= KILLS // 2
    assert all(run["same"] for run in runs)
