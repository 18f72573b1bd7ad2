"""``--remember fast``: no prediction waits for the disk, and a crash loses the last ids only."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
import traceback
from pathlib import Path

import httpx

from riparian.serve.learning import Served
from riparian.serve.limits import Limits
from riparian.serve.options import ServeOptions
from riparian.serve.posted_job import posted_job
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings
from tests import inside
from tests.serve.lives import free_port
from tests.serve.serving import JOIN, rows_of, serving, tree, until

#: Seconds whose ids a crash may lose.
_LOST = 0.2


def test_the_reply_does_not_wait_for_the_disk(tmp_path) -> None:
    for remember in ("fast", "durable"):
        folder = tmp_path / remember
        with serving(folder, tree(), remember=remember) as running:
            running.learn(rows_of(20))
            running.wait_for(20)
            done = threading.Event()

            def predict(client=running.client, done=done) -> None:
                client.post("/v1/predict", json={"features": {"x": 0.9}, "id": "a"})
                done.set()

            asking = threading.Thread(target=predict)
            with inside.checkpoint_of(running.learner).writing():  # nobody else can write now
                asking.start()
                assert done.wait(20.0 if remember == "fast" else 0.5) == (remember == "fast")
            asking.join()
            running.client.post("/v1/labels", json=[{"id": "a", "label": "yes"}])
            running.wait_for(21)
            assert running.serving.traffic.forgotten == 0


def test_a_row_that_cannot_be_remembered_is_counted(tmp_path) -> None:
    with serving(tmp_path, tree(), remember="fast", limits=Limits(journal_rows=20)) as running:
        running.learn(rows_of(20))
        running.wait_for(20)
        running.serving.journal.read(-20, 0)  # as if the learner had not read them
        assert running.predict({"x": 0.9}, id="a")["id"] == "a"
        assert running.serving.traffic.forgotten == 1
        assert "riparian_forgotten_rows_total 1.0" in running.client.get("/metrics").text


def life(folder: Path, port: int) -> None:
    """Serve a folder until it is killed; no checkpoint is written."""
    settings = Settings(every_seconds=None, every_rows=None)
    with Checkpoint(folder) as checkpoint:
        job = posted_job(checkpoint, tree(), Messages(None), JOIN, Limits())
        options = ServeOptions(f"127.0.0.1:{port}", remember="fast")
        with Served(job, checkpoint, settings, options, lambda event: None) as served:
            served.learner.run()


def test_a_crash_loses_only_the_last_moments(tmp_path) -> None:
    port = free_port()
    pid = os.fork()
    if pid == 0:
        try:
            life(tmp_path, port)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    said: list[float] = []
    slowest = 0.0
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0) as client:

            def ready() -> bool:
                try:
                    return client.get("/health/ready").status_code == 200
                except httpx.TransportError:
                    return False

            until(ready)
            end = time.monotonic() + 1.0
            while time.monotonic() < end:
                clock = time.monotonic()
                body = {"features": {"x": 0.5}, "id": str(len(said))}
                assert client.post("/v1/predict", json=body).status_code == 200
                said.append(time.monotonic())
                slowest = max(slowest, said[-1] - clock)
    finally:
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        os.waitpid(pid, 0)
    db = sqlite3.connect(tmp_path / "state.db")
    heads = db.execute("SELECT head FROM journal WHERE kind = 'row' ORDER BY seq").fetchall()
    db.close()
    kept = [json.loads(head)["id"] for (head,) in heads]
    assert kept == [str(n) for n in range(len(kept))]
    assert 10 < len(kept) <= len(said)
    lost = said[len(kept) :]
    # A busy machine makes everybody wait, also the thread that writes.
    assert all(killed - at < _LOST + slowest for at in lost), (killed - lost[0], slowest)
