"""A server learns what is posted: all of a request or nothing, once, and durably."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import to_bytes
from tests.serve.serving import rows_of, serving, tree, until


def columns(rows: list) -> tuple[dict, list]:
    X = {name: np.array([x[name] for x, _ in rows]) for name in rows[0][0]}
    return X, [y for _, y in rows]


def same_model(model: rp.VFDT, rows: list) -> bool:
    """Whether a model is that of one pass over the rows."""
    model.positions_ = {}
    return to_bytes(model) == to_bytes(tree().partial_fit(*columns(rows)))


def test_what_is_posted_is_learned_in_its_order(tmp_path) -> None:
    rows = rows_of(2000)
    with serving(tmp_path, tree()) as running:
        assert running.predict({"x": 0.5})["label"] is None
        for i in range(0, len(rows), 250):
            reply = running.learn(rows[i : i + 250])
            assert (reply.status_code, reply.json()) == (200, {"accepted": 250})
        running.wait_for(2000)
        said = running.predict({"x": 0.9, "word": "a"}, proba=True)
        assert said["label"] == "yes"
        assert sum(said["proba"].values()) == pytest.approx(1.0)
        assert said["model"] == {"name": "model", "generation": 0, "rows": 2000}
        frame = until(lambda: running.client.get("/v1/frame").json()["model"]["rows"] == 2000)
        assert frame
    with serving(tmp_path) as running:
        assert running.learner.status.generation == 1
        assert same_model(running.learner.model, rows)
        assert running.learner.result.n == 2000


def test_a_request_with_a_bad_row_is_learned_not_at_all(tmp_path) -> None:
    with serving(tmp_path, tree()) as running:
        running.learn(rows_of(10))
        bad = [*rows_of(5), ({"x": "many", "word": "a"}, "no")]
        reply = running.learn(bad)
        assert reply.status_code == 422
        assert reply.json()["error"] | {"message": ""} == {
            "code": "bad_value",
            "message": "",
            "row": 5,
            "column": "x",
        }
        # Nor has the refused request left a column behind.
        reply = running.learn([({"x": 1.0, "new": 3.5}, "no"), ({"x": "no number"}, "no")])
        assert reply.json()["error"]["row"] == 1
        assert running.learn([({"new": "now a text"}, "no")]).status_code == 200
        running.wait_for(11)
        assert running.learner.rows == 11
        assert running.learner.status.counters["rejected"] == 0


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"features": {"x": 0.7, "word": "a"}, "label": "yes"}'),
        (
            "application/x-ndjson",
            b'{"features": {"x": 0.7, "word": "a"}, "label": "yes"}\n\n',
        ),
        ("text/csv", b"x,word,label\n0.7,a,yes\n"),
    ],
)
def test_content_types(tmp_path, kind: str, body: bytes) -> None:
    with serving(tmp_path, tree()) as running:
        reply = running.client.post("/v1/learn", content=body, headers={"content-type": kind})
        assert reply.json() == {"accepted": 1}
        running.wait_for(1)
        assert running.predict({})["label"] == "yes"


def test_integer_labels_stay_integers(tmp_path) -> None:
    with serving(tmp_path, tree()) as running:
        assert running.learn([({"x": 1.0}, 1), ({"x": 0.0}, "0")]).status_code == 200
        reply = running.learn([({"x": 1.0}, "yes")])
        assert reply.status_code == 422
        running.wait_for(2)
        assert sorted(running.learner.model.classes_.tolist()) == [0, 1]
        assert running.predict({"x": 1.0})["label"] in (0, 1)


def test_a_key_makes_a_repeat_harmless(tmp_path) -> None:
    rows = rows_of(3)
    with serving(tmp_path, tree()) as running:
        first = running.learn(rows, **{"idempotency-key": "k1"})
        again = running.learn(rows, **{"idempotency-key": "k1"})
        assert first.content == again.content
        assert "idempotency-replayed" not in first.headers
        assert again.headers["idempotency-replayed"] == "true"
        other = running.learn(rows[:2], **{"idempotency-key": "k1"})
        assert other.json()["error"]["code"] == "key_reused"
        assert running.learn(rows).status_code == 200
        running.wait_for(6)
    with serving(tmp_path) as running:
        again = running.learn(rows, **{"idempotency-key": "k1"})
        assert again.headers["idempotency-replayed"] == "true"
        assert running.learner.rows == 6


def test_a_full_journal_answers_429(tmp_path) -> None:
    from riparian.serve.limits import Limits

    with serving(tmp_path, tree(), limits=Limits(journal_rows=5)) as running:
        reply = running.learn(rows_of(6))
        assert (reply.status_code, reply.headers["retry-after"]) == (429, "1")
        assert running.learn(rows_of(5)).status_code == 200


def test_a_server_of_a_file_learns_nothing(tmp_path) -> None:
    from riparian.serve.app import make_app
    from riparian.serve.serving import Served, Serving
    from tests.serve.asgi import client_of

    model = tree().fit(*columns(rows_of(100)))
    client = client_of(make_app(Serving("model", Served(model, 0))))
    reply = client.post("/v1/learn", json={"features": {"x": 1}, "label": "yes"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "read_only")
