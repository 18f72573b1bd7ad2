"""A file of lines as a source: its position is a byte, and it may still grow."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping

from riparian.sources.line_file import HEAD_BYTES, LineFile, begun, head_digest, wait
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
from riparian.streams.readers.packed import ENDINGS

__all__ = ["FileSource"]

#: Seconds after which a file that was rotated away counts as finished.
_SETTLED = 1.0


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
            self._row += self._file.skip_lines()

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
            self._lines, self.header = begun(path, byte, self.header)
        else:
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
            if not wait(until):
                return None

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
