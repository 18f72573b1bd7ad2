"""Files, folders, compressed files, tables and generators as sources."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet
import pytest

import riparian as rp
from riparian.sources import EndOfSource, GapError, IdentityError


@pytest.fixture(autouse=True)
def _close(monkeypatch):
    opened = []
    make = rp.sources.open

    def tracked(*arguments, **options):
        opened.append(make(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(rp.sources, "open", tracked)
    yield
    for source in opened:
        source.close()


def lines(n, first=0):
    return [
        json.dumps({"row": i, "text": "x" * (i % 50)}).encode() for i in range(first, first + n)
    ]


def write(path, values, mode="wb", end=b"\n"):
    with open(path, mode) as file:
        file.write(b"\n".join(values) + end)


def read_all(source, most=7, timeout=0.0):
    """The messages up to the end, or up to where nothing comes."""
    found = []
    while True:
        try:
            chunk = source.poll(most, timeout)
        except EndOfSource:
            return found
        if chunk is None:
            return found
        assert 0 < len(chunk.values) <= most
        found.append(chunk)


def read_from(source, positions):
    source.open(positions, "beginning")
    return read_all(source)


def values(chunks):
    return [value for chunk in chunks for value in chunk.values]


def settled(path):
    """Make a file old enough to count as finished."""
    os.utime(path, (time.time() - 10, time.time() - 10))


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_reading_goes_on_at_any_position(tmp_path, name):
    path, wanted = tmp_path / name, lines(300)
    data = b"\n".join(wanted) + b"\n"
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    source = rp.sources.open(str(path))
    source.open({}, "beginning")
    chunks = read_all(source, most=1)
    assert values(chunks) == wanted
    for i in random.Random(1).choices(range(300), k=30):
        position = json.loads(json.dumps(chunks[i].next))
        source.open({chunks[i].partition: position}, "end")
        assert values(read_all(source)) == wanted[i + 1 :]
        source.seek(chunks[i].partition, json.loads(json.dumps(chunks[i].first)))
        assert values(read_all(source)) == wanted[i:]
    source.close()
    source.close()


def test_a_last_line_without_a_line_end_is_read(tmp_path):
    write(tmp_path / "rows.jsonl", lines(3), end=b"")
    source = rp.sources.open(str(tmp_path / "rows.jsonl"))
    source.open({}, "beginning")
    assert values(read_all(source)) == lines(3)


def test_a_followed_file_waits_for_whole_lines(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a"')
    source = rp.sources.open(str(path), follow=True)
    source.open({}, "beginning")
    assert values(read_all(source)) == [b'{"a": 1}']
    with open(path, "ab") as file:
        file.write(b": 2}\r\n")
    assert values(read_all(source)) == [b'{"a": 2}']
    assert source.poll(10, 0.0) is None


def test_an_unfinished_line_counts_after_it_was_idle(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}')
    source = rp.sources.open(str(path), {"idle-line": "0.01"}, follow=True)
    source.open({}, "beginning")
    time.sleep(0.02)
    assert values(read_all(source)) == [b'{"a": 1}']


def test_a_rotated_file_is_read_to_its_end_first(tmp_path):
    path = tmp_path / "rows.jsonl"
    write(path, lines(5))
    source = rp.sources.open(str(path), follow=True)
    source.open({}, "beginning")
    assert values(read_all(source)) == lines(5)
    with open(path, "ab") as late:
        os.rename(path, tmp_path / "rows.jsonl.1")
        write(path, lines(3, 8))
        late.write(b"\n".join(lines(3, 5)) + b"\n")
    assert values(read_all(source)) == lines(3, 5)
    settled(tmp_path / "rows.jsonl.1")
    assert values(read_all(source)) == lines(3, 8)


def test_a_rotation_without_the_learner_is_found_by_the_old_name(tmp_path):
    path = tmp_path / "rows.jsonl"
    write(path, lines(5))
    source = rp.sources.open(str(path))
    source.open({}, "beginning")
    chunk = source.poll(2, 0.0)
    source.close()
    for number in (2, 1):  # rotated twice: the older file is rows.jsonl.2
        os.rename(path, tmp_path / f"rows.jsonl.{number}")
        settled(tmp_path / f"rows.jsonl.{number}")
        os.utime(tmp_path / f"rows.jsonl.{number}", (0, time.time() - 10 * number))
        write(path, lines(2, 5 if number == 2 else 7))
    again = rp.sources.open(str(path))
    again.open({str(path): chunk.next}, "beginning")
    assert values(read_all(again)) == lines(7, 2)


def test_a_file_that_was_cut_off_is_a_gap(tmp_path):
    path = tmp_path / "rows.jsonl"
    write(path, lines(50))
    source = rp.sources.open(str(path), follow=True)
    source.open({}, "beginning")
    position = read_all(source)[-1].next
    os.truncate(path, 20)
    with pytest.raises(GapError) as caught:
        source.poll(10, 0.0)
    assert caught.value.partition == str(path)
    with pytest.raises(GapError, match="cut off"):
        source.open({str(path): position}, "beginning")
    write(path, lines(2))
    source.seek(str(path), caught.value.resume)
    assert values(read_all(source)) == lines(2)


def test_another_file_of_the_same_name_is_noticed(tmp_path):
    path = tmp_path / "rows.jsonl"
    write(path, lines(50))
    source = rp.sources.open(str(path))
    source.open({}, "beginning")
    position = read_all(source)[-1].next
    source.close()
    os.unlink(path)
    write(path, lines(80, 1000))
    with pytest.raises(IdentityError, match="not the file that was read before"):
        source.open({str(path): position}, "beginning")


def test_the_end_of_a_file_can_be_the_start(tmp_path):
    path = tmp_path / "rows.jsonl"
    write(path, lines(50))
    source = rp.sources.open(str(path), follow=True)
    source.open({}, "end")
    write(path, lines(2, 50), "ab")
    assert values(read_all(source)) == lines(2, 50)


@pytest.mark.parametrize("pattern", ["", "*.jsonl"])
def test_the_files_of_a_folder_are_one_partition(tmp_path, pattern):
    for i in range(3):
        write(tmp_path / f"{i}.jsonl", lines(20, 20 * i), end=b"\n" if i else b"")
    source = rp.sources.open(str(tmp_path / pattern))
    source.open({}, "beginning")
    chunks = read_all(source, most=1)
    assert values(chunks) == lines(60)
    assert {chunk.partition for chunk in chunks} == {str(tmp_path / pattern).rstrip("/")}
    assert chunks[25].places == ["1.jsonl:6"]
    for i in random.Random(1).choices(range(60), k=20):
        source.open({chunks[i].partition: json.loads(json.dumps(chunks[i].next))}, "end")
        assert values(read_all(source)) == lines(59 - i, i + 1)


def test_a_followed_folder_waits_for_later_files(tmp_path):
    write(tmp_path / "1.jsonl", lines(3), end=b"")
    source = rp.sources.open(str(tmp_path), follow=True)
    source.open({}, "beginning")
    assert values(read_all(source)) == lines(2)  # the last line may go on
    write(tmp_path / "2.jsonl", lines(3, 3))
    assert values(read_all(source)) == lines(4, 2)
    write(tmp_path / "0.jsonl", lines(1))
    with pytest.raises(GapError, match="names before"):
        source.poll(10, 0.0)


def test_what_is_missing_in_a_folder_is_a_gap(tmp_path):
    for i in range(3):
        write(tmp_path / f"{i}.jsonl", lines(20, 20 * i))
    source = rp.sources.open(str(tmp_path))
    source.open({}, "beginning")
    position = read_all(source, most=1)[25].next
    partition = str(tmp_path)
    os.unlink(tmp_path / "0.jsonl")  # it was read: nothing is lost
    source.open({partition: position}, "beginning")
    assert values(read_all(source)) == lines(34, 26)
    os.truncate(tmp_path / "1.jsonl", 3)
    with pytest.raises(GapError, match="cut off"):
        source.open({partition: position}, "beginning")
    write(tmp_path / "1.jsonl", lines(20, 900))
    with pytest.raises(IdentityError):
        source.open({partition: position}, "beginning")
    os.unlink(tmp_path / "1.jsonl")
    with pytest.raises(GapError, match="gone") as caught:
        source.open({partition: position}, "beginning")
    source.open({partition: caught.value.resume}, "beginning")
    assert values(read_all(source)) == lines(20, 40)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_the_position_of_a_table_is_a_row(tmp_path, form):
    table = pa.table({"x": list(range(250)), "y": ["ab"[i % 2] for i in range(250)]})
    path = str(tmp_path / f"rows.{form}")
    if form == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=70)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=60)
    source = rp.sources.open(path)
    source.open({}, "beginning")
    chunks = read_all(source, most=9)
    assert sum(chunk.values.num_rows for chunk in chunks) == 250
    source.open({path: chunks[11].next}, "beginning")
    rest = [x for chunk in read_all(source) for x in chunk.values.column("x").to_pylist()]
    assert rest == list(range(chunks[11].next["row"], 250))
    with pytest.raises(GapError):
        read_from(source, {path: {"row": 251}})


def test_a_generated_stream_goes_on_at_any_row():
    source = rp.sources.open("synth:agrawal?rows=9000")
    source.open({}, "beginning")
    whole = pa.Table.from_batches([chunk.values for chunk in read_all(source, most=4000)])
    for row in (0, 1, 8191, 8192, 8999):
        source.open({source.name: {"row": row}}, "beginning")
        rest = pa.Table.from_batches([chunk.values for chunk in read_all(source, most=5000)])
        assert rest.to_pylist() == whole.slice(row).to_pylist()


JOURNAL = """
import sys, riparian as rp
source = rp.sources.open("-", {"format": "jsonl", "journal": sys.argv[1]})
source.open({"-": {"part": int(sys.argv[2]), "byte": int(sys.argv[3]), "row": 0}}, "beginning")
n = 0
while n < int(sys.argv[4]):
    chunk = source.poll(3, 1.0)
    n += len(chunk.values)
    print(*(value.decode() for value in chunk.values), flush=True)
print(chunk.next["part"], chunk.next["byte"])
"""


def test_a_journal_makes_standard_input_replayable(tmp_path):
    def run(text, part, byte, n):
        program = [sys.executable, "-c", JOURNAL, str(tmp_path), str(part), str(byte), str(n)]
        done = subprocess.run(program, input=text, capture_output=True, text=True, check=True)
        *found, place = done.stdout.splitlines()
        return " ".join(found), place

    first, place = run("1\n2\n3\n4\n5\n6\n", 0, 0, 6)
    assert (first, place) == ("1 2 3 4 5 6", "0 12")
    # The process died, and its checkpoint has the first two lines.
    assert run("7\n8\n", 0, 4, 6)[0] == "3 4 5 6 7 8"


def test_wrong_addresses_and_options_are_refused(tmp_path):
    write(tmp_path / "rows.jsonl", lines(3))
    with pytest.raises(ValueError, match=r"'synht'.*did you mean 'synth'"):
        rp.sources.open("synht:sea")
    with pytest.raises(ValueError, match=r"'idle-lin'.*did you mean 'idle-line'"):
        rp.sources.open(str(tmp_path / "rows.jsonl"), {"idle-lin": "3"})
    with pytest.raises(ValueError, match="cannot be followed"):
        rp.sources.open(str(tmp_path / "rows.jsonl.gz"), follow=True)
    with pytest.raises(ValueError, match="no times"):
        rp.sources.open(str(tmp_path / "rows.jsonl")).open({}, 5)
    with pytest.raises(FileNotFoundError):
        rp.sources.open(str(tmp_path / "gone.jsonl")).open({}, "beginning")
    assert {"file", "synth"} <= set(rp.sources.schemes())
