"""``riparian learn --model-in``: a model from a history goes on with a source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import riparian as rp
from riparian.sources.checkpoint import Checkpoint
from riparian.storage.modelfile import to_bytes
from tests import inside


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("history") / "model.rip"
    X, y = rp.streams.sea(seed=1).take(8000)
    columns = {f"x{i}": X[:, i] for i in range(X.shape[1])}
    with rp.cluster.threads(1) as pool:
        rp.cluster.planet(columns, y, max_depth=3, pool=pool, model=rp.VFDT()).save(path)
    return path


@pytest.fixture
def rows(tmp_path) -> Path:
    path = tmp_path / "rows.jsonl"
    X, y = rp.streams.sea(seed=2).take(600)
    lines = [
        json.dumps({"x0": a, "x1": b, "x2": c, "y": int(label)})
        for (a, b, c), label in zip(X.tolist(), y, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def newest(folder: Path):
    with Checkpoint(folder) as checkpoint:
        found = checkpoint.generations()
        return checkpoint.load(found[0]), [generation.reason for generation in found]


def test_the_command_goes_on_with_a_model(history, rows, tmp_path):
    folder = tmp_path / "checkpoint"
    command = [sys.executable, "-m", "riparian", "learn"]
    given = [rows, "--target", "y", "--checkpoint", folder, "--model-in", history, "--quiet"]
    done = subprocess.run(
        [*command, *map(str, given)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    model, reasons = newest(folder)
    assert model.n_seen_ == 600
    assert model.splits()[0].reason == "seeded"
    assert reasons[-1] == "start"
    done = subprocess.run(
        [*command, *map(str, [*given, "--recipe", "VFDT"])],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert "--model-in" in done.stderr


def test_the_model_is_in_the_checkpoint_before_the_first_row(history, rows, tmp_path, monkeypatch):
    """Whoever resumes after a crash has the history, not a new model."""

    def die(*args: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        inside.replace_learning(patched, die)
        learning = rp.learn(rp.load(history), rows, target="y", checkpoint=tmp_path / "one")
        with pytest.raises(RuntimeError, match="killed"):
            learning.join(120)
    model, reasons = newest(tmp_path / "one")
    assert reasons == ["start"]
    assert model.n_leaves_ == rp.load(history).n_leaves_ > 4
    # The model that is given then counts only by its parameters.
    again = rp.learn(rp.VFDT(), rows, target="y", checkpoint=tmp_path / "one")
    again.join(120)
    whole = rp.learn(rp.load(history), rows, target="y", checkpoint=tmp_path / "two")
    whole.join(120)
    assert to_bytes(again.model) == to_bytes(whole.model)
