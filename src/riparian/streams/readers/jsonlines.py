"""JSON lines: one object per row, parsed by pyarrow.

A piece that pyarrow refuses, or in which a feature is new, is read row by row with Python's own
parser.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from riparian.data.block import Coded, Stored
from riparian.streams.readers.ahead import with_results
from riparian.streams.readers.arrays import coded, numbers
from riparian.streams.readers.columns import (
    MISSING,
    SAMPLE_ROWS,
    Column,
    Kind,
    Labels,
    Selection,
    check_finite,
    names_text,
    not_a_number,
    objects,
)
from riparian.streams.readers.dates import kind_of_texts, time_column, times_of_texts
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.files import Decided, FileStream, Part
from riparian.streams.readers.flat_json import flat_table
from riparian.streams.readers.source import Source, not_text
from riparian.streams.readers.text import Piece, Text, lines_of

__all__ = ["JsonLinesStream"]

# The most threads that parse at once.
_MOST_THREADS = 4

# What texts and labels are read as, where all values of the first rows are of one type. Numbers
# with a fraction are not among them: 1 and 1.0 are different texts, and equal as doubles.
_TYPES: dict[type, Any] = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}

#: So few lines take less time one by one than the 1 ms in which pyarrow begins.
_FEW_LINES = 4


class JsonLinesStream(FileStream):
    """One JSON object per line. An absent key is a missing value, a new key a new feature.

    Numbers are numeric and everything else is text, also digits in quotes: the file itself defines
    the types of its values. Only dates and times of day have no type in JSON; they are recognised.
    """

    def __init__(
        self,
        source: Source,
        selection: Selection,
        faults: Faults,
        decided: Decided | None = None,
    ) -> None:
        super().__init__(source, selection, faults)
        self._text = Text(source)
        # The type as which pyarrow reads a column; None where no type has its texts. Threads read
        # it, so it is replaced and not changed.
        self._types: dict[str, Any] = {}
        if decided is None:
            self._look_ahead()
        else:
            self.kinds, self.labels = dict(decided.kinds), decided.labels
            self._types = dict(decided.types)
        self.names = list(self.kinds)

    @property
    def decided(self) -> Decided:
        """What is known about the columns; a new feature adds to it."""
        return Decided(dict(self.kinds), self.labels, dict(self._types))

    def parse(self, data: bytes, *, carefully: bool = False) -> Part | None:
        """Parse whole lines, which are numbered from 1.

        Parameters
        ----------
        data : bytes
            The lines. None may be blank.
        carefully : bool, default=False
            Whether to go through the lines one by one, which finds those that are wrong. Otherwise
            the result is None where pyarrow cannot read the lines or a feature is new.

        Returns
        -------
        Part or None
        """
        self._at = 1
        return self._careful_part(Piece(data, last=True)) if carefully else self._plain_part(data)

    def _look_ahead(self) -> None:
        """Learn the names and kinds from the first rows."""
        piece = self._text.piece(n_lines=SAMPLE_ROWS)
        found = Faults(self._faults.skip)
        rows: list[dict[str, Any]] = []
        if piece is not None:
            self._text.put_back(piece.data)
            _, rows = self._objects(piece.data, found)
        if not rows:
            self._refuse_damage(self._text.damage)
            raise ValueError(f"{self.name} is empty")
        self._selection.check(list(dict.fromkeys(chain.from_iterable(rows))))
        self._add_new(rows)
        if self.target is not None:
            values = [_known(row.get(self.target)) for row in rows]
            self._types[self.target] = _type_of(values)
            if self.labels is None:
                text = any(isinstance(value, str) for value in values)
                text = text or self.target in self._selection.categorical
                self.labels = Labels(self.target, text)
                self.labels.decide(_text(value) for value in values if value is not None)

    def _parts(self) -> Iterator[Part]:
        for piece, (types, table) in self._tables():
            if types is not self._types:
                # A feature is new since the piece was parsed.
                table = self._table(piece.data, self._types)
            part = None if table is None else self._part(table)
            if part is None:
                part = self._careful_part(piece)
            part.late = piece.late
            self._count(part)
            yield part
        self._refuse_damage(self._text.damage)

    def _tables(self) -> Iterator[tuple[Piece, tuple[dict[str, Any], Any]]]:
        """Give the pieces of the text, each with the types as which it was parsed and its table."""

        def parsed(piece: Piece) -> tuple[dict[str, Any], Any]:
            types = self._types
            return types, self._table(piece.data, types)

        pieces = iter(self._text.piece, None)
        if self._source.live:
            # A piece must not wait until the next one has arrived.
            return ((piece, parsed(piece)) for piece in pieces)
        # JSON takes longer to parse than a tree takes to learn, so one thread is not enough.
        return with_results(parsed, pieces, min(pa.cpu_count(), _MOST_THREADS))

    # -- by pyarrow -------------------------------------------------------------------------

    def _table(self, data: bytes, types: dict[str, Any]) -> Any:
        """Parse text; None where pyarrow refuses it, or could read it otherwise."""
        if None in types.values():
            return None
        if not data.endswith(b"\n"):
            data += b"\n"
        try:
            if not data.isascii():
                data.decode()
        except UnicodeError:
            return None
        if (flat := flat_table(data, types, self._selection.has)) is not None:
            return flat
        n_lines = _object_lines(data)
        if n_lines is None:
            return None
        try:
            table = pyarrow.json.read_json(
                pa.BufferReader(data),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
                parse_options=pyarrow.json.ParseOptions(
                    explicit_schema=pa.schema(list(types.items())),
                    unexpected_field_behavior="infer",
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != n_lines:
            return None
        new = set(table.column_names) - types.keys()
        return None if any(map(self._selection.has, new)) else table

    def _plain_part(self, data: bytes) -> Part | None:
        if data.count(b"\n") < _FEW_LINES:
            return None
        table = self._table(data, self._types)
        return None if table is None else self._part(table)

    def _part(self, table: Any) -> Part | None:
        """Give the rows of a table; None where a value of it has to be read carefully."""
        columns: dict[str, Stored] = {}
        for name, kind in self.kinds.items():
            if kind == "numeric":
                values = numbers(table.column(name))
                if values is None:
                    return None
                columns[name] = values
            elif kind == "date" or kind == "time":
                times = times_of_texts(table.column(name), kind)
                if times is None:
                    return None
                columns[name] = times
            else:
                columns[name] = _plain_texts(coded(table.column(name)))
        y: Column | None = None
        if self.labels is not None:
            labels = coded(table.column(self.labels.name))
            if (labels.codes < 0).any():
                return None
            try:
                known = [self.labels.label(_text(value)) for value in labels.values]
            except ValueError:
                return None
            y = self.labels.array(known)[labels.codes]
        return Part(columns, y, np.arange(self._at, self._at + table.num_rows))

    # -- row by row -------------------------------------------------------------------------

    def _careful_part(self, piece: Piece) -> Part:
        faults = Faults(skip=True)
        places, rows = self._objects(piece.data, faults)
        y: Column | None = None
        if self.labels is not None:
            assert self.target is not None
            targets = _scalars(self.target, [row[self.target] for row in rows], places, faults)
            y = self.labels.column(list(map(_text, targets)), places, faults)
        # A feature that only rows have that are left out is none.
        kept = faults.kept(places)
        if kept is None:
            kept = np.ones(len(rows), dtype=bool)
        if not self._faults.skip and faults:
            kept &= np.asarray(places) < min(faults.messages)
        known = len(self.kinds)
        self._add_new(list(compress(rows, kept)))
        columns: dict[str, Stored] = {}
        for name, kind in self.kinds.items():
            values = [row.get(name) for row in rows]
            learned = name in self._selection.learned
            if kind == "date" or kind == "time":
                values = _scalars(name, values, places, faults)
                columns[name] = time_column(name, values, places, faults, kind, learned=learned)
            elif kind == "numeric":
                columns[name] = _numbers(name, values, places, faults, learned=learned)
            else:
                columns[name] = _categories(name, values, places, faults)
        since = {
            name: next(
                p for p, row, keep in zip(places, rows, kept, strict=True) if keep and name in row
            )
            for name in list(self.kinds)[known:]
        }
        return Part(columns, y, places, faults, since)

    def _add_new(self, rows: list[dict[str, Any]]) -> None:
        """Add the features that were not there before, in the order of the rows."""
        unknown = set[str]().union(*rows) - self.kinds.keys()
        new = set(filter(self._selection.has, unknown))
        if not new:
            return
        types = dict(self._types)
        for name in dict.fromkeys(chain.from_iterable(rows)):
            if name in new:
                values = [_known(row.get(name)) for row in rows]
                kind = self._selection.forced(name) or _kind(values)
                self.kinds[name] = kind
                if kind in ("date", "time"):
                    types[name] = pa.string()
                else:
                    types[name] = pa.float64() if kind == "numeric" else _type_of(values)
        self._types = types

    def _objects(self, data: bytes, faults: Faults) -> tuple[Sequence[int], list[dict[str, Any]]]:
        """Give the rows and their numbers, without those that cannot be read."""
        rows: list[dict[str, Any]] = []
        places: list[int] = []
        row = self._at
        for line in lines_of(data):
            if not line.strip():
                continue
            try:
                # Without the line end, after which the parser would count from 1 again.
                found = json.loads(line.decode("utf-8-sig").rstrip("\r\n"))
                if not isinstance(found, dict):
                    raise ValueError('a row must be an object such as {"age": 31}')
                self._check_target(found)
                rows.append(found)
                places.append(row)
            except UnicodeDecodeError as error:
                faults.add(row, not_text(row, error))
            except json.JSONDecodeError as error:
                problem = f"{error.msg} at character {error.colno}"
                faults.add(row, f"row {row}: this is not JSON: {problem}")
            except (ValueError, RecursionError) as error:
                faults.add(row, f"row {row}: {error}")
            row += 1
        return places, rows

    def _check_target(self, row: dict[str, Any]) -> None:
        # Before the first row is known there is nothing that a row could lack.
        if self.labels is not None and self.target is not None and self.target not in row:
            keys = names_text(self.target, list(row))
            raise ValueError(f"the target {self.target!r} is not there; the keys are {keys}")


def _object_lines(data: bytes) -> int | None:
    """Count the lines; None if one does not begin and end with a brace."""
    characters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if data[:1] != b"{" or (characters[ends[:-1] + 1] != ord("{")).any():
        return None
    last = characters[ends - 1]
    if b"\r" in data:
        last = np.where(last == ord("\r"), characters[ends - 2], last)
    return len(ends) if (last == ord("}")).all() else None


def _type_of(values: Sequence[Any]) -> Any:
    """Give the type that holds the texts of these values; None if there is none."""
    types = {type(value) for value in values if value is not None} or {str}
    return _TYPES.get(types.pop()) if len(types) == 1 else None


def _kind(values: Sequence[Any]) -> Kind:
    if all(value is None or _is_numeric(value) for value in values):
        return "numeric"
    return kind_of_texts(values) or "categorical"


def _plain_texts(column: Coded) -> Coded:
    """Give values as texts; some texts mean a missing value."""
    values = [_known(value) for value in column.values]
    missing = [code for code, value in enumerate(values) if value is None]
    codes = column.codes
    if missing:
        codes = np.where(np.isin(codes, missing), np.int32(-1), codes)
    return Coded(codes, [None if value is None else _text(value) for value in values])


def _known(value: Any) -> Any:
    """Give None for the texts that mean a missing value, too."""
    return None if isinstance(value, str) and value.strip() in MISSING else value


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(
    name: str, values: list[Any], places: Sequence[int], faults: Faults, *, learned: bool
) -> Column:
    column = np.empty(len(values))
    if set(map(type, values)) <= {float, type(None)}:
        column[:] = values
    else:
        scalars = _scalars(name, values, places, faults)
        column[:] = [
            _number(name, v, places[i], faults, learned=learned) for i, v in enumerate(scalars)
        ]
    check_finite(name, column, places, faults)
    return column


def _number(name: str, value: Any, row: int, faults: Faults, *, learned: bool) -> float:
    value = _known(value)
    if value is None:
        return math.nan
    if not _is_numeric(value):
        faults.add(row, not_a_number(name, row, _text(value), learned=learned))
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _categories(name: str, values: list[Any], places: Sequence[int], faults: Faults) -> Column:
    known = map(_known, _scalars(name, values, places, faults))
    return objects([None if value is None else _text(value) for value in known])


def _scalars(name: str, values: list[Any], places: Sequence[int], faults: Faults) -> list[Any]:
    """Refuse lists and objects; they are missing values where their row is left out."""
    found = list(values)
    for i, value in enumerate(values):
        if isinstance(value, dict | list):
            kind, way = "a list", ""
            if isinstance(value, dict):
                kind, way = "an object", ", or take it apart (riparian learn --flatten)"
            faults.add(
                places[i],
                f"column {name!r}, row {places[i]}: {kind} cannot be learned; "
                f"leave the column out (--drop {name}){way}",
            )
            found[i] = None
    return found


def _text(value: Any) -> str:
    """Spell a value as JSON does; nothing is the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
