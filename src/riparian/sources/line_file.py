"""One file of lines that is read from a byte on: what files and folders have in common."""

from __future__ import annotations

import hashlib
import os
import time
from typing import BinaryIO

from riparian.sources.lines import Lines, line_end, n_lines
from riparian.streams.readers.packed import ENDINGS, unpacked

__all__ = ["HEAD_BYTES", "LineFile", "begun", "head_digest", "wait"]

#: A file is known by the digest of its first bytes: those before the position, at most this many.
HEAD_BYTES = 4096

#: Bytes that are read at once, and bytes after which a chunk ends, although it has few lines.
_PIECE = 1 << 20
_MOST = 1 << 23
#: A longer line is refused: it would fill the memory.
_LONGEST_LINE = 1 << 27
#: Seconds between two looks at a file or a folder in which nothing is new.
_PAUSE = 0.05


def head_digest(path: str, byte: int) -> str:
    """Return the digest of the first bytes of a file, of those before `byte`."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(min(byte, HEAD_BYTES))).hexdigest()[:32]


class LineFile:
    """The whole lines of one file from a byte on, compressed or not.

    Parameters
    ----------
    path : str
        The file. A compressed one is read from its beginning, whatever the byte.
    byte : int
        Where to begin, counted in the unpacked text.
    """

    def __init__(self, path: str, byte: int = 0) -> None:
        self.path = path
        self.packed = path.endswith(ENDINGS)
        self.byte = byte
        self._file = open(path, "rb")  # noqa: SIM115
        self._text: BinaryIO | None = None
        self._held = b""
        self._head: str | None = None
        self._first = b""
        if self.packed:
            self._text = unpacked(self._file)
            left = byte
            while left and (piece := self._text.read(min(left, _PIECE))):
                left -= len(piece)
            self.short = left > 0
        else:
            self.short = self.size() < byte
            self._first = os.pread(self._file.fileno(), min(byte, HEAD_BYTES), 0)

    def size(self) -> int:
        """Return the number of bytes of the file now."""
        return os.fstat(self._file.fileno()).st_size

    @property
    def read_to(self) -> int:
        """The byte up to which the file was read, lines and the rest."""
        return self.byte + len(self._held)

    def status(self) -> os.stat_result:
        """Return the status of the open file, whatever its name is now."""
        return os.fstat(self._file.fileno())

    def head(self) -> str:
        """Return the digest of the file's first bytes, of those before `byte`."""
        if self._head is None or self.byte < HEAD_BYTES:
            head = os.pread(self._file.fileno(), min(self.byte, HEAD_BYTES), 0)
            found = hashlib.sha256(head).hexdigest()[:32]
            self._head = found if self.byte >= HEAD_BYTES else None
            return found
        return self._head

    @property
    def was_cut(self) -> bool:
        """Whether the file has fewer bytes than were read."""
        return not self.packed and self.size() < self.read_to

    def was_overwritten(self) -> bool:
        """Whether the first bytes are no longer those that were read."""
        if self.packed:
            return False
        first = os.pread(self._file.fileno(), min(self.read_to, HEAD_BYTES), 0)
        same = first.startswith(self._first)
        self._first = first if same else self._first
        return not same

    def lines(self, most: int) -> bytes:
        """Return at most `most` whole lines; empty if there is none yet."""
        pieces, n, size = [self._held], n_lines(self._held), len(self._held)
        try:
            while n < most and (read := self._more(self.byte + size)):
                pieces.append(read)
                size += len(read)
                n += n_lines(read)
                if size > _LONGEST_LINE and not n:
                    raise ValueError(
                        f"{self.path}, byte {self.byte}: a line has more than {_LONGEST_LINE:,} "
                        "bytes"
                    )
                if size >= _MOST and b"\n" in read:
                    break
        except BaseException:
            self._held = b"".join(pieces)
            raise
        if n <= most and b"\n" not in pieces[-1]:
            pieces = [b"".join(pieces)]
        *whole, last = pieces
        # The end is in the last piece, so only that one is copied twice.
        left = most - n + last.count(b"\n")
        end = line_end(last, left) if n > most else last.rfind(b"\n") + 1
        data = b"".join([*whole, memoryview(last)[:end]])
        self._held = last[end:]
        self.byte += len(data)
        return data

    def grown(self) -> bool:
        """Whether there are bytes that were not read yet."""
        return not self.packed and self.size() > self.read_to

    def rest(self) -> bytes:
        """Return the last line, which has no line end."""
        return self._cut(len(self._held))

    @property
    def has_rest(self) -> bool:
        """Whether bytes without a line end were read."""
        return bool(self._held)

    def _cut(self, end: int) -> bytes:
        data, self._held = self._held[:end], self._held[end:]
        self.byte += end
        return data

    def _more(self, byte: int) -> bytes:
        """Read on at the byte up to which the file was read."""
        if self._text is not None:
            return self._text.read(_PIECE)
        return os.pread(self._file.fileno(), _PIECE, byte)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def skip_lines(self) -> int:
        """Go behind the last whole line; return how many lines that were."""
        n = 0
        while data := self.lines(100_000):
            n += len(Lines(data))
        return n


def begun(path: str, byte: int, header: bytes | None) -> tuple[LineFile, bytes]:
    """Open a file whose first line names columns, behind that line.

    Parameters
    ----------
    path : str
        The file.
    byte : int
        Where to go on.
    header : bytes or None
        The first line of the file before it, which must name the same columns.

    Returns
    -------
    file, header
    """
    first = LineFile(path)
    found = first.lines(1) or first.rest()
    first.close()
    if header is not None and found.split() != header.split():
        raise ValueError(f"{path} has another header than the file before it")
    return LineFile(path, max(byte, first.byte)), found


def wait(until: float) -> bool:
    """Wait a moment before the next look; False if the time is over."""
    left = until - time.monotonic()
    if left > 0:
        time.sleep(min(_PAUSE, left))
    return left > 0
