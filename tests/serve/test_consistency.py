"""B6: each answer belongs to one state: it is computed again with the rows that it names."""

from __future__ import annotations

import threading
import time

import httpx
import pytest

import riparian as rp
from tests.serve.serving import rows_of, serving, tree
from tests.serve.test_learning import columns

PROBES = [{"x": i / 10, "word": "abc"[i % 3]} for i in range(10)]


@pytest.mark.parametrize(
    ("seconds", "readers"), [(3.0, 3), pytest.param(60.0, 4, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_answers_while_learning(tmp_path, kind, seconds, readers) -> None:
    def made():
        return tree() if kind == "tree" else rp.StreamForest(n_estimators=3, random_state=1)

    rows = rows_of(int(2000 * seconds))
    answers: dict[int, list] = {}
    stop = threading.Event()
    with serving(tmp_path, made()) as running:
        running.learn(rows[:20])
        running.wait_for(20)

        def read(number: int) -> None:
            with httpx.Client(base_url=running.served.url, timeout=60.0) as client:
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
        end, at = time.monotonic() + seconds, 20
        while time.monotonic() < end and at < len(rows):
            running.learn(rows[at : at + 40])
            at += 40
        stop.set()
        for thread in threads:
            thread.join()
        running.wait_for(min(at, len(rows)))
    model, learned = made(), 0
    checked = 0
    for n in sorted(answers):
        model.partial_fit(*columns(rows[learned:n])) if n > learned else None
        learned = n
        for probe, found in answers[n]:
            again = model.predict_proba_one(probe)
            assert found["proba"] == again, n
            assert found["label"] == model.predict_one(probe)
            checked += 1
    assert checked > 20
    assert len(answers) > 3
