"""Learners that read from a broker and are killed: their model is that of one pass over the plan.

Run as a program: ``python -m tests.sources.broker_lives KILLS SEED CASE ADDRESS [NAME=VALUE ...]``.
The parent only imports and forks, since the clients have threads. It prints a line of JSON for each
finished run and ends with status 1 if its model differs from that of a file with the rows in the
order of the plan. The option ``labels=ADDRESS`` reads rows whose labels come by another stream;
their one pass reads both streams again. With RIPARIAN_FOLLOW=1 a run ends when all rows have come,
and not where the source ends when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

import riparian as rp
from riparian.evaluate import Result
from riparian.sources import Source
from riparian.sources.checkpoint import Checkpoint, read_generations
from riparian.sources.job import Job, open_learner
from riparian.sources.learner import Learner
from riparian.sources.messages import Messages
from riparian.sources.plan import Entry
from riparian.sources.settings import Settings
from tests.sources.lives import CASES, late_job, plan_again, planned, record_plans

ROWS = 6000
#: Whether a learner waits for rows that have not come yet.
FOLLOW = "RIPARIAN_FOLLOW" in os.environ


def rows(n: int = ROWS) -> list[bytes]:
    """Rows with a late feature; some later ones cannot be read."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=(n, 4))
    found = []
    for i in range(n):
        row = {f"x{j}": x[i, j] for j in range(4)} | {"c": "abcde"[i % 5]}
        row["y"] = "yes" if x[i, 0] + 0.5 * x[i, 1] > 0 else "no"
        if i > n * 3 // 4:
            row["late"] = x[i, 2] - x[i, 3]
        if i > n * 3 // 4 and i % 97 == 5:
            row["x1"] = "no number"
        found.append(json.dumps(row).encode())
    return found


def life(case: str, folder: Path, source: Source, labels: Source | None, every: int = 500) -> None:
    """Learn to the end of a source, or of rows and their labels."""
    settings = Settings(every_seconds=None, every_rows=every, block=200)
    with Checkpoint(folder) as checkpoint:
        job = Job(CASES[case](), source, Messages("y"))
        if labels is not None:
            job = late_job(CASES[case](), source, labels)
        learner = open_learner(job, checkpoint, settings, lambda text: None)
        if FOLLOW:
            threading.Thread(target=stop_at_the_last_row, args=(learner,), daemon=True).start()
        learner.run()


def stop_at_the_last_row(learner: Learner) -> None:
    while learner.status.counters["messages"] < ROWS:
        time.sleep(0.02)
    learner.stop()


def write_in_order(source: Source, entries: Sequence[Entry], path: Path) -> None:
    """Write the messages of a source to a file in the order of a plan."""
    source.open({}, "beginning")
    messages: dict[str, list[bytes]] = {}
    wanted = sum(entry.n for entry in entries)
    while sum(map(len, messages.values())) < wanted:
        if (chunk := source.poll(10_000, 0.2)) is not None:
            messages.setdefault(chunk.partition, []).extend(chunk.values)
    source.close()
    taken = dict.fromkeys(messages, 0)
    with path.open("wb") as file:
        for entry in entries:
            start = taken[entry.partition]
            taken[entry.partition] += entry.n
            file.writelines(m + b"\n" for m in messages[entry.partition][start:][: entry.n])
    assert all(taken[name] == len(found) for name, found in messages.items()), taken


def outcome(folder: Path) -> dict[str, object]:
    """All that does not depend on where the rows came from."""
    db = sqlite3.connect(folder / "state.db")
    newest = read_generations(db)[0]
    dead = db.execute("SELECT reason, value FROM dead").fetchall()
    waiting = [
        db.execute(f"SELECT * FROM {table}").fetchall() for table in ("pending", "early", "seen")
    ]
    db.close()
    model = rp.load(folder / "models" / newest.file)
    model.positions_ = {}
    model.save(folder / "alone.rip")
    result = Result.from_bytes(newest.result).to_bytes(clock=False)
    return {
        "model": hashlib.sha256((folder / "alone.rip").read_bytes()).hexdigest(),
        "result": hashlib.sha256(result).hexdigest(),
        "rows": newest.rows,
        "counters": newest.counters,
        "dead": hashlib.sha256(repr(dead).encode()).hexdigest(),
        "n_dead": len(dead),
        "waiting": hashlib.sha256(repr(waiting).encode()).hexdigest(),
        "n_waiting": [len(rows) for rows in waiting],
    }


def fork(work: Callable[[], None]) -> int:
    """Run something in a process of its own; return its id."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def run(
    kills: int, chance: random.Random, case: str, address: str, options: Mapping[str, str]
) -> int:
    """Kill a learner until one ends by itself; return how many were killed.

    Ends the program if the outcome is not that of one pass.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, record = Path(name, "killed"), Path(name, "plan")

        def sources() -> tuple[Source, Source | None]:
            labels = options.get("labels")
            kept = {name: value for name, value in options.items() if name != "labels"}
            return (
                rp.sources.open(address, kept, follow=FOLLOW),
                rp.sources.open(labels, kept, follow=FOLLOW) if labels else None,
            )

        def learn() -> None:
            record_plans(record)
            life(case, folder, *sources())

        def one_pass() -> None:
            whole = Path(name, "whole")
            if "labels" in options:
                plan_again(folder, planned(record), whole)
                life(case, whole, *sources(), every=10**9)
                return
            # The broker may have dropped what a checkpoint held, so the copy is read there.
            copy = rp.sources.open(os.environ.get("RIPARIAN_COPY", address), {}, follow=False)
            write_in_order(copy, planned(record), Path(name, "rows.jsonl"))
            life(case, whole, rp.sources.open(f"{name}/rows.jsonl"), None)

        killed = ended = 0
        while not ended:
            child = fork(learn)
            if killed < kills:
                # Short lives die in the start-up; longer ones write some checkpoints.
                time.sleep(chance.choice([0.03, 0.1, 0.3]) * chance.random() * 2)
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            killed += os.WIFSIGNALED(status)
            ended = not os.WIFSIGNALED(status)
            if ended and os.WEXITSTATUS(status):
                raise RuntimeError(f"a life failed after {killed} kills")
        _, status = os.waitpid(fork(one_pass), 0)
        assert status == 0
        found, wanted = outcome(folder), outcome(Path(name, "whole"))
        print(json.dumps({"kills": killed, "same": found == wanted, "found": found}), flush=True)
        if found != wanted:
            print(json.dumps({"wanted": wanted}))
            sys.exit(1)
    return killed


def main(kills: int, seed: int, case: str, address: str, options: Mapping[str, str]) -> None:
    """Run learners until so many were killed."""
    chance = random.Random(seed)
    left = kills
    while left > 0:
        left -= max(1, run(left, chance, case, address, options))
        if "RIPARIAN_COPY" in os.environ:
            return  # the stream is empty now


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kills, seed, case, address, *given = sys.argv[1:]
    settings = dict(option.split("=", 1) for option in given)
    main(int(kills), int(seed), case, address, settings)
