"""Servers that are killed: a parent imports everything once and forks each life.

Run as a program: `python -m tests.serve.lives KILLS SEED`. Clients post rows, some of them with a
key again after a kill; the last life learns all of the journal. It prints a line of JSON and ends
with status 1 if an accepted row was lost or learned twice, or if the model differs from one pass
over the rows in the order of the journal.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import httpx

from riparian.serve.learning import Served
from riparian.serve.limits import Limits
from riparian.serve.options import ServeOptions
from riparian.serve.posted_job import posted_job
from riparian.sources.checkpoint import Checkpoint, read_generations
from riparian.sources.journal import Journal
from riparian.sources.labelled import LabelKeys
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings
from riparian.storage.modelfile import to_bytes
from tests.serve.serving import JOIN, tree


def life(folder: Path, port: int, rows: int | None) -> None:
    """Serve a folder until it is killed, or until this many rows are learned."""
    Journal.forget = lambda journal, before: None  # the journal is compared at the end
    settings = Settings(every_seconds=None, every_rows=40, block=25, rows=rows)
    with Checkpoint(folder) as checkpoint:
        job = posted_job(checkpoint, tree(), Messages(None), JOIN, Limits())
        options = ServeOptions(f"127.0.0.1:{port}")
        with Served(job, checkpoint, settings, options, lambda event: None) as served:
            served.learner.run()


def fork(folder: Path, port: int, rows: int | None = None) -> int:
    """Begin a life."""
    pid = os.fork()
    if pid:
        return pid
    try:
        life(folder, port, rows)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Client:
    """Posts numbered rows; remembers what was accepted, and repeats what was not answered."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.accepted: list[str] = []
        self.waiting: tuple[str, dict[str, Any]] | None = None
        self.number = 0

    def post(self, client: httpx.Client) -> None:
        """Post a request, the one before again if nobody knows what became of it."""
        if self.waiting is None:
            rows = []
            for _ in range(self.random.randint(1, 8)):
                self.number += 1
                x = self.random.random()
                features = {"x": x, "n": f"r{self.number}" if self.number < 3 else "r3"}
                label = "yes" if x > 0.5 else "no"
                rows.append({"features": features | {"i": self.number}, "label": label})
            self.waiting = f"key {self.number}", {"rows": rows}
        key, body = self.waiting
        reply = client.post("/v1/learn", json=body, headers={"idempotency-key": key})
        if reply.status_code == 200:
            self.accepted += [row["features"]["i"] for row in body["rows"]]
            self.waiting = None
        elif reply.status_code not in (429, 503):
            raise AssertionError(reply.text)


def run(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    """Kill servers and compare what is left."""
    client = Client(seed)
    done = 0
    while done < kills:
        port = free_port()
        pid = fork(folder, port)
        # Some die while they start, most after some answers.
        answers = client.random.choice((0, 1, 2, 5, 10, 20, 40))
        until = time.monotonic() + (60.0 if answers else client.random.random())
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0) as http:
            while time.monotonic() < until:
                before = len(client.accepted)
                try:
                    client.post(http)
                except httpx.TransportError:
                    time.sleep(0.01)
                answers -= len(client.accepted) > before
                if not answers:
                    break
            time.sleep(client.random.random() * 0.05)
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise AssertionError("a life has failed")
        done += 1
    port = free_port()
    pid = fork(folder, port)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0) as http:
        while client.waiting is not None or not client.accepted:
            try:
                client.post(http)
            except httpx.TransportError:
                time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pid = fork(folder, free_port(), rows=len(client.accepted))
    _, status = os.waitpid(pid, 0)
    return compare(folder, client) | {"kills": done, "status": status}


def compare(folder: Path, client: Client) -> dict[str, Any]:
    """Compare the last generation with one pass over what was accepted."""
    import sqlite3

    import numpy as np

    db = sqlite3.connect(folder / "state.db")
    newest = read_generations(db)[0]
    entries = db.execute("SELECT head, body FROM journal WHERE kind = 'learn' ORDER BY seq")
    rows = []
    for head, body in entries:
        keys = LabelKeys.stored([head])
        labels = keys.column(np.arange(len(keys))).tolist()
        rows += zip(map(json.loads, body.splitlines()), labels, strict=True)
    numbers = [features["i"] for features, _ in rows]
    model = tree()
    columns = {name: np.array([x[name] for x, _ in rows]) for name in rows[0][0]}
    columns |= {name: column.astype(float) for name, column in columns.items() if name == "i"}
    model.partial_fit(columns, [label for _, label in rows])
    model.positions_ = {"sources": newest.positions, "identity": newest.identity}
    return {
        "accepted": len(client.accepted),
        "learned": newest.rows,
        "lost": len(set(client.accepted) - set(numbers)),
        "twice": len(numbers) - len(set(numbers)),
        "generations": newest.number,
        "same": hashlib.sha256(to_bytes(model)).hexdigest() == newest.sha256,
    }


def main(kills: int, seed: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder) / "model", kills, seed)
    print(json.dumps(found))
    good = found["same"] and not (found["lost"] or found["twice"] or found["status"])
    return 0 if good and found["learned"] == found["accepted"] else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
