"""B7: uploads and rollbacks while others predict: no error, the old model before, then the new."""

from __future__ import annotations

import threading

import httpx
import pytest

from riparian.sources.settings import Settings
from riparian.storage.modelfile import from_bytes, to_bytes
from tests.serve.serving import rows_of, serving, tree, until
from tests.serve.test_learning import columns

FILE = {"content-type": "application/octet-stream"}


def constant(label: str):
    """A model that says one class, with the features of the rows."""
    X, _ = columns(rows_of(20))
    return tree().partial_fit(X, [label] * 20)


@pytest.mark.parametrize("swaps", [10, pytest.param(50, marks=pytest.mark.slow)])
def test_swaps_under_load(tmp_path, swaps: int) -> None:
    files = {label: to_bytes(constant(label)) for label in ("red", "blue")}
    settings = Settings(every_seconds=0.5)
    with serving(tmp_path, tree(), settings=settings, keep="2,1h,1d") as running:
        running.learn(rows_of(50))
        running.wait_for(50)
        faults: list[str] = []
        stop = threading.Event()

        def read() -> None:
            with httpx.Client(base_url=running.served.url, timeout=60.0) as client:
                while not stop.is_set():
                    reply = client.post("/v1/predict", json={"features": {"x": 0.5}})
                    if reply.status_code != 200:
                        faults.append(reply.text)

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        try:
            numbers = []
            for swap in range(swaps):
                label = ("red", "blue")[swap % 2]
                reply = running.client.put("/v1/model/file", content=files[label], headers=FILE)
                assert reply.status_code == 200, reply.text
                numbers.append(reply.json()["generation"])
                said = running.predict({"x": 0.5})
                assert said["label"] == label
                assert said["model"]["generation"] >= numbers[-1]
            back = running.client.post(f"/v1/generations/{numbers[-2]}/activate")
            if back.status_code == 404:  # only the last two are kept within an hour
                back = running.client.post(f"/v1/generations/{numbers[-1]}/activate")
            assert back.status_code == 200, back.text
        finally:
            stop.set()
            for reader in readers:
                reader.join()
        assert faults == []
        listed = running.client.get("/v1/generations").json()["generations"]
        assert listed[0]["reason"] == "rollback"
        assert "upload" in {one["reason"] for one in listed}
        until(lambda: running.client.get("/v1/frame").json()["marks"])
        data = running.client.get("/v1/model/file").content
        assert from_bytes(data).predict_one({"x": 0.5}) in ("red", "blue")


def test_a_rollback_keeps_the_positions(tmp_path) -> None:
    settings = Settings(every_seconds=None, every_rows=10)
    with serving(tmp_path, tree(), settings=settings) as running:
        running.learn(rows_of(10))
        first = until(lambda: running.client.get("/v1/generations").json()["generations"])[0]
        running.learn([({"x": 1.0, "word": "z"}, "new")])
        running.wait_for(11)
        assert "new" in running.learner.model.classes_
        reply = running.client.post(f"/v1/generations/{first['generation']}/activate")
        assert reply.json()["rows"] == 10
        assert "new" not in running.learner.model.classes_
        running.learn([({"x": 1.0, "word": "z"}, "yes")])
        running.wait_for(12)
        assert running.learner.model.n_seen_ == 11
        assert running.client.post("/v1/generations/999/activate").status_code == 404
    with serving(tmp_path) as running:
        assert running.learner.model.n_seen_ == 11


def test_a_model_with_another_schema_is_refused(tmp_path) -> None:
    with serving(tmp_path, tree()) as running:
        running.learn(rows_of(10))
        running.wait_for(10)
        for columns_ in ({"x": [1.0]}, {"x": ["text"], "word": ["a"]}):
            data = to_bytes(tree().partial_fit(columns_, ["yes"]))
            reply = running.client.put("/v1/model/file", content=data, headers=FILE)
            assert (reply.status_code, reply.json()["error"]["code"]) == (422, "bad_schema")
        X = {"x": [1.0], "word": ["a"]}
        data = to_bytes(tree().partial_fit(X, [3]))
        assert running.client.put("/v1/model/file", content=data, headers=FILE).status_code == 422
        assert running.learner.model.n_seen_ == 10
