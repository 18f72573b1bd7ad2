"""Standard input as a source: at most once, or with a journal from the moment a line is read."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from riparian.sources.line_file import LineFile
from riparian.sources.lines import Lines, line_end
from riparian.sources.source import Chunk, EndOfSource, GapError, Lag, Position, Start
from riparian.streams.readers.source import Source as ByteSource

__all__ = ["InputSource"]

_NAME = "-"
#: A part of the journal is finished when it has this many bytes.
_PART_BYTES = 1 << 26


class InputSource:
    """The lines of standard input.

    A pipe cannot be read again, so what was read and not learned is lost with the process. With a
    journal each line is written to a file before it is learned, and a restarted learner begins with
    the lines that the last checkpoint does not have. Parts of the journal that a checkpoint covers
    are removed.

    Parameters
    ----------
    journal : str, default=None
        A folder for the journal.
    header : bool, default=False
        Whether the first line names columns and is no message.
    """

    name = _NAME

    def __init__(self, journal: str | None = None, *, header: bool = False) -> None:
        self.replayable = journal is not None
        self.identity: Mapping[str, str] = {}
        self.header: bytes | None = None
        self._folder = journal
        self._has_header = header
        self._input: ByteSource | None = None
        self._held = b""
        self._ended = False
        self._part = 0
        self._byte = 0
        self._row = 0
        self._old: LineFile | None = None
        self._out = -1

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        if start == "end" or isinstance(start, int):
            raise ValueError("standard input can only be read from its beginning")
        if self._input is None:
            self._input = ByteSource("-")
        self.seek(_NAME, positions.get(_NAME, {"part": 0, "byte": 0, "row": 0}))

    def seek(self, partition: str, position: Position) -> None:
        self._close_files()
        self._part, self._byte = int(position["part"]), int(position["byte"])
        self._row = int(position["row"])
        if self._folder is None:
            return
        os.makedirs(self._folder, exist_ok=True)
        parts = self._parts()
        # A part goes only when a checkpoint is in a later one.
        if self._part not in parts and (self._byte or any(part > self._part for part in parts)):
            raise GapError(
                f"part {self._part} of the journal {self._folder} is gone",
                partition=_NAME,
                resume={
                    "part": min((part for part in parts if part > self._part), default=0),
                    "byte": 0,
                    "row": self._row,
                },
            )
        if self._part in parts:
            self._old = LineFile(self._path(self._part), self._byte)
            if self._old.short:
                raise GapError(
                    f"part {self._part} of the journal {self._folder} has lost its end",
                    partition=_NAME,
                    resume={"part": self._part, "byte": self._old.size(), "row": self._row},
                )

    def _path(self, part: int) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, f"{part:08d}.lines")

    def _parts(self) -> list[int]:
        assert self._folder is not None
        names = [name for name in os.listdir(self._folder) if name.endswith(".lines")]
        return sorted(int(name.removesuffix(".lines")) for name in names)

    def _position(self) -> Position:
        return {"part": self._part, "byte": self._byte, "row": self._row}

    def poll(self, most: int, timeout: float) -> Chunk | None:
        first, row = self._position(), self._row
        data = self._from_journal(most) or self._from_input(most, timeout)
        if not data:
            if self._ended:
                raise EndOfSource
            return None
        lines = Lines(data)
        self._byte += len(data)
        self._row += len(lines)
        places = range(row + 1, self._row + 1)
        return Chunk(_NAME, first, self._position(), lines, places=places)

    def _from_journal(self, most: int) -> bytes:
        """Return lines that an earlier process has written; a torn last line is left out."""
        while self._old is not None:
            data = self._old.lines(most)
            if data:
                return data
            self._old.close()
            self._old = None
            later = [part for part in self._parts() if part > self._part]
            if later:
                self._part, self._byte = later[0], 0
                self._old = LineFile(self._path(self._part))
            else:
                # A new part: a torn line at the end of the last one is not continued.
                self._part, self._byte = self._part + 1, 0
        return b""

    def _from_input(self, most: int, timeout: float) -> bytes:
        assert self._input is not None
        until = time.monotonic() + timeout
        parts, n = [self._held], self._held.count(b"\n")
        while not self._ended and n < most:
            read = self._input.read(1 << 20, until)
            if read is None:
                break
            self._ended = not read
            parts.append(read)
            n += read.count(b"\n")
        held = b"".join(parts)
        if self._has_header and self.header is None and held:
            header, end, held = held.partition(b"\n")
            self.header = header + end
            n -= len(end)
        end_of_lines = line_end(held, most) if n > most else held.rfind(b"\n") + 1
        if self._ended and not end_of_lines and held:
            held += b"\n"
            end_of_lines = len(held)
        data, self._held = held[:end_of_lines], held[end_of_lines:]
        if data and self._folder is not None:
            self._write(data)
        return data

    def _write(self, data: bytes) -> None:
        if self._out >= 0 and self._byte >= _PART_BYTES:
            os.fsync(self._out)
            os.close(self._out)
            self._out, self._part, self._byte = -1, self._part + 1, 0
        if self._out < 0:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._out = os.open(self._path(self._part), flags, 0o600)
        left = memoryview(data)
        while left:
            left = left[os.write(self._out, left) :]

    def behind(self) -> Mapping[str, Lag]:
        return {}

    def committed(self, positions: Mapping[str, Position]) -> None:
        if self._folder is None or _NAME not in positions:
            return
        if self._out >= 0:
            os.fsync(self._out)
        for part in self._parts():
            if part < int(positions[_NAME]["part"]):
                os.unlink(self._path(part))

    def _close_files(self) -> None:
        if self._old is not None:
            self._old.close()
            self._old = None
        if self._out >= 0:
            os.close(self._out)
            self._out = -1

    def close(self) -> None:
        self._close_files()
        if self._input is not None:
            self._input.close()
            self._input = None
