"""Text with a row per line and a field per column, parsed by pyarrow.

A piece of text is parsed at once, outside the interpreter, into Arrow columns. Where pyarrow
refuses a piece, or could read it otherwise than the format defines it, the format's own reader
goes through its rows one by one. It names the rows that are wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from riparian.data.block import Coded, Stored
from riparian.streams.readers.arrays import coded, numbers
from riparian.streams.readers.columns import (
    MISSING,
    Column,
    Selection,
    numeric_column,
    text_column,
)
from riparian.streams.readers.dates import time_column, times_of_texts
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.files import FileStream, Part
from riparian.streams.readers.source import Source
from riparian.streams.readers.text import Piece, Text

__all__ = ["TEXT", "TextTable", "fields_text", "transposed"]

TEXT = pa.dictionary(pa.int32(), pa.string())
_TYPES = {"numeric": pa.float64(), "categorical": TEXT}


class TextTable(FileStream):
    """Lines of fields, each of a known column; a format defines how a line is split."""

    #: Bytes that a piece must not hold to be parsed by pyarrow.
    _special: Collection[bytes] = ()
    #: How a category is missing.
    _missing = MISSING

    def __init__(
        self,
        source: Source,
        selection: Selection,
        faults: Faults,
        *,
        delimiter: str,
        encoding: str,
    ) -> None:
        super().__init__(source, selection, faults)
        self._delimiter = delimiter
        self._encoding = encoding
        self._text = Text(source)
        self._columns: list[str] = []
        self._declared: dict[str, frozenset[str]] = {}

    def _rows(self, piece: Piece, faults: Faults) -> tuple[Sequence[int], Sequence[Sequence[str]]]:
        """Give the numbers and the fields of the rows of a piece, from row `_at` on."""
        raise NotImplementedError(f"{type(self).__name__} must define _rows")

    def _stripped(self, text: str) -> str:
        """Take away the spaces around a field that do not count."""
        return text.lstrip(" ")

    def _is_plain(self, data: bytes) -> bool:
        """Return whether pyarrow reads the text as the format defines it."""
        return not any(special in data for special in self._special)

    def _parts(self) -> Iterator[Part]:
        while (piece := self._next_piece()) is not None:
            part = self._plain_part(piece.data)
            if part is None:
                part = self._careful_part(piece)
            part.late = piece.late
            self._count(part)
            yield part
        self._refuse_damage(self._text.damage)

    def _next_piece(self) -> Piece | None:
        return self._text.piece()

    # -- by pyarrow -------------------------------------------------------------------------

    def _table(self, data: bytes, types: dict[str, Any]) -> Any:
        """Parse text; None where pyarrow refuses it, or could read it otherwise."""
        if not self._is_plain(data) or _has_long_line(data):
            return None
        # pyarrow reads what stands in these brackets as a part of NaN.
        if b"(" in data and (b"n(" in data or b"N(" in data):
            return None
        # A carriage return that ends no line would end one for pyarrow.
        if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
            return None
        try:
            if self._encoding != "utf-8":
                data = data.decode(self._encoding).encode()
            return pyarrow.csv.read_csv(
                pa.BufferReader(data),
                read_options=pyarrow.csv.ReadOptions(
                    use_threads=False, block_size=len(data) + 1, column_names=self._columns
                ),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=self._delimiter, newlines_in_values=True
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    strings_can_be_null=True,
                    null_values=_null_values(self._missing),
                    true_values=[],
                    false_values=[],
                ),
            )
        except (pa.ArrowInvalid, UnicodeError):
            return None

    def _types(self) -> dict[str, Any]:
        types = {name: _TYPES.get(kind, pa.string()) for name, kind in self.kinds.items()}
        if self.labels is not None:
            types[self.labels.name] = TEXT
        return types

    def _plain_part(self, data: bytes) -> Part | None:
        table = self._table(data, self._types())
        if table is None:
            return None
        columns: dict[str, Stored] = {}
        y: Column | None = None
        quoted = b'"' in data
        for name in self._columns:
            kind = self.kinds.get(name)
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
            elif kind == "categorical" or (self.labels is not None and name == self.target):
                texts = self._texts(name, coded(table.column(name)), quoted)
                if texts is None:
                    return None
                if kind == "categorical":
                    columns[name] = texts
                else:
                    y = self._plain_labels(texts)
                    if y is None:
                        return None
        return Part(columns, y, np.arange(self._at, self._at + table.num_rows))

    def _texts(self, name: str, column: Coded, quoted: bool) -> Coded | None:
        """Take away spaces that do not count; None where that cannot be decided."""
        declared = self._declared.get(name)
        values = column.values
        # Few texts begin or end with a space, or with a character that may be one.
        if not all("!" <= text[:1] <= "~" and "!" <= text[-1:] <= "~" for text in values):
            if quoted and any(text.startswith(" ") for text in values):
                return None
            found = [self._stripped(text) for text in values]
            values = [None if text.strip() in self._missing else text for text in found]
            missing = [code for code, text in enumerate(values) if text is None]
            if missing:
                codes = np.where(np.isin(column.codes, missing), np.int32(-1), column.codes)
                column = Coded(codes, column.values)
        if declared is not None and not declared.issuperset(filter(None, values)):
            return None
        return Coded(column.codes, values)

    def _plain_labels(self, column: Coded) -> Column | None:
        assert self.labels is not None
        if (column.codes < 0).any():
            return None
        try:
            known = self.labels.array(
                [0 if text is None else self.labels.label(text) for text in column.values]
            )
        except ValueError:
            return None
        found: Column = known[column.codes]
        return found

    # -- row by row -------------------------------------------------------------------------

    def _careful_part(self, piece: Piece) -> Part:
        faults = Faults(skip=True)
        places, rows = self._rows(piece, faults)
        columns: dict[str, Stored] = {}
        y: Column | None = None
        for name, texts in zip(self._columns, transposed(rows, len(self._columns)), strict=True):
            kind = self.kinds.get(name)
            learned = name in self._selection.learned
            if kind == "numeric":
                columns[name] = numeric_column(name, texts, places, faults, learned=learned)
            elif kind == "date" or kind == "time":
                columns[name] = time_column(name, texts, places, faults, kind, learned=learned)
            elif kind == "categorical":
                columns[name] = text_column(texts, self._missing)
                self._check_declared(name, texts, places, faults)
            elif name == self.target and self.labels is not None:
                y = self.labels.column(texts, places, faults)
                self._check_declared(name, texts, places, faults)
        return Part(columns, y, places, faults)

    def _check_declared(
        self, name: str, texts: Sequence[str], places: Sequence[int], faults: Faults
    ) -> None:
        if name in self._declared and set(texts) - self._declared[name]:
            for row, text in zip(places, texts, strict=True):
                if text not in self._declared[name] and text not in self._missing:
                    problem = f"{text!r} is not among its declared values"
                    faults.add(row, f"column {name!r}, row {row}: {problem}")


def _null_values(missing: Collection[str]) -> list[str]:
    """List what is missing, also with a space before or after it."""
    return [
        f"{before}{text}{after}" for text in missing for before in ("", " ") for after in ("", " ")
    ]


def _has_long_line(data: bytes) -> bool:
    """Return whether a line may be longer than the longest field that Python's reader accepts."""
    step = csv.field_size_limit() // 2
    return any(data.find(b"\n", at, at + step) < 0 for at in range(0, len(data) - step, step))


def transposed(rows: Sequence[Sequence[str]], width: int) -> Iterable[Sequence[str]]:
    """Give the columns of rows of fields, also of none."""
    return zip(*rows, strict=True) if rows else [()] * width


def fields_text(n: int) -> str:
    """Write a number of fields in words."""
    return "1 field" if n == 1 else f"{n} fields"
