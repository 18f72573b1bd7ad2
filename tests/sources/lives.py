"""Learners that are killed: a parent imports everything once and forks each life.

Run as a program: `python -m tests.sources.lives KILLS SEED [CASE ...]`. It prints a line of JSON
for each finished run and ends with status 1 if one of them differs from one pass over its plan.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import riparian as rp
from riparian.evaluate import Result
from riparian.sources.checkpoint import Checkpoint, read_generations
from riparian.sources.job import Job, open_learner
from riparian.sources.join import JoinSettings
from riparian.sources.messages import Messages
from riparian.sources.plan import Entry, Plan
from riparian.sources.settings import Settings
from riparian.sources.source import Position, Source
from tests import inside

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


def late_labels(n: int = ROWS) -> tuple[list[bytes], list[bytes]]:
    """Rows with an id and a time, and their labels in another order."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(n, 3))
    late = np.arange(n) + rng.integers(-50, 900, n)
    rows, labels = [], []
    for i in range(n):
        key = i if i % 97 else i // 2  # some keys come twice
        row = {"id": f"k{key}", "t": i, "a": x[i, 0], "b": x[i, 1], "c": "xyz"[i % 3]}
        rows.append(json.dumps(row).encode())
    for i in np.argsort(late, kind="stable").tolist():
        label = {"id": f"k{i}", "t": int(late[i]), "y": "yes" if x[i, 0] > 0.2 else "no"}
        labels += [json.dumps(label).encode()] * (0 if i % 11 == 0 else 2 if i % 13 == 0 else 1)
    return rows, labels


def write_late_labels(folder: Path) -> None:
    """Write the rows and their labels to two files."""
    for name, values in zip(["rows", "labels"], late_labels(), strict=True):
        (folder / f"{name}.jsonl").write_bytes(b"".join(value + b"\n" for value in values))


def tree():
    return rp.VFDT(grace_period=50)


def forest():
    return rp.StreamForest(n_estimators=3, random_state=1)


def limited():
    """A memory limit may depend on the borders of blocks, which the plan keeps."""
    return rp.StreamTree(grace_period=20, max_bytes=60_000)


CASES = {"tree": tree, "forest": forest, "labels": tree, "limited": limited}


def job_of(case: str, rows: Path) -> Job:
    if case != "labels":
        return Job(CASES[case](), rp.sources.open(str(rows)), Messages("y"))
    labels = rp.sources.open(str(rows.parent / "labels.jsonl"))
    return late_job(CASES[case](), rp.sources.open(str(rows)), labels)


def late_job(model: Any, rows: Source, labels: Source) -> Job:
    return Job(
        model,
        rows,
        Messages(None, categorical=("id",)),
        labels=labels,
        label_messages=Messages("y", categorical=("id",), only=("id", "t")),
        join=JoinSettings("id", "y", wait=600.0, otherwise="no", dedupe=300.0, time="t"),
    )


def life(case: str, rows: Path, folder: Path, every: int = 500) -> str:
    """Learn until the end of the rows."""
    job = job_of(case, rows)
    settings = Settings(every_seconds=None, every_rows=every, block=200)
    with Checkpoint(folder) as checkpoint:
        return open_learner(job, checkpoint, settings, lambda text: None).run()


def record_plans(folder: Path) -> None:
    """Keep every file of the plan in a folder, under a second name: what is planned is there."""
    folder.mkdir(exist_ok=True)
    inside.after_opening_a_plan(lambda path: os.link(path, folder / path.name))


def planned(folder: Path) -> list[Entry]:
    """All chunks in the order in which they were planned.

    A life that reads a plan again takes over its order and borders. So each chunk was planned once,
    or with the same words again, and the chunks of a partition lead to each other without holes.
    """
    order: dict[bytes, Entry] = {}
    ends: dict[tuple[int, str], Position] = {}
    for path in sorted(folder.iterdir()):
        # The first line lists other files. The last one may be torn by a kill.
        for line in path.read_bytes().splitlines(keepends=True)[1:]:
            entry = Entry.parsed(line) if line.endswith(b"\n") else None
            if entry is None or line in order:
                continue
            order[line] = entry
            partition = (entry.source, entry.partition)
            assert ends.get(partition, entry.first) == entry.first, f"{path}: {entry}, {ends}"
            ends[partition] = entry.next
    return list(order.values())


def digest(folder: Path) -> dict[str, object]:
    """All that must be equal: model file, evaluation, counters, positions and dead letters."""
    import sqlite3

    db = sqlite3.connect(folder / "state.db")
    newest = read_generations(db)[0]
    dead = db.execute("SELECT source, partition, place, reason, value FROM dead").fetchall()
    waiting = [
        db.execute(f"SELECT * FROM {table}").fetchall() for table in ("pending", "early", "seen")
    ]
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
        "waiting": hashlib.sha256(repr(waiting).encode()).hexdigest(),
        "n_waiting": [len(rows) for rows in waiting],
    }


def fork(case: str, rows: Path, folder: Path) -> int:
    """Begin a life; return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        os.close(0)
        record_plans(folder.with_suffix(".plan"))
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


def one_pass(case: str, rows: Path, killed: Path, folder: Path) -> dict[str, object]:
    """Learn what a learner that was killed had planned, in one pass."""
    plan_again(killed, planned(killed.with_suffix(".plan")), folder)
    life(case, rows, folder, every=10**9)
    return digest(folder)


def plan_again(killed: Path, entries: Sequence[Entry], folder: Path) -> None:
    """Make a checkpoint without a generation, whose plan has these entries."""
    with Checkpoint(killed) as checkpoint:
        job = checkpoint.job
    with Checkpoint(folder) as checkpoint:
        checkpoint.write_job({name: value for name, value in job.items() if name != "format"})
        plan = Plan(folder / "plan", checkpoint.epoch)
        plan.resume(0)
        for entry in entries:
            plan.append(entry)
        plan.close()


def n_lines(folder: Path) -> int:
    """The messages of all sources."""
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("*.jsonl"))


def main(kills: int, seed: int, cases: list[str]) -> bool:
    rng = random.Random(seed)
    same = True
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        for case in cases:
            rows = Path(name, "rows.jsonl")
            Path(name, "labels.jsonl").unlink(missing_ok=True)
            write_late_labels(Path(name)) if case == "labels" else write_rows(rows)
            left = kills
            while left > 0:
                killed, whole = Path(name, "killed"), Path(name, "whole")
                died = run(case, rows, left, rng, killed)
                found, wanted = digest(killed), one_pass(case, rows, killed, whole)
                equal = found == wanted and found["counters"]["messages"] == n_lines(Path(name))
                same = same and equal
                print(json.dumps({"case": case, "kills": died, "same": equal, **found}))
                if not equal:
                    print(json.dumps({"wanted": wanted}))
                shutil.rmtree(killed)
                shutil.rmtree(whole)
                shutil.rmtree(killed.with_suffix(".plan"))
                left -= max(died, 1)
    return same


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(CASES)))
