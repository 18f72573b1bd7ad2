"""Learn a source with a team of workers: the same bytes, also after kills."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import riparian as rp
from riparian.cli.app import app
from riparian.cluster.rounds import Rounds
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.plan import Plan
from tests.cluster.parts import digest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> Path:
    """Messages with gaps, faults, and features, categories and classes that come later."""
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rng = np.random.default_rng(1)
    with path.open("w", encoding="utf-8") as file:
        for i in range(14_000):
            a, b = rng.normal(size=2)
            row = {"a": a, "b": b, "job": rng.choice(["nurse", "cook"]) if i % 3 else "clerk"}
            if i > 6000:
                row |= {"late": rng.normal(), "town": rng.choice(["Oslo", "Rome", "Bern"])}
            if i > 8000 and i % 5 == 0:
                row["job"] = "pilot"
            if i % 11 == 0:
                del row["a"]
            row["y"] = "yes" if a + (row["job"] == "cook") > 0.4 else "no"
            if i > 7000 and b > 1.6:
                row["y"] = "maybe"
            file.write((json.dumps(row) if i % 700 else "{bad") + "\n")
    return path


def learned(path: Path, folder: Path, pool: rp.cluster.Pool, **options):
    options = {"target": "y", "alone": 2000, "block": 900, "every": 1500, **options}
    learning = rp.cluster.learn(
        rp.VFDT(grace_period=100), path, pool=pool, checkpoint=folder, **options
    )
    learning.join(300)
    return learning


@pytest.fixture(scope="module")
def whole(rows, tmp_path_factory):
    with rp.cluster.threads(1) as pool:
        return learned(rows, tmp_path_factory.mktemp("whole"), pool)


def test_a_source_is_learned_in_rounds(whole):
    assert whole.counters["learned"] == whole.result.n == whole.model.n_seen_ == 13_980
    assert whole.counters["rejected"] == 20
    assert whole.counters["messages"] == 14_000
    assert whole.result.accuracy > 0.8
    assert whole.model.n_leaves_ > 3
    assert sorted(whole.model.classes_.tolist()) == ["maybe", "no", "yes"]
    assert {"late", "town"} <= set(whole.model.feature_names_in_)


@pytest.mark.parametrize("workers", [2, 5])
def test_threads_give_the_same_bytes(rows, whole, tmp_path, workers):
    with rp.cluster.threads(workers) as pool:
        found = learned(rows, tmp_path, pool)
    assert digest(found.model) == digest(whole.model)
    assert found.result.to_bytes(clock=False) == whole.result.to_bytes(clock=False)


def test_processes_give_the_same_bytes(rows, whole, tmp_path):
    with rp.cluster.processes(2) as pool:
        found = learned(rows, tmp_path, pool)
    assert digest(found.model) == digest(whole.model)


def test_a_stopped_learner_goes_on_with_other_workers(rows, tmp_path):
    """A stop ends a round early, so that the bytes are those of such a run, for any workers."""
    found = []
    for first, second in ((1, 3), (2, 1)):
        folder = tmp_path / f"{first}"
        with rp.cluster.threads(first) as pool:
            learned(rows, folder, pool, rows=6000)
        with rp.cluster.threads(second) as pool:
            learning = learned(rows, folder, pool)
        assert learning.counters["learned"] == 13_980
        found.append(digest(learning.model))
    assert len(set(found)) == 1


def test_another_number_of_shards_is_another_job(rows, tmp_path):
    with rp.cluster.threads(1) as pool:
        learned(rows, tmp_path, pool, rows=3000)
        with pytest.raises(ValueError, match="its shards is 16, not 4"):
            learned(rows, tmp_path, pool, shards=4)
    with pytest.raises(ValueError, match="its shards is 16"):
        rp.learn(rp.VFDT(grace_period=100), rows, target="y", checkpoint=tmp_path)


def test_what_cannot_be_learned_by_workers_is_refused(rows, tmp_path):
    with rp.cluster.threads(1) as pool:
        with pytest.raises(ValueError, match="UFFT cannot be learned by several workers"):
            rp.cluster.learn(rp.UFFT(), rows, target="y", pool=pool, checkpoint=tmp_path)
        with pytest.raises(ValueError, match="labels from another source"):
            rp.cluster.learn(
                *(rp.VFDT(), rows),
                pool=pool,
                labels=rows,
                key="a",
                label="y",
                checkpoint=tmp_path,
            )


PROGRAM = """
import sys
import riparian as rp
if __name__ == "__main__":
    kind, rows, folder = sys.argv[1:]
    with {"threads": rp.cluster.threads, "processes": rp.cluster.processes}[kind](2) as pool:
        print("begun", flush=True)
        rp.cluster.learn(
            rp.VFDT(grace_period=100), rows, target="y", pool=pool, checkpoint=folder,
            alone=2000, block=900, every=1500,
        ).join()
"""


def lives(program: Path, kind: str, rows: Path, folder: Path, rng: random.Random, most: int) -> int:
    """Run a learner until it has learned all; return how often it was killed, at most `most` times.

    Processes need longer to start.
    """
    longest = 2.0 if kind == "threads" else 6.0
    for life in range(most + 1):
        with subprocess.Popen(
            [sys.executable, program, kind, rows, folder],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(None if life == most else rng.uniform(0.05, longest))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            else:
                assert process.returncode == 0
                return life
    raise AssertionError("not reached")


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("threads", 1),
        pytest.param("threads", 20, marks=pytest.mark.slow),
        pytest.param("processes", 20, marks=pytest.mark.slow),
    ],
)
def test_a_coordinator_that_is_killed_goes_on_where_it_was(rows, whole, tmp_path, kind, kills):
    program = tmp_path / "program.py"  # processes import the main program
    program.write_text(PROGRAM, "utf-8")
    rng = random.Random(2)
    killed, runs = 0, 0
    while killed < kills:
        folder = tmp_path / f"checkpoint{runs}"
        killed += lives(program, kind, rows, folder, rng, kills - killed)
        runs += 1
        with Checkpoint(folder) as checkpoint:
            model = checkpoint.load(checkpoint.generations()[0])
        assert model.n_seen_ == 13_980
        model.positions_ = whole.model.positions_
        assert digest(model) == digest(whole.model)


@pytest.mark.parametrize("alone", [0, 300])
def test_first_messages_without_a_class_are_left_out(tmp_path, alone):
    """Workers learn the rest, although the coordinator could learn none of its own messages."""
    rng = np.random.default_rng(4)
    path = tmp_path / "rows.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i, a in enumerate(rng.normal(size=4000)):
            row = {"a": a} | ({"y": "yes" if a > 0.3 else "no"} if i >= 900 else {})
            file.write(json.dumps(row) + "\n")
    found = []
    for workers in (1, 3):
        with rp.cluster.threads(workers) as pool:
            options = {"alone": alone, "block": 300, "max_bad": 1.0}
            learning = learned(path, tmp_path / f"{workers}", pool, **options)
        assert learning.counters["learned"] == learning.model.n_seen_ == 3100
        assert learning.counters["rejected"] == 900
        found.append(digest(learning.model))
    assert found[0] == found[1]


class Killed(BaseException):
    pass


def killed_before_round(number, monkeypatch, path, folder, **options):
    """Learn until some rounds were learned; what follows is as if the process was killed."""
    rounds = []

    def learn(self, *lesson):
        rounds.append(self)
        if len(rounds) == number:
            raise Killed
        return of_rounds(self, *lesson)

    of_rounds = Rounds.learn
    with monkeypatch.context() as patch, rp.cluster.threads(2) as pool:
        patch.setattr(Rounds, "learn", learn)
        with pytest.raises(Killed):
            learned(path, folder, pool, **options)


def test_a_checkpoint_amid_a_plan_leaves_what_was_not_learned_again(
    rows, whole, tmp_path, monkeypatch
):
    killed_before_round(4, monkeypatch, rows, tmp_path, every=20_000)
    killed_before_round(3, monkeypatch, rows, tmp_path, every=1)
    with Checkpoint(tmp_path) as checkpoint:
        newest = checkpoint.generations()[0]
        plan = Plan(tmp_path / "plan", checkpoint.epoch)
        left = plan.resume(newest.plan)
        plan.close()
    assert 2000 < newest.counters["messages"] < 14_000
    assert left
    assert {left[0].partition: dict(left[0].first)} == newest.positions[0]
    with rp.cluster.threads(2) as pool:
        found = learned(rows, tmp_path, pool)
    found.model.positions_ = whole.model.positions_
    assert digest(found.model) == digest(whole.model)


def riparian(*args: object) -> Result:
    return CliRunner().invoke(app, list(map(str, args)))


def test_the_command_line(rows, tmp_path):
    options = ["--target", "y", "--recipe", "VFDT", "--set", "grace_period=100", "--quiet"]
    found = []
    for workers in (1, 2):
        out = tmp_path / f"{workers}.rip"
        good = tmp_path / "good.jsonl"
        lines = rows.read_text("utf-8").splitlines()
        good.write_text("\n".join(line for line in lines if "bad" not in line), "utf-8")
        done = riparian("run", good, *options, "--workers", workers, "--model-out", out)
        assert done.exit_code == 0, done.stderr
        found.append(digest(rp.load(out)))
    assert found[0] == found[1]
    folder = tmp_path / "checkpoint"
    done = riparian("learn", rows, *options, "--checkpoint", folder, "--workers", 1)
    assert done.exit_code == 0, done.stderr
    done = riparian("learn", "--resume", folder)
    assert done.exit_code == 1
    assert "name --workers or --ray again" in done.stderr
    done = riparian("learn", "--resume", folder, "--workers", 1, "--quiet")
    assert done.exit_code == 0, done.stderr
    done = riparian("learn", rows, *options, "--checkpoint", folder, "--shards", 4)
    assert done.exit_code == 2


# -- rows in memory -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 9000))
    job = rng.choice(["nurse", "cook"], 9000)
    y = np.where(a + (job == "cook") > 0.4, "yes", "no")
    a[rng.random(9000) < 0.1] = np.nan
    return pd.DataFrame({"a": a, "b": b, "job": job, "y": y})


def learned_in_memory(data, target, workers: int = 2, **options):
    model = rp.VFDT(grace_period=100)
    with rp.cluster.threads(workers) as pool:
        options = {"alone": 2000, "block": 1000, **options}
        learning = rp.cluster.learn(model, data, target=target, pool=pool, **options)
        learning.join(300)
    assert learning.model is model
    assert learning.counters["learned"] == learning.result.n == model.n_seen_
    return learning


def test_rows_in_memory_give_the_same_bytes_in_every_form(frame):
    import pyarrow as pa

    whole = learned_in_memory(frame, "y")
    assert whole.model.n_seen_ == 9000
    assert whole.model.n_leaves_ > 2
    assert whole.result.accuracy > 0.7
    others = [
        learned_in_memory(frame, "y", workers=1),
        learned_in_memory(frame.drop(columns="y"), frame["y"]),
        learned_in_memory(pa.Table.from_pandas(frame), "y"),
        learned_in_memory({name: frame[name].to_numpy() for name in frame}, "y"),
    ]
    assert {digest(found.model) for found in others} == {digest(whole.model)}
    part = learned_in_memory(frame, "y", rows=4500)
    assert part.model.n_seen_ == 4500


def test_an_array_in_memory_is_predicted_as_an_array(frame):
    X, y = frame[["a", "b"]].to_numpy(), frame["y"].to_numpy()
    model = learned_in_memory(X, y).model
    assert set(model.predict(X[:10])) <= {"yes", "no"}
    assert digest(model) == digest(learned_in_memory(X.tolist(), y.tolist(), workers=3).model)


def test_what_rows_in_memory_do_not_have_is_refused(frame, tmp_path):
    with rp.cluster.threads(1) as pool:
        with pytest.raises(ValueError, match="target must"):
            rp.cluster.learn(rp.VFDT(), frame, pool=pool)
        with pytest.raises(TypeError, match="checkpoint is for sources"):
            rp.cluster.learn(rp.VFDT(), frame, target="y", pool=pool, checkpoint=tmp_path)
        with pytest.raises(ValueError, match="LeveragingBagging cannot be learned by several"):
            rp.cluster.learn(rp.LeveragingBagging(), frame, target="y", pool=pool)


@pytest.mark.parametrize("kind", [rp.VFDT, rp.OnlineBagging])
@pytest.mark.parametrize("row", [700, 5003, 8999])
def test_an_error_of_rows_in_memory_names_the_row(frame, kind, row):
    X, y = np.array(frame[["a", "b"]]), frame["y"].to_numpy()
    X[row, 1] = np.inf
    with rp.cluster.threads(2) as pool:
        learning = rp.cluster.learn(kind(), X, target=y, pool=pool, alone=1000, block=500)
        with pytest.raises(ValueError, match=f"column 'x1', row {row}: inf cannot be learned"):
            learning.join(120)


def test_a_forest_of_rows_in_memory_is_that_of_one_process(frame):
    one, many = (rp.StreamForest(n_estimators=3) for _ in range(2))
    one.partial_fit(frame.drop(columns="y"), frame["y"])
    with rp.cluster.threads(2) as pool:
        rp.cluster.learn(many, frame, target="y", pool=pool, alone=1000, block=700).join(120)
    assert digest(many) == digest(one)
