"""Text with a row a line and a field a column, read in blocks.

Plain blocks, in which no character has a second meaning, are read by columns
(`riparian.streams.decimals`). Everything else goes through the format's own reader, which also
decides every doubt: what the fast way cannot read for certain, the careful way reads again, or
refuses with the row's number.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from riparian.streams.blocks import FileStream, PlacedBlock
from riparian.streams.columns import (
    MISSING,
    Column,
    Columns,
    Kind,
    Labels,
    Selection,
    number,
    numeric_column,
    text_column,
)
from riparian.streams.decimals import LEAD, decimals
from riparian.streams.faults import Faults
from riparian.streams.source import Lines, Source, first_line

__all__ = ["TextTable", "fields_text", "transposed"]

_NEW_LINE = ord("\n")
# Texts that are kept to spare their decoding; a column of ids must not fill the memory.
_MOST_TEXTS = 50_000
# Numbers that are read at once. A call of NumPy costs as much as some hundred of them.
_FIELDS = 10_000


class TextTable(FileStream):
    """Lines of fields, each of a known column; a format defines how a line is split."""

    #: What a block must not hold to be cut at the delimiters alone.
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
        # Bytes can be cut at delimiters only where no character hides one in a later byte.
        self._cuttable = encoding.startswith(("utf-8", "iso8859", "cp125", "ascii"))
        text = source.decompressed()
        self._lines = Lines(text, first_line(text))
        self._columns: list[str] = []
        self._kinds: dict[str, Kind] = {}
        self._labels: Labels | None = None
        self._declared: dict[str, frozenset[str]] = {}
        self._texts: dict[bytes, str | None] = {}

    def _rows(
        self, lines: list[bytes], first: int
    ) -> tuple[Sequence[int], Sequence[Sequence[str]]]:
        """Take lines apart, and give the rows' numbers and fields; the first has the number."""
        raise NotImplementedError

    def _stripped(self, text: str) -> str:
        """Take away the spaces around a field that do not count."""
        return text.lstrip(" ")

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        while lines := self._lines.take(size):
            first = self._next_row
            plain = self._plain_block(lines)
            if plain is not None:
                yield *plain, range(first, first + len(lines))
            else:
                yield self._careful_block(lines, first)
        self._refuse_damage(self._lines.damage)

    def _careful_block(self, lines: list[bytes], first: int) -> PlacedBlock:
        places, rows = self._rows(lines, first)
        X: Columns = {}
        y: Column | None = None
        for name, texts in zip(self._columns, transposed(rows, len(self._columns)), strict=True):
            kind = self._kinds.get(name)
            if kind == "numeric":
                X[name] = numeric_column(name, texts, places, self._faults)
            elif kind == "categorical":
                X[name] = text_column(texts, self._missing)
                self._check_declared(name, texts, places)
            elif name == self.target and self._labels is not None:
                y = self._labels.column(texts, places, self._faults)
                self._check_declared(name, texts, places)
        return X, y, places

    def _check_declared(self, name: str, texts: Sequence[str], places: Sequence[int]) -> None:
        if name in self._declared and set(texts) - self._declared[name]:
            for row, text in zip(places, texts, strict=True):
                if text not in self._declared[name] and text not in self._missing:
                    problem = f"{text!r} is not among its declared values"
                    self._faults.add(row, f"column {name!r}, row {row}: {problem}")

    def _plain_block(self, lines: list[bytes]) -> tuple[Columns, Column | None] | None:
        if not self._cuttable:
            return None
        buffer = bytes(LEAD) + b"".join(lines)
        if b"\r" in buffer:
            buffer = buffer.replace(b"\r\n", b"\n")
        if not buffer.endswith(b"\n"):
            buffer += b"\n"
        if b"\r" in buffer or any(special in buffer for special in self._special):
            return None
        characters = np.frombuffer(buffer, dtype=np.uint8)
        ends = np.flatnonzero((characters == ord(self._delimiter)) | (characters == _NEW_LINE))
        width = len(self._columns)
        if ends.size != width * len(lines):
            return None
        starts = np.concatenate(([LEAD], ends[:-1] + 1))
        # By columns, so that each one's places lie together.
        end_of = np.ascontiguousarray(ends.reshape(-1, width).T)
        start_of = np.ascontiguousarray(starts.reshape(-1, width).T)
        # As many line ends as lines: where each row ends with one, no field holds another.
        ragged = not np.all(characters[end_of[-1]] == _NEW_LINE)
        if ragged or bool(np.any(start_of[0] == end_of[-1])):
            return None
        if np.max(end_of - start_of, initial=0) > csv.field_size_limit():
            return None
        X: Columns = {}
        y: Column | None = None
        try:
            numbers = self._numbers(buffer, start_of, end_of)
            for i, name in enumerate(self._columns):
                start, end = start_of[i], end_of[i]
                kind = self._kinds.get(name)
                if kind == "numeric":
                    X[name] = numbers[name]
                elif kind == "categorical":
                    X[name] = self._categories(name, buffer, start, end)
                elif name == self.target and self._labels is not None:
                    y = self._plain_labels(self._labels, buffer, start, end)
        except ValueError:
            return None
        return X, y

    def _numbers(
        self, buffer: bytes, start_of: NDArray[np.intp], end_of: NDArray[np.intp]
    ) -> Columns:
        """Read the numeric columns, as many at once as fill an array."""
        numeric = [i for i, name in enumerate(self._columns) if self._kinds.get(name) == "numeric"]
        together = max(1, _FIELDS // start_of.shape[1])
        found: Columns = {}
        for first in range(0, len(numeric), together):
            places = numeric[first : first + together]
            values = _numbers(buffer, start_of[places].ravel(), end_of[places].ravel())
            rows = values.reshape(len(places), -1)
            found.update(zip((self._columns[i] for i in places), rows, strict=True))
        return found

    def _categories(
        self, name: str, buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]
    ) -> Column:
        texts = self._texts
        if len(texts) > _MOST_TEXTS:
            texts.clear()
        column = np.empty(start.size, dtype=object)
        fields = list(map(buffer.__getitem__, map(slice, start.tolist(), end.tolist())))
        found = set(fields)
        for field in found.difference(texts):
            text = self._stripped(field.decode(self._encoding))
            texts[field] = None if text.strip() in self._missing else text
        declared = self._declared.get(name)
        if declared is not None and not declared.issuperset(filter(None, map(texts.get, found))):
            raise ValueError
        column[:] = list(map(texts.__getitem__, fields))
        return column

    def _plain_labels(
        self, labels: Labels, buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]
    ) -> Column:
        fields = list(map(buffer.__getitem__, map(slice, start.tolist(), end.tolist())))
        known = {f: labels.label(self._stripped(f.decode(self._encoding))) for f in set(fields)}
        declared = self._declared.get(labels.name)
        if declared is not None and not declared.issuperset(known.values()):
            raise ValueError
        return labels.array(list(map(known.__getitem__, fields)))


def _numbers(buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]) -> NDArray[np.float64]:
    values, plain = decimals(buffer, start, end)
    for i in np.flatnonzero(~plain).tolist():
        values[i] = number(buffer[start[i] : end[i]].decode("ascii"))
    if np.isinf(values).any():
        raise ValueError
    return values


def transposed(rows: Sequence[Sequence[str]], width: int) -> Iterable[Sequence[str]]:
    """Give the columns of rows of fields, also of none."""
    return zip(*rows, strict=True) if rows else [()] * width


def fields_text(n: int) -> str:
    """Word a number of fields."""
    return "1 field" if n == 1 else f"{n} fields"
