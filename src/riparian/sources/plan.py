"""The plan: the chunks in the order in which they were learned, written before they are learned.

One partition has one order. Of several, which chunk comes first is chance, and the model depends on
it. So a learner that was killed reads the chunks since its last checkpoint again in the order of
the plan and with its borders.

A file holds the chunks after one snapshot of the model. Its name has the epoch of the process that
writes it and the number of the snapshot, so that two processes never write to one file. Its first
line lists the files before it and how many of their bytes count; a process that came back from the
dead may write on, but nobody reads that. A snapshot that is taken while an earlier plan is read
again does not end that plan: the new file begins with the entries that are left, and whoever reads
both files skips them the second time. Files are not synced: what was written survives the death of
the process, and after a power failure the order of the lost entries is free.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from riparian.sources.source import Chunk, Position

__all__ = ["Entry", "Plan"]

#: The learner stops if checkpoints fail until the plan has this many bytes.
MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class Entry:
    """A chunk as it was learned: which source, which messages, and how many they were."""

    source: int
    partition: str
    first: Position
    next: Position
    n: int

    @classmethod
    def of(cls, source: int, chunk: Chunk) -> Entry:
        """Return the entry of a chunk."""
        return cls(source, chunk.partition, chunk.first, chunk.next, len(chunk.values))

    def line(self) -> bytes:
        """Return the entry as a line of JSON."""
        fields = [self.source, self.partition, dict(self.first), dict(self.next), self.n]
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def parsed(cls, line: bytes) -> Entry | None:
        """Return the entry of a line; None if the line is damaged."""
        try:
            source, partition, first, after, n = json.loads(line)
            if not (isinstance(first, dict) and isinstance(after, dict) and n >= 0):
                return None
            return cls(int(source), str(partition), first, after, int(n))
        except (ValueError, TypeError):
            return None


class Plan:
    """The files of the plan in a folder.

    Parameters
    ----------
    folder : path
        The folder.
    epoch : int
        The number of the process that writes.
    """

    def __init__(self, folder: Path, epoch: int) -> None:
        self.folder = folder
        self._epoch = epoch
        self._number = 0
        self._file = -1
        # The files that count, with their bytes so far; the last one is written to.
        self._chain: dict[str, int] = {}
        # The entries of earlier processes that were not learned again yet.
        self._left: deque[Entry] = deque()

    def resume(self, since: int) -> list[Entry]:
        """Return the entries after a snapshot, and write further ones to a file of its own."""
        chain, self._number = self._newest(), since
        entries: dict[bytes, Entry] = {}  # a later file may repeat what was left of an earlier one
        for name, size in chain.items():
            number = _parts(name)[1]
            self._number = max(self._number, number)
            if number < since:
                continue
            if not (self.folder / name).exists():
                break  # after a power failure: the order is free from here on
            found, used = _entries(self.folder / name, size)
            entries |= {entry.line(): entry for entry in found if entry.line() not in entries}
            self._chain[name] = used
            if used < size:
                break
        self._left.extend(entries.values())
        self._open([])
        return list(entries.values())

    def _newest(self) -> dict[str, int]:
        """Return the files that count, by the first line of the newest file that has one."""
        names = [path.name for path in self.folder.glob("*.log") if _parts(path.name)[0]]
        for name in sorted(names, key=_parts, reverse=True):
            path = self.folder / name
            with open(path, "rb") as file:
                before = _files_before(file.readline())
            if before is not None:
                return {**before, name: path.stat().st_size}
        return {}

    def begin(self) -> int:
        """Write further entries to a new file, which begins with a snapshot; return its number."""
        return self._open(self._left)

    def _open(self, left: Iterable[Entry]) -> int:
        number = self._number + 1
        name = f"{self._epoch:08d}-{number:08d}.log"
        header = json.dumps(self._chain, separators=(",", ":")).encode() + b"\n"
        header += b"".join(entry.line() for entry in left)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        descriptor = os.open(self.folder / name, flags, 0o666)
        try:
            _write(descriptor, header)
        except BaseException:
            os.close(descriptor)
            raise
        self.close()
        self._number, self._file = number, descriptor
        self._chain = {**self._chain, name: len(header)}
        return number

    def repeat(self) -> None:
        """Note that the next chunk of the resumed plan is learned again."""
        self._left.popleft()

    def append(self, entry: Entry) -> None:
        """Write an entry before its chunk is learned."""
        self._left.clear()  # what is left then could not be read as it was planned
        if sum(self._chain.values()) > MOST_BYTES:
            raise OSError(
                f"no checkpoint could be written for so long that the plan in {self.folder} has "
                f"more than {MOST_BYTES:,} bytes"
            )
        line = entry.line()
        _write(self._file, line)
        self._chain[next(reversed(self._chain))] += len(line)

    def forget(self, before: int) -> None:
        """Leave out the files before a snapshot that is durable, and remove all that are no use."""
        self._chain = {k: v for k, v in self._chain.items() if _parts(k)[1] >= before}
        for path in self.folder.glob("*.log"):
            if path.name not in self._chain:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _parts(name: str) -> tuple[int, int]:
    """Return the epoch and the number in the name of a file; (0, 0) if it has none."""
    epoch, _, number = name.removesuffix(".log").partition("-")
    return (int(epoch), int(number)) if epoch.isdigit() and number.isdigit() else (0, 0)


def _files_before(header: bytes) -> dict[str, int] | None:
    """Return what the first line of a file says of the files before it; None if it is damaged."""
    try:
        return {str(k): int(v) for k, v in dict(json.loads(header)).items()}
    except (ValueError, TypeError):
        return None


def _entries(path: Path, size: int) -> tuple[list[Entry], int]:
    """Return the entries of a file and the bytes that they have with the first line."""
    header, *lines = path.read_bytes()[:size].splitlines(keepends=True) or [b""]
    found: list[Entry] = []
    if _files_before(header) is None:
        return found, 0
    used = len(header)
    for line in lines:
        entry = Entry.parsed(line) if line.endswith(b"\n") else None
        if entry is None:
            break
        found.append(entry)
        used += len(line)
    return found, used


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
