"""Where the bytes of a stream come from: a file or standard input, compressed or not."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from itertools import islice
from types import TracebackType
from typing import BinaryIO, Self, cast

from riparian.streams.columns import Column, Columns, Selection

__all__ = [
    "DAMAGED",
    "FileStream",
    "Source",
    "damaged",
    "first_line",
    "not_text",
    "place",
    "read_lines",
]

#: What reading a broken compressed file raises.
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)

_GZIP = b"\x1f\x8b"
_LONGEST_FIRST_LINE = 1 << 24


class Source:
    """The bytes of a file, or of standard input for ``-``, and how many have been read.

    Parameters
    ----------
    path : str or path-like
        The file; ``-`` is standard input.

    Attributes
    ----------
    name : str
        What messages call it.
    n_bytes : int or None
        Size of the file as it lies there; None if that is not known.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.is_input = self.path == "-"
        self.name = "standard input" if self.is_input else self.path
        self._file = _standard_input() if self.is_input else open(self.path, "rb")  # noqa: SIM115
        self.n_bytes = None if self.is_input else os.fstat(self._file.fileno()).st_size or None

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, in bytes of the file as it lies there."""
        return 0 if self.is_input else self._file.raw.tell()

    def plain(self) -> BinaryIO:
        """Give the bytes as they are."""
        return cast(BinaryIO, self._file)

    def decompressed(self) -> BinaryIO:
        """Give the bytes, unpacked if they are gzip."""
        if self._file.peek(2)[:2] != _GZIP:
            return self.plain()
        unpacked = gzip.GzipFile(fileobj=self._file, mode="rb")
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, unpacked), 1 << 16))

    def starts_with(self, magic: bytes) -> bool:
        """Look at the first bytes without reading them."""
        return self._file.peek(len(magic))[: len(magic)] == magic

    def close(self) -> None:
        if not self.is_input:
            self._file.close()


def _standard_input() -> io.BufferedReader:
    buffer = sys.stdin.buffer
    if hasattr(buffer, "peek"):
        return cast(io.BufferedReader, buffer)
    return io.BufferedReader(cast(io.RawIOBase, buffer))


class FileStream:
    """Labelled rows of a file, in blocks, each read once and then forgotten.

    Attributes
    ----------
    name : str
        What messages call the stream.
    names : list of str
        The features' names, in the file's order. JSON lines may add some on the way.
    target : str or None
        The column of the labels; None if the rows have none.
    n_rows : int or None
        Length of the stream, if the file says it.
    n_bytes : int or None
        Size of the file.
    row : int
        How many rows have been handed out.
    """

    def __init__(self, source: Source, selection: Selection) -> None:
        self.name = source.name
        self.names: list[str] = []
        self.target = selection.target
        self.n_rows: int | None = None
        self.n_bytes = source.n_bytes
        self.row = 0
        self._source = source
        self._selection = selection

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.names)} features)"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    @property
    def bytes_read(self) -> int:
        """How much of `n_bytes` has been read."""
        return self._source.bytes_read

    def blocks(self, size: int = 10_000) -> Iterator[tuple[Columns, Column | None]]:
        """Read on, a block at a time.

        Parameters
        ----------
        size : int, default=10_000
            The most rows a block has.

        Yields
        ------
        X : dict of str to 1-D arrays
            float64 with NaN for a missing number, or str with None for a missing category.
        y : 1-D array or None
            The labels: int64 or str; None if the stream has no target.
        """
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        for X, y in self._blocks(size):
            self.row += next((len(column) for column in X.values()), 0)
            yield X, y

    def _blocks(self, size: int) -> Iterator[tuple[Columns, Column | None]]:
        raise NotImplementedError


def first_line(source: BinaryIO) -> bytes:
    """Read the first line of a text, without the mark with which some programs begin one."""
    try:
        line = source.readline(_LONGEST_FIRST_LINE)
    except DAMAGED as error:
        raise damaged(0, error) from None
    if len(line) == _LONGEST_FIRST_LINE:
        raise ValueError(f"the first line does not end within {_LONGEST_FIRST_LINE:,} bytes")
    return line.removeprefix(codecs.BOM_UTF8)


def read_lines(lines: Iterator[bytes], most: int, row: int) -> list[bytes]:
    """Read up to `most` lines of a text, the first of which is the row `row`."""
    read: list[bytes] = []
    try:
        read.extend(islice(lines, most))
    except DAMAGED as error:
        raise damaged(row + len(read), error) from None
    return read


def damaged(row: int, error: Exception) -> ValueError:
    """Say where a compressed file is broken."""
    return ValueError(
        f"{place(row)}: the compressed file is damaged or ends too early ({str(error).rstrip('.')})"
    )


def not_text(row: int, error: UnicodeDecodeError) -> ValueError:
    """Say where a file is not in the encoding it should be in."""
    return ValueError(
        f"{place(row)}: the byte 0x{error.object[error.start]:02x} is not {error.encoding} text; "
        f"name the file's encoding (--encoding latin-1, for one)"
    )


def place(row: int) -> str:
    """Name a row; row 0 is the header."""
    return f"row {row}" if row else "the first line"
