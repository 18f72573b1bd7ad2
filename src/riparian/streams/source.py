"""Where the bytes of a stream come from: a file or standard input, compressed or not."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import BinaryIO, cast

from riparian.streams.faults import DamagedFileError, place
from riparian.streams.packed import unpacked

__all__ = ["Lines", "Source", "first_line", "not_text"]

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
        """Give the bytes, unpacked if they are gzip, bzip2 or xz."""
        return unpacked(self._file)

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


def first_line(source: BinaryIO) -> bytes:
    """Read the first line of a text, without the mark with which some programs begin one."""
    try:
        line = source.readline(_LONGEST_FIRST_LINE)
    except DamagedFileError as error:
        raise DamagedFileError(f"{place(0)}: {error}") from None
    if len(line) == _LONGEST_FIRST_LINE:
        raise ValueError(f"the first line does not end within {_LONGEST_FIRST_LINE:,} bytes")
    return line.removeprefix(codecs.BOM_UTF8)


class Lines:
    """The lines of a text, some of which may be put back.

    Where a compressed text breaks off, its lines end; `damage` then says why.
    """

    def __init__(self, text: Iterable[bytes], first: bytes = b"") -> None:
        self.damage: DamagedFileError | None = None
        self._text = iter(text)
        # The next line is the last of the list.
        self._back = [first] if first else []

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> bytes:
        if self._back:
            return self._back.pop()
        if self.damage is None:
            try:
                return next(self._text)
            except DamagedFileError as error:
                self.damage = error
        raise StopIteration

    def take(self, most: int) -> list[bytes]:
        """Give the next lines, at most so many; none is the end."""
        taken = self._back[-most:][::-1]
        del self._back[-most:]
        if len(taken) < most and self.damage is None:
            try:
                taken.extend(islice(self._text, most - len(taken)))
            except DamagedFileError as error:
                self.damage = error
        return taken

    def put_back(self, lines: Sequence[bytes]) -> None:
        """Let these lines come next."""
        self._back += lines[::-1]


def not_text(row: int, error: UnicodeDecodeError) -> str:
    """Say where a file is not in the encoding it should be in."""
    return (
        f"{place(row)}: the byte 0x{error.object[error.start]:02x} is not {error.encoding} text; "
        f"name the file's encoding (--encoding latin-1, for one)"
    )
