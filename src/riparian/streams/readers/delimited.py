"""Comma- and tab-separated text with a header row, read in blocks."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from riparian.streams.readers.columns import (
    SAMPLE_ROWS,
    Kind,
    Labels,
    Selection,
    are_numbers,
    repeated,
)
from riparian.streams.readers.dates import kind_of_texts
from riparian.streams.readers.faults import Faults, place
from riparian.streams.readers.files import Decided, Part
from riparian.streams.readers.source import Source, not_text
from riparian.streams.readers.text import Piece
from riparian.streams.readers.texttable import TextTable, fields_text, transposed

__all__ = ["DelimitedStream", "checked_encoding"]

_DELIMITERS = ",;|:^~#$%&@!*/ "
_QUOTE, _NEW_LINE, _RETURN = ord('"'), ord("\n"), ord("\r")


class DelimitedStream(TextTable):
    """CSV or TSV with a header row."""

    def __init__(
        self,
        source: Source,
        selection: Selection,
        faults: Faults,
        *,
        delimiter: str,
        encoding: str,
        columns: Sequence[str] | None = None,
        header: bool = True,
        decided: Decided | None = None,
    ) -> None:
        if delimiter != "\t" and not (len(delimiter) == 1 and delimiter in _DELIMITERS):
            raise ValueError(f"delimiter must be a tab or one of {_DELIMITERS}, got {delimiter!r}")
        encoding = checked_encoding(encoding)
        super().__init__(source, selection, faults, delimiter=delimiter, encoding=encoding)
        if decided is None:
            self._columns = self._header(columns, header)
            selection.check(self._columns)
        else:
            self._columns = list(decided.columns)
            self.kinds, self.labels = dict(decided.kinds), decided.labels
        self.names = selection.features(self._columns)

    def decide(self) -> Decided:
        """Decide from the first rows what the columns are."""
        self._look_ahead()
        return Decided(dict(self.kinds), self.labels, columns=list(self._columns))

    def parse(self, data: bytes, *, carefully: bool = False) -> Part | None:
        """Parse whole lines, which are numbered from 1.

        Parameters
        ----------
        data : bytes
            The lines. None may be blank.
        carefully : bool, default=False
            Whether to go through the lines one by one, which finds those that are wrong. Otherwise
            the result is None where pyarrow cannot read the lines.

        Returns
        -------
        Part or None
        """
        self._at = 1
        return self._careful_part(Piece(data, last=True)) if carefully else self._plain_part(data)

    def _header(self, columns: Sequence[str] | None, header: bool) -> list[str]:
        fields = self._first_row(put_back=not header)
        if columns is not None:
            if len(columns) != len(fields):
                raise ValueError(
                    f"columns names {len(columns)}, but the first line has "
                    f"{fields_text(len(fields))}"
                )
            fields = list(columns)
        elif not header:
            fields = [""] * len(fields)
        names = [name.strip() or f"column {i}" for i, name in enumerate(fields, 1)]
        if (twice := repeated(names)) is not None:
            first, second = twice
            raise ValueError(
                f"column {names[second]!r} appears twice: columns {first + 1} and {second + 1}"
            )
        if len(names) == 1:
            for other in ";\t|,":
                if other != self._delimiter and other in names[0]:
                    raise ValueError(
                        f"the header has one column, {names[0]!r}; if {other!r} separates "
                        f"the columns, pass it (--delimiter {other!r})"
                    )
        return names

    def _first_row(self, put_back: bool) -> list[str]:
        """Read the header, whose fields may span lines."""
        lines: list[bytes] = []
        size = quotes = 0
        while line := self._text.first_line():
            lines.append(line)
            size += len(line)
            quotes += line.count(b'"')
            if quotes % 2 and size < 2 * csv.field_size_limit():
                continue
            try:
                fields = next(self._reader(lines), [])
            except UnicodeDecodeError as error:
                raise ValueError(not_text(0, error)) from None
            except csv.Error as error:
                if "unexpected end" in str(error):
                    continue
                raise ValueError(f"{place(0)}: {_csv_problem(error, lines)}") from None
            if fields:
                if put_back:
                    self._text.put_back(b"".join(lines))
                return fields
            lines.clear()
            size = quotes = 0
        if lines:
            raise ValueError(f"{place(0)}: a quotation mark is opened and never closed")
        raise ValueError(f"{self.name} is empty; a header row is needed")

    def _parts(self) -> Iterator[Part]:
        self._look_ahead()
        return super()._parts()

    def _look_ahead(self) -> None:
        """Decide from the first rows which columns are numbers, dates and texts."""
        undecided = [
            name
            for name in self._columns
            if (name == self.target and self.labels is None)
            or (self._selection.has(name) and not self._forced(name))
        ]
        for name in self._columns:
            kind = self._selection.forced(name)
            if kind is not None and self._selection.has(name):
                self.kinds[name] = kind
        if not undecided:
            return
        piece = self._text.piece(n_lines=SAMPLE_ROWS)
        data = b"" if piece is None else piece.data
        self._text.put_back(data)
        columns = self._sample(data, undecided)
        for name in undecided:
            if name == self.target:
                self.labels = Labels(name, name in self._selection.categorical)
                self.labels.decide(_distinct(columns[name]))
            else:
                self.kinds[name] = _kind(columns[name])

    def _forced(self, name: str) -> bool:
        return self._selection.forced(name) is not None

    def _sample(self, data: bytes, names: list[str]) -> dict[str, Any]:
        """Give the texts of the columns in the first rows: an Arrow column or a list of each."""
        cut = self._whole_rows(data)
        table = self._table(data[:cut], dict.fromkeys(names, pa.string())) if cut else None
        if table is not None and b'"' not in data:
            return {name: table.column(name) for name in names}
        # A quoted field may go on after the sample; a real fault is found again, and reported.
        _, rows = self._rows(Piece(data, last=True), Faults(skip=True))
        return dict(zip(self._columns, transposed(rows, len(self._columns)), strict=True))

    # -- rows and lines ---------------------------------------------------------------------

    def _next_piece(self) -> Piece | None:
        """Give lines that end with a row, where quotes can show that."""
        piece = self._text.piece()
        if piece is None or piece.last or b'"' not in piece.data:
            return piece
        cut = self._whole_rows(piece.data)
        if cut:
            self._text.put_back(piece.data[cut:])
            return Piece(piece.data[:cut], last=False, late=piece.late)
        return piece

    @staticmethod
    def _whole_rows(data: bytes) -> int:
        """Give where the last line ends that is not inside quotes."""
        if b'"' not in data:
            return len(data)
        characters = np.frombuffer(data, dtype=np.uint8)
        ends = np.flatnonzero(characters == _NEW_LINE)
        quotes = np.flatnonzero(characters == _QUOTE)
        outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
        if not data.endswith(b"\n") and quotes.size % 2 == 0:
            return len(data)
        return int(outside[-1]) + 1 if outside.size else 0

    def _is_plain(self, data: bytes) -> bool:
        """Return whether all quotes begin or end a field, or are doubled inside one."""
        if b'"' not in data:
            return True
        characters = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
        quotes = np.flatnonzero(characters == _QUOTE)
        if quotes.size % 2:
            return False
        border = np.zeros(256, dtype=bool)
        border[[ord(self._delimiter), _NEW_LINE, _QUOTE]] = True
        opened = border[characters[quotes[::2] - 1]]
        border[_RETURN] = True
        closed = border[characters[quotes[1::2] + 1]]
        return bool(opened.all()) and bool(closed.all())

    def _rows(self, piece: Piece, faults: Faults) -> tuple[list[int], list[list[str]]]:
        """Read on after a row that cannot be read, with the line after its first one."""
        lines = _Lines(piece.data)
        reader = self._reader(lines)
        places: list[int] = []
        rows: list[list[str]] = []
        row = self._at
        while True:
            start = lines.at
            try:
                fields = next(reader)
            except StopIteration:
                break
            except UnicodeDecodeError as error:
                problem = not_text(row, error)
                lines.at = lines.end_of(start)
            except csv.Error as error:
                if "unexpected end" in str(error) and not piece.last:
                    # The row goes on in the next piece.
                    self._text.put_back(piece.data[start:])
                    if start:
                        break
                    self._text.more()
                    longer = self._text.piece()
                    assert longer is not None
                    piece, lines = longer, _Lines(longer.data)
                    reader = self._reader(lines)
                    continue
                if "unexpected end" in str(error) and self._text.damage is not None:
                    # A quoted field that the damage cut off is not a fault of its row.
                    break
                problem = f"row {row}: {_csv_problem(error, [piece.data[start : lines.at]])}"
                lines.at = lines.end_of(start)
            else:
                if not fields:
                    continue
                if len(fields) == len(self._columns):
                    places.append(row)
                    rows.append(fields)
                    row += 1
                    continue
                problem = self._ragged(row, fields)
            faults.add(row, problem)
            row += 1
        return places, rows

    def _ragged(self, row: int, fields: Sequence[str]) -> str:
        n, width = fields_text(len(fields)), fields_text(len(self._columns))
        return f"row {row}: {n}, but the header has {width}"

    def _reader(self, lines: Iterable[bytes]) -> Iterator[list[str]]:
        # Not a generator: it would end with the first line that is no text.
        texts = map(partial(bytes.decode, encoding=self._encoding), lines)
        return csv.reader(texts, delimiter=self._delimiter, skipinitialspace=True, strict=True)


def _distinct(texts: Any) -> Iterable[str]:
    """Give the different texts of a column as the fields are read, without spaces before them."""
    if isinstance(texts, pa.ChunkedArray):
        return [text.lstrip(" ") for text in texts.unique().to_pylist() if text is not None]
    return dict.fromkeys(texts)


def _kind(texts: Any) -> Kind:
    if _are_numbers(texts):
        return "numeric"
    return kind_of_texts(texts) or "categorical"


def _are_numbers(texts: Any) -> bool:
    if isinstance(texts, pa.ChunkedArray):
        try:
            texts.cast(pa.float64())
            return True
        except pa.ArrowInvalid:
            pass
    return are_numbers(list(_distinct(texts)))


class _Lines:
    """The lines of a text; `at` is where the next one begins."""

    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._data = data

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> bytes:
        if self.at >= len(self._data):
            raise StopIteration
        start, self.at = self.at, self.end_of(self.at)
        return self._data[start : self.at]

    def end_of(self, start: int) -> int:
        return self._data.find(b"\n", start) + 1 or len(self._data)


def checked_encoding(name: str) -> str:
    """Give the proper name of an encoding, in which commas and line ends are bytes."""
    try:
        found = codecs.lookup(name).name
        if "a,\n".encode(found) != b"a,\n":
            raise LookupError
    except (LookupError, UnicodeError):
        raise ValueError(
            f"encoding must be one that contains ASCII, such as 'utf-8' or 'latin-1', got {name!r}"
        ) from None
    return found


def _csv_problem(error: csv.Error, lines: Sequence[bytes]) -> str:
    """Word what is wrong with a row, which begins with the first line; the others follow it."""
    problem = str(error)
    if "field larger" in problem:
        longest = f"a field is longer than {csv.field_size_limit():,} characters, which is the most"
        if sum(line.count(b'"') for line in lines) % 2:
            return f"{longest}; probably a quotation mark is opened and never closed"
        return f"{longest}; leave the column out of the file, or shorten it"
    if "unexpected end" in problem:
        return "a quotation mark is opened and never closed"
    if "expected after" in problem:
        return "text follows a closing quotation mark; quotes inside a quoted field are doubled"
    if "new-line character" in problem:
        return "a carriage return stands inside the row; lines must end with \\n or \\r\\n"
    return problem
