"""Servers for tests: in this process, with a learner in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

import riparian as rp
from riparian.serve.learning import Served
from riparian.serve.limits import Limits
from riparian.serve.options import ServeOptions
from riparian.serve.posted_job import posted_job
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.join import JoinSettings
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings

JOIN = JoinSettings("id", "label")


@dataclass
class Running:
    """A server that learns, and a client of it."""

    served: Served
    client: httpx.Client
    thread: threading.Thread

    @property
    def learner(self) -> Any:
        return self.served.learner

    @property
    def serving(self) -> Any:
        return self.served.serving

    def learn(self, rows: list[tuple[dict, Any]], **headers: str) -> httpx.Response:
        """Post rows with labels."""
        body = {"rows": [{"features": x, "label": y} for x, y in rows]}
        return self.client.post("/v1/learn", json=body, headers=headers)

    def predict(self, features: dict, **fields: Any) -> dict:
        """Predict one row."""
        reply = self.client.post("/v1/predict", json={"features": features, **fields})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def wait_for(self, rows: int) -> None:
        """Wait until this many rows are learned."""
        until(lambda: self.learner.rows >= rows, f"{rows} rows, {self.learner.rows} are learned")


def until(found: Callable[[], Any], what: str = "", seconds: float = 60.0) -> Any:
    """Wait until something is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if got := found():
            return got
        time.sleep(0.01)
    raise AssertionError(f"waited {seconds} s: {what}")


@contextmanager
def serving(
    folder: Path,
    model: Any = None,
    *,
    join: JoinSettings = JOIN,
    messages: Messages | None = None,
    settings: Settings | None = None,
    limits: Limits | None = None,
    keep: int = 2,
    **options: Any,
) -> Iterator[Running]:
    """Serve a folder and learn what is posted, until the block ends."""
    limits = limits or Limits()
    with Checkpoint(folder, keep=keep) as checkpoint:
        job = posted_job(checkpoint, model, messages or Messages(None), join, limits)
        chosen = ServeOptions("127.0.0.1:0", limits=limits, **options)
        served = Served(job, checkpoint, settings or Settings(), chosen, lambda event: None)
        failed: list[BaseException] = []

        def run() -> None:
            try:
                served.learner.run()
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            with served, httpx.Client(base_url=served.url, timeout=60.0) as client:
                try:
                    yield Running(served, client, thread)
                finally:
                    served.learner.stop()
                    thread.join()
        finally:
            if failed:
                raise failed[0]


def tree(**parameters: Any) -> rp.VFDT:
    """A small model that splits soon."""
    return rp.VFDT(**{"grace_period": 50, "leaf": "majority", **parameters})


def rows_of(n: int, seed: int = 0) -> list[tuple[dict, str]]:
    """Rows with a number and a word, and their classes."""
    import numpy as np

    random = np.random.default_rng(seed)
    x, word = random.random(n).round(6).tolist(), random.integers(0, 3, n).tolist()
    noise = random.random(n)
    return [
        ({"x": x[i], "word": "abc"[word[i]]}, "yes" if x[i] + 0.2 * noise[i] > 0.6 else "no")
        for i in range(n)
    ]


__all__ = ["JOIN", "Running", "rows_of", "serving", "tree", "until"]
