"""Files as streams: a thread parses them in pieces, ahead of the model, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block, Stored, joined
from riparian.streams.readers.ahead import Ahead
from riparian.streams.readers.blocks import BlockStream, joined_pairs
from riparian.streams.readers.columns import Column, Kind, Labels, Selection
from riparian.streams.readers.faults import DamagedFileError, Faults
from riparian.streams.readers.source import Source

__all__ = ["Decided", "FileStream", "Part"]


@dataclass(frozen=True)
class Decided:
    """What the first rows of a text have decided about its columns."""

    kinds: Mapping[str, Kind]
    labels: Labels | None
    #: For JSON: what pyarrow reads a column as; None where no type has its texts.
    types: Mapping[str, Any] = field(default_factory=dict)
    #: For CSV: the names of the columns.
    columns: Sequence[str] = ()


@dataclass
class Part:
    """Rows that were parsed together."""

    columns: Mapping[str, Stored]
    y: Column | None
    #: The number of each row in the file, from 1.
    places: Sequence[int] | NDArray[np.int64]
    #: Rows that cannot be read. Some of them may still be among `places`.
    faults: Faults = field(default_factory=lambda: Faults(skip=True))
    #: For features that join late: the first row that has a value.
    since: Mapping[str, int] = field(default_factory=dict)
    #: Whether to hand out the rows at once, although a block is not full.
    late: bool = False


@dataclass
class _Rows:
    """Sound rows, ready to be handed out, and what came with them."""

    X: Block
    y: Column | None
    places: NDArray[np.int64]
    faults: Mapping[int, str] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)
    late: bool = False
    error: ValueError | None = None

    def cut(self, which: slice) -> _Rows:
        y = None if self.y is None else self.y[which]
        return _Rows(self.X.rows(which), y, self.places[which])


class FileStream(BlockStream):
    """Labelled rows of a file; close it, or use it in a ``with`` statement.

    A format defines `_parts`, which runs in a thread of its own. That thread changes nothing that
    the stream shows to its user; the parts carry it along.
    """

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source.name, selection, faults)
        self.n_bytes = source.n_bytes
        self._source = source
        #: What has been decided about the columns; the first rows decide.
        self.kinds: dict[str, Kind] = {}
        self.labels: Labels | None = selection.labels
        #: The number of the next row that is parsed.
        self._at = 1
        self._ahead: Ahead[_Rows] | None = None
        # Rows that wait to be handed out, and whether they may not wait for a full block.
        self._ready: list[_Rows] = []
        self._due = False
        self._bad: dict[int, str] = {}
        self._since: dict[str, int] = {}
        self._end: BaseException | bool = False
        self._refused = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._ahead is not None:
            self._ahead.close()
        self._source.close()

    @property
    def bytes_read(self) -> int:
        """How much of `n_bytes` has been read."""
        return self._source.bytes_read

    def blocks(self, size: int = 10_000) -> Iterator[tuple[Mapping[str, Column], Column | None]]:
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        if self._ahead is None:
            self._ahead = Ahead(self._sound())
        while True:
            n = sum(len(rows.places) for rows in self._ready)
            # A block with a row that cannot be read is not handed out in part.
            partly = self._due or (self._end and not self._refused)
            if n >= size or (n and partly):
                yield self._next_block(min(n, size))
                continue
            self._due = False
            if self._end:
                break
            self._take(self._ahead)
        self._settle(None)
        if isinstance(self._end, BaseException):
            raise self._end

    def _take(self, ahead: Ahead[_Rows]) -> None:
        """Wait for the next rows."""
        try:
            rows = ahead.get()
        except KeyboardInterrupt as interrupt:
            if not self._source.stoppable:
                raise
            # What a pipe has given cannot be read again, so it is handed out first.
            self._source.stop(interrupt)
            return
        except BaseException as error:
            self._end = error
            return
        if rows is None:
            self._end = self._source.interrupt or True
            return
        self._bad |= rows.faults
        self._since |= rows.since
        self._due = self._due or rows.late
        if len(rows.places):
            self._ready.append(rows)
        if rows.error is not None:
            self._end, self._refused, self._due = rows.error, True, False

    def _next_block(self, n: int) -> tuple[Block, Column | None]:
        taken: list[_Rows] = []
        while n:
            rows = self._ready.pop(0)
            if len(rows.places) > n:
                self._ready.insert(0, rows.cut(slice(n, None)))
                rows = rows.cut(slice(n))
            taken.append(rows)
            n -= len(rows.places)
        X = joined([rows.X for rows in taken])
        labels = [rows.y for rows in taken if rows.y is not None]
        y = (np.concatenate(labels) if len(labels) > 1 else labels[0]) if labels else None
        places = np.concatenate([rows.places for rows in taken])
        self.places = places
        last = int(places[-1])
        self._settle(None if self._end and not self._ready else last)
        if self._since:
            absent = [name for name, row in self._since.items() if row > last]
            X = Block({k: c for k, c in X.stored.items() if k not in absent}, X.n_rows)
            self._since = {name: self._since[name] for name in absent}
        if len(X) > len(self.names):
            known = set(self.names)
            self.names += [name for name in X if name not in known]
        self.row += len(places)
        return X, y

    def _settle(self, last: int | None) -> None:
        """Count the bad rows before a row, or all of them."""
        if self._bad:
            done = [row for row in self._bad if last is None or row < last]
            for row in sorted(done):
                self._faults.count(self._bad.pop(row))

    def _sound(self) -> Iterator[_Rows]:
        """Leave out the bad rows of each part, or end before the first of them."""
        for part in self._parts():
            faults = part.faults
            places = np.asarray(part.places, dtype=np.int64)
            columns = dict(part.columns)
            if self._selection.uncertain:
                block = Block(columns, len(places))
                uncertain = self._selection.uncertain
                columns = dict(joined_pairs(block, uncertain, places.tolist(), faults))
            rows = _Rows(Block(columns, len(places)), part.y, places, late=part.late)
            rows.since = part.since
            if faults:
                kept = faults.kept(places.tolist())
                assert kept is not None
                if self._faults.skip:
                    rows.faults = faults.messages
                else:
                    first = min(faults.messages)
                    rows.error = ValueError(faults.messages[first])
                    kept &= places < first
                y = None if part.y is None else part.y[kept]
                rows.X, rows.y, rows.places = rows.X.rows(kept), y, places[kept]
            yield rows
            if rows.error is not None:
                return

    def _parts(self) -> Iterator[Part]:
        raise NotImplementedError(f"{type(self).__name__} must define _parts")

    def _count(self, part: Part) -> None:
        """Count the rows of a part, good and bad."""
        known = set(np.asarray(part.places).tolist()) if part.faults else ()
        self._at += len(part.places) + sum(row not in known for row in part.faults.messages)

    def _refuse_damage(self, damage: DamagedFileError | None) -> None:
        """Report, after the last row that could be read, that the file goes no further."""
        if damage is not None:
            raise DamagedFileError(f"row {self._at}: {damage}")
