"""Dates and times of day in files are numbers of seconds, as in frames."""

import datetime as dt
import json
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.data.block import joined
from riparian.storage.modelfile import to_bytes
from riparian.streams import from_frames, from_iterable, open_stream
from riparian.streams.readers.dates import kind_of_texts, time_column, times_of_texts
from riparian.streams.readers.faults import Faults
from tests.reading import read, refused, whole

ROWS = [
    ("2024-05-17T12:30:15.25+02:00", "2024-05-17", "08:30", "a"),
    ("2024-05-17 10:30:15Z", "", "23:59:59.5", "b"),
    ("1969-12-31T23:59:59.123456789+00", "0001-01-01", "", "a"),
]
MOMENTS = [1715941815.25, 1715941815.0, -0.876543211]
DAYS = [1715904000.0, np.nan, -62135596800.0]
TIMES = [30600.0, 86399.5, np.nan]
NAMES = ("at", "day", "clock", "y")


def csv(rows=ROWS):
    return ",".join(NAMES) + "\n" + "".join(",".join(row) + "\n" for row in rows)


def jsonl(rows=ROWS):
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows)


FILES = {
    "d.csv": csv,
    "d.tsv": lambda: csv().replace(",", "\t"),
    "q.csv": lambda: csv().replace("08:30", '"08:30"'),
    "d.jsonl": jsonl,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [1, 10_000])
def test_iso_texts_are_seconds(write, name, size):
    X, _ = read(write(name, FILES[name]()), size, target="y")
    np.testing.assert_array_equal(X["at"], MOMENTS)
    np.testing.assert_array_equal(X["day"], DAYS)
    np.testing.assert_array_equal(X["clock"], TIMES)


def test_both_ways_to_parse_agree():
    draw = random.Random(0)
    for _ in range(3000):
        text = draw.choice(["2024-05-17", "1900-02-28", "9999-12-31", "0000-01-01", "2023-02-29"])
        text += draw.choice(["", "T", " "]) + draw.choice(
            ["", "1", "12", "12:30", "12:30:15", "24"]
        )
        text += draw.choice(["", ".5", ".123456", ".123456789", ","])
        text += draw.choice(["", "Z", "+02", "-0230", "+05:30", "+24:00", " +01:00"])
        kind = draw.choice(["date", "time"])
        if kind == "time":
            text = text[11:]
        fast = times_of_texts(pa.array([text]), kind)
        faults = Faults(skip=True)
        slow = time_column("t", [text], [1], faults, kind)
        if fast is not None and text:
            assert not faults.messages, text
            assert (fast.seconds, fast.clock) == (slow.seconds, slow.clock), text


@pytest.mark.parametrize("text", ["2024-05-17 10", "2024-05-17T10:30", "2024-05-17T10:30:00.5Z"])
def test_what_a_date_is(text):
    assert kind_of_texts([None, text, "?"]) == "date"


@pytest.mark.parametrize(
    "texts",
    [["2024"], ["20240517"], ["2024-5-17"], ["2024-05-17", "soon"], ["2024-05-17", "10:30"]],
)
def test_what_no_date_is(texts):
    assert kind_of_texts(texts) is None


def test_text_stays_text_where_it_is_asked_for(write):
    X, _ = read(write("d.csv", csv()), target="y", categorical=["day"])
    assert X["day"].tolist() == ["2024-05-17", None, "0001-01-01"]


@pytest.mark.parametrize("name", ["d.csv", "d.jsonl"])
def test_a_later_text_that_is_no_date_is_named_or_counted(write, name):
    rows = [ROWS[0]] * 10_001 + [("soon", "", "", "a")] + [ROWS[1]] * 3
    path = write(name, csv(rows) if name == "d.csv" else jsonl(rows))
    message = refused(path, target="y")
    assert message.startswith("column 'at', row 10002: 'soon' is not a date such as 2026-03-01")
    assert "--categorical at" in message
    with open_stream(path, target="y", skip_bad_rows=True) as stream:
        X, _ = whole(stream)
        assert len(X["at"]) == 10_004
        assert stream.skipped == 1
        assert "row 10002" in (stream.first_fault or "")


def test_a_second_file_is_read_as_the_first(write, tmp_path):
    write("1.csv", csv())
    write("2.csv", csv([("?", "", "", "a"), ("2024-05-17", "NA", "10:30", "b")]))
    X, _ = read(str(tmp_path / "*.csv"), target="y")
    np.testing.assert_array_equal(X["at"], [*MOMENTS, np.nan, 1715904000.0])
    write("3.csv", csv([("12", "", "", "a")]))
    assert "3.csv: column 'at', row 1: '12' is not a date" in refused(
        str(tmp_path / "*.csv"), target="y"
    )


def typed():
    zone = dt.timezone(dt.timedelta(hours=2))
    at = [dt.datetime(2024, 5, 17, 12, tzinfo=zone), None]
    return pa.table(
        {
            "at": pa.array(at, pa.timestamp("ms", "Europe/Berlin")),
            "day": pa.array([dt.date(1970, 1, 2), None], pa.date32()),
            "clock": pa.array([dt.time(1), None], pa.time32("s")),
            "took": pa.array([dt.timedelta(minutes=1), None]),
            "y": ["a", "b"],
        }
    )


@pytest.mark.parametrize("form", ["parquet", "arrow", "frames"])
def test_typed_columns_are_seconds(tmp_path, form):
    path = tmp_path / f"t.{form}"
    if form == "parquet":
        pa.parquet.write_table(typed(), path)
    elif form == "arrow":
        with pa.ipc.new_file(path, typed().schema) as writer:
            writer.write_table(typed())
    stream = from_frames(typed(), target="y") if form == "frames" else None
    X, _ = whole(stream) if stream is not None else read(path, target="y")
    for name, want in (("at", 1715940000.0), ("day", 86400.0), ("clock", 3600.0), ("took", 60.0)):
        np.testing.assert_array_equal(X[name], [want, np.nan])


def test_blocks_remember_what_is_a_date(write):
    path = write("d.csv", csv())
    models = []
    for size in (1, 2, 100):
        model = rp.StreamTree(date_parts="hour")
        with open_stream(path, target="y") as stream:
            for X, y in stream.blocks(size):
                model.partial_fit(X, y)
        models.append(to_bytes(model))
    assert models[0] == models[1] == models[2]
    assert list(model.feature_names_in_) == [
        "at",
        "at.hour",
        "day",
        "day.hour",
        "clock",
        "clock.hour",
    ]
    with open_stream(path, target="y") as stream:
        blocks = [X for X, _ in stream.blocks(1)]
    whole_block = joined(blocks)
    assert whole_block.stored["at"].part("hour").tolist() == [12.0, 10.0, 23.0]


def test_rows_of_python_are_read_as_by_learn_one():
    rows = [
        ({"t": dt.datetime(1970, 1, 2), "d": dt.timedelta(1)}, 0),
        ({"t": dt.datetime(1970, 1, 3), "d": None}, 1),
    ]
    X, y = next(from_iterable(rows).blocks())
    np.testing.assert_array_equal(X["t"], [86400.0, 172800.0])
    np.testing.assert_array_equal(X["d"], [86400.0, np.nan])
    single, batch = rp.StreamTree(), rp.StreamTree().partial_fit(X, y)
    for x, label in rows:
        single.learn_one(x, label)
    assert to_bytes(single) == to_bytes(batch)
    bad = [*rows, ({"t": 3}, 0), ({"t": dt.time(3)}, 0)]
    stream = from_iterable(bad, skip_bad_rows=True)
    assert [len(y) for _, y in stream.blocks()] == [2]
    assert stream.skipped == 2
    assert stream.first_fault.startswith("column 't', row 3: 3 in a feature of dates")


def run(*words):
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def hours(tmp_path_factory):
    """A stream whose class depends on the hour, as CSV and as Parquet, and a model of it."""
    folder = tmp_path_factory.mktemp("hours")
    draw = random.Random(1)
    start = dt.datetime(2024, 1, 1)
    at = [start + dt.timedelta(seconds=draw.randrange(10**7)) for _ in range(3000)]
    y = ["open" if 9 <= time.hour < 17 else "closed" for time in at]
    lines = [f"{time.isoformat()},{draw.random():.3f},{c}" for time, c in zip(at, y, strict=True)]
    (folder / "h.csv").write_text("at,x,y\n" + "\n".join(lines) + "\n")
    x = [float(line.split(",")[1]) for line in lines]
    pa.parquet.write_table(pa.table({"at": at, "x": x, "y": y}), folder / "h.parquet")
    run(
        *("run", folder / "h.csv", "--target", "y", "--date-parts", "hour,weekday", "--quiet"),
        *("--model-out", folder / "m.rip", "--json"),
    )
    return folder


def test_the_command_line_learns_parts_and_predicts_with_them(hours):
    model = rp.load(hours / "m.rip")
    assert list(model.feature_names_in_) == ["at", "at.hour", "at.weekday", "x"]
    plain = run("predict", hours / "m.rip", hours / "h.csv").stdout.splitlines()[1:]
    rows = [line.split(",") for line in (hours / "h.csv").read_text().splitlines()[1:]]
    assert sum(a == b[-1] for a, b in zip(plain, rows, strict=True)) > 2700
    expected = [
        model.predict_one({"at": dt.datetime.fromisoformat(at), "x": float(x)})
        for at, x, _ in rows[:200]
    ]
    assert plain[:200] == expected


def test_predictions_do_not_depend_on_the_format(hours):
    found = {name: run("predict", hours / "m.rip", hours / name).stdout for name in
             ("h.csv", "h.parquet")}  # fmt: skip
    assert found["h.csv"] == found["h.parquet"]


def test_predict_names_a_date_that_cannot_be_read(hours, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("at,x\nnever,1\n2024-01-01,2\n")
    result = CliRunner().invoke(app, ["predict", str(hours / "m.rip"), str(path)])
    assert result.exit_code == 1
    assert "column 'at', row 1: 'never' is not a date" in result.stderr
    found = run("predict", hours / "m.rip", path, "--skip-bad-rows")
    assert found.stdout.splitlines()[1] == '""'
    assert "skipped 1 row" in found.stderr
