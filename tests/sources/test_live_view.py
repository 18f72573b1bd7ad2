"""What `riparian learn` draws on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import closing

import pytest

import riparian as rp
from riparian.cli.live_view import LiveView
from tests.inside import learner_of
from tests.sources.test_log import write


def test_the_lines_are_those_of_the_learner(tmp_path):
    rows = tmp_path / "rows.jsonl"
    write(rows, 3000)
    learning = rp.learn(rp.VFDT(grace_period=50), rows, target="y", checkpoint=tmp_path / "c")
    view = LiveView(learner_of(learning), 3)
    result = learning.join(60)
    lines = list(view.lines())
    found = dict(lines)
    assert found["source"] == str(rows)
    assert found["rows"].startswith("3,000  ")
    assert found["accuracy"] == f"{result.accuracy:.4f}, {result.sliding:.4f} of the last 1,000"
    assert re.fullmatch(r"VFDT  \d+ leaves, [\d.]+ kB", found["model"])
    assert re.match(r"generation 1, \d+ s ago, [\d.]+ kB$", found["checkpoint"])
    splits = learning.model.splits()
    assert found["last splits"].startswith(f"{splits[0].cut}  (row {splits[0].seen:,}, by ")
    assert sum(name in ("", "last splits") for name, _ in lines) == min(3, len(splits))


def test_a_terminal_cannot_be_written_to_by_a_column(tmp_path):
    rows = tmp_path / "rows.jsonl"
    lines = ({"\x1b[31mx[bold]": i % 7, "y": int(i % 7 > 3)} for i in range(2000))
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines))
    learning = rp.learn(rp.VFDT(grace_period=50), rows, target="y", checkpoint=tmp_path / "c")
    view = LiveView(learner_of(learning), 3)
    learning.join(60)
    text = dict(view.lines())["last splits"]
    assert "\x1b" not in text
    assert "x[bold]" in text


def drawn(rows, folder, until):
    """What a terminal of 100 columns gets, until a text is in it and the learner is stopped."""
    terminal, inner = pty.openpty()
    termios.tcsetwinsize(inner, (40, 100))
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "riparian", "learn", str(rows), "--follow", "--target", "y"),
            *("--checkpoint", str(folder), "--every", "1000", "--recipe", "VFDT"),
            *("--grace-period", "50"),
        ],
        stderr=inner,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
    )
    os.close(inner)
    seen = b""
    stopped = False
    with closing(os.fdopen(terminal, "rb", buffering=0)) as file:
        until_time = time.monotonic() + 120
        while time.monotonic() < until_time:
            if not select.select([file], [], [], 1.0)[0]:
                continue
            try:
                data = file.read(65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            seen += data
            if not stopped and until in seen:
                stopped = True
                process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    return seen.decode()


@pytest.mark.skipif(not hasattr(termios, "tcsetwinsize"), reason="Python 3.11 or later")
def test_it_is_drawn_on_a_terminal(tmp_path):
    rows = tmp_path / "rows.jsonl"
    write(rows, 3000)
    text = drawn(rows, tmp_path / "c", b"generation 1,")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    for word in ("rows/s", "lag ", "accuracy", "VFDT", "last splits", "checkpoint"):
        assert word in plain
    # It goes away at the end, and what was said stays.
    last = plain.rstrip().splitlines()[-1]
    assert re.fullmatch(r"riparian: generation \d+ in .*: 3,000 messages, 3,000 learned", last)
    assert "\x1b[?25h" in text
