"""``riparian export``: files that run, and clear words where there can be none."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.streams import sea


def call(*arguments):
    return CliRunner().invoke(app, ["export", *map(str, arguments)])


@pytest.fixture
def data():
    X, y = sea(seed=2).take(20_000)
    return np.asarray(X), np.asarray(y)


@pytest.fixture
def model(tmp_path, data):
    path = tmp_path / "model.rip"
    rp.VFDT().fit(*data).save(path)
    return path


def test_python_is_written_to_standard_output(model, data):
    result = call(model, "--to", "python")
    assert result.exit_code == 0
    space = {}
    exec(result.stdout, space)
    X, _ = data
    want = rp.load(model).predict(X[:100]).tolist()
    assert [space["predict_one"](row) for row in X[:100].tolist()] == want


def test_sql_is_written_to_a_file_and_runs(model, data, tmp_path):
    out = tmp_path / "model.sql"
    result = call(model, "--to", "sql", "--table", "t", "--no-proba", "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"riparian: wrote {out}\n"
    X, _ = data
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (x0, x1, x2)")
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", X[:100].tolist())
    rows = base.execute(out.read_text()).fetchall()
    got = {row[:3]: row[4] for row in rows}
    want = rp.load(model).predict(X[:100]).tolist()
    assert [got[tuple(row)] for row in X[:100].tolist()] == want


def test_onnx_c_text_and_dot(model, data, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    out = tmp_path / "model.onnx"
    assert call(model, "--to", "onnx", "--dtype", "float32", "--out", out).exit_code == 0
    session = onnxruntime.InferenceSession(out.read_bytes(), providers=["CPUExecutionProvider"])
    X = data[0][:100].astype(np.float32)
    assert session.run(["label"], {"X": X})[0].tolist() == rp.load(model).predict(X).tolist()
    assert (
        "int river_predict(const double *x)" in call(model, "--to", "c", "--name", "river").stdout
    )
    learned = rp.load(model)
    assert (
        call(model, "--to", "text", "--depth", 1).stdout == learned.export_text(max_depth=1) + "\n"
    )
    assert call(model, "--to", "dot").stdout == learned.export_graphviz() + "\n"


def test_leaves_that_compute_are_exported_or_read_as_majority_leaves(tmp_path, data):
    path = tmp_path / "bayes.rip"
    rp.HoeffdingTree().fit(*data).save(path)
    assert "exp(" in call(path, "--to", "c").stdout
    assert "exp(" not in call(path, "--to", "c", "--leaf", "majority").stdout
    assert call(path, "--to", "text").exit_code == 0


def test_the_model_of_a_run_is_exported_to_every_format(tmp_path):
    path = tmp_path / "model.rip"
    run = ["run", "synth:drifting", "--rows", "3000", "--model-out", str(path)]
    assert CliRunner().invoke(app, run).exit_code == 0
    for to in ("sql", "python", "c", "onnx"):
        result = call(path, "--to", to, "--out", tmp_path / f"model.{to}")
        assert (result.exit_code, result.stderr) == (0, f"riparian: wrote {tmp_path}/model.{to}\n")
    compile((tmp_path / "model.python").read_text(), "model.py", "exec")


def test_what_no_format_can_express_is_refused_with_the_remedy(tmp_path, data):
    path = tmp_path / "options.rip"
    rp.HoeffdingOptionTree().fit(*data).save(path)
    result = call(path, "--to", "c")
    assert result.exit_code == 1
    assert result.stderr.startswith("riparian: export cannot express a tree with options")
    assert "use a tree without options" in result.stderr
    assert result.stderr.count("\n") == 1
    rng = np.random.default_rng(0)
    rp.HoeffdingTree().fit(rng.normal(size=(300, 80)), np.arange(300) % 10).save(path)
    result = call(path, "--to", "sql")
    assert "--to python, --to c and --to onnx support any number" in result.stderr


@pytest.mark.parametrize(
    "forest",
    [
        rp.AdaptiveRandomForest(estimator=rp.VFDT(), n_estimators=3),
        rp.AccuracyWeightedEnsemble(estimator=rp.VFDT()),
        rp.UFFT(leaf="majority", n_min="fixed", grace_period=200),
        rp.OADT(depth=3),
    ],
    ids=lambda m: type(m).__name__,
)
def test_forests_and_planes_are_exported(tmp_path, data, forest):
    X, y = data
    path = tmp_path / "forest.rip"
    forest.fit(X[:5000], y[:5000]).save(path)
    space = {}
    exec(call(path, "--to", "python").stdout, space)
    assert [space["predict_one"](x) for x in X[:50].tolist()] == forest.predict(X[:50]).tolist()
    assert "void tree_probabilities" in call(path, "--to", "c").stdout
    assert call(path, "--to", "text").stdout.rstrip() == forest.export_text().rstrip()
    sql, drawn = call(path, "--to", "sql"), call(path, "--to", "dot", "--member", 0)
    if isinstance(forest, rp.OADT):
        assert "hyperplanes have no SQL form" in sql.stderr
        assert (drawn.exit_code, "OADT has no members" in drawn.stderr) == (2, True)
        assert "whose nodes are hyperplanes" in call(path, "--to", "dot").stderr
    else:
        assert "riparian_sums" in sql.stdout
        assert drawn.stdout == forest.export_graphviz(member=0) + "\n"
        assert "trees, and 0 is the first" in call(path, "--to", "dot").stderr


def test_iti_is_exported_once_it_is_said_what_missing_values_do(tmp_path, data):
    X, y = data
    path = tmp_path / "iti.rip"
    rp.ITI().fit(X[:300], y[:300]).save(path)
    assert "down both branches of a test" in call(path, "--to", "c").stderr
    assert "--missing fails sends it down the second" in call(path, "--to", "c").stderr
    assert call(path, "--to", "c", "--missing", "fails").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--to", "cobol"], "--to must be one of"),
        (["--to", "onnx"], "ONNX is a binary format"),
        (["--to", "c", "--table", "t"], "is only for --to sql"),
        (["--to", "sql", "--depth", "3"], "is only for --to text or dot"),
        (["--to", "text", "--member", "3"], "is only for forests: VFDT has no members"),
        ([], "Missing option '--to'"),
    ],
)
def test_wrong_usage_has_status_2(model, arguments, says):
    result = call(model, *arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())


def test_a_file_that_cannot_be_written_is_told_before_the_work(model, tmp_path):
    result = call(model, "--to", "c", "--out", tmp_path / "no" / "x.c")
    assert result.exit_code == 1
    assert "there is no folder" in result.stderr
