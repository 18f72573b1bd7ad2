"""B11: labels come in any order, early, late, twice, never; the same rows are learned."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from riparian.serve.limits import Limits
from riparian.serve.posted_job import posted_job
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.job import open_learner
from riparian.sources.journal_source import JournalSource
from riparian.sources.messages import Messages
from riparian.sources.post import Post, Posted
from riparian.sources.settings import Settings
from riparian.storage.modelfile import to_bytes
from tests.serve.serving import JOIN, rows_of, serving, tree, until
from tests.serve.test_learning import columns


def learned(folder, entries, join=JOIN):
    """The model and the counters after entries of a journal, without a server."""
    with Checkpoint(folder) as checkpoint:
        job = posted_job(checkpoint, tree(), Messages(None), join, Limits())
        assert isinstance(job.source, JournalSource)
        journal = job.source.journal
        for entry in entries:
            journal.post(Post([entry])).result(30)
        settings = Settings(every_seconds=None, every_rows=50)
        learner = open_learner(job, checkpoint, settings, lambda event: None)
        n = len(entries)

        def stop(learner) -> None:
            if learner.status.counters["messages"] >= n:
                learner.stop()

        learner.look_on(stop)
        learner.run()
        journal.close()
        learner.model.positions_ = {}
        data = to_bytes(learner.model) if hasattr(learner.model, "classes_") else b""
        return learner, data


def entries_of(n: int):
    """A row and a label for each id."""
    from riparian.serve.http import encode_json

    rows = rows_of(n)
    first = [
        Posted("row", f"k{i}", said="no", body=encode_json(x)) for i, (x, _) in enumerate(rows)
    ]
    labels = [Posted("label", f"k{i}", y) for i, (_, y) in enumerate(rows)]
    return first, labels


@pytest.mark.parametrize("orders", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_any_order_learns_the_same_rows(tmp_path, orders: int) -> None:
    rows, labels = entries_of(40)
    rng = random.Random(5)
    for number in range(orders):
        mixed = [*rows, *labels]
        rng.shuffle(mixed)
        learner, data = learned(tmp_path / f"a{number}", mixed)
        counters = learner.status.counters
        assert counters["learned"] == 40
        assert counters["duplicate"] == counters["orphan"] == counters["rejected"] == 0
        assert learner.join.n_pending == learner.join.n_early == 0
        assert sorted(n for _, n, _ in learner.result.by_class) == sorted(
            [sum(e.label == y for e in labels) for y in ("yes", "no")]
        )
        if number % 3 == 0:
            _, again = learned(tmp_path / f"b{number}", mixed)
            assert again == data, "the same order gives the same bytes"


def test_a_label_finds_its_row_after_a_restart(tmp_path) -> None:
    rows = rows_of(60)
    with serving(tmp_path, tree()) as running:
        for i, (x, _) in enumerate(rows):
            assert running.predict(x, id=f"k{i}")["id"] == f"k{i}"
        until(lambda: running.learner.join.n_pending == 60)
    with serving(tmp_path) as running:
        body = [{"id": f"k{i}", "label": y} for i, (_, y) in enumerate(rows)]
        assert running.client.post("/v1/labels", json=body).json() == {"accepted": 60}
        running.wait_for(60)
        assert running.learner.join.n_pending == 0
        reply = running.client.post("/v1/labels", json=body[:1])
        assert reply.status_code == 200, "the same label again does nothing"
        other = [{"id": "k3", "label": "perhaps"}]
        assert running.client.post("/v1/labels", json=other).status_code == 409
        frame = running.client.get("/v1/frame").json()
        assert frame["labels"] is not None
        assert running.learner.rows == 60


def test_one_conflict_refuses_all_labels(tmp_path) -> None:
    with serving(tmp_path, tree()) as running:
        running.predict({"x": 1.0}, id="a")
        labels = [{"id": "a", "label": "yes"}, {"id": "a", "label": "no"}]
        reply = running.client.post("/v1/labels", json=labels)
        assert (reply.status_code, reply.json()["error"]["row"]) == (409, 1)
        assert running.client.post("/v1/labels", json=labels[1:]).status_code == 200
        running.wait_for(1)
        assert running.learner.model.classes_.tolist() == ["no"]


def test_a_label_has_a_weight(tmp_path) -> None:
    rows = rows_of(80)
    weights = [1.0 + (i % 5) / 2 for i in range(80)]
    with serving(tmp_path, tree()) as running:
        late = [{"id": f"k{i}", "label": y, "weight": weights[i]} for i, (_, y) in enumerate(rows)]
        # Half of the labels come before their rows, and a restart comes between.
        assert running.client.post("/v1/labels", json=late[:40]).status_code == 200
        until(lambda: running.learner.join.n_early == 40)
    with serving(tmp_path) as running:
        for i, (x, _) in enumerate(rows):
            running.predict(x, id=f"k{i}")
        assert running.client.post("/v1/labels", json=late[40:]).status_code == 200
        running.wait_for(80)
        model = tree().partial_fit(*columns(rows), sample_weight=weights)
        found = running.learner.model
        found.positions_ = model.positions_ = {}
        assert to_bytes(found) == to_bytes(model)
        assert running.learner.result.n == 80
        again = running.client.post("/v1/labels", json=[late[3]])
        assert again.status_code == 200, "the same label with the same weight does nothing"
        other = running.client.post("/v1/labels", json=[{**late[3], "weight": 9.0}])
        assert other.status_code == 409
        assert "with the weight 2.5" in other.json()["error"]["message"]
        for weight in (0, -1, None):
            wrong = [{"id": "new", "label": "yes", "weight": weight}]
            assert running.client.post("/v1/labels", json=wrong).status_code == 422


def test_a_row_without_a_label_gets_the_other_one(tmp_path) -> None:
    join = replace(JOIN, wait=0.5, otherwise="ok")
    with serving(tmp_path, tree(), join=join) as running:
        running.predict({"x": 1.0}, id="a")
        running.predict({"x": 2.0}, id="b", remember=False)
        running.wait_for(1)
        assert running.learner.model.classes_.tolist() == ["ok"]
        assert running.learner.status.counters["expired"] == 1
        assert running.learner.join.n_pending == 0
