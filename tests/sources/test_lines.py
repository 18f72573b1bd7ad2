"""Lines and payloads that are cut and joined, and what pickling copies of them."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from riparian.cluster.message import freed, pickled
from riparian.sources.line_file import LineFile
from riparian.sources.lines import Lines, line_end
from riparian.sources.parts import part_of
from riparian.sources.payloads import Payloads


def texts(seed: int) -> list[bytes]:
    """Lines of many lengths, also empty ones and ones that are longer than a block."""
    r = random.Random(seed)
    return [b"x" * r.choice([0, 3, 200, 20_000]) + b"%d" % i for i in range(r.randrange(1, 300))]


@pytest.mark.parametrize("seed", range(20))
def test_cut_lines_are_those_of_the_list(seed):
    r = random.Random(seed)
    lines = texts(seed)
    whole = Lines(b"\n".join(lines) + b"\n" * (seed % 2))
    assert list(whole) == lines
    for _ in range(20):
        a = r.randrange(len(lines) + 1)
        b = r.randrange(a, len(lines) + 1)
        part = whole[a:b]
        assert isinstance(part, Lines)
        assert len(part) == b - a
        assert list(part) == lines[a:b]
        before, after = whole[:a], whole[b:]
        assert isinstance(before, Lines)
        assert isinstance(after, Lines)
        assert list(Lines.joined([Lines(before.data), part, Lines(after.data)])) == lines
    assert whole[::-1] == lines[::-1]


def test_the_end_of_a_line_is_found_from_any_number():
    data = b"\n".join(texts(1)) + b"\n"
    ends = [0]
    while ends[-1] < len(data):
        ends.append(data.index(b"\n", ends[-1]) + 1)
    assert [line_end(data, n) for n in range(len(ends))] == ends


@pytest.mark.parametrize("most", [1, 7, 60, 5000])
@pytest.mark.parametrize("ended", [False, True])
def test_a_file_gives_its_lines_whatever_a_chunk_has(tmp_path, monkeypatch, most, ended):
    monkeypatch.setattr("riparian.sources.line_file._PIECE", 1000)
    lines = texts(3)
    path = tmp_path / "rows"
    path.write_bytes(b"\n".join(lines) + b"\n" * ended)
    file = LineFile(str(path))
    found: list[bytes] = []
    while data := file.lines(most):
        assert data.endswith(b"\n")
        assert len(Lines(data)) <= most
        found += list(Lines(data))
        assert file.byte == sum(len(line) + 1 for line in found)
    assert file.has_rest is not ended
    if not ended:
        found.append(file.rest())
    assert found == lines
    file.close()


def test_parts_of_chunks_stay_one_text():
    lines = texts(2)
    chunks = [
        Lines(b"\n".join(lines[a:b]) + b"\n") for a, b in ((0, 20), (20, 21), (21, len(lines)))
    ]
    part = part_of(chunks, 5, 30)
    assert isinstance(part, Lines)
    assert list(part) == lines[5:30]
    sizes = np.array([3, -1, 2])
    payloads = [Payloads(b"abc\n\nde\n", sizes), Payloads(b"fgh\n\nij\n", sizes)]
    joined = part_of(payloads, 1, 4)
    assert isinstance(joined, Payloads)
    assert list(joined) == [None, b"de", b"fgh"]


def test_large_texts_are_not_copied_on_their_way_to_a_thread():
    lines = Lines(b"abcd\n" * 10_000)
    data, text = pickled({"values": lines, "array": np.zeros(3)})
    assert text is lines.data
    assert len(data) < 1000
    found = freed(data, text)
    assert found["values"].data is lines.data
    assert len(found["values"]) == 10_000
    assert found["array"].tolist() == [0, 0, 0]
    array = np.arange(10_000.0)
    assert np.array_equal(freed(*pickled(array)), array)
    for protocol in range(2, 6):
        again = pickle.loads(pickle.dumps(lines, protocol))
        assert (again.data, len(again)) == (lines.data, 10_000)
