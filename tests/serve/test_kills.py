"""B5: what was accepted survives kill -9, once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_accepted_rows_survive_kills(kills: int) -> None:
    command = [sys.executable, "-m", "tests.serve.lives", str(kills), "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["kills"] == kills
