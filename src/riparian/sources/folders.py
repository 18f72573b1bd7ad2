"""The files of a folder or a pattern as one source, in the order of their names."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Mapping

from riparian.sources.line_file import LineFile, begun, head_digest, wait
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
from riparian.streams.readers.formats import is_data
from riparian.streams.readers.packed import ENDINGS

__all__ = ["FolderSource"]


class FolderSource:
    """The lines of all files that a pattern or a folder stands for.

    The files are read in the order of their names. With `follow` the source waits for files with
    later names; a file is finished when one with a later name is there, and a line without its line
    end is a message then. A new file whose name sorts before a finished one is a gap: it would
    never be read.

    Parameters
    ----------
    pattern : str
        A folder, or a pattern such as ``rows/*.jsonl``.
    follow : bool, default=False
        Whether to wait for more files.
    header : bool, default=False
        Whether the first line of each file names columns and is no message.
    """

    replayable = True

    def __init__(self, pattern: str, *, follow: bool = False, header: bool = False) -> None:
        self.pattern = os.path.abspath(pattern)
        self.name = self.pattern
        self.identity: Mapping[str, str] = {}
        self.header: bytes | None = None
        self._follow = follow
        self._has_header = header
        self._lines: LineFile | None = None
        self._file = ""
        self._row = 0
        self._done = 0  # how many files sort before the present one

    def files(self) -> list[str]:
        """Return the files that are there now, in the order of their names."""
        pattern = self.pattern
        if os.path.isdir(pattern):
            found = [entry.path for entry in os.scandir(pattern) if entry.is_file()]
            return sorted(path for path in found if is_data(path))
        return sorted(path for path in glob.glob(pattern) if os.path.isfile(path))

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        if isinstance(start, int):
            raise ValueError("files have no times: start must be 'beginning' or 'end'")
        position = positions.get(self.pattern)
        if position is not None:
            self.seek(self.pattern, position)
            return
        self.close()
        files = self.files()
        if not files and not self._follow:
            raise FileNotFoundError(f"no file matches {self.pattern}")
        if files and start == "end":
            self._begin(files, files[-1], 0, 0)
            assert self._lines is not None
            self._row += self._lines.skip_lines()

    def seek(self, partition: str, position: Position) -> None:
        self.close()
        file, byte = str(position["file"]), int(position["byte"])
        files = self.files()
        if not file:
            return
        path = os.path.join(self._folder, file)
        if path not in files:
            later = [one for one in files if one > path]
            self._raise_gap(f"{path} was read up to byte {byte:,} and is gone", later)
        if not path.endswith(ENDINGS) and byte:
            if os.path.getsize(path) < byte:
                self._raise_gap(f"{path} was read up to byte {byte:,} and was cut off", [path])
            if position.get("head") != head_digest(path, byte):
                raise IdentityError(f"{path} is not the file that was read before")
        before = sum(one < path for one in files)
        if before > int(position["done"]):
            self._raise_gap(
                f"{self.pattern}: {before - int(position['done'])} new files have names before "
                f"{file}, which was read already",
                [path],
                byte,
                int(position["row"]),
            )
        self._begin(files, path, byte, int(position["row"]), int(position["done"]))

    @property
    def _folder(self) -> str:
        return self.pattern if os.path.isdir(self.pattern) else os.path.dirname(self.pattern)

    def _raise_gap(self, text: str, resume: list[str], byte: int = 0, row: int = 0) -> None:
        files = self.files()
        name = os.path.relpath(resume[0], self._folder) if resume else ""
        done = sum(one < resume[0] for one in files) if resume else 0
        place: Position = {"file": name, "byte": byte, "row": row, "done": done}
        if resume and byte:
            place = {**place, "head": head_digest(resume[0], byte)}
        raise GapError(text, partition=self.pattern, resume=place)

    def _begin(
        self, files: list[str], path: str, byte: int, row: int, done: int | None = None
    ) -> None:
        if self._has_header:
            self._lines, self.header = begun(path, byte, self.header)
        else:
            self._lines = LineFile(path, byte)
        self._file, self._row = os.path.relpath(path, self._folder), row
        self._done = sum(one < path for one in files) if done is None else done

    def _position(self) -> Position:
        if self._lines is None:
            return {"file": "", "byte": 0, "row": 0, "done": 0}
        place: dict[str, int | str] = {
            "file": self._file,
            "byte": self._lines.byte,
            "row": self._row,
            "done": self._done,
        }
        return place if self._lines.packed else {**place, "head": self._lines.head()}

    @property
    def positions(self) -> Mapping[str, Position]:
        """Where reading goes on."""
        return {self.pattern: self._position()}

    def poll(self, most: int, timeout: float) -> Chunk | None:
        until = time.monotonic() + timeout
        first = self._position()
        while True:
            data, row = b"", self._row
            if self._lines is not None:
                data = self._lines.lines(most)
                self._check_file(self._lines)
            following = [] if data else self._following()
            if following and self._lines is not None and self._lines.grown():
                continue  # it was finished before the next file appeared, but not read to its end
            if not data and self._lines is not None and self._lines.has_rest:
                # The file ends without a line end, and nobody will go on with it.
                data = self._lines.rest() if following or not self._follow else b""
            if data:
                lines = Lines(data)
                self._row += len(lines)
                places = [f"{self._file}:{i}" for i in range(row + 1, self._row + 1)]
                return Chunk(self.pattern, first, self._position(), lines, places=places)
            if following:
                self.close()
                self._begin(self.files(), following[0], 0, 0)
                continue
            if not self._follow:
                raise EndOfSource
            if not wait(until):
                return None

    def _check_file(self, lines: LineFile) -> None:
        """Raise an error if the present file is not the one that was read so far."""
        if lines.was_cut:
            self._raise_gap(
                f"{lines.path} was read up to byte {lines.read_to:,} and was cut off", [lines.path]
            )
        if lines.was_overwritten():
            raise IdentityError(f"{lines.path} was overwritten while it was read")

    def _following(self) -> list[str]:
        """Return the files after the present one; a GapError if one appeared before it."""
        files = self.files()
        if self._lines is None:
            return files
        path = self._lines.path
        before = sum(one < path for one in files)
        if before > self._done:
            byte = self._lines.byte
            self._raise_gap(
                f"{self.pattern}: {before - self._done} new files have names before {self._file}",
                [path],
                byte,
                self._row,
            )
        return [one for one in files if one > path]

    def behind(self) -> Mapping[str, Lag]:
        return {}

    def committed(self, positions: Mapping[str, Position]) -> None:
        """Do nothing: files keep their lines."""

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None
