"""Input that never ends, several files, and models that are continued."""

import array
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import riparian
from riparian.cli.app import app
from riparian.streams import open_stream
from tests import inside
from tests.reading import many


def ran(*arguments, stdin=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def start(*arguments):
    command = [sys.executable, "-m", "riparian", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(many(3000))
    return path


@pytest.fixture
def model(tmp_path, rows):
    path = tmp_path / "model.rip"
    ran("run", rows, "--target", "y", "--model-out", path, "-q")
    return path


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise elsewhere")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_rows_of_a_pipe_are_learned_before_a_block_is_full(tmp_path, number, status):
    process = start(
        "run",
        "-",
        "--target",
        "y",
        "--json",
        "--every",
        "1",
        "--model-out",
        tmp_path / "m.rip",
        "-q",
    )
    process.stdin.write("x,y\n1,a\n2,b\n3,a\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["rows"] == 3
    # The last line is not whole yet, and no row.
    process.stdin.write("4,b\n5,a\n6")
    process.stdin.flush()
    line = json.loads(process.stdout.readline())
    assert line["rows"] == 5
    process.send_signal(number)
    # Standard input stays open: its end would be another reason to stop.
    text = process.stdout.read()
    assert process.wait(timeout=120) == status
    process.communicate()
    assert json.loads(text)["interrupted"] is True
    assert riparian.load(tmp_path / "m.rip").n_seen_ == 5


def wait_until_read(pipe):
    """Wait until the process at the other end has read everything that was written."""
    import fcntl
    import termios

    left = array.array("i", [1])
    while left[0]:
        time.sleep(0.01)
        fcntl.ioctl(pipe.fileno(), termios.FIONREAD, left)


@pytest.mark.skipif(sys.platform != "linux", reason="asks the pipe whether it is empty")
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_rows_that_were_read_before_the_first_block_are_not_lost(tmp_path, form):
    lines = "x,y\n1,a\n2,b\n3,a\n"
    if form == "jsonl":
        lines = "".join(f'{{"x": {x}, "y": "{y}"}}\n' for x, y in ((1, "a"), (2, "b"), (3, "a")))
    out = tmp_path / "m.rip"
    process = start(
        *("run", "-", "--format", form, "--target", "y", "--model-out", out, "--json", "-q")
    )
    process.stdin.write(lines)
    process.stdin.flush()
    wait_until_read(process.stdin)
    process.send_signal(signal.SIGTERM)
    text = process.stdout.read()
    assert process.wait(timeout=120) == 143
    process.communicate()
    assert json.loads(text)["result"]["rows"] == 3
    assert riparian.load(out).n_seen_ == 3


@pytest.mark.skipif(os.name != "posix", reason="needs tail")
def test_a_file_that_grows_is_followed(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    tail = subprocess.Popen(["tail", "-n", "+1", "-f", path], stdout=subprocess.PIPE)
    command = [sys.executable, "-m", "riparian", "run", "-", "--target", "y", "-q"]
    with subprocess.Popen(
        [*command, "--json", "--every", "1"], stdin=tail.stdout, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert json.loads(process.stdout.readline())["rows"] == 2
            with path.open("a") as file:
                file.write("3,a\n")
            assert json.loads(process.stdout.readline())["rows"] == 3
        finally:
            tail.terminate()
            tail.wait()
            tail.stdout.close()
        assert json.loads(process.stdout.read())["interrupted"] is False
    assert process.returncode == 0


def test_each_line_of_a_pipe_is_predicted_at_once(model):
    process = start("predict", model, "-")
    process.stdin.write("a,b,c\n1,2,u\n")
    process.stdin.flush()
    assert process.stdout.readline() == "prediction\n"
    assert process.stdout.readline().strip() in ("0", "1", "2")
    process.stdin.write("2,2,v\n")
    process.stdin.flush()
    assert process.stdout.readline().strip() in ("0", "1", "2")
    text, errors = process.communicate(timeout=120)
    assert (text, errors, process.returncode) == ("", "", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="asks the pipe whether it is empty")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_lines_that_were_read_before_a_signal_are_predicted(model, number, status):
    process = start("predict", model, "-")
    process.stdin.write("a,b,c\n1,2,u\n2,2,v\n3,1")
    process.stdin.flush()
    wait_until_read(process.stdin)
    process.send_signal(number)
    # Standard input stays open: its end would be another reason to stop.
    lines = process.stdout.read().splitlines()
    assert process.wait(timeout=120) == status
    process.communicate()
    # The last line was not whole.
    assert lines[0] == "prediction"
    assert len(lines) == 3
    assert set(lines[1:]) <= {"0", "1", "2"}


def test_a_value_of_another_kind_than_learned_has_a_remedy_that_exists(tmp_path):
    learned = riparian.StreamTree()
    learned.partial_fit({"n": [1.0, 2.0], "at": np.array(["2024-01-01"] * 2, "M8[D]")}, [0, 1])
    learned.save(tmp_path / "model.rip")
    remedy = "the model has learned it so; mend the row, or skip such rows (--skip-bad-rows)"
    for lines, value in (("n,at\nmany,2024-01-01\n", "'many'"), ("n,at\n1,soon\n", "'soon'")):
        for form in ("csv", "jsonl"):
            path = tmp_path / f"rows.{form}"
            if form == "jsonl":
                cells = dict(zip(*(line.split(",") for line in lines.split()), strict=True))
                lines = json.dumps({k: float(v) if v == "1" else v for k, v in cells.items()})
            path.write_text(lines)
            result = CliRunner().invoke(app, ["predict", str(tmp_path / "model.rip"), str(path)])
            assert result.exit_code == 1
            assert f"row 1: {value} is not" in result.output
            assert remedy in result.output
            assert "--categorical" not in result.output


def test_a_model_is_continued(tmp_path, rows, model):
    lines = rows.read_text().splitlines(keepends=True)
    for name, part in (("one", lines[1:1000]), ("two", lines[1000:])):
        (tmp_path / f"{name}.csv").write_text(lines[0] + "".join(part))
    half, whole = tmp_path / "half.rip", tmp_path / "whole.rip"
    ran("run", tmp_path / "one.csv", "--target", "y", "--model-out", half, "-q")
    ran(
        "run", tmp_path / "two.csv", "--target", "y", "--model-in", half, "--model-out", whole, "-q"
    )
    assert whole.read_bytes() == model.read_bytes()


def test_a_continued_model_keeps_its_classes_categories_and_kinds(tmp_path):
    learned = riparian.StreamTree(categorical_features=["zone"])
    X = {"zone": [3, 7], "n": [1.0, 2.0], "at": np.array(["2024-01-01", "2024-01-02"], "M8[D]")}
    learned.partial_fit(X, ["0", "1"])
    learned.save(tmp_path / "old.rip")
    # Everything looks otherwise here: categories and classes are whole numbers, numbers and dates
    # are missing at first.
    more = tmp_path / "more.csv"
    more.write_text("zone,n,at,y\n7,,,0\n3,NA,,1\n9,5,2024-01-03,1\n")
    ran(
        *("run", more, "--target", "y", "--model-in", tmp_path / "old.rip", "-q"),
        *("--model-out", tmp_path / "new.rip"),
    )
    model = riparian.load(tmp_path / "new.rip")
    assert model.n_seen_ == 5
    assert model.classes_.tolist() == ["0", "1"]
    zone, n, at = inside.features(model)
    assert zone.categories == [3, 7, "9"]
    assert (n.kind, at.time) == ("numeric", "date")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("zone,n,at,y\n7,many,2024-01-03,0\n")
    result = CliRunner().invoke(
        app, ["run", str(wrong), "--target", "y", "--model-in", str(tmp_path / "old.rip"), "-q"]
    )
    assert result.exit_code == 1
    assert "column 'n', row 1: 'many' is not a number" in result.output


def test_labels_of_a_continued_model_may_be_whole_numbers_or_truth_values(tmp_path):
    riparian.StreamTree().partial_fit({"n": [1, 2]}, [True, False]).save(tmp_path / "old.rip")
    more = tmp_path / "more.jsonl"
    more.write_text('{"n": 1, "y": true}\n{"n": 2, "y": false}\n{"n": 3, "y": "maybe"}\n')
    ran(
        *("run", more, "--target", "y", "--model-in", tmp_path / "old.rip", "-q"),
        *("--model-out", tmp_path / "new.rip"),
    )
    assert riparian.load(tmp_path / "new.rip").classes_.tolist() == [True, False, "maybe"]


def test_a_continued_model_keeps_its_parameters(rows, model):
    result = CliRunner().invoke(
        app, ["run", str(rows), "--target", "y", "--model-in", str(model), "--delta", "0.1"]
    )
    assert result.exit_code == 2
    assert "--model-in" in result.output


def test_several_files_patterns_and_folders_are_one_stream(tmp_path, rows, model):
    folder = tmp_path / "parts"
    folder.mkdir()
    lines = rows.read_text().splitlines(keepends=True)
    for i, start_row in enumerate(range(1, len(lines), 1300)):
        part = lines[start_row : start_row + 1300]
        (folder / f"{i}.csv").write_text(lines[0] + "".join(part))
    (folder / "notes.txt").write_text("not data")
    out = tmp_path / "joined.rip"
    for named in ([folder], [folder / "*.csv"], sorted(folder.glob("*.csv"))):
        ran("run", *named, "--target", "y", "--model-out", out, "-q")
        assert out.read_bytes() == model.read_bytes()


def test_the_first_file_decides_the_kinds(tmp_path):
    (tmp_path / "1.csv").write_text("c,y\nu,0\n")
    (tmp_path / "2.csv").write_text("c,y\n7,1\n8\n")
    with open_stream(tmp_path, target="y", skip_bad_rows=True) as stream:
        found = [(X["c"].tolist(), y.tolist(), list(stream.places)) for X, y in stream.blocks()]
        assert found == [(["u"], [0], [1]), (["7"], [1], [2])]
        assert stream.first_fault == (
            f"{tmp_path / '2.csv'}: row 2: 1 field, but the header has 2 fields"
        )


def test_columns_can_be_named_and_a_header_may_be_absent(tmp_path, rows, model):
    headless = tmp_path / "headless.csv"
    headless.write_text(rows.read_text().partition("\n")[2])
    out = tmp_path / "named.rip"
    named = ("--target", "y", "--columns", "a,b,c,y", "--model-out", out, "-q")
    ran("run", headless, *named, "--no-header")
    assert out.read_bytes() == model.read_bytes()
    ran("run", rows, *named)
    assert out.read_bytes() == model.read_bytes()
    with open_stream(headless, header=False) as stream:
        assert stream.names == ["column 1", "column 2", "column 3", "column 4"]
    with pytest.raises(ValueError, match="columns names 2, but the first line has 4 fields"):
        open_stream(headless, columns=["a", "b"], header=False)


def test_a_file_of_an_object_store_is_read_and_a_web_page_is_not(rows):
    with open_stream(rows.as_uri(), target="y") as stream:
        assert sum(len(y) for _, y in stream.blocks()) == 3000
        assert stream.n_bytes == rows.stat().st_size
    with pytest.raises(ValueError, match=r"curl -s https://a\.org/b\.csv \| riparian run -"):
        open_stream("https://a.org/b.csv")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow", "arrows"])
def test_predictions_and_streams_are_written_by_the_ending(tmp_path, model, ending):
    data = tmp_path / f"d.{ending}"
    ran("generate", "synth:agrawal?seed=1", "--rows", "50", "--out", data)
    with open_stream(data, target="target") as stream:
        X, y = next(stream.blocks())
        assert (len(X), len(y)) == (9, 50)
        assert y.dtype == "int64"
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b,c\n1,2,u\n3\n4,5,v\n6\n")
    out = tmp_path / f"p.{ending}"
    ran("predict", model, bad, "--skip-bad-rows", "--proba", "--out", out)
    with open_stream(out, numeric=["prediction"]) as stream:
        X, _ = next(stream.blocks())
    known = [value == value for value in X["prediction"].tolist()]
    assert known == [True, False, True, False]
    assert list(X)[1:] == ["probability 0", "probability 1", "probability 2"]


def test_parquet_holds_labels_with_their_type(tmp_path, rows, model):
    ran("predict", model, rows, "--out", tmp_path / "p.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "p.parquet")
    assert str(table.schema.field("prediction").type) == "int64"
    assert table.num_rows == 3000
