"""Learners that are taken for dead, replaced, and come back.

Run as a program: ``python -m tests.sources.frozen ROUNDS SEED``. In each round a learner is stopped
by SIGSTOP at a random moment, another one takes the checkpoint over as one on another machine
would, and the first one is woken. It must commit nothing. The program prints a line of JSON and
ends with status 1 if a round ended with another checkpoint than that of a learner alone.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import warnings
from pathlib import Path

from riparian.sources.checkpoint import read_generations
from riparian.sources.lock import FencedError
from tests.sources.lives import digest, life, write_rows

#: Exit status of a learner that was replaced.
FENCED = 4
#: Seconds after which the second learner waits for a transaction of the first one.
STUCK = 2.0


def begin(rows: Path, folder: Path) -> int:
    """Begin a learner in a process of its own."""
    child = os.fork()
    if child:
        return child
    try:
        life("tree", rows, folder)
    except FencedError:
        os._exit(FENCED)
    except BaseException:
        os._exit(1)
    os._exit(0)


def ended(child: int, seconds: float) -> int | None:
    """Wait for a process; None if it still runs after so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def state(folder: Path) -> object:
    """All generations and the names of the model files."""
    db = sqlite3.connect(folder / "state.db")
    found = [(g.number, g.epoch, g.sha256, g.rows) for g in read_generations(db)]
    db.close()
    return found, sorted(path.name for path in (folder / "models").glob("*.rip"))


def one_round(rows: Path, folder: Path, chance: random.Random) -> str:
    """Freeze a learner, let another one finish, wake the first; return what became of it."""
    first = begin(rows, folder)
    time.sleep(0.02 + 0.3 * chance.random())
    os.kill(first, signal.SIGSTOP)
    # The lock of a dead machine is gone; that of a process on this one would still hold.
    (folder / "lock").unlink(missing_ok=True)
    second = begin(rows, folder)
    status = ended(second, STUCK)
    if status is None:  # the first one stopped inside a transaction
        os.kill(first, signal.SIGCONT)
        ended(first, 60)
        ended(second, 60)
        return "waited"
    before = state(folder)
    os.kill(first, signal.SIGCONT)
    woken = ended(first, 60)
    assert status == 0, f"the second learner ended with {status}"
    assert state(folder) == before, "the first learner changed the checkpoint"
    assert woken in (0, FENCED), f"the first learner ended with {woken}"
    return "fenced" if woken == FENCED else "had ended"


def main(rounds: int, seed: int) -> bool:
    warnings.simplefilter("ignore")
    chance = random.Random(seed)
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name, "rows.jsonl")
        write_rows(rows)
        life("tree", rows, Path(name, "whole"))
        wanted = digest(Path(name, "whole"))
        for _ in range(rounds):
            folder = Path(name, "state")
            became = one_round(rows, folder, chance)
            counts[became] = counts.get(became, 0) + 1
            life("tree", rows, folder)
            if digest(folder) != wanted:
                print(json.dumps({"became": became, "found": digest(folder), "wanted": wanted}))
                return False
            shutil.rmtree(folder)
    print(json.dumps({"rounds": rounds, **counts}))
    return True


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]), int(sys.argv[2])))
