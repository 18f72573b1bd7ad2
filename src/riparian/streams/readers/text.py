"""Text in pieces of whole lines, from a file or from a pipe that may never end."""

from __future__ import annotations

import codecs
import time
from collections.abc import Iterator
from dataclasses import dataclass

from riparian.streams.readers import source as sources
from riparian.streams.readers.faults import DamagedFileError, place
from riparian.streams.readers.source import Source

__all__ = ["PIECE_BYTES", "Piece", "Text", "lines_of"]

#: About as many bytes are parsed at once. The rows of a stream do not depend on it.
PIECE_BYTES = 1 << 20

_LONGEST_FIRST_LINE = 1 << 24


@dataclass(frozen=True)
class Piece:
    """Whole lines; the last one may lack its line end where the text ends."""

    data: bytes
    #: Whether the text ends here.
    last: bool
    #: Whether a live source gave no more in time.
    late: bool = False


class Text:
    """The text of a source, which is read once; pieces can be put back.

    Where a compressed text breaks off, it ends; `damage` then holds the reason.
    """

    def __init__(self, source: Source) -> None:
        self.damage: DamagedFileError | None = None
        self._source = source
        self._held = b""
        self._ended = False
        # Whether the last piece was late, and whether it was put back: it has waited long enough.
        self._late = False
        self._waited = False

    def first_line(self) -> bytes:
        """Read the first line, without the mark with which some programs begin a text."""
        while b"\n" not in self._held and not self._ended:
            if len(self._held) >= _LONGEST_FIRST_LINE:
                raise ValueError(
                    f"the first line does not end within {_LONGEST_FIRST_LINE:,} bytes"
                )
            self._read_more(None)
        end = self._held.find(b"\n")
        if (len(self._held) if end < 0 else end) >= _LONGEST_FIRST_LINE:
            raise ValueError(f"the first line does not end within {_LONGEST_FIRST_LINE:,} bytes")
        if self.damage is not None and end < 0:
            raise DamagedFileError(f"{place(0)}: {self.damage}")
        line, newline, self._held = self._held.partition(b"\n")
        return (line + newline).removeprefix(codecs.BOM_UTF8)

    def piece(self, n_bytes: int | None = None, n_lines: int | None = None) -> Piece | None:
        """Give the next lines; None is the end.

        Parameters
        ----------
        n_bytes : int, optional
            About how many bytes; by default `PIECE_BYTES`.
        n_lines : int, optional
            Give this many lines, however many bytes they have.
        """
        wanted = PIECE_BYTES if n_bytes is None else n_bytes
        until: float | None = None
        late = False
        while not self._ended:
            whole = b"\n" in self._held
            if whole and n_lines is None and len(self._held) >= wanted:
                break
            if n_lines is not None and self._held.count(b"\n") >= n_lines:
                break
            if whole and until is None:
                until = time.monotonic() + (0.0 if self._waited else sources.PATIENCE)
            if not self._read_more(until):
                late = True
                break
        self._late, self._waited = late, False
        if not self._held:
            return None
        data = self._held
        if n_lines is not None and data.count(b"\n") > n_lines:
            return Piece(self._cut(_end_of(data, n_lines)), last=False)
        if self._ended:
            self._held = b""
            if self.damage is not None or self._source.interrupt is not None:
                # The last line may be cut off.
                data = data[: data.rfind(b"\n") + 1]
            return Piece(data, last=True) if data else None
        return Piece(self._cut(data.rfind(b"\n") + 1), last=False, late=late)

    def put_back(self, data: bytes) -> None:
        """Give these bytes again with the next piece."""
        self._waited = self._late
        self._held = data + self._held

    def more(self) -> bool:
        """Read on, so that the next piece is longer than what was put back; False at the end."""
        n = len(self._held)
        while not self._ended and (len(self._held) == n or b"\n" not in self._held[n:]):
            self._read_more(None)
        return len(self._held) > n

    def _cut(self, end: int) -> bytes:
        data, self._held = self._held[:end], self._held[end:]
        return data

    def _read_more(self, until: float | None) -> bool:
        try:
            read = self._source.read(PIECE_BYTES, until)
        except DamagedFileError as error:
            self.damage = error
            self._ended = True
            return True
        if read is None:
            return False
        self._ended = not read
        self._held += read
        return True


def _end_of(data: bytes, n_lines: int) -> int:
    at = 0
    for _ in range(n_lines):
        at = data.index(b"\n", at) + 1
    return at


def lines_of(data: bytes) -> Iterator[bytes]:
    """Give the lines of a text with their line ends."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        yield data[at:end]
        at = end
