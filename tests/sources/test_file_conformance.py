"""Files, folders, tables, generators and standard input do what every source must do."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import riparian as rp
from riparian.sources import GapError
from riparian.streams.names import open_named
from tests.sources.conformance import (
    Conformance,
    CutConformance,
    FollowingConformance,
    MessageConformance,
    RemadeConformance,
    numbered,
    opened,
    read,
)


class FileBench:
    def __init__(self, folder):
        self._path = folder / "rows.jsonl"
        self._path.touch()
        self.partitions = [str(self._path)]

    def source(self, *, follow=None):
        return rp.sources.open(str(self._path), follow=follow is not False)

    def write(self, partition, values, keys=None):
        with open(partition, "ab") as file:
            file.write(b"".join((value or b"") + b"\n" for value in values))

    def cut(self, partition, count):
        lines = self._path.read_bytes().splitlines(keepends=True)
        os.truncate(self._path, sum(map(len, lines[:count])))

    def remake(self):
        """Overwrite the file; a new file of the same name would be a rotation."""
        self._path.write_bytes(b'{"x": "another"}\n')


class FolderBench(FileBench):
    def __init__(self, folder):
        super().__init__(folder)
        self._folder = folder
        self.partitions = [str(folder)]
        self._path.unlink()
        self._n = 0

    def source(self, *, follow=None):
        return rp.sources.open(str(self._folder), {"format": "jsonl"}, follow=follow is not False)

    def write(self, partition, values, keys=None):
        self._n += 1
        self._path = self._folder / f"{self._n:04d}.jsonl"
        super().write(self._path, values)


class TableBench:
    """A file that is written as a whole, in batches of 50 rows."""

    def __init__(self, path):
        self._path = path
        self.partitions = [str(path)]
        self._rows = []

    def source(self, *, follow=None):
        return rp.sources.open(str(self._path))

    def write(self, partition, values, keys=None):
        self._rows += [json.loads(value) for value in values]
        table = pa.Table.from_pylist(self._rows, pa.schema({"x": pa.int64()}))
        if self._path.suffix == ".parquet":
            pa.parquet.write_table(table, self._path, row_group_size=50)
        else:
            with pa.ipc.new_file(self._path, table.schema) as file:
                file.write_table(table, max_chunksize=50)

    def cut(self, partition, count):
        del self._rows[count:]
        self.write(partition, [])


class GeneratorBench:
    """A generated stream: nobody writes to it."""

    def __init__(self):
        self._address = "synth:agrawal?rows=0"

    def generate(self, count):
        self._address = f"synth:agrawal?rows={count}&seed=3"
        stream = open_named(self._address)
        X, y = stream.chunk(0)
        found = []
        for values, code in zip(X.tolist(), y.tolist(), strict=True):
            row = {
                name: stream.categories[name][int(value)] if name in stream.categories else value
                for name, value in zip(stream.names, values, strict=True)
            }
            found.append(json.dumps({**row, "class": stream.classes[code]}).encode())
        return {self._address: found}

    def source(self, *, follow=None):
        return rp.sources.open(self._address)


class InputBench:
    """A pipe as standard input, which a thread writes to, and a journal."""

    def __init__(self, folder, monkeypatch):
        self.partitions = ["-"]
        self.journal = folder / "journal"
        end, self._pipe = os.pipe()
        self._input = os.fdopen(end)
        monkeypatch.setattr(sys, "stdin", self._input)
        self._waiting = queue.Queue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self):
        with os.fdopen(self._pipe, "wb") as pipe:
            while (data := self._waiting.get()) is not None:
                pipe.write(data)
                pipe.flush()

    def source(self, *, follow=None):
        if follow is False:
            self._waiting.put(None)
        return rp.sources.open("-", {"format": "jsonl", "journal": str(self.journal)})

    def write(self, partition, values, keys=None):
        self._waiting.put(b"".join((value or b"") + b"\n" for value in values))

    def close(self):
        self._waiting.put(None)
        self._thread.join(60)
        self._input.close()


class TestFile(
    Conformance, MessageConformance, FollowingConformance, CutConformance, RemadeConformance
):
    @pytest.fixture
    def bench(self, tmp_path):
        return FileBench(tmp_path)


class TestFolder(
    Conformance, MessageConformance, FollowingConformance, CutConformance, RemadeConformance
):
    @pytest.fixture
    def bench(self, tmp_path):
        return FolderBench(tmp_path)


class TestTable(Conformance, CutConformance):
    elsewhere = "beginning"

    @pytest.fixture(params=["rows.parquet", "rows.arrow"])
    def bench(self, request, tmp_path):
        return TableBench(tmp_path / request.param)


class TestGenerator(Conformance):
    elsewhere = "beginning"

    @pytest.fixture
    def bench(self):
        return GeneratorBench()


class TestInput(Conformance, MessageConformance):
    elsewhere = "beginning"

    @pytest.fixture
    def bench(self, tmp_path, monkeypatch):
        bench = InputBench(tmp_path, monkeypatch)
        yield bench
        bench.close()

    def test_what_comes_later_is_read(self, bench):
        bench.write("-", numbered(3))
        with opened(bench) as source:
            read(source, 3)
            for i in range(5):
                assert source.poll(10, 0.01) is None
                bench.write("-", [b"%d" % i])
                assert [list(chunk.values) for chunk in read(source, 1)] == [[b"%d" % i]]

    @pytest.mark.parametrize("loss", ["a part", "all parts", "the end"])
    def test_a_journal_that_lost_something_is_a_gap(self, tmp_path, monkeypatch, loss):
        positions = []
        for i in range(3):
            bench = InputBench(tmp_path, monkeypatch)
            bench.write("-", numbered(10, 10 * i))
            with opened(bench, {"-": positions[-1]} if positions else {}) as source:
                positions.append(read(source, 10)[-1].next)
            bench.close()
        bench = InputBench(tmp_path, monkeypatch)
        parts = sorted(Path(bench.journal).iterdir())
        assert len(parts) == 3
        if loss == "a part":
            parts[1].unlink()
        elif loss == "all parts":
            for part in parts:
                part.unlink()
        else:
            os.truncate(parts[1], 5)
        with pytest.raises(GapError, match="journal"), opened(bench, {"-": positions[1]}):
            pass
        bench.close()
