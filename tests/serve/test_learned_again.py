"""A rollback with ``?replay=true``: the model of a generation learns the rows since then again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx

from riparian.sources.checkpoint import Checkpoint
from riparian.sources.journal_source import JournalSource
from riparian.sources.settings import Settings
from riparian.storage.modelfile import to_bytes
from tests import inside
from tests.serve.lives import free_port
from tests.serve.serving import Running, rows_of, serving, tree, until
from tests.serve.test_learning import same_model
from tests.serve.test_swaps import FILE, constant

ROWS = rows_of(400)
#: A generation is written when a test asks for one.
NEVER = Settings(every_seconds=None, every_rows=None)


def generations(running: Running) -> list[dict]:
    return running.client.get("/v1/generations").json()["generations"]


def upload(running: Running) -> int:
    """Replace the model; return the number of the generation."""
    reply = running.client.put("/v1/model/file", content=to_bytes(constant("red")), headers=FILE)
    assert reply.status_code == 200, reply.text
    return reply.json()["generation"]


def go_back(running: Running, number: int) -> httpx.Response:
    path = f"/v1/generations/{number}/activate"
    return running.client.post(path, params={"replay": "true"})


def learn(running: Running, start: int, stop: int) -> None:
    """Post rows in requests of 20, and wait until they are learned."""
    for at in range(start, stop, 20):
        assert running.learn(ROWS[at : at + 20]).status_code == 200
    until(lambda: running.learner.rows == stop, f"{stop} rows")


def test_the_rows_since_then_are_learned_again(tmp_path) -> None:
    settings = Settings(every_seconds=None, every_rows=100)
    with serving(tmp_path, tree(), settings=settings) as running:
        learn(running, 0, 100)
        first = until(lambda: generations(running))[0]
        learn(running, 100, 160)
        upload(running)
        assert running.predict({"x": 0.1})["label"] == "red"
        learn(running, 160, 200)
        seen = running.learner.result.n
        reply = go_back(running, first["generation"])
        assert reply.status_code == 200, reply.text
        assert reply.json()["rows"] == 100
        # Before it is one of the older generations, which are removed.
        assert "rollback" in {one["reason"] for one in generations(running)}
        until(lambda: running.learner.rows == 200, "rows that are learned again")
        assert running.learner.result.n == seen == 200
        assert running.learner.status.counters["messages"] == 200
        assert until(lambda: running.serving.journal.rows == 0 or None, "nothing waits") is True
        learn(running, 200, 300)
        assert running.predict({"x": 0.1})["label"] == "no"
    with Checkpoint(tmp_path) as checkpoint:
        model = checkpoint.load(checkpoint.generations()[0])
    assert same_model(model, ROWS[:300])


def test_a_server_that_dies_then_learns_them_after_its_start(tmp_path) -> None:
    """The child goes back and dies before the rows are learned again."""
    pid = os.fork()
    if pid == 0:
        try:
            _go_back_and_die(tmp_path)
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status)
    with serving(tmp_path) as running:
        assert running.learner.status.generation == 3
        running.wait_for(200)
    with Checkpoint(tmp_path) as checkpoint:
        found = checkpoint.generations()[0]
        assert (found.rows, found.counters["messages"]) == (200, 200)
        assert same_model(checkpoint.load(found), ROWS[:200])


def _go_back_and_die(folder: Path) -> None:
    settings = Settings(every_seconds=None, every_rows=100)
    with serving(folder, tree(), settings=settings) as running:
        learn(running, 0, 100)
        number = until(lambda: generations(running))[0]["generation"]
        learn(running, 100, 160)
        upload(running)
        learn(running, 160, 200)

        def die(event) -> None:
            if event.name == "replaced":
                os.kill(os.getpid(), signal.SIGKILL)

        inside.replace_report(running.learner, die)
        go_back(running, number)


def test_what_is_posted_meanwhile_comes_once(tmp_path) -> None:
    with serving(tmp_path, tree(), settings=NEVER) as running:
        learn(running, 0, 20)
        number = upload(running)  # so that there is a generation
        learn(running, 20, 40)
        for at in range(40, 400, 20):
            running.learn(ROWS[at : at + 20])
            if at % 100 == 0:
                assert go_back(running, number).status_code == 200
                number = generations(running)[0]["generation"]
        until(lambda: running.learner.rows == 400, "all rows")
        assert running.learner.status.counters["messages"] == 400
        assert running.learner.model.n_seen_ == 20 + 380


def test_rows_that_the_journal_has_no_more(tmp_path) -> None:
    settings = Settings(every_seconds=None, every_rows=20)
    with serving(tmp_path, tree(), settings=settings, keep="9,1h,1d") as running:
        numbers = []
        for at in range(0, 100, 20):
            learn(running, at, at + 20)
            before = len(numbers) + 1
            numbers = until(lambda n=before: (g := generations(running))[n - 1 :] and g)
        oldest = numbers[-1]["generation"]
        reply = go_back(running, oldest)
        assert (reply.status_code, reply.json()["error"]["code"]) == (409, "no_replay")
        assert "lost" in reply.json()["error"]["message"]
        # All is as it was.
        learn(running, 100, 200)
        assert running.learner.status.counters["messages"] == 200
        assert same_model(running.learner.model, ROWS[:200])
        assert go_back(running, 999).status_code == 404
        path = f"/v1/generations/{oldest}/activate"
        assert running.client.post(path, params={"replay": "perhaps"}).status_code == 400


def test_rows_that_wait_for_labels(tmp_path) -> None:
    with serving(tmp_path, tree(), settings=NEVER) as running:
        learn(running, 0, 20)
        first = upload(running)
        running.predict({"x": 0.9, "word": "a"}, id="a")
        until(lambda: running.learner.join.n_pending == 1, "a row that waits")
        second = upload(running)
        reply = go_back(running, first)
        assert reply.status_code == 409
        assert "wait for labels" in reply.json()["error"]["message"]
        running.client.post("/v1/labels", json=[{"id": "a", "label": "yes"}])
        running.wait_for(21)
        assert go_back(running, second).status_code == 200
        until(lambda: running.learner.rows == 21, "the row whose label came")
        assert running.learner.join.n_pending == 0
        assert running.learner.status.counters["orphan"] == 0


def test_dead_letters_come_once(tmp_path) -> None:
    settings = Settings(every_seconds=None, every_rows=20)
    with serving(tmp_path, tree(max_classes=2), settings=settings) as running:
        learn(running, 0, 20)
        first = until(lambda: generations(running))[0]
        bad = [({"x": 0.5, "word": "a"}, label) for label in ("third", "fourth")]
        assert running.learn(bad).status_code == 200
        learn(running, 20, 40)
        until(lambda: len(generations(running)) == 2, "letters on the disk")
        assert running.learner.status.counters["rejected"] == 2
        assert go_back(running, first["generation"]).status_code == 200
        until(lambda: running.learner.status.counters["messages"] == 42, "they come again")
        assert running.learner.status.counters["rejected"] == 2
    with Checkpoint(tmp_path) as checkpoint:
        assert len(checkpoint.table("SELECT 1 FROM dead")) == 2


def test_the_journal_keeps_what_an_earlier_generation_needs() -> None:
    forgotten: list[int] = []
    journal: Any = SimpleNamespace(forget=forgotten.append)
    source = JournalSource(journal)
    for seq in (1, 101, 161, 101, 200):
        source.committed({"journal": {"seq": seq}})
    assert forgotten == [1, 101, 101, 101]


def test_a_file_is_read_again(tmp_path) -> None:
    """`riparian learn FILE --serve`: the source is a file."""
    from tests.serve.test_command import start

    path, folder = tmp_path / "rows.csv", tmp_path / "state"
    lines = [f"{x['x']},{x['word']},{y}\n" for x, y in ROWS]
    path.write_text("x,word,y\n" + "".join(lines[:100]))
    arguments = ["learn", str(path), "--target", "y", "--follow", "--checkpoint", str(folder)]
    arguments += ["--recipe", "VFDT", "--set", "grace_period=50", "--set", "leaf=majority"]
    server, url = start(*arguments, "--every", "1000s", "--serve", f"127.0.0.1:{free_port()}")
    try:
        with httpx.Client(base_url=url, timeout=60.0) as client:

            def seen() -> tuple[int, int]:
                found = client.get("/v1/frame").json()["model"]
                return found["generation"], found["rows"]

            until(lambda: seen()[1] == 100, "100 rows")
            reply = client.put("/v1/model/file", content=to_bytes(constant("red")), headers=FILE)
            number = reply.json()["generation"]
            with open(path, "a") as file:
                file.write("".join(lines[100:150]))
            until(lambda: seen() == (number, 70), "20 rows of the upload and 50 of the file")
            reply = client.post(f"/v1/generations/{number}/activate", params={"replay": "true"})
            assert reply.json() == {"generation": number + 1, "rows": 20}
            until(lambda: seen() == (number + 1, 70), "50 rows again")
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    with Checkpoint(folder) as checkpoint:
        newest, before = checkpoint.generations()
        assert (before.reason, before.rows, newest.rows) == ("rollback", 100, 150)
        assert checkpoint.load(newest).n_seen_ == 70
