"""Labels that come late: who waits, who expires, and what is learned when."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

import riparian as rp
from riparian.data.block import Block
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.join import Join, JoinSettings, block_of
from tests.sources.test_learn import newest, run


def joined(state=None, counted=None, **settings):
    counted = {"expired": 0, "duplicate": 0, "orphan": 0} if counted is None else counted

    def count(name, n):
        counted[name] += n

    return Join(JoinSettings("id", "y", **settings), state or {}, count), counted


def rows(join, keys, times, said=None):
    X = Block({"x": np.arange(len(keys), dtype=float)}, len(keys))
    join.see("rows", times)
    return join.add_rows(keys, times, said or [None] * len(keys), X)


def labels(join, keys, times, values):
    join.see("labels", times)
    return join.add_labels(keys, times, values)


def test_a_row_is_learned_when_its_label_comes():
    join, counted = joined()
    assert rows(join, ["a", "b", "c"], [1, 2, 3], ["yes", "no", None]).ids == []
    found = labels(join, ["c", "a"], [4, 5], ["no", "yes"])
    X, predicted = block_of(found.rows, ["x"])
    assert (found.ids, predicted, found.labels) == (["c", "a"], [None, "yes"], ["no", "yes"])
    assert X["x"].tolist() == [2.0, 0.0]
    assert join.n_pending == 1
    assert not any(counted.values())


def test_a_label_may_be_faster_than_its_row():
    join, counted = joined()
    assert labels(join, ["a"], [1], ["yes"]).ids == []
    found = rows(join, ["a"], [2], ["no"])
    assert (found.ids, found.labels) == (["a"], ["yes"])
    assert not any(counted.values())


def test_second_labels_and_labels_of_nobody_are_counted():
    join, counted = joined(wait=10.0)
    rows(join, ["a", "b"], [0, 0])
    labels(join, ["a", "a", "z", "z"], [1, 2, 3, 4], ["yes", "no", "yes", "no"])
    assert counted == {"expired": 0, "duplicate": 2, "orphan": 0}
    join.see("rows", [30_000])
    assert join.expire().ids == []  # the labels are not so far yet
    join.see("labels", [30_000])
    join.expire()
    assert counted == {"expired": 1, "duplicate": 2, "orphan": 1}


def test_a_row_that_waited_too_long_is_learned_with_the_other_label():
    join, counted = joined(wait=10.0, otherwise="no")
    rows(join, ["a", "b"], [0, 8000])
    join.see("labels", [0])
    join.see("rows", [15_000])
    join.see("labels", [15_000])
    found = join.expire()
    assert (found.ids, found.labels, counted["expired"]) == (["a"], ["no"], 1)
    assert join.n_pending == 1


def test_rows_are_left_out_within_dedupe_and_beyond_max_pending():
    join, counted = joined(dedupe=60.0, max_pending=3)
    rows(join, ["a", "b", "a"], [0, 1, 2])
    assert counted["duplicate"] == 1
    rows(join, ["c", "d"], [3, 4])
    assert (join.n_pending, counted["expired"]) == (3, 1)
    labels(join, ["a"], [5], ["yes"])
    assert counted["orphan"] == 1  # the oldest row is gone


@pytest.mark.parametrize("seed", range(5))
def test_what_waits_comes_back_from_the_tables(seed, tmp_path):
    """After any checkpoint a restored join does what the one before would have done."""
    rng = np.random.default_rng(seed)
    settings = {"wait": 20.0, "dedupe": 5.0, "max_pending": 12, "otherwise": "no"}
    whole, wanted = joined(**settings)
    parted, counted = joined(**settings)
    with Checkpoint(tmp_path) as checkpoint:
        for step in range(120):
            n, late = int(rng.integers(1, 6)), int(rng.integers(0, 2))
            keys = [f"k{step + int(i)}" for i in rng.integers(-8, 8, n)]
            times = (1000 * step + rng.integers(-3000, 3000, n)).tolist()
            one, other = (
                labels(join, keys, times, ["yes"] * n) if late else rows(join, keys, times)
                for join in (parted, whole)
            )
            assert one == other
            assert parted.expire() == whole.expire()
            assert counted == wanted
            if rng.random() < 0.3:
                with checkpoint.writing() as db:
                    for statement, parameters in parted.changes():
                        db.executemany(statement, parameters)
                state = json.loads(json.dumps(parted.state()))
                parted, _ = joined(state, counted, **settings)
                parted.restore(checkpoint.table)
    assert min(counted.values()) > 0
    assert whole.n_pending == parted.n_pending


def test_rows_of_all_kinds_come_back_as_they_were():
    X = Block(
        {"x": np.array([1.5, np.nan]), "c": np.array(["a", None], dtype=object)},
        2,
    )
    join, _ = joined()
    join.add_rows(["1", "2"], [0, 0], [None, None], X)
    found = join.add_labels(["1", "2"], [0, 0], ["yes", "no"])
    again, _ = block_of(found.rows, ["x", "c", "gone"])
    assert list(again) == ["x", "c"]
    np.testing.assert_array_equal(again["x"], X["x"])
    assert again["c"].tolist() == ["a", None]


def test_a_burst_of_rows_needs_little_more_than_what_is_kept_of_it():
    """After an outage thousands come at once; objects of all of them would leave holes."""
    n, chance = 4000, np.random.default_rng(1)
    X = Block({f"x{j}": chance.normal(size=n) for j in range(8)}, n)
    keys = [str(i) for i in range(n)]
    join, _ = joined()
    tracemalloc.start()
    try:
        join.add_rows(keys, [0] * n, ["yes"] * n, X)
        kept, peak = tracemalloc.get_traced_memory()
        assert peak - kept < 250_000  # one dict of eight numbers has 500 bytes
        found = join.add_labels(keys, [0] * n, ["no"] * n)
        tracemalloc.reset_peak()
        again, predicted = block_of(found.rows, list(X))
        kept, peak = tracemalloc.get_traced_memory()
        assert peak - kept < 250_000
    finally:
        tracemalloc.stop()
    assert predicted == ["yes"] * n
    for name in X:
        np.testing.assert_array_equal(again[name], X[name])


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(3)
    x = rng.normal(size=1500)
    with open(tmp_path / "rows.jsonl", "w") as file:
        for i in range(1500):
            file.write(json.dumps({"id": i, "when": 10 * i, "x": x[i]}) + "\n")
    with open(tmp_path / "labels.jsonl", "w") as file:
        for i in range(1500):
            if i % 10:
                label = {"id": i, "when": 10 * i + 60, "clicked": int(x[i] > 0)}
                file.write(json.dumps(label) + "\n")
    return tmp_path


def test_the_command_joins_and_resumes(files):
    command = ("learn", files / "rows.jsonl", "--labels", files / "labels.jsonl")
    command += (
        "--key",
        "id",
        "--label",
        "clicked",
        "--time",
        "when",
        "--wait",
        "200s",
        "--else",
        0,
    )
    command += ("--checkpoint", files / "c", "--recipe", "VFDT", "--block", 100)
    status, _, said = run(*command, "--rows", 500)
    assert status == 0, said
    status, out, said = run("learn", "--resume", files / "c", "--json")
    assert status == 0, said
    found = json.loads(out)
    counters = found["counters"]
    assert counters["messages"] == 1500 + 1350
    assert counters["learned"] + counters["orphan"] >= 1350 + counters["expired"]
    assert 140 <= counters["expired"] <= 150
    assert found["classes"] == [0, 1]
    assert found["result"]["accuracy"] > 0.7
    # Rows whose labels were faster have not waited.
    assert 1000 < newest(files / "c")[0].state["join"]["seq"] <= 1500
    status, out, _ = run("checkpoints", files / "c")
    assert (status, "labels from" in out) == (0, True)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"labels": "labels.jsonl"}, "labels need key and label"),
        ({"labels": "labels.jsonl", "key": "id", "label": "y", "target": "y"}, "leave out target"),
        ({"labels": "labels.jsonl", "key": "id", "label": "y", "otherwise": "no"}, "needs wait"),
        ({}, "target must name"),
    ],
)
def test_wrong_combinations_are_refused(files, options, problem):
    if "labels" in options:
        options["labels"] = files / options["labels"]
    with pytest.raises(ValueError, match=problem):
        rp.learn(rp.VFDT(), files / "rows.jsonl", checkpoint=files / "c", **options)
