"""Files and folders do what every source must do."""

from __future__ import annotations

import pytest

import riparian as rp
from tests.sources.conformance import Conformance


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
        super().write(self._folder / f"{self._n:04d}.jsonl", values)


class TestFile(Conformance):
    @pytest.fixture
    def bench(self, tmp_path):
        return FileBench(tmp_path)


class TestFolder(Conformance):
    @pytest.fixture
    def bench(self, tmp_path):
        return FolderBench(tmp_path)
