"""A file of lines as a source: its position is a byte, and it may still grow."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Mapping
from typing import BinaryIO

from riparian.sources.lines import Lines
from riparian.sources.source import (
    Chunk,
    EndOfSource,
    GapError,
    IdentityError,
    Lag,
    Position,
    Start,
)
from riparian.streams.readers.packed import ENDINGS, unpacked

__all__ = ["HEAD_BYTES", "FileSource", "LineFile", "head_digest"]

#: A file is known by the digest of its first bytes: those before the position, at most so many.
HEAD_BYTES = 4096

#: Bytes that are read at once, and bytes after which a chunk ends, although it has few lines.
_PIECE = 1 << 20
_MOST = 1 << 23
#: A longer line is refused: it would fill the memory.
_LONGEST_LINE = 1 << 27
#: Seconds after which a file that was rotated away counts as finished.
_SETTLED = 1.0
#: Seconds between two looks at a file that has not grown.
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
        while self._held.count(b"\n") < most:
            read = self._more()
            if not read:
                break
            self._held += read
            if len(self._held) > _LONGEST_LINE and b"\n" not in self._held:
                raise ValueError(
                    f"{self.path}, byte {self.byte}: a line has more than {_LONGEST_LINE:,} bytes"
                )
            if len(self._held) >= _MOST and b"\n" in read:
                break
        end = self._held.rfind(b"\n") + 1
        if self._held.count(b"\n") > most:
            end = 0
            for _ in range(most):
                end = self._held.index(b"\n", end) + 1
        return self._cut(end)

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

    def _more(self) -> bytes:
        if self._text is not None:
            return self._text.read(_PIECE)
        return os.pread(self._file.fileno(), _PIECE, self.read_to)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FileSource:
    """The lines of one file.

    Without `follow` the source ends where the file ends. With it, the source waits for more. A file
    that is renamed and made again (rotated) is read to its end first, then the new one from its
    beginning. This holds for a learner that did not run when it happened, too, if the old file has
    the same name with a number after it: ``rows.jsonl.1`` or ``rows.jsonl-20260101``.

    A line without its line end is a message only at the end, or after `idle_line` seconds in which
    the file did not grow. A file that has become shorter is a gap.

    Parameters
    ----------
    path : str
        The file.
    follow : bool, default=False
        Whether to wait for more at the end.
    header : bool, default=False
        Whether the first line names columns and is no message.
    idle_line : float, default=0.0
        Seconds after which an unfinished line is a message; 0 never.
    """

    replayable = True

    def __init__(
        self, path: str, *, follow: bool = False, header: bool = False, idle_line: float = 0.0
    ) -> None:
        self.path = os.path.abspath(path)
        self.name = self.path
        self.identity: Mapping[str, str] = {}
        #: The first line, if it names columns.
        self.header: bytes | None = None
        self._follow = follow
        self._has_header = header
        self._idle_line = idle_line
        self._lines: LineFile | None = None
        self._row = 0
        self._changed = 0.0
        if follow and path.endswith(ENDINGS):
            raise ValueError(f"{path}: a compressed file cannot be followed")

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        if isinstance(start, int):
            raise ValueError("a file has no times: start must be 'beginning' or 'end'")
        position = positions.get(self.path)
        self.seek(self.path, position or {"byte": 0, "row": 0})
        if position is None and start == "end":
            while data := self._file.lines(100_000):
                self._row += len(Lines(data))

    def seek(self, partition: str, position: Position) -> None:
        self.close()
        self._begin(self._find(position), int(position["byte"]), int(position["row"]))
        if self._file.short:
            self._raise_gap(int(position["byte"]))

    def _find(self, position: Position) -> str:
        """Return the path of the file that a position is from."""
        byte, wanted = int(position["byte"]), position.get("head")
        if not os.path.isfile(self.path):
            raise FileNotFoundError(f"there is no file {self.path}")
        # The head of a compressed file is that of its text, which does not change alone.
        if wanted is None or byte == 0 or self.path.endswith(ENDINGS):
            return self.path
        for path in [self.path, *self._rotated_files()]:
            if os.path.getsize(path) >= byte and head_digest(path, byte) == wanted:
                return path
        if os.path.getsize(self.path) < byte:
            self._raise_gap(byte)
        raise IdentityError(
            f"{self.path} is not the file that was read before: its first "
            f"{min(byte, HEAD_BYTES):,} bytes differ, and no rotated file has them"
        )

    def _rotated_files(self) -> list[str]:
        """Return the files that were rotated away, the oldest first."""
        folder, name = os.path.split(self.path)
        pattern = re.compile(re.escape(name) + r"[.-]\d+")
        found = [entry for entry in os.scandir(folder) if pattern.fullmatch(entry.name)]
        return [one.path for one in sorted(found, key=lambda one: one.stat().st_mtime_ns)]

    def _begin(self, path: str, byte: int, row: int) -> None:
        if self._has_header:
            first = LineFile(path)
            header = first.lines(1) or first.rest()
            if self.header is not None and header.split() != self.header.split():
                raise ValueError(f"{path} has another header than the file before it")
            self.header = header
            byte = max(byte, first.byte)
            first.close()
        self._lines = LineFile(path, byte)
        self._row = row
        self._changed = time.monotonic()

    def _raise_gap(self, byte: int) -> None:
        raise GapError(
            f"{self.path} was read up to byte {byte:,} and has fewer bytes now: it was cut off",
            partition=self.path,
            resume={"byte": 0, "row": 0},
        )

    @property
    def _file(self) -> LineFile:
        if self._lines is None:
            raise ValueError("the source is not open")
        return self._lines

    def _position(self) -> Position:
        place: dict[str, int | str] = {"byte": self._file.byte, "row": self._row}
        return place if self._file.packed else {**place, "head": self._file.head()}

    @property
    def positions(self) -> Mapping[str, Position]:
        """Where reading goes on."""
        return {self.path: self._position()}

    def poll(self, most: int, timeout: float) -> Chunk | None:
        until = time.monotonic() + timeout
        first = self._position()
        while True:
            row = self._row
            data = self._file.lines(most) or self._last_line()
            if self._file.was_cut:
                self._raise_gap(self._file.read_to)
            if self._file.was_overwritten():
                raise IdentityError(f"{self.path} was overwritten while it was read")
            if data:
                self._changed = time.monotonic()
                lines = Lines(data)
                self._row += len(lines)
                places = range(row + 1, self._row + 1)
                return Chunk(self.path, first, self._position(), lines, places=places)
            if self._rotated():
                continue
            if not self._follow:
                raise EndOfSource
            left = until - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(_PAUSE, left))

    def _last_line(self) -> bytes:
        """Return the line without a line end, if it counts already."""
        file = self._file
        idle = time.monotonic() - self._changed
        if file.has_rest and (not self._follow or self._is_old() or 0 < self._idle_line <= idle):
            return file.rest()
        return b""

    def _is_old(self) -> bool:
        """Whether the file was rotated away and its writer has had the time to notice that."""
        try:
            mine = self._file.status()
            if os.path.samestat(os.stat(self.path), mine):
                return False
        except FileNotFoundError:
            return False
        return not self._follow or time.time() - mine.st_mtime > _SETTLED

    def _rotated(self) -> bool:
        """Go on with the file after one that was rotated away; whether there is one."""
        if self._file.packed or not self._is_old():
            return False
        mine = self._file.status()
        later = [path for path in self._rotated_files() if _is_later(path, mine)]
        self._file.close()
        self._begin((later or [self.path])[0], 0, 0)
        return True

    def behind(self) -> Mapping[str, Lag]:
        if self._lines is None or self._lines.packed or not self._row:
            return {}
        left = max(0, self._lines.size() - self._lines.byte)
        return {self.path: Lag(messages=left * self._row // max(1, self._lines.byte))}

    def committed(self, positions: Mapping[str, Position]) -> None:
        """Do nothing: a file keeps its lines."""

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None


def _is_later(path: str, than: os.stat_result) -> bool:
    found = os.stat(path)
    return not os.path.samestat(found, than) and found.st_mtime_ns > than.st_mtime_ns
