"""B6: each answer belongs to one state: it is computed again with the rows that it names.

Run as a program: `python -m tests.serve.test_consistency KIND SECONDS READERS`, with a tree or a
forest. It works in rounds of ten seconds, prints a line of JSON and fails at the first answer that
is not that of its state.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

import riparian as rp
from tests.serve.serving import Running, rows_of, serving, tree
from tests.serve.test_learning import columns

PROBES = [{"x": i / 10, "word": "abc"[i % 3]} for i in range(10)]
#: Seconds after which the answers so far are computed again, and rows of a request.
_ROUND, _ROWS = 10.0, 40


def made(kind: str) -> Any:
    return tree() if kind == "tree" else rp.StreamForest(n_estimators=3, random_state=1)


class Check:
    """A server, its readers, and a second model that learns the same rows."""

    def __init__(self, running: Running, kind: str) -> None:
        self.running = running
        self.model = made(kind)
        self.posted: list[Any] = []  # what the second model has not learned yet
        self.learned = self.n_posted = self.answers = self.states = 0

    def post(self, rows: list[Any]) -> None:
        """Post rows that the server is to learn."""
        assert self.running.learn(rows).status_code == 200
        self.posted += rows
        self.n_posted += len(rows)

    def round(self, seconds: float, readers: int) -> None:
        """Read while the server learns, then compute the answers again."""
        answers: dict[int, list[Any]] = {}
        stop = threading.Event()

        def read(number: int) -> None:
            with httpx.Client(base_url=self.running.served.url, timeout=60.0) as client:
                i = number
                while not stop.is_set():
                    probe = PROBES[i % len(PROBES)]
                    i += 1
                    body = {"features": probe, "proba": True}
                    found = client.post("/v1/predict", json=body).json()
                    answers.setdefault(found["model"]["rows"], []).append((probe, found))

        threads = [threading.Thread(target=read, args=(n,)) for n in range(readers)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.post(rows_of(_ROWS, seed=self.n_posted))
        stop.set()
        for thread in threads:
            thread.join()
        self.running.wait_for(self.n_posted)
        for n in sorted(answers):
            self.learn(n)
            for probe, found in answers[n]:
                assert found["proba"] == self.model.predict_proba_one(probe), n
                assert found["label"] == self.model.predict_one(probe)
        self.learn(self.n_posted)
        self.answers += sum(map(len, answers.values()))
        self.states += len(answers)

    def learn(self, n: int) -> None:
        """Let the second model learn up to this many rows."""
        if n > self.learned:
            part, self.posted = self.posted[: n - self.learned], self.posted[n - self.learned :]
            self.model.partial_fit(*columns(part))
            self.learned = n


def checked(folder: Path, kind: str, seconds: float, readers: int) -> Check:
    """Check a server for so long."""
    with serving(folder, made(kind)) as running:
        check = Check(running, kind)
        check.post(rows_of(20))
        running.wait_for(20)
        check.learn(20)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            check.round(min(left, _ROUND), readers)
    return check


@pytest.mark.parametrize(
    ("seconds", "readers"), [(3.0, 3), pytest.param(60.0, 4, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_answers_while_learning(tmp_path, kind, seconds, readers) -> None:
    check = checked(tmp_path, kind, seconds, readers)
    assert check.answers > 20
    assert check.states > 3


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        done = checked(Path(name), sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
    figures = {"answers": done.answers, "states": done.states, "rows": done.n_posted}
    print(json.dumps({**figures, "load": os.getloadavg()[0]}))
