"""Comma- and tab-separated text, read in blocks.

Plain blocks, which have no quotes, are read by columns (`riparian.streams.decimals`). Everything
else goes through the `csv` module, which also decides every doubt: what the fast way cannot read
for certain, the careful way reads again, or refuses with the row's number.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from riparian.streams.columns import (
    MISSING,
    SAMPLE_ROWS,
    Column,
    Columns,
    Kind,
    Labels,
    Selection,
    are_numbers,
    number,
    numeric_column,
    text_column,
)
from riparian.streams.decimals import LEAD, decimals
from riparian.streams.source import (
    DAMAGED,
    FileStream,
    Source,
    damaged,
    first_line,
    not_text,
    place,
    read_lines,
)

__all__ = ["DelimitedStream"]

_DELIMITERS = ",;|:^~#$%&@!*/ "
_NEW_LINE = ord("\n")
# Texts that are kept to spare their decoding; a column of ids must not fill the memory.
_MOST_TEXTS = 50_000


class DelimitedStream(FileStream):
    """CSV or TSV with a header row."""

    def __init__(
        self, source: Source, selection: Selection, *, delimiter: str, encoding: str
    ) -> None:
        super().__init__(source, selection)
        if delimiter != "\t" and not (len(delimiter) == 1 and delimiter in _DELIMITERS):
            raise ValueError(f"delimiter must be a tab or one of {_DELIMITERS}, got {delimiter!r}")
        self._delimiter = delimiter
        self._encoding = _encoding(encoding)
        # Bytes can be cut at delimiters only where no character hides one in a later byte.
        self._cuttable = self._encoding.startswith(("utf-8", "iso8859", "cp125"))
        text = source.decompressed()
        self._lines: Iterator[bytes] = chain([first_line(text)], text)
        self._columns = self._header()
        selection.check(self._columns)
        self.names = selection.features(self._columns)
        self._kinds: dict[str, Kind] = {}
        self._labels: Labels | None = None
        self._texts: dict[bytes, str | None] = {}

    def _blocks(self, size: int) -> Iterator[tuple[Columns, Column | None]]:
        if not self._kinds:
            self._look_ahead()
        while lines := read_lines(self._lines, size, self.row + 1):
            block = self._plain_block(lines) or self._careful_block(lines)
            if block is not None:
                yield block

    def _header(self) -> list[str]:
        rows = self._rows(self._lines, 1, 0)
        if not rows:
            raise ValueError(f"{self.name} is empty; a header row is needed")
        names = [name.strip() or f"column {i}" for i, name in enumerate(rows[0], 1)]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ValueError(
                    f"column {name!r} is there twice: columns {names.index(name) + 1} and {i + 1}"
                )
        if len(names) == 1:
            for other in ";\t|,":
                if other != self._delimiter and other in names[0]:
                    raise ValueError(
                        f"the header has one column, {names[0]!r}; if {other!r} separates "
                        f"the columns, say so (--delimiter {other!r})"
                    )
        return names

    def _look_ahead(self) -> None:
        """Decide from the first rows which columns are numbers."""
        lines = read_lines(self._lines, SAMPLE_ROWS, self.row + 1)
        self._lines = chain(lines, self._lines)
        rows: list[list[str]] = []
        # A quoted field may go on after the sample; a real fault is met again, and told.
        with contextlib.suppress(csv.Error, UnicodeDecodeError):
            rows.extend(filter(None, self._reader(lines)))
        rows = [row for row in rows if len(row) == len(self._columns)]
        for name, texts in zip(self._columns, _transposed(rows, len(self._columns)), strict=True):
            if name == self.target:
                self._labels = Labels(name, name in self._selection.categorical)
                self._labels.decide(texts)
            elif self._selection.has(name):
                looks: Kind = "numeric" if are_numbers(texts) else "categorical"
                self._kinds[name] = self._selection.forced(name) or looks

    def _careful_block(self, lines: list[bytes]) -> tuple[Columns, Column | None] | None:
        # A quoted field may span lines: the reader takes from the file what its last row lacks.
        first = self.row + 1
        rows = self._rows(chain(lines, self._lines), len(lines), first)
        if not rows:
            return None
        for i, row in enumerate(rows):
            if len(row) != len(self._columns):
                raise ValueError(
                    f"row {first + i}: {_fields(len(row))}, but the header has "
                    f"{_fields(len(self._columns))}"
                )
        X: Columns = {}
        y: Column | None = None
        for name, texts in zip(self._columns, _transposed(rows, len(self._columns)), strict=True):
            kind = self._kinds.get(name)
            if kind == "numeric":
                X[name] = numeric_column(name, texts, first)
            elif kind == "categorical":
                X[name] = text_column(texts)
            elif name == self.target and self._labels is not None:
                y = self._labels.column(texts, first)
        return X, y

    def _rows(self, lines: Iterable[bytes], most: int, first: int) -> list[list[str]]:
        rows: list[list[str]] = []
        reader = self._reader(lines)
        try:
            rows.extend(islice(filter(None, reader), most))
        except UnicodeDecodeError as error:
            raise not_text(first + len(rows), error) from None
        except csv.Error as error:
            raise ValueError(f"{place(first + len(rows))}: {_csv_problem(error)}") from None
        except DAMAGED as error:
            raise damaged(first + len(rows), error) from None
        return rows

    def _reader(self, lines: Iterable[bytes]) -> Iterator[list[str]]:
        encoding = self._encoding
        texts = (
            map(bytes.decode, lines)
            if encoding == "utf-8"
            else (line.decode(encoding) for line in lines)
        )
        return csv.reader(texts, delimiter=self._delimiter, skipinitialspace=True, strict=True)

    def _plain_block(self, lines: list[bytes]) -> tuple[Columns, Column | None] | None:
        if not self._cuttable:
            return None
        buffer = bytes(LEAD) + b"".join(lines)
        if b"\r" in buffer:
            buffer = buffer.replace(b"\r\n", b"\n")
        if not buffer.endswith(b"\n"):
            buffer += b"\n"
        if b'"' in buffer or b"\r" in buffer:
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
        X: Columns = {}
        y: Column | None = None
        try:
            for i, name in enumerate(self._columns):
                start, end = start_of[i], end_of[i]
                kind = self._kinds.get(name)
                if kind == "numeric":
                    X[name] = _numbers(buffer, start, end)
                elif kind == "categorical":
                    X[name] = self._categories(buffer, start, end)
                elif name == self.target and self._labels is not None:
                    y = self._plain_labels(self._labels, buffer, start, end)
        except ValueError:
            return None
        return X, y

    def _categories(self, buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]) -> Column:
        texts = self._texts
        if len(texts) > _MOST_TEXTS:
            texts.clear()
        column = np.empty(start.size, dtype=object)
        fields = list(map(buffer.__getitem__, map(slice, start.tolist(), end.tolist())))
        for field in set(fields).difference(texts):
            text = field.decode(self._encoding).lstrip(" ")
            texts[field] = None if text.strip() in MISSING else text
        column[:] = list(map(texts.__getitem__, fields))
        return column

    def _plain_labels(
        self, labels: Labels, buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]
    ) -> Column:
        fields = list(map(buffer.__getitem__, map(slice, start.tolist(), end.tolist())))
        known = {f: labels.label(f.decode(self._encoding).lstrip(" ")) for f in set(fields)}
        return labels.array(list(map(known.__getitem__, fields)))


def _numbers(buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]) -> NDArray[np.float64]:
    values, plain = decimals(buffer, start, end)
    for i in np.flatnonzero(~plain).tolist():
        values[i] = number(buffer[start[i] : end[i]].decode("ascii"))
    if np.isinf(values).any():
        raise ValueError
    return values


def _transposed(rows: Sequence[Sequence[str]], width: int) -> Iterable[Sequence[str]]:
    return zip(*rows, strict=True) if rows else [()] * width


def _encoding(name: str) -> str:
    try:
        found = codecs.lookup(name).name
        if "a,\n".encode(found) != b"a,\n":
            raise LookupError
    except (LookupError, UnicodeError):
        raise ValueError(
            f"encoding must be one that contains ASCII, such as 'utf-8' or 'latin-1', got {name!r}"
        ) from None
    return found


def _fields(n: int) -> str:
    return "1 field" if n == 1 else f"{n} fields"


def _csv_problem(error: csv.Error) -> str:
    problem = str(error)
    if "unexpected end" in problem or "field larger" in problem:
        return "a quotation mark is opened and never closed"
    if "expected after" in problem:
        return "text follows a closing quotation mark; quotes inside a quoted field are doubled"
    if "new-line character" in problem:
        return "a carriage return stands inside the row; lines must end with \\n or \\r\\n"
    return problem
