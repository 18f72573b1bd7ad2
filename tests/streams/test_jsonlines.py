"""JSON lines say themselves what their values are."""

import gzip
import json

import numpy as np
import pytest

from riparian.streams.readers.formats import open_stream
from tests.reading import read, refused


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_json_says_itself_what_its_values_are(write):
    path = write(
        "j.jsonl",
        lines(
            {"age": 31, "job": "nurse", "code": "12", "old": False, "y": "yes"},
            {"age": None, "job": None, "code": "7", "old": True, "y": "no"},
            {"age": 2.5, "y": "no"},
        ),
    )
    X, y = read(path, target="y")
    np.testing.assert_array_equal(X["age"], [31, np.nan, 2.5])
    assert X["job"].tolist() == ["nurse", None, None]
    assert X["code"].tolist() == ["12", "7", None]
    assert X["old"].tolist() == ["false", "true", None]
    assert y.tolist() == ["yes", "no", "no"]


def test_json_labels_are_integers_or_text(write):
    _, y = read(write("j.jsonl", lines({"x": 1, "y": 0}, {"x": 1, "y": 1})), target="y")
    assert y.tolist() == [0, 1]
    assert y.dtype == np.int64
    _, y = read(write("j.jsonl", lines({"x": 1, "y": "0"}, {"x": 1, "y": "1"})), target="y")
    assert y.tolist() == ["0", "1"]


def test_a_key_that_appears_later_is_a_new_feature(write, monkeypatch):
    monkeypatch.setattr("riparian.streams.readers.jsonlines.SAMPLE_ROWS", 1)
    path = write("j.jsonl", lines({"a": 1, "y": 0}, {"a": 2, "y": 1}, {"b": 5, "y": 1}))
    with open_stream(path, target="y") as stream:
        names = [list(X) for X, _ in stream.blocks(1)]
        assert names == [["a"], ["a"], ["a", "b"]]
        assert stream.names == ["a", "b"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ('{"x": 1, "y": }', "row 2: this is not JSON"),
        ("[1, 2]", "row 2: a row must be an object"),
        ('{"x": "one", "y": 1}', "column 'x', row 2: 'one' is not a number"),
        ('{"x": Infinity, "y": 1}', "column 'x', row 2: inf cannot be learned"),
        ('{"x": 1' + "0" * 400 + ', "y": 1}', "column 'x', row 2: inf cannot be learned"),
        ('{"x": [1], "y": 1}', "column 'x', row 2: a list cannot be learned"),
        ('{"x": 2', "row 2: this is not JSON: Expecting ',' delimiter at character 8"),
        ('{"x": 1, "y": {}}', "column 'y', row 2: an object cannot be learned"),
        ('{"x": 1}', "row 2: the target 'y' is not there"),
        ('{"x": 1, "y": null}', "column 'y', row 2: the target is missing"),
        ("[" * 100_000, "row 2:"),
        (b'{"x": "\xff", "y": 1}', "row 2: the byte 0xff is not utf-8 text"),
    ],
)
def test_a_bad_json_row_is_named(write, monkeypatch, bad, said):
    monkeypatch.setattr("riparian.streams.readers.jsonlines.SAMPLE_ROWS", 1)
    bad = bad.encode() if isinstance(bad, str) else bad
    path = write("j.jsonl", b'{"x": 1, "y": 0}\n' + bad + b"\n")
    assert refused(path, target="y").startswith(said)


def test_json_lines_may_be_packed(write):
    X, _ = read(write("j.ndjson.gz", gzip.compress(lines({"x": 1, "y": 0}).encode())), target="y")
    assert X["x"].tolist() == [1]
