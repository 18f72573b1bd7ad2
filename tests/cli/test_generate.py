"""Streams as files: what is read back is what the stream gives."""

import io
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from riparian import streams
from riparian.cli.app import app
from riparian.evaluate import named_blocks
from riparian.streams.write import write_stream


def run(*arguments):
    return CliRunner().invoke(app, ["generate", *map(str, arguments)])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["sea", "agrawal", "stagger", "drifting"])
def test_what_is_read_back_is_the_stream(name, ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    result = run(f"synth:{name}?seed=3", "--rows", 12_345, "--out", path)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    wanted = streams.from_name(f"synth:{name}?seed=3")
    # Categories that are spelled as numbers look like numbers in text.
    texts = {"categorical": list(wanted.categories)} if ending == "csv" else {}
    with streams.open_stream(path, target="target", **texts) as file:
        X, y = next(file.blocks(20_000))
    blocks = named_blocks(wanted, 12_345)
    want_X, want_y = next(blocks)
    assert list(X) == wanted.names
    for i, column in enumerate(wanted.names):
        want = want_X[column] if isinstance(want_X, dict) else want_X[:, i]
        assert X[column].tolist() == np.asarray(want).tolist()
    assert list(map(str, y)) == list(map(str, want_y))


def test_missing_values_stay_missing(tmp_path):
    stream = streams.with_missing(streams.agrawal(seed=1), 0.3)
    want, _ = stream.take(500)
    for ending in ("csv", "parquet"):
        path = tmp_path / f"rows.{ending}"
        write_stream(stream, path, rows=500)
        with streams.open_stream(path, target="target") as file:
            X, _ = next(file.blocks(500))
        for i, name in enumerate(stream.names):
            gaps = [value is None or value != value for value in X[name].tolist()]
            assert gaps == np.isnan(want[:, i]).tolist()


def test_a_hyphen_is_standard_output():
    result = run("synth:sea", "--rows", 3, "--out", "-")
    lines = result.stdout.splitlines()
    assert lines[0] == "x0,x1,x2,target"
    assert len(lines) == 4


def test_no_more_rows_than_there_are(tmp_path):
    path = tmp_path / "all.csv"
    assert run("synth:sea?rows=50", "--out", path).exit_code == 0
    assert len(path.read_text().splitlines()) == 51
    assert run("synth:sea?rows=50", "--rows", 90, "--out", path).exit_code == 0
    assert len(path.read_text().splitlines()) == 51


def test_a_data_set_is_written_as_it_is(tmp_path, monkeypatch):
    from riparian_experiments import datasets

    def load(name, *, shuffle, progress):
        assert (name, shuffle) == ("iris", False)
        return streams.from_arrays(
            np.array([[1.0, 0.1], [2.0, np.nan]]), np.array(["a", "b"]), names=["n", "m"]
        )

    monkeypatch.setattr(datasets, "load", load)
    path = tmp_path / "iris.csv"
    assert run("dataset:iris", "--out", path).exit_code == 0
    assert path.read_text() == "n,m,target\n1,0.1,a\n2,,b\n"


def test_what_cannot_be_is_told_and_leaves_no_file(tmp_path):
    path = tmp_path / "x.csv"
    result = run("synth:sea", "--out", path)
    assert result.exit_code == 2
    assert "--rows" in result.stderr
    result = run("synth:sea", "--rows", 5, "--out", tmp_path / "x.txt")
    assert result.exit_code == 1
    assert "out must end in one of .csv, .tsv" in result.stderr
    result = run("sea", "--rows", 5, "--out", path)
    assert result.exit_code == 1
    assert "must begin with 'synth:' or 'dataset:'" in result.stderr
    assert run("synth:see", "--rows", 5, "--out", path).exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_what_was_there(tmp_path):
    def broken(number):
        if number:
            raise OSError("gone")
        return np.zeros((streams.stream.CHUNK_ROWS, 1)), np.zeros(
            streams.stream.CHUNK_ROWS, dtype=np.int64
        )

    stream = streams.Stream(["x"], [0], None, broken)
    for ending in ("csv", "parquet"):
        path = tmp_path / f"rows.{ending}"
        path.write_text("before")
        with pytest.raises(OSError, match="gone"):
            write_stream(stream, path, rows=30_000)
        assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_feature_may_not_bear_the_name_of_the_classes(monkeypatch):
    stream = streams.from_arrays(np.zeros((2, 1)), np.array([0, 1]), names=["target"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(ValueError, match="which is the class column"):
        write_stream(stream, "-")
