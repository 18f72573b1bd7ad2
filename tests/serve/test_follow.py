"""A follower serves each new generation, and sends those who want to learn to the writer."""

from __future__ import annotations

from functools import partial

from riparian.serve.app import make_app
from riparian.serve.reading import Following, writer_of
from riparian.serve.serving import Served, Serving
from riparian.sources.settings import Settings
from tests.serve.asgi import client_of
from tests.serve.serving import rows_of, serving, tree, until


def test_a_follower(tmp_path) -> None:
    settings = Settings(every_seconds=None, every_rows=20)
    with serving(tmp_path, tree(), settings=settings) as running:
        running.learn(rows_of(20))
        until(lambda: running.learner.status.generation == 1)
        found = Serving("model", Served(None, 0), folder=tmp_path)
        found.writer = partial(writer_of, tmp_path)
        client = client_of(make_app(found))
        assert client.get("/health/ready").status_code == 503
        following = Following(str(tmp_path), found, lambda event: None)
        following.start()
        try:
            body = {"features": {"x": 0.9}}
            assert client.post("/v1/predict", json=body).json()["model"]["generation"] == 1
            assert client.get("/health/ready").status_code == 200
            running.learn(rows_of(20, seed=2))
            until(lambda: found.served.generation == 2)
            said = client.post("/v1/predict", json=body).json()["model"]
            assert said == {"name": "model", "generation": 2, "rows": 40}
            reply = client.post("/v1/learn", json={"features": {"x": 1}, "label": "yes"})
            assert reply.status_code == 421
            assert reply.headers["location"] == running.served.url
            assert "riparian_model_stale_seconds" in client.get("/metrics").text
            assert client.get("/v1/frame").json()["model"]["learning"] is False
        finally:
            following.stop()
