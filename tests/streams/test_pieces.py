"""Text is cut into pieces at the ends of rows, and pieces of any size give the same rows."""

import io
import os
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from riparian.data.block import Block
from riparian.streams import open_stream
from riparian.streams.readers import source, text
from riparian.streams.readers.ahead import with_results
from riparian.streams.readers.columns import SAMPLE_ROWS
from tests.reading import many, read, refused, whole


@pytest.mark.parametrize("size", [1, 50, 999])
@pytest.mark.parametrize("skip", [False, True])
def test_pieces_of_any_size_give_the_same_rows(write, monkeypatch, size, skip):
    quoted = "".join(f'{i},"a, ""b""\n{i % 7}",{i % 2}\n' for i in range(300))
    bad = '1,"u"v,0\n5,x\n' if skip else ""
    path = write(
        "q.csv",
        "a,b,y\n"
        + quoted
        + bad
        + many(300).partition("\n")[2].replace(",u,", ",").replace(",v,", ",").replace(",w,", ","),
    )
    options = {"target": "y", "skip_bad_rows": skip}
    want, want_y = read(path, **options)
    monkeypatch.setattr(text, "PIECE_BYTES", size)
    X, y = read(path, **options)
    assert len(y) == 600
    for name in want:
        np.testing.assert_array_equal(X[name], want[name])
    np.testing.assert_array_equal(y, want_y)


def test_a_stray_quote_is_named_whatever_the_pieces(write, monkeypatch):
    path = write("q.csv", "a,y\n" + "1,0\n" * 50 + '"2,1\n' + "3,0\n" * 50)
    for size in (1, 40, 10**6):
        monkeypatch.setattr(text, "PIECE_BYTES", size)
        assert refused(path, target="y") == "row 51: a quotation mark is opened and never closed"


def test_numbers_are_not_copied_and_categories_stay_codes(write):
    path = write("n.csv", "x,c,y\n" + "".join(f"{i}.5,{'uv'[i % 2]},0\n" for i in range(100)))
    with open_stream(path, target="y") as stream:
        X, _ = next(stream.blocks())
    assert isinstance(X, Block)
    assert not X["x"].flags.owndata
    assert sorted(X.stored["c"].values) == ["u", "v"]
    assert X["c"].tolist() == ["u", "v"] * 50


def test_zstd_is_unpacked_and_a_cut_one_is_refused(write):
    content = many(2000).encode()
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packer:
        packer.write(content)
    packed = sink.getvalue().to_pybytes()
    X, _ = read(write("z.csv.zst", packed), target="y")
    assert len(X["a"]) == 2000
    assert "ends too early" in refused(write("z.csv.zst", packed[: len(packed) // 2]), target="y")


def test_what_pyarrow_would_read_otherwise_is_read_as_before(write):
    X, y = read(write("o.csv", 'a,b,y\n1, "u",0\n2, "v, w",1\n3,nan(1),0\n'), target="y")
    assert X["a"].tolist() == [1, 2, 3]
    assert X["b"].tolist() == ["u", "v, w", "nan(1)"]
    assert y.tolist() == [0, 1, 0]
    assert "'nan(1)' is not a number" in refused(
        write("n.csv", "a,y\nnan(1),0\n"), target="y", numeric=["a"]
    )


def test_a_live_source_hands_out_what_has_arrived(monkeypatch):
    monkeypatch.setattr(source, "PATIENCE", 0.2)
    out, into = os.pipe()
    with os.fdopen(out, "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        blocks: list[int] = []

        def consume():
            with open_stream("-", target="y") as stream:
                blocks.extend(len(y) for _, y in stream.blocks(100))

        os.write(into, b"x,y\n1,0\n2,1\n")
        reader = threading.Thread(target=consume)
        reader.start()
        until = time.monotonic() + 60
        while not blocks and time.monotonic() < until:
            time.sleep(0.01)
        assert blocks == [2]
        os.write(into, b"3,0\n")
        os.close(into)
        reader.join(60)
        assert blocks == [2, 1]


def test_the_rows_after_the_first_part_keep_their_kind(write, monkeypatch):
    monkeypatch.setattr(text, "PIECE_BYTES", 100)
    rows = "".join(f'{{"x": {i}, "c": "k{i % 3}", "y": {i % 2}}}\n' for i in range(500))
    with open_stream(write("j.jsonl", rows), target="y") as stream:
        X, y = whole(stream, 77)
    assert X["x"].tolist() == list(range(500))
    assert X["c"].tolist() == [f"k{i % 3}" for i in range(500)]
    assert y.tolist() == [0, 1] * 250


def test_json_pieces_that_are_parsed_at_once_know_features_that_came_before_them(
    write, monkeypatch
):
    """The second feature appears once, in a piece in the middle; later pieces lack it."""
    rows = [f'{{"a": {i}, "y": {i % 2}}}\n' for i in range(SAMPLE_ROWS + 400)]
    rows[SAMPLE_ROWS + 50] = f'{{"a": 7, "b": 3, "y": {(SAMPLE_ROWS + 50) % 2}}}\n'
    path = write("new.jsonl", "".join(rows))
    monkeypatch.setattr(text, "PIECE_BYTES", 200)
    X, y = read(path, target="y", size=10**6)
    assert list(X) == ["a", "b"]
    assert np.flatnonzero(X["b"] == 3).tolist() == [SAMPLE_ROWS + 50]
    assert y.tolist() == [i % 2 for i in range(SAMPLE_ROWS + 400)]


def test_results_come_in_the_order_of_their_items_and_an_error_after_them():
    started = threading.Barrier(2, timeout=30)

    def slow_first(item):
        if item < 2:
            started.wait()  # both run at once
        return item * 10

    def items():
        yield from range(5)
        raise OSError("the disk is gone")

    found = with_results(slow_first, items(), 2)
    assert [next(found) for _ in range(5)] == [(i, i * 10) for i in range(5)]
    with pytest.raises(OSError, match="the disk is gone"):
        next(found)


def test_items_are_read_only_a_few_ahead():
    read_so_far = []

    def items():
        for i in range(100):
            read_so_far.append(i)
            yield i

    found = with_results(lambda item: item, items(), 2)
    assert next(found) == (0, 0)
    assert len(read_so_far) == 3
    assert len(list(found)) == 99
