"""ARFF as Weka and MOA write it: declared attributes, dense and sparse rows."""

import bz2
import gzip
import lzma

import numpy as np
import pytest

from riparian.streams import in_memory
from riparian.streams.readers.formats import open_stream
from tests import inside
from tests.reading import read, refused, whole

HEADER = """\
% A comment.
@RELATION weather

@attribute outlook {sunny, 'partly cloudy', "o'clock"}
@Attribute 'wind speed' REAL
@attribute\thumid\tinteger
@attribute note string
@attribute play {yes,no}

@DATA
"""
ROWS = """\
sunny,85,1,'a, b',no
% between rows
'partly cloudy', ?, 2,plain,yes

"o'clock",1e-3,?,'it\\'s',yes
"""


def test_dense_rows_are_read_as_declared(write):
    X, y = read(write("w.arff", HEADER + ROWS))
    assert X["outlook"].tolist() == ["sunny", "partly cloudy", "o'clock"]
    np.testing.assert_array_equal(X["wind speed"], [85, np.nan, 0.001])
    np.testing.assert_array_equal(X["humid"], [1, 2, np.nan])
    assert X["note"].tolist() == ["a, b", "plain", "it's"]
    assert y.tolist() == ["no", "yes", "yes"]


def test_sparse_rows_leave_out_zeros_and_first_values(write):
    rows = "{1 2.5, 3 'x y', 4 no}\n{}\n{0 'partly cloudy',1 ?}\n"
    X, y = read(write("w.arff", HEADER + rows))
    assert X["outlook"].tolist() == ["sunny", "sunny", "partly cloudy"]
    np.testing.assert_array_equal(X["wind speed"], [2.5, 0, np.nan])
    assert X["note"].tolist() == ["x y", None, None]
    assert y.tolist() == ["no", "yes", "yes"]


def test_the_class_is_the_one_named_so_or_the_last_or_the_one_asked_for(write):
    path = write("w.arff", HEADER + ROWS)
    with open_stream(path) as stream:
        assert stream.target == "play"
        assert stream.declared_classes == ["yes", "no"]
        assert stream.declared_categories["outlook"] == ["sunny", "partly cloudy", "o'clock"]
    _, y = read(path, target="outlook")
    assert y[1] == "partly cloudy"
    X, y = read(path, target=False)
    assert y is None
    assert list(X)[-1] == "play"
    named = "@relation r\n@attribute Class {a,b}\n@attribute x real\n@data\na,1\nb,2\n"
    X, y = read(write("c.arff", named))
    assert (list(X), y.tolist()) == (["x"], ["a", "b"])


def test_nominal_labels_are_text_and_numeric_ones_are_numbers(write):
    head = "@relation r\n@attribute x real\n@attribute class {0,1}\n@data\n"
    assert read(write("n.arff", head + "1,0\n2,1\n"))[1].tolist() == ["0", "1"]
    head = head.replace("{0,1}", "integer")
    assert read(write("n.arff", head + "1,0\n2,1\n"))[1].tolist() == [0, 1]
    rows = "".join(f"{i},{i * 0.5}\n" for i in range(300))
    assert "looks like a quantity" in refused(write("n.arff", head + rows))


def test_rows_may_be_cut_by_spaces_or_tabs(write):
    head = "@relation r\n@attribute x real\n@attribute class {a,b}\n@data\n"
    X, y = read(write("t.arff", head + "1\ta\n2   b\n"))
    assert (X["x"].tolist(), y.tolist()) == ([1, 2], ["a", "b"])


def test_the_size_of_the_blocks_and_the_way_of_reading_change_nothing(write):
    head = "@relation r\n@attribute x real\n@attribute c {u,v,NA}\n@attribute class {a,b}\n@data\n"
    rows = [f"{i / 7:.4f}, {'uv?'[i % 3] if i % 10 else 'NA'} ,{'ab'[i % 2]}\n" for i in range(500)]
    path = write("b.arff", head + "".join(rows))
    with open_stream(path) as stream:
        inside.read_only_fast(stream)
        X, y = whole(stream)
    assert X["c"][:5].tolist() == ["NA", "v", None, "u", "v"]
    for size, extra in ((1, ""), (7, ""), (100, "% a comment sends the block the careful way\n")):
        other_X, other_y = read(write("o.arff", head + extra + "".join(rows)), size)
        for name in X:
            np.testing.assert_array_equal(other_X[name], X[name])
        np.testing.assert_array_equal(other_y, y)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_noticed(write, pack):
    ending = {gzip: "gz", bz2: "bz2", lzma: "xz"}[__import__(pack.__module__)]
    _, y = read(write(f"w.arff.{ending}", pack((HEADER + ROWS).encode())))
    assert y.tolist() == ["no", "yes", "yes"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("sunny,85,1,no", "row 2: 4 fields, but the header has 5 attributes"),
        ("rainy,85,1,a,no", "column 'outlook', row 2: 'rainy' is not among its declared values"),
        ("sunny,85,1,a,maybe", "column 'play', row 2: 'maybe' is not among its declared values"),
        ("sunny,85,1,a,?", "column 'play', row 2: the target is missing"),
        ("sunny,fast,1,a,no", "column 'wind speed', row 2: 'fast' is not a number"),
        ("sunny,inf,1,a,no", "column 'wind speed', row 2: inf cannot be learned"),
        ("sunny,1,1,'a,no", "row 2: a quotation mark is opened and never closed"),
        ("{5 1}", "row 2: there is no attribute 5; they count from 0 to 4"),
        ("{1 1, 1 2}", "row 2: the attribute 1 appears twice"),
        ("{1}", "row 2: '1' is not an index and a value"),
        ("{1 2", "row 2: a sparse row begins with { and does not end with }"),
        (b"sunny,1,1,\xff,no", "row 2: the byte 0xff is not utf-8 text"),
    ],
)
def test_a_bad_row_is_named_or_skipped(write, row, said):
    row = row if isinstance(row, bytes) else row.encode()
    good = b"sunny,85,1,a,no\n"
    path = write("b.arff", HEADER.encode() + good + row + b"\n" + good)
    assert refused(path).startswith(said)
    with open_stream(path, skip_bad_rows=True) as stream:
        _, y = whole(stream, 2)
        assert y.tolist() == ["no", "no"]
        assert (stream.skipped, stream.row) == (1, 2)
        assert stream.first_fault.startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("@relation r\n@attribute x real\n", "has no line @data"),
        ("@relation r\n@data\n1\n", "line 2: @data comes before any @attribute"),
        ("a,b\n1,2\n", "line 1: 'a,b' is not ARFF"),
        ("@attribute x\n@data\n", "line 1: an attribute needs a name and a type"),
        ("@attribute x complex\n@data\n", "line 1: attribute 'x': the type must be"),
        ("@attribute x {a,b\n@data\n", "line 1: attribute 'x': the values must be in"),
        ("@attribute x real\n@attribute x real\n@data\n", "line 2: attribute 'x' appears twice"),
    ],
)
def test_a_bad_header_is_named_by_its_line(write, text, said):
    assert said in refused(write("h.arff", text))


def test_dates_are_seconds_in_the_default_format(write):
    head = "@relation r\n@attribute t date 'yyyy-MM-dd'\n@attribute x real\n"
    head += "@attribute class {a,b}\n@data\n"
    X, _ = read(write("d.arff", head + "'1970-01-02',1,a\n{1 3, 2 b}\n"))
    np.testing.assert_array_equal(X["t"], [86400.0, np.nan])
    message = refused(write("e.arff", head + "02/01/1970,1,a\n"))
    assert message.startswith("column 't', row 1: '02/01/1970' is not a date such as 2026-03-01")


def test_in_memory_the_declared_order_stays(write):
    stream = in_memory(open_stream(write("w.arff", HEADER + ROWS)))
    assert stream.classes == ["yes", "no"]
    assert stream.categories["outlook"] == ["sunny", "partly cloudy", "o'clock"]
    X, y = stream.take(3)
    assert X[:, 0].tolist() == [0, 1, 2]
    assert y.tolist() == [1, 0, 0]
