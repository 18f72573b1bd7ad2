"""Frames and events: what pages get, and what a page that was away gets."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

import riparian as rp
from riparian.serve.frames import Frames
from riparian.serve.picture import Picture
from riparian.streams import random_rbf, sea
from tests.serve.serving import rows_of, serving, tree, until

NAMES = {
    "frame": {"time", "model", "race", "accuracy", "marks", "labels", "tree", "features", "stream"},
    "leaf": {
        "leaf",
        "member",
        "path",
        "rows",
        "until_check",
        "best",
        "runner_up",
        "epsilon",
        "epsilons",
    },
    "node": {"id", "parent", "branch", "test", "weight", "class", "classes", "rows", "cut_off"},
}


def frame_of(model) -> dict:
    frames = Frames()
    Picture("model", frames).publish(model, 3)
    return json.loads(frames.text)


@pytest.mark.parametrize("recipe", [rp.VFDT, rp.StreamTree, rp.StreamForest, rp.UFFT, rp.ITI])
def test_a_frame_of_each_kind_of_model(recipe) -> None:
    model = recipe()
    empty = frame_of(model)
    assert empty["model"]["rows"] == 0
    assert empty["tree"]["nodes"] == []
    X, y = sea(seed=1).take(300 if recipe is rp.ITI else 3000)
    frame = frame_of(model.partial_fit(X, y))
    assert NAMES["frame"] <= set(frame)
    assert frame["model"]["generation"] == 3
    assert frame["model"]["rows"] == len(y)
    assert frame["model"]["kind"] in ("tree", "forest")
    assert frame["tree"]["nodes"][0]["parent"] is None
    assert all(NAMES["node"] <= set(node) for node in frame["tree"]["nodes"])
    assert all(NAMES["leaf"] <= set(leaf) for leaf in frame["race"])
    assert len(frame["features"]) == 3
    if frame["model"]["kind"] == "forest":
        assert len(frame["tree"]["members"]) == len(model.members())


def test_the_race_shows_the_nearest_leaves() -> None:
    model = rp.VFDT().partial_fit(*random_rbf(seed=1).take(60_000))
    race = frame_of(model)["race"]
    every = {leaf.leaf: leaf for leaf in model.pending()}
    nearest = sorted(
        (leaf.examples_needed, leaf.until_check, leaf.leaf)
        for leaf in every.values()
        if leaf.cut is not None and leaf.reason_waiting in ("bound", "check", "no gain")
    )
    assert [leaf["leaf"] for leaf in race] == [leaf for _, _, leaf in nearest[:8]]
    for leaf in race:
        known = every[leaf["leaf"]]
        assert leaf["best"] == {"cut": known.cut, "feature": known.feature, "gain": known.gain}
        assert leaf["history"] == [
            [known.checked_at, known.gain, known.runner_up_gain, known.epsilon]
        ]
        assert leaf["epsilons"] == 1
    assert [p.leaf for p in model.pending(nearest=3)] == [leaf["leaf"] for leaf in race[:3]]
    twice = rp.HoeffdingTree(epsilons=2).partial_fit(*random_rbf(seed=1).take(10_000))
    assert {leaf["epsilons"] for leaf in frame_of(twice)["race"]} == {2}


def test_splits_are_events_with_growing_ids(tmp_path) -> None:
    with serving(tmp_path, tree()) as running:
        stream = httpx.Client(base_url=running.served.url, timeout=30.0)
        with stream, stream.stream("GET", "/v1/events") as reply:
            assert reply.headers["content-type"] == "text/event-stream"
            running.learn(rows_of(1500))
            seen: dict[str, list[int]] = {}
            number = 0
            for line in reply.iter_lines():
                if line.startswith("id: "):
                    assert int(line[4:]) > number
                    number = int(line[4:])
                elif line.startswith("event: "):
                    seen.setdefault(line[7:], []).append(number)
                elif line.startswith("data: ") and "split" in seen:
                    data = json.loads(line[6:])
                    break
        assert data["text"].startswith("split on x")
        assert data["certificate"]["reason"] in ("bound", "tie")
        listed = until(lambda: running.client.get("/v1/model/splits").json()["splits"])
        assert listed[0]["rows"] == data["rows"]
        later = running.client.get(f"/v1/model/splits?since={data['rows']}").json()["splits"]
        assert all(split["rows"] > data["rows"] for split in later)
        until(lambda: running.serving.traffic.event_clients == 0)


def test_a_page_that_was_away_misses_no_event() -> None:
    frames = Frames()
    frames.publish({"n": 1})

    async def read(since, n: int) -> list[bytes]:
        found: list[bytes] = []
        async for part in frames.listen(since):
            found += [text for text in part.split(b"\n\n") if b"event: " in text]
            if len(found) >= n:
                return found
        return found

    (first,) = asyncio.run(read(None, 1))
    last = int(first.split(b"\n")[0][4:])
    for i in range(5):
        frames.event("split", {"rows": i})
    frames.publish({"n": 2})
    found = asyncio.run(read(last, 6))
    assert [b"event: split" in text for text in found] == [True] * 5 + [False]
    assert len(asyncio.run(read(None, 1))) == 1, "a new page gets the last frame only"


def test_an_own_frame_is_small(tmp_path) -> None:
    model = rp.StreamTree().partial_fit(*random_rbf(seed=2, n_features=50).take(20_000))
    frames = Frames()
    Picture("model", frames).publish(model, 1)
    assert len(frames.text) < 64 << 10
