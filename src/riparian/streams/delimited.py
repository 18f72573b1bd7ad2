"""Comma- and tab-separated text with a header row, read in blocks."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice

from riparian.streams.blocks import PlacedBlock
from riparian.streams.columns import SAMPLE_ROWS, Kind, Labels, Selection, are_numbers, repeated
from riparian.streams.faults import Faults, place
from riparian.streams.source import Lines, Source, not_text
from riparian.streams.texttable import TextTable, fields_text, transposed

__all__ = ["DelimitedStream", "checked_encoding"]

_DELIMITERS = ",;|:^~#$%&@!*/ "


class DelimitedStream(TextTable):
    """CSV or TSV with a header row."""

    _special = (b'"',)

    def __init__(
        self,
        source: Source,
        selection: Selection,
        faults: Faults,
        *,
        delimiter: str,
        encoding: str,
    ) -> None:
        if delimiter != "\t" and not (len(delimiter) == 1 and delimiter in _DELIMITERS):
            raise ValueError(f"delimiter must be a tab or one of {_DELIMITERS}, got {delimiter!r}")
        encoding = checked_encoding(encoding)
        super().__init__(source, selection, faults, delimiter=delimiter, encoding=encoding)
        self._columns = self._header()
        selection.check(self._columns)
        self.names = selection.features(self._columns)

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        if not self._kinds:
            self._look_ahead()
        return super()._blocks(size)

    def _header(self) -> list[str]:
        rows = self._all_rows(self._lines.take(1), 0)
        if not rows:
            raise ValueError(f"{self.name} is empty; a header row is needed")
        names = [name.strip() or f"column {i}" for i, name in enumerate(rows[0], 1)]
        if (twice := repeated(names)) is not None:
            first, second = twice
            raise ValueError(
                f"column {names[second]!r} is there twice: columns {first + 1} and {second + 1}"
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
        lines = self._lines.take(SAMPLE_ROWS)
        self._lines.put_back(lines)
        # A quoted field may go on after the sample; a real fault is found again, and reported.
        _, rows = self._sound_rows(Lines(lines), len(lines), 1, Faults(skip=True))
        for name, texts in zip(self._columns, transposed(rows, len(self._columns)), strict=True):
            if name == self.target:
                self._labels = Labels(name, name in self._selection.categorical)
                self._labels.decide(texts)
            elif self._selection.has(name):
                looks: Kind = "numeric" if are_numbers(texts) else "categorical"
                self._kinds[name] = self._selection.forced(name) or looks

    def _rows(
        self, lines: list[bytes], first: int
    ) -> tuple[Sequence[int], Sequence[Sequence[str]]]:
        # A quoted field may span lines: the reader takes from the file what its last row lacks.
        if self._faults.skip:
            self._lines.put_back(lines)
            return self._sound_rows(self._lines, len(lines), first, self._faults)
        rows = self._all_rows(lines, first)
        for i, row in enumerate(rows):
            if len(row) != len(self._columns):
                raise ValueError(self._ragged(first + i, row))
        return range(first, first + len(rows)), rows

    def _all_rows(self, lines: list[bytes], first: int) -> list[list[str]]:
        """Read a row a line; the last one may go on in the file."""
        rows: list[list[str]] = []
        noted: list[bytes] = []
        reader = self._reader(chain(lines, _Noted(self._lines, noted)))
        try:
            rows.extend(islice(filter(None, reader), len(lines)))
        except UnicodeDecodeError as error:
            raise ValueError(not_text(first + len(rows), error)) from None
        except csv.Error as error:
            # A quoted field that the damage cut off is not a fault of its row.
            if self._lines.damage is None or "unexpected end" not in str(error):
                problem = _csv_problem(error, self._after([*lines, *noted], len(rows)))
                raise ValueError(f"{place(first + len(rows))}: {problem}") from None
        return rows

    def _after(self, lines: list[bytes], rows: int) -> list[bytes]:
        """Give the lines that come after so many rows."""
        left = Lines(lines)
        reader = self._reader(left)
        while rows:
            rows -= bool(next(reader))
        return list(left)

    def _sound_rows(
        self, lines: Lines, most: int, first: int, faults: Faults
    ) -> tuple[list[int], list[list[str]]]:
        """Read on after a row that cannot be read, with the line after its first one."""
        taken: list[bytes] = []
        reader = self._reader(_Noted(lines, taken))
        places: list[int] = []
        rows: list[list[str]] = []
        row = first
        while row < first + most:
            taken.clear()
            try:
                fields = next(reader)
            except StopIteration:
                break
            except UnicodeDecodeError as error:
                problem = not_text(row, error)
                lines.put_back(taken[1:])
            except csv.Error as error:
                problem = f"row {row}: {_csv_problem(error, taken)}"
                lines.put_back(taken[1:])
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


class _Noted:
    """Lines that are noted in a list as they are read."""

    def __init__(self, lines: Lines, taken: list[bytes]) -> None:
        self._lines = lines
        self._taken = taken

    def __iter__(self) -> _Noted:
        return self

    def __next__(self) -> bytes:
        line = next(self._lines)
        self._taken.append(line)
        return line


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
