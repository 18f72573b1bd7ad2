"""Several files as one stream: the first of them decides the kinds of the columns."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from riparian.streams.readers.blocks import BlockStream
from riparian.streams.readers.columns import Column, Selection
from riparian.streams.readers.faults import DamagedFileError, Faults
from riparian.streams.readers.files import FileStream

__all__ = ["ManyFiles", "listed"]


def listed(path: str | os.PathLike[str], is_data: Callable[[str], bool]) -> list[str]:
    """List the files that a name describes: itself, a pattern or a folder; in the order of names.

    Parameters
    ----------
    path : str or path-like
        A folder stands for the files in it that `is_data` accepts.
    is_data : callable
        Returns whether the ending of a file's name is one that can be read.
    """
    name = os.fspath(path)
    if name == "-" or "://" in name or os.path.isfile(name):
        return [name]
    if os.path.isdir(name):
        found = sorted(str(file) for file in Path(name).iterdir() if file.is_file())
        files = [file for file in found if is_data(file)]
        if not files:
            raise ValueError(f"{name} holds no file that can be read")
        return files
    if glob.has_magic(name):
        files = sorted(file for file in glob.glob(name) if os.path.isfile(file))
        if not files:
            raise ValueError(f"no file matches {name!r}")
        return files
    return [name]


class ManyFiles(BlockStream):
    """The rows of several files, one after the other; their numbers go on.

    Parameters
    ----------
    paths : sequence of str
        The files.
    selection : Selection
    faults : Faults
    open_one : callable
        Opens a file with a selection.
    """

    def __init__(
        self,
        paths: Sequence[str],
        selection: Selection,
        faults: Faults,
        open_one: Callable[[str, Selection, Faults], FileStream],
    ) -> None:
        super().__init__(f"{len(paths)} files", selection, faults)
        self._paths = list(paths)
        self._open_one = open_one
        self._current = self._open(selection)
        first = self._current
        self.names, self.target = list(first.names), first.target
        self.declared_categories = first.declared_categories
        self.declared_classes = first.declared_classes
        known = all(map(os.path.isfile, paths))
        self.n_bytes = (sum(map(os.path.getsize, paths)) or None) if known else None
        self._bytes_before = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file that is being read."""
        self._current.close()

    @property
    def bytes_read(self) -> int:
        """How much of `n_bytes` has been read."""
        return self._bytes_before + self._current.bytes_read

    def blocks(self, size: int = 10_000) -> Iterator[tuple[Mapping[str, Column], Column | None]]:
        before = 0
        while True:
            stream = self._current
            skipped = self._faults.n
            with self._named(stream):
                for X, y in stream.blocks(size):
                    self._count(stream, skipped)
                    known = set(self.names)
                    self.names += [name for name in X if name not in known]
                    self.places = np.asarray(stream.places) + before
                    self.row += len(self.places)
                    yield X, y
            self._count(stream, skipped)
            before += stream.row + stream.skipped
            if not self._paths:
                return
            self._bytes_before += stream.n_bytes or 0
            stream.close()
            self._current = self._open(self._selection.for_next_file(stream.kinds, stream.labels))

    def _count(self, stream: FileStream, skipped: int) -> None:
        """Take over the bad rows of a file."""
        self._faults.n = skipped + stream.skipped
        if self._faults.first is None and stream.first_fault is not None:
            self._faults.first = f"{stream.name}: {stream.first_fault}"

    def _open(self, selection: Selection) -> FileStream:
        path = self._paths.pop(0)
        try:
            return self._open_one(path, selection, Faults(self._faults.skip))
        except ValueError as error:
            raise type(error)(f"{path}: {error}") from None

    @staticmethod
    def _named(stream: FileStream) -> _Named:
        return _Named(stream.name)


class _Named:
    """Puts the name of a file in front of the errors in it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DamagedFileError):
            raise DamagedFileError(f"{self._name}: {error}") from None
        if isinstance(error, ValueError):
            raise ValueError(f"{self._name}: {error}") from None
