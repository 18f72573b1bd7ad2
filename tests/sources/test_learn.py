"""`riparian learn` and `rp.learn`: rows, dead letters, gaps, restarts and exit codes."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading

import numpy as np
import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.sources import EndOfSource, GapError, IdentityError
from riparian.sources.checkpoint import read_generations
from riparian.sources.lock import FencedError
from riparian.sources.refused import BadMessagesError
from tests.sources.lives import write_rows


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    write_rows(path, 3000)
    return path


def tree():
    return rp.VFDT(grace_period=50)


def learn(source, folder, **options):
    options = {"target": "y", "every": 500, "block": 200, **options}
    return rp.learn(tree(), source, checkpoint=folder, **options).join(60)


def newest(folder):
    db = sqlite3.connect(folder / "state.db")
    try:
        found = read_generations(db)[0]
        dead = db.execute("SELECT place, reason, value FROM dead ORDER BY seq").fetchall()
    finally:
        db.close()
    return found, (folder / "models" / found.file).read_bytes(), dead


def test_it_learns_what_run_learns(rows, tmp_path):
    clean = tmp_path / "clean.jsonl"
    good = [line for line in rows.read_text().splitlines() if "no number" not in line]
    clean.write_text("\n".join(line for line in good if line.endswith("}")) + "\n")
    result = learn(str(clean), tmp_path / "c")
    model = tree()
    expected = rp.evaluate.prequential(model, str(clean), target="y", progress=False)
    assert result.to_bytes(clock=False) == expected.to_bytes(clock=False)
    found = rp.load(tmp_path / "c" / "models" / newest(tmp_path / "c")[0].file)
    found.positions_ = {}
    model.save(tmp_path / "a.rip")
    found.save(tmp_path / "b.rip")
    assert (tmp_path / "a.rip").read_bytes() == (tmp_path / "b.rip").read_bytes()


@pytest.mark.parametrize("pause", [1, 450, 700, 2500])
def test_a_learner_that_was_stopped_goes_on(rows, tmp_path, pause):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    learn(str(rows), whole)
    learn(str(rows), parts, rows=pause)
    result = learn(str(rows), parts)
    assert newest(whole)[1] == newest(parts)[1]
    assert newest(whole)[2] == newest(parts)[2]
    assert result.to_bytes(clock=False) == (
        rp.evaluate.Result.from_bytes(newest(whole)[0].result).to_bytes(clock=False)
    )


def test_messages_that_cannot_be_learned_are_dead_letters(rows, tmp_path):
    learn(str(rows), tmp_path)
    generation, _, dead = newest(tmp_path)
    lines = list(enumerate(rows.read_text().splitlines(), 1))
    wrong = [i for i, line in lines if not line.endswith("}") or "no number" in line]
    assert [int(place) for place, _, _ in dead] == wrong
    texts = [letter for letter in dead if letter[2] == b'{"x0": 1,']
    numbers = [letter for letter in dead if letter not in texts]
    assert {reason for _, reason, _ in texts} == {
        "this is not JSON: Expecting property name enclosed in double quotes at character 10"
    }
    assert len(numbers) == 3
    assert all(
        reason.startswith("column 'x1': 'no number' is not a number") for _, reason, _ in numbers
    )
    assert generation.counters["messages"] == 3000
    assert generation.counters["learned"] == 3000 - len(wrong) == generation.rows
    assert generation.counters["rejected"] == len(wrong)


def test_a_bad_message_can_end_the_learner(rows, tmp_path):
    with pytest.raises(BadMessagesError, match=r"message 997: this is not JSON"):
        learn(str(rows), tmp_path, on_bad="stop")
    assert newest(tmp_path)[0].rows <= 997


def test_a_format_that_changes_does_not_fill_the_dead_letters(rows, tmp_path):
    changed = tmp_path / "changed.jsonl"
    changed.write_text(rows.read_text() + '{"new": "format"}\n' * 5000)
    with pytest.raises(BadMessagesError, match=r"more than --max-bad 0\.1 allows"):
        learn(str(changed), tmp_path / "c")
    generation, _, dead = newest(tmp_path / "c")
    assert generation.counters["messages"] <= 3100
    assert len(dead) <= 110
    learn(str(changed), tmp_path / "c", max_bad=1.0)
    assert newest(tmp_path / "c")[0].counters["rejected"] == 5006


def test_rows_that_the_model_refuses_are_found_by_halving(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(
        "".join(
            json.dumps({"x": i % 7, "y": f"c{i % 3 if i % 400 else i}"}) + "\n" for i in range(2000)
        )
    )
    model = rp.VFDT(max_classes=3)
    found = rp.learn(model, str(path), target="y", checkpoint=tmp_path / "c", block=500).join(60)
    dead = newest(tmp_path / "c")[2]
    # Row 1 brings the class c0, which the others have too; of the rest each is a class too many.
    assert [int(place) for place, _, _ in dead] == [401, 801, 1201, 1601]
    assert all("class" in reason for _, reason, _ in dead)
    assert found.n == 1996


def test_a_lost_part_of_the_source_is_an_error_or_counted(rows, tmp_path):
    path = tmp_path / "rows.jsonl"
    shutil.copy(rows, path)
    learn(str(path), tmp_path / "c")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 3])
    with pytest.raises(GapError):
        learn(str(path), tmp_path / "c")
    learn(str(path), tmp_path / "c", on_gap="skip")
    counters = newest(tmp_path / "c")[0].counters
    assert counters["gaps"] == 1
    assert counters["messages"] > 3900


def test_another_source_and_another_job_are_refused(rows, tmp_path):
    path = tmp_path / "rows.jsonl"
    shutil.copy(rows, path)
    learn(str(path), tmp_path / "c")
    with pytest.raises(ValueError, match="its target is 'y', not 'c'"):
        learn(str(path), tmp_path / "c", target="c")
    with pytest.raises(ValueError, match="its source is"):
        learn(str(rows), tmp_path / "c")
    with pytest.raises(ValueError, match="its grace_period is 50, not 200"):
        rp.learn(rp.VFDT(), str(path), target="y", checkpoint=tmp_path / "c")
    path.write_bytes(path.read_bytes().replace(b'"x0"', b'"x9"'))
    with pytest.raises(IdentityError):
        learn(str(path), tmp_path / "c")


def test_a_damaged_generation_is_reported_and_the_one_before_is_used(rows, tmp_path):
    whole = tmp_path / "whole"
    learn(str(rows), whole)
    folder = tmp_path / "c"
    learn(str(rows), folder, rows=2000)
    model = folder / "models" / newest(folder)[0].file
    model.write_bytes(model.read_bytes()[:-9])
    said = []
    learn(str(rows), folder, report=said.append)
    assert any("DAMAGED" in text for text in said)
    assert newest(folder)[1] == newest(whole)[1]
    assert newest(folder)[0].counters == newest(whole)[0].counters


def test_a_running_learner_can_be_stopped_and_predicts_meanwhile(tmp_path):
    learning = rp.learn(rp.StreamTree(), "synth:sea", checkpoint=tmp_path, every=5000)
    while learning.result.n < 20_000:
        assert learning.running
    assert learning.model.predict_one({"x0": 1.0, "x1": 2.0, "x2": 3.0}) in (0, 1)
    with pytest.raises(TimeoutError):
        learning.join(0.0)
    with pytest.raises(FencedError):
        rp.learn(rp.StreamTree(), "synth:sea", checkpoint=tmp_path)
    learning.stop()
    assert learning.join(60).n == newest(tmp_path)[0].rows == learning.counters["learned"]
    assert "ended" in repr(learning)


class Flaky:
    """A source of two partitions that cannot be reached now and then."""

    name = "flaky://here"
    replayable = True

    def __init__(self, seed):
        self.identity = {"made": "once"}
        self._chance = np.random.default_rng(seed)
        self.committed_positions = None

    def open(self, positions, start):
        if self._chance.random() < 0.5:
            raise ConnectionError("not now")
        self._at = {p: positions.get(p, {"n": 0})["n"] for p in "ab"}

    def poll(self, most, timeout):
        if self._chance.random() < 0.2:
            raise ConnectionError("not now")
        if self._chance.random() < 0.1:
            return None
        left = [p for p in "ab" if self._at[p] < 1500]
        if not left:
            raise EndOfSource
        p = left[self._chance.integers(len(left))]
        first = self._at[p]
        self._at[p] = min(1500, first + 1 + int(self._chance.integers(min(most, 100))))
        rng = np.random.default_rng(ord(p))
        x = rng.normal(size=1500)
        values = [
            json.dumps({"x": x[i], "p": p, "y": int(x[i] > 0)}).encode() if i % 50 else None
            for i in range(first, self._at[p])
        ]
        return rp.sources.Chunk(p, {"n": first}, {"n": self._at[p]}, values)

    def seek(self, partition, position):
        self._at[partition] = position["n"]

    def behind(self):
        return {}

    def committed(self, positions):
        self.committed_positions = positions

    def close(self):
        pass


def test_several_partitions_are_replayed_in_the_order_of_the_plan(tmp_path, monkeypatch):
    monkeypatch.setattr("riparian.sources.reading._FIRST_PAUSE", 0.001)
    monkeypatch.setattr("riparian.sources.reading._POLL", 0.001)
    whole = Flaky(1)
    learn(whole, tmp_path / "whole", every=10**6)
    # The plan of the whole run, with no generation behind it: all of it is replayed.
    learn(Flaky(2), tmp_path / "again", every=10**6, rows=1)
    wanted = newest(tmp_path / "whole")[0]
    assert wanted.counters["messages"] == 3000
    assert whole.committed_positions == wanted.positions[0] == {"a": {"n": 1500}, "b": {"n": 1500}}
    for folder, seed in (("other", 5), ("same", 6)):
        shutil.copytree(tmp_path / "again", tmp_path / folder)
        shutil.rmtree(tmp_path / folder / "models")
        db = sqlite3.connect(tmp_path / folder / "state.db")
        db.execute("DELETE FROM generation")
        db.commit()
        db.close()
        shutil.rmtree(tmp_path / folder / "plan")
        os.mkdir(tmp_path / folder / "plan")
        if folder == "same":
            write_plan(tmp_path / "same" / "plan", Flaky(1))
            # Processes that end while they read the plan again leave the rest of it to the next.
            for end in (300, 700, 800):
                learn(Flaky(seed + end), tmp_path / folder, every=100, rows=end)
        learn(Flaky(seed), tmp_path / folder, every=10**6)
        equal = newest(tmp_path / folder)[1] == newest(tmp_path / "whole")[1]
        assert equal == (folder == "same")
        assert newest(tmp_path / folder)[0].counters == wanted.counters


def write_plan(folder, source):
    """Write the plan of a source's chunks as a learner before a crash would have written it."""
    from riparian.sources.plan import Entry, Plan

    plan = Plan(folder, 1)
    plan.resume(0)
    polled = False
    while True:
        try:
            if not polled:
                source.open({}, "beginning")
                polled = True
            chunk = source.poll(200, 0.0)
        except ConnectionError:
            continue
        except EndOfSource:
            break
        if chunk is not None:
            plan.append(Entry.of(0, chunk))
    plan.close()


# -- the command line -----------------------------------------------------------------------------


def run(*arguments):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_commands(rows, tmp_path):
    folder = tmp_path / "c"
    common = ["--target", "y", "--checkpoint", folder, "--block", 200, "--every", 500]
    status, _, said = run("learn", rows, *common, "--rows", 1000)
    assert (status, "generation" in said) == (0, True)
    status, out, said = run("learn", "--resume", folder, "--json")
    assert status == 0, said
    assert json.loads(out)["counters"]["messages"] == 3000
    assert "going on with generation" in said
    status, out, _ = run("checkpoints", folder, "--json", "--verify", "--dead", 2)
    found = json.loads(out)
    assert (status, found["job"]["messages"]["target"]) == (0, "y")
    assert found["generations"][0]["positions"][0][str(rows)]["row"] == 3000
    assert [g["problem"] for g in found["generations"]] == [None, None]
    assert [letter["place"] for letter in found["dead_letters"]] == ["2991", "2804"]
    status, out, _ = run("checkpoints", folder)
    assert (status, "were loaded" in out) == (0, False)
    assert "x0 numeric" in out
    status, out, _ = run("checkpoints", folder, "--verify")
    assert "2 of 2 models were loaded" in out
    status, out, _ = run("show", folder, "--json")
    assert (status, json.loads(out)["model"]) == (0, "StreamTree")
    path = folder / "models" / found["generations"][0]["file"]
    path.write_bytes(path.read_bytes()[:-1])
    status, out, said = run("checkpoints", folder, "--verify")
    assert (status, "DAMAGED" in out, "digest" in said) == (1, True, True)


def test_the_exit_codes(rows, tmp_path):
    path, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    shutil.copy(rows, path)
    assert run("learn", path, "--checkpoint", folder)[0] == 2
    assert run("learn", path, "--target", "y")[0] == 2
    assert run("learn", "--resume", tmp_path / "nothing")[0] == 2
    done = rows.parent / "done"
    assert run("learn", rows, "--target", "y", "--checkpoint", done, "--rows", 10)[0] == 0
    for ignored in (["--until-end"], ["--wait", "1h"], ["--flatten"], ["--format", "csv"]):
        status, _, said = run("learn", "--resume", done, *ignored)
        assert status == 2
        assert f"leave {ignored[0]} out" in " ".join(said.split())
    assert run("learn", path, "--target", "y", "--checkpoint", folder, "--every", "often")[0] == 2
    assert run("learn", path, "--target", "z", "--checkpoint", folder)[0] == 1
    assert run("learn", path, "--target", "y", "--checkpoint", folder)[0] == 0
    os.truncate(path, 1000)
    status, _, said = run("learn", "--resume", folder)
    assert (status, "--on-gap skip" in said) == (3, True)
    gate, done = threading.Event(), threading.Event()

    def hold():
        from riparian.sources.checkpoint import Checkpoint

        with Checkpoint(folder):
            gate.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    gate.wait(60)
    assert run("learn", "--resume", folder)[0] == 4
    done.set()
    holder.join()


def test_other_formats_from_the_command_line(tmp_path):
    text = "x,job,y\n" + "".join(f"{i % 9},{'ab'[i % 2]},{i % 2}\n" for i in range(400))
    for name, data in (("rows.csv", text), ("rows.tsv", text.replace(",", "\t"))):
        (tmp_path / name).write_text(data)
        folder = tmp_path / f"c-{name}"
        common = ("--target", "y", "--checkpoint", folder, "--recipe", "VFDT")
        status, _, said = run("learn", tmp_path / name, *common, "--rows", 50)
        assert status == 0, said
        status, out, said = run("learn", "--resume", folder, "--json")
        assert status == 0, said
        found = json.loads(out)
        assert (found["examples"], found["classes"]) == (400, [0, 1])
        assert found["result"]["accuracy"] > 0.7
    status, out, said = run(
        *("learn", "synth:agrawal?rows=3000", "--checkpoint", tmp_path / "s", "--json")
    )
    assert status == 0, said
    assert json.loads(out)["examples"] == 3000
