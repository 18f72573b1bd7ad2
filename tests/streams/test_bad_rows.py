"""Rows that cannot be read are skipped and counted, and a file that breaks off is read to there."""

import bz2
import gzip
import json
import lzma

import numpy as np
import pytest

from riparian.streams import DamagedFileError
from riparian.streams.readers.formats import open_stream
from tests.reading import many, read, refused, whole

GOOD = [f"{i},{'uv'[i % 2]},{i % 2}" for i in range(30)]


def with_bad(bad, at=10):
    rows = [row.encode() for row in GOOD]
    return b"x,c,y\n" + b"\n".join([*rows[:at], bad, *rows[at:]]) + b"\n"


BAD = [
    (b"1,u", "row 11: 2 fields, but the header has 3 fields"),
    (b"1,u,0,4", "row 11: 4 fields, but the header has 3 fields"),
    (b"1,\xff,0", "row 11: the byte 0xff is not utf-8 text"),
    (b"1,u,", "column 'y', row 11: the target is missing"),
    (b"1,u,?", "column 'y', row 11: the target is missing"),
    (b"inf,u,0", "column 'x', row 11: inf cannot be learned"),
    (b'1,"u,0', "row 11: a quotation mark is opened and never closed"),
    (b'1,"u"v,0', "row 11: text follows a closing quotation mark"),
]


@pytest.mark.parametrize(("bad", "said"), BAD)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_bad_csv_row_is_left_out_and_no_other(write, bad, said, size):
    path = write("b.csv", with_bad(bad))
    assert refused(path, target="y").startswith(said)
    with open_stream(path, target="y", skip_bad_rows=True) as stream:
        X, y = whole(stream, size)
        assert X["x"].tolist() == list(range(30))
        assert X["c"].tolist() == ["u", "v"] * 15
        assert y.tolist() == [0, 1] * 15
        assert (stream.skipped, stream.row) == (1, 30)
        assert stream.first_fault.startswith(said)


def test_text_among_numbers_is_a_bad_row_after_the_first_rows(write, monkeypatch):
    monkeypatch.setattr("riparian.streams.readers.delimited.SAMPLE_ROWS", 5)
    with open_stream(
        write("t.csv", with_bad(b"old,u,0")), target="y", skip_bad_rows=True
    ) as stream:
        X, _ = whole(stream)
        assert X["x"].tolist() == list(range(30))
        assert stream.first_fault.startswith("column 'x', row 11: 'old' is not a number")
    with open_stream(write("t.csv", with_bad(b"1,u,no")), target="y", skip_bad_rows=True) as stream:
        _, y = whole(stream)
        assert y.dtype == np.int64
        assert stream.first_fault.startswith("column 'y', row 11: 'no' is not a whole number")


def test_the_first_row_and_the_last_may_be_bad(write):
    text = "x,y\n1\n1,0\n2,1\n2,1,3\n"
    with open_stream(write("e.csv", text), target="y", skip_bad_rows=True) as stream:
        X, _ = whole(stream, 2)
        assert (X["x"].tolist(), stream.skipped) == ([1, 2], 2)
        assert stream.first_fault == "row 1: 1 field, but the header has 2 fields"


def test_places_name_the_rows_of_a_block(write):
    with open_stream(write("p.csv", with_bad(b"1")), target="y", skip_bad_rows=True) as stream:
        places = [row for _ in stream.blocks(4) for row in stream.places]
    assert places == [*range(1, 11), *range(12, 32)]


def test_many_bad_rows_among_many_blocks(write):
    lines = many(5000).splitlines()
    head, rows = lines[0], lines[1:]
    mixed = [f"{row},too,many" if i % 7 == 3 else row for i, row in enumerate(rows)]
    good = [row for i, row in enumerate(rows) if i % 7 != 3]
    want, want_y = read(write("g.csv", "\n".join([head, *good]) + "\n"), target="y")
    for size in (13, 1000):
        with open_stream(
            write("m.csv", "\n".join([head, *mixed]) + "\n"), target="y", skip_bad_rows=True
        ) as stream:
            X, y = whole(stream, size)
            assert stream.skipped == 5000 - len(good)
        for name in want:
            np.testing.assert_array_equal(X[name], want[name])
        np.testing.assert_array_equal(y, want_y)


def test_a_header_cannot_be_skipped(write):
    path = write("h.csv", b"x,\xff,y\n1,2,3\n")
    assert "the first line" in refused(path, target="y", skip_bad_rows=True)


@pytest.mark.parametrize(
    "bad",
    [
        '{"x": 1, "y": }',
        "[1, 2]",
        '{"x": "one", "y": 1}',
        '{"x": Infinity, "y": 1}',
        '{"x": [1], "y": 1}',
        '{"x": 1, "y": {}}',
        '{"x": 1, "new": 3}',
        '{"x": 1, "y": null}',
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_bad_json_row_is_left_out(write, monkeypatch, bad, size):
    monkeypatch.setattr("riparian.streams.readers.jsonlines.SAMPLE_ROWS", 1)
    rows = [json.dumps({"x": i, "y": i % 2}) for i in range(5)]
    path = write("j.jsonl", "\n".join([*rows[:2], bad, *rows[2:]]) + "\n")
    with open_stream(path, target="y", skip_bad_rows=True) as stream:
        X, y = whole(stream, size)
        assert (X["x"].tolist(), y.tolist()) == ([0, 1, 2, 3, 4], [0, 1, 0, 1, 0])
        assert list(X) == ["x"]
        assert stream.skipped == 1
        assert "row 3" in stream.first_fault


def test_a_bad_arrow_row_is_left_out(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"x": [1.0, np.inf, 3.0, 4.0], "y": ["a", "b", None, "a"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    with open_stream(tmp_path / "t.parquet", target="y", skip_bad_rows=True) as stream:
        X, y = whole(stream)
        assert (X["x"].tolist(), y.tolist(), stream.skipped) == ([1, 4], ["a", "a"], 2)


# What cannot be skipped


def small_bzip2(data):
    """bzip2 packs blocks, of which a cut one is lost whole; these are small."""
    return bz2.compress(data, 1)


def until_the_cut(stream, size):
    blocks = []
    with pytest.raises(DamagedFileError, match="ends too early") as caught:
        blocks.extend(stream.blocks(size))
    return blocks, str(caught.value)


def cut(text, pack):
    packed = pack(text.encode())
    return packed[: len(packed) * 2 // 3]


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("pack", [gzip.compress, small_bzip2, lzma.compress])
def test_a_file_cut_short_is_read_to_there_whatever_the_blocks(write, skip, pack):
    path = write("c.csv", cut(many(20_000), pack))
    ends = []
    for size in (777, 10_000):
        with open_stream(path, target="y", skip_bad_rows=skip) as stream:
            blocks, message = until_the_cut(stream, size)
            ends.append((sum(len(y) for _, y in blocks), message))
    assert ends[0] == ends[1]
    assert ends[0][0] > 4_000
    assert ends[0][1].startswith(f"row {ends[0][0] + 1}: the compressed file is damaged")


@pytest.mark.parametrize("form", ["jsonl", "arff", "libsvm"])
def test_every_text_format_is_read_to_the_cut(write, form):
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    lines = {
        "jsonl": [json.dumps({"x": x, "class": int(x > 0)}) for x in values],
        "arff": ["@relation r", "@attribute x real", "@attribute class {0,1}", "@data"]
        + [f"{x},{int(x > 0)}" for x in values],
        "libsvm": [f"{int(x > 0)} 1:{x}" for x in values],
    }[form]
    path = write(f"c.{form}.gz", cut("\n".join(lines) + "\n", gzip.compress))
    options = {"target": "class"} if form == "jsonl" else {}
    with open_stream(path, **options) as stream:
        blocks, message = until_the_cut(stream, 1000)
    read_in = np.concatenate([column for X, _ in blocks for column in X.values()])
    np.testing.assert_array_equal(read_in, values[: len(read_in)])
    assert message.startswith(f"row {len(read_in) + 1}:")
    assert len(read_in) > 10_000


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_bad_row_is_told_although_the_file_breaks_off_after_it(write, size):
    good = "".join(f"{i},a\n" for i in range(2000))
    packed = gzip.compress(f"x,y\n1,a\n2,b\rc\n{good}".encode(), mtime=0)
    path = write("broken.csv.gz", packed[:-20])
    with (
        open_stream(path, target="y") as stream,
        pytest.raises(ValueError, match="row 2: a carriage return stands inside the row"),
    ):
        list(stream.blocks(size))
