"""Parquet and Arrow files: their types say what the columns are."""

import io
import sys

import numpy as np
import pytest

from riparian.streams.readers.formats import open_stream
from tests.reading import read, refused


@pytest.fixture
def table():
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(
        {
            "age": pyarrow.array([31, None, 44], pyarrow.int32()),
            "share": pyarrow.array([0.5, float("nan"), None], pyarrow.float32()),
            "job": pyarrow.array(["nurse", None, "smith"]),
            "rank": pyarrow.array(["a", "b", "a"]).dictionary_encode(),
            "old": pyarrow.array([True, None, False]),
            "y": pyarrow.array([1, 0, 1]),
        }
    )


def save(table, path, form):
    import pyarrow
    import pyarrow.parquet

    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
        return
    opened = {"arrow": pyarrow.ipc.new_file, "arrows": pyarrow.ipc.new_stream}[form]
    with opened(path, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_arrow_types_say_what_the_columns_are(tmp_path, table, form, size):
    path = tmp_path / f"t.{form}"
    save(table, path, form)
    X, y = read(path, size, target="y")
    np.testing.assert_array_equal(X["age"], [31, np.nan, 44])
    np.testing.assert_array_equal(X["share"], [0.5, np.nan, np.nan])
    assert X["job"].tolist() == ["nurse", None, "smith"]
    assert X["rank"].tolist() == ["a", "b", "a"]
    assert X["old"].tolist() == ["true", None, "false"]
    assert y.tolist() == [1, 0, 1]
    assert y.dtype == np.int64


def test_parquet_knows_its_length(tmp_path, table):
    save(table, tmp_path / "t.parquet", "parquet")
    with open_stream(tmp_path / "t.parquet", target="y") as stream:
        assert stream.n_rows == 3


def test_a_numeric_arrow_column_can_be_categorical(tmp_path, table):
    save(table, tmp_path / "t.parquet", "parquet")
    X, y = read(tmp_path / "t.parquet", target="y", categorical=["age", "y"])
    assert X["age"].tolist() == ["31", None, "44"]
    assert y.tolist() == ["1", "0", "1"]


def test_intervals_and_nested_columns_are_refused_with_a_way_out(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    months = pyarrow.array([(1, 2, 3)], pyarrow.month_day_nano_interval())
    for values in (months, pyarrow.array([[1, 2]])):
        table = pyarrow.table({"t": values, "x": [1], "y": [0]})
        save(table, tmp_path / "t.arrow", "arrow")
        message = refused(tmp_path / "t.arrow", target="y")
        assert message.startswith("column 't':")
        assert "--drop t" in message
        X, _ = read(tmp_path / "t.arrow", target="y", drop=["t"])
        assert list(X) == ["x"]


def test_infinity_in_an_arrow_column_names_the_row(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": [1.0] * 5 + [float("inf")], "y": [0] * 6})
    save(table, tmp_path / "t.arrow", "arrow")
    assert refused(tmp_path / "t.arrow", size=2, target="y").startswith("column 'x', row 6: inf")


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
def test_a_broken_arrow_file_is_one_clear_line(tmp_path, table, form):
    path = tmp_path / f"t.{form}"
    save(table, path, form)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert "\n" not in refused(path, target="y")
    path.write_bytes(b"no such thing at all")
    assert "\n" not in refused(path, target="y")


def test_an_arrow_stream_is_read_from_standard_input_and_a_file_is_not(
    tmp_path, table, monkeypatch
):
    def give(form):
        save(table, tmp_path / f"t.{form}", form)
        content = (tmp_path / f"t.{form}").read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    give("arrows")
    _, y = read("-", target="y", format="arrow")
    assert y.tolist() == [1, 0, 1]
    for form in ("arrow", "parquet"):
        give(form)
        assert "read from its end" in refused("-", target="y", format=form)


def test_a_class_that_comes_late_in_a_parquet_file_decides_nothing_about_the_first_rows(tmp_path):
    """The dictionary of a row group lists the values of all its rows."""
    pyarrow = pytest.importorskip("pyarrow")
    labels = ["1", "2"] * 12_000 + ["", "x"]
    path = tmp_path / "late.parquet"
    save(pyarrow.table({"a": np.arange(24_002.0), "y": labels}), path, "parquet")
    with open_stream(path, target="y", skip_bad_rows=True) as stream:
        labels_read = [label for _, y in stream.blocks(5000) for label in y.tolist()]
        assert stream.skipped == 1
        assert "row 24001" in stream.first_fault
    assert labels_read == [*labels[:24_000], "x"]


def test_the_bytes_read_of_a_parquet_file_grow_with_its_rows(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    save(pyarrow.table({"a": np.arange(4000.0), "y": [0, 1] * 2000}), path, "parquet")
    with open_stream(path, target="y") as stream:
        read_so_far = [stream.bytes_read for _ in stream.blocks(1000)]
    size = path.stat().st_size
    assert read_so_far == [size // 4, size // 2, size * 3 // 4, size]
