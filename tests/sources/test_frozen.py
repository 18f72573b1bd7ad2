"""A learner that was taken for dead and comes back commits nothing (A8)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.effort import ATTACK

#: How often a learner is frozen. `RIPARIAN_FROZEN=500` is for a release.
ROUNDS = int(os.environ.get("RIPARIAN_FROZEN", 5 * ATTACK))


def test_a_learner_that_was_frozen_and_replaced_commits_nothing():
    program = [sys.executable, "-m", "tests.sources.frozen", str(ROUNDS), "1"]
    done = subprocess.run(program, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["rounds"] == ROUNDS
