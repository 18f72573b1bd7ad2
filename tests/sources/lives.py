"""Learners that are killed: a parent imports everything once and forks each life.

Run as a program: `python -m tests.sources.lives KILLS SEED [CASE ...]`. It prints a line of JSON
for each finished run and ends with status 1 if one of them differs from the run that nobody killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

import riparian as rp
from riparian.evaluate import Result
from riparian.sources.checkpoint import Checkpoint, read_generations
from riparian.sources.job import Job, open_learner
from riparian.sources.learner import Settings
from riparian.sources.messages import Messages

ROWS = 6000


def write_rows(path: Path, n: int = ROWS) -> None:
    """Rows of numbers, categories and a late feature, with some that cannot be read."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(n, 4))
    y = np.where(x[:, 0] + 0.5 * x[:, 1] > 0, "yes", "no")
    with open(path, "w") as file:
        for i in range(n):
            row = {f"x{j}": x[i, j] for j in range(4)} | {"c": "abcde"[i % 5], "y": str(y[i])}
            if i > n // 2:
                row["late"] = x[i, 2] - x[i, 3]
            if i > 1000 and i % 701 == 700:
                row["x1"] = "no number"
            file.write(json.dumps(row) + "\n" if i % 997 != 996 else '{"x0": 1,\n')


def tree():
    return rp.VFDT(grace_period=50)


def forest():
    return rp.StreamForest(n_estimators=3, random_state=1)


#: The model and the rows between two checkpoints.
CASES = {"tree": (tree, 500), "forest": (forest, 500)}


def life(case: str, rows: Path, folder: Path) -> str:
    """Learn until the end of the rows."""
    make, every = CASES[case]
    job = Job(make(), rp.sources.open(str(rows)), Messages("y"))
    settings = Settings(every_seconds=None, every_rows=every, block=200)
    with Checkpoint(folder) as checkpoint:
        return open_learner(job, checkpoint, settings, lambda text: None).run()


def digest(folder: Path) -> dict[str, object]:
    """All that must be equal: model file, evaluation, counters, positions and dead letters."""
    import sqlite3

    db = sqlite3.connect(folder / "state.db")
    newest = read_generations(db)[0]
    dead = db.execute("SELECT source, partition, place, reason, value FROM dead").fetchall()
    data = (folder / "models" / newest.file).read_bytes()
    db.close()
    return {
        "model": hashlib.sha256(data).hexdigest(),
        "result": hashlib.sha256(
            Result.from_bytes(newest.result).to_bytes(clock=False)
        ).hexdigest(),
        "rows": newest.rows,
        "counters": newest.counters,
        "positions": newest.positions,
        "dead": hashlib.sha256(repr(dead).encode()).hexdigest(),
        "n_dead": len(dead),
    }


def fork(case: str, rows: Path, folder: Path) -> int:
    """Begin a life; return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        os.close(0)
        life(case, rows, folder)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def run(case: str, rows: Path, kills: int, rng: random.Random, folder: Path) -> int:
    """Kill lives until one ends by itself; return how many were killed."""
    killed = 0
    while True:
        child = fork(case, rows, folder)
        if killed < kills:
            # Short lives die in the start-up; longer ones write some checkpoints.
            time.sleep(rng.choice([0.01, 0.05, 0.2]) * rng.random() * 2)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            killed += 1
        elif os.WEXITSTATUS(status):
            raise RuntimeError(f"{case}: a life failed after {killed} kills")
        else:
            return killed


def main(kills: int, seed: int, cases: list[str]) -> bool:
    rng = random.Random(seed)
    same = True
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name, "rows.jsonl")
        write_rows(rows)
        for case in cases:
            life(case, rows, Path(name, "whole"))
            wanted = digest(Path(name, "whole"))
            shutil.rmtree(Path(name, "whole"))
            left = kills
            while left > 0:
                folder = Path(name, "killed")
                died = run(case, rows, left, rng, folder)
                found = digest(folder)
                same = same and found == wanted
                print(json.dumps({"case": case, "kills": died, "same": found == wanted}))
                if found != wanted:
                    print(json.dumps({"found": found, "wanted": wanted}))
                shutil.rmtree(folder)
                left -= max(died, 1)
    return same


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(CASES)))
