"""B10: server, journal, readers and a page together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seconds", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_a_soaked_server_keeps_every_row(seconds: int) -> None:
    command = [sys.executable, "-m", "tests.serve.soak", str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds + 300)
    assert done.returncode == 0, done.stdout + done.stderr
