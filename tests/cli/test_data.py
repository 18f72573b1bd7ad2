"""What the command line says of its data: other formats, bad rows, files that break off."""

import csv
import gzip
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import riparian
from riparian.cli.app import app


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def rows():
    x = np.random.default_rng(0).normal(size=3000)
    return [f"{value:.5f},{'high' if value > 0 else 'low'}" for value in x]


@pytest.fixture
def spoilt(tmp_path, rows):
    """A file with three bad rows among 3,000 good ones."""
    path = tmp_path / "spoilt.csv"
    mixed = [*rows[:5], "1", *rows[5:2000], "2,", *rows[2000:], "3,4,5"]
    path.write_text("\n".join(["x,y", *mixed]) + "\n")
    return path


@pytest.fixture
def model(tmp_path, rows):
    path = tmp_path / "model.rip"
    (tmp_path / "good.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    assert call("run", tmp_path / "good.csv", "--target", "y", "--model-out", path).exit_code == 0
    return path


def test_a_bad_row_is_one_line_that_names_it(spoilt):
    result = call("run", spoilt, "--target", "y")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "riparian: row 6: 1 field, but the header has 2 fields\n"


def test_bad_rows_are_skipped_counted_and_told(tmp_path, spoilt, model):
    out, page = tmp_path / "m.rip", tmp_path / "r.html"
    arguments = ["run", spoilt, "--target", "y", "--skip-bad-rows", "--model-out", out]
    result = call(*arguments, "--report", page)
    assert result.exit_code == 0
    assert (
        "riparian: skipped 3 rows that cannot be read; the first: row 6: 1 field, but the header "
        "has 2 fields\n"
    ) in result.stderr
    assert "rows      3,000" in result.stdout
    assert "skipped   3\n" in result.stdout
    assert "<dt>rows skipped</dt><dd>3</dd>" in page.read_text("utf-8")
    assert out.read_bytes() == model.read_bytes()
    report = json.loads(call(*arguments, "--json").stdout)
    assert (report["result"]["rows"], report["result"]["skipped"]) == (3000, 3)


def test_a_file_of_bad_rows_alone_has_no_rows(tmp_path):
    (tmp_path / "b.csv").write_text("x,y\n1\n2\n")
    result = call("run", tmp_path / "b.csv", "--target", "y", "--skip-bad-rows")
    assert result.exit_code == 1
    assert "skipped 2 rows" in result.stderr
    assert "has no rows" in result.stderr


@pytest.fixture
def cut(tmp_path, rows):
    path = tmp_path / "cut.csv.gz"
    packed = gzip.compress("\n".join(["x,y", *rows]).encode())
    path.write_bytes(packed[: len(packed) * 2 // 3])
    return path


def test_a_file_cut_short_is_one_line_and_nothing_is_written(tmp_path, cut):
    result = call("run", cut, "--target", "y", "--model-out", tmp_path / "m.rip")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "the compressed file is damaged or ends too early" in result.stderr
    assert not (tmp_path / "m.rip").exists()


def test_with_skipping_all_before_the_cut_is_learned_and_then_it_is_said(tmp_path, cut):
    arguments = ["run", cut, "--target", "y", "--skip-bad-rows", "--model-out", tmp_path / "m.rip"]
    result = call(*arguments, "--json")
    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert "the compressed file is damaged" in last
    assert last.endswith("; all rows before it were learned")
    report = json.loads(result.stdout)
    n = report["result"]["rows"]
    assert 1000 < n < 3000
    assert report["damaged"].startswith(f"row {n + 1}:")
    assert riparian.load(tmp_path / "m.rip").n_seen_ == n
    assert f"rows      {n:,} before the damage" in call(*arguments).stdout


def test_answers_stay_beside_their_rows(tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("x\n1\nbad\n-1\n1,2\n2\n")
    assert call("predict", model, path).exit_code == 1
    for block in (1, 2, 100):
        result = call("predict", model, path, "--skip-bad-rows", "--block", block)
        assert result.exit_code == 0
        assert list(csv.reader(result.stdout.splitlines())) == [
            *(["prediction"], ["high"], [""], ["low"], [""], ["high"])
        ]
        assert "riparian: skipped 2 rows that cannot be read; the first: column 'x', row 2" in (
            result.stderr
        )
    result = call("predict", model, path, "--skip-bad-rows", "--proba")
    assert {len(row) for row in csv.reader(result.stdout.splitlines())} == {3}


def test_answers_up_to_a_cut_are_written(tmp_path, model, cut):
    out = tmp_path / "a.csv"
    result = call("predict", model, cut, "--out", out)
    assert result.exit_code == 1
    assert not out.exists()
    result = call("predict", model, cut, "--out", out, "--skip-bad-rows")
    assert result.exit_code == 1
    assert result.stderr.endswith("; all rows before it were predicted\n")
    assert 1000 < len(out.read_text().splitlines()) < 3000


def test_arff_and_libsvm_need_no_target(tmp_path, rows):
    head = "@relation r\n@attribute x real\n@attribute class {high,low}\n@data\n"
    (tmp_path / "d.arff").write_text(head + "\n".join(rows) + "\n")
    sparse = [f"{int(r.endswith('high'))} 1:{r.split(',')[0]}" for r in rows]
    (tmp_path / "d.libsvm").write_text("\n".join(sparse) + "\n")
    for name in ("d.arff", "d.libsvm"):
        out = tmp_path / "m.rip"
        report = json.loads(call("run", tmp_path / name, "--json", "--model-out", out).stdout)
        assert report["result"]["rows"] == 3000
        assert report["result"]["accuracy"] > 0.9
        answers = call("predict", out, tmp_path / name)
        assert answers.exit_code == 0, answers.stderr
        assert len(answers.stdout.splitlines()) == 3001
    result = call("run", tmp_path / "d.arff", "--target", "nothing")
    assert "there is no column 'nothing' to be the target" in result.stderr


def test_predict_takes_an_absent_index_as_zero(tmp_path):
    lines = [f"{i % 2} 1:{i % 7} 2:{i % 2}" for i in range(2000)]
    (tmp_path / "t.libsvm").write_text("\n".join(lines) + "\n")
    out = tmp_path / "m.rip"
    assert call("run", tmp_path / "t.libsvm", "--model-out", out).exit_code == 0
    (tmp_path / "n.libsvm").write_text("0 1:3\n")
    result = call("predict", out, tmp_path / "n.libsvm")
    assert (result.stdout, result.stderr) == ("prediction\n0\n", "")


def test_a_table_still_needs_its_target(spoilt):
    result = call("run", spoilt)
    assert result.exit_code == 2
    assert "--target" in result.stderr


@pytest.mark.filterwarnings("default:column 'id'")
def test_a_warning_is_one_line_without_a_place_in_the_package(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id,x,y\n" + "".join(f"u{i},{i % 7},{i % 2}\n" for i in range(1500)))
    result = call("run", path, "--target", "y", "--quiet")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "riparian: column 'id': 1,000 of its first 1,000 values were new, so it is treated as an "
        "identifier and left out; declare it in categorical_features to keep it"
    ]
