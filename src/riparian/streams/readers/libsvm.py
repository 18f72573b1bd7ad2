"""LIBSVM's sparse text, with a label and ``index:value`` pairs per line, read as dense blocks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from riparian.streams.readers.columns import (
    SAMPLE_ROWS,
    Column,
    Columns,
    Labels,
    Selection,
    objects,
)
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.files import FileStream, Part
from riparian.streams.readers.source import Source, not_text
from riparian.streams.readers.text import Text, lines_of

__all__ = ["LibsvmStream"]

_TARGET = "label"
# Lines that are parsed at once.
_PART_ROWS = 10_000
# As many features as a tree may have.
_MOST_FEATURES = 1_000_000
# A dense block of more cells than this is cut: 128 MB.
_MOST_CELLS = 1 << 24
_TO_SPACES = bytes.maketrans(b"\t\n\r\v\f", b"     ")
_NAME = re.compile(r"f([1-9][0-9]{0,6})")
# A space at a colon and the sign of an index, which are no part of a pair.
_LOOSE = (b" :", b": ", b" +")


@dataclass(frozen=True)
class _Rows:
    """Rows that were read: labels, and the pairs of all rows one after another."""

    places: Sequence[int]
    labels: list[str]
    counts: list[int]
    indexes: NDArray[np.int64]
    values: NDArray[np.float64]


class LibsvmStream(FileStream):
    """Rows such as ``+1 3:0.5 7:1``; ``#`` begins a comment.

    Features are named by their index, ``f1``, ``f2`` and on; the labels are the column ``label``.
    What a row leaves out is 0. A feature beyond those of the first rows joins when it appears; in
    the rows before it is missing.
    """

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        if selection.target not in (None, _TARGET):
            raise ValueError(
                f"the target of a libsvm file is the first field, named {_TARGET!r}; "
                f"got {selection.target!r}"
            )
        if selection.target is None and not selection.unlabelled:
            selection = selection.with_target(_TARGET)
        super().__init__(source, selection, faults)
        self._text = Text(source)
        self._width = 0
        self._known: list[str] = []
        self._look_ahead()
        self.names = list(self._known)

    def _look_ahead(self) -> None:
        piece = self._text.piece(n_lines=SAMPLE_ROWS)
        lines = [] if piece is None else list(lines_of(piece.data))
        rows = _read(lines, 1, Faults(skip=True))
        if not len(rows.places):
            if not self._faults.skip:
                _read(lines, 1, Faults(skip=False))
            self._refuse_damage(self._text.damage)
            raise ValueError(f"{self.name} is empty")
        assert piece is not None
        self._text.put_back(piece.data)
        if self._selection.keep is not None:
            # What is named is 0 where no row has it.
            found = [match for name in self._selection.keep if (match := _NAME.fullmatch(name))]
            self._grow(max((int(match[1]) for match in found), default=0))
        self._grow(int(rows.indexes.max(initial=0)))
        self._selection.check([*(f"f{i}" for i in range(1, self._width + 1)), _TARGET])
        if self.target is not None and self.labels is None:
            self.labels = Labels(_TARGET, _TARGET in self._selection.categorical)
            self.labels.decide(rows.labels)

    def _grow(self, width: int) -> None:
        new = (f"f{i}" for i in range(self._width + 1, width + 1))
        self._known += self._selection.features(list(new))
        self._width = max(self._width, width)

    def _parts(self) -> Iterator[Part]:
        most = max(1, _MOST_CELLS // max(1, self._width))
        while (piece := self._text.piece(n_lines=min(_PART_ROWS, most))) is not None:
            faults = Faults(skip=True)
            rows = _read(list(lines_of(piece.data)), self._at, faults)
            known = len(self._known)
            X, appears = self._dense(rows)
            y: Column | None = None
            if self.labels is not None:
                y = self.labels.column(rows.labels, rows.places, faults)
            part = Part(X, y, rows.places, faults, late=piece.late or most < _PART_ROWS)
            part.since = {name: rows.places[appears[int(name[1:])]] for name in self._known[known:]}
            self._count(part)
            yield part
            most = max(1, _MOST_CELLS // max(1, self._width))
        self._refuse_damage(self._text.damage)

    def _dense(self, rows: _Rows) -> tuple[Columns, NDArray[np.intp]]:
        """Give the columns, and for each index the row that has it, or a larger one, first."""
        n, before = len(rows.places), self._width
        self._grow(int(rows.indexes.max(initial=0)))
        by_feature = np.zeros((self._width, n))
        row_of = np.repeat(np.arange(n), rows.counts)
        by_feature[rows.indexes - 1, row_of] = rows.values
        # Until a row has an index as large nothing is known of a feature.
        appears = np.full(self._width + 1, n)
        np.minimum.at(appears, rows.indexes, row_of)
        appears = np.minimum.accumulate(appears[::-1])[::-1]
        for i in range(before, self._width):
            by_feature[i, : appears[i + 1]] = np.nan
        X: Columns = {}
        for name in self._known:
            column = by_feature[int(name[1:]) - 1]
            X[name] = _texts(column) if name in self._selection.categorical else column
        return X, appears


def _read(lines: list[bytes], first: int, faults: Faults) -> _Rows:
    return _quick(lines, first) or _careful(lines, first, faults)


def _quick(lines: list[bytes], first: int) -> _Rows | None:
    """Read all lines at once; None if any of them is not quite regular."""
    parts = [line.split(None, 1) for line in lines]
    if not parts or not all(len(part) == 2 for part in parts):
        return None
    if any(b"#" in line for line in lines):
        return None
    rests = [part[1] for part in parts]
    joined = b" ".join([b"", *rests]).translate(_TO_SPACES)
    if any(loose in joined for loose in _LOOSE):
        return None
    fields = joined.replace(b":", b" : ").split()
    counts = [rest.count(b":") for rest in rests]
    if len(fields) != 3 * sum(counts) or fields[1::3].count(b":") != sum(counts):
        return None
    try:
        labels = [_label(part[0].decode()) for part in parts]
        indexes = np.array(list(map(int, fields[::3])), dtype=np.int64)
        values = np.array(list(map(float, fields[2::3])), dtype=np.float64)
    except (ValueError, OverflowError):
        return None
    starts = np.concatenate(([0], np.cumsum(counts)))[:-1]
    rising = np.diff(indexes, prepend=0) > 0
    rising[starts[np.array(counts) > 0]] = True
    sound = rising.all() and np.isfinite(values).all() and not any(b"_" in f for f in fields)
    if not sound or indexes.min(initial=1) < 1 or indexes.max(initial=1) > _MOST_FEATURES:
        return None
    return _Rows(range(first, first + len(lines)), labels, counts, indexes, values)


def _careful(lines: list[bytes], first: int, faults: Faults) -> _Rows:
    places: list[int] = []
    labels: list[str] = []
    pairs: list[list[tuple[int, float]]] = []
    row = first
    for line in lines:
        try:
            fields = line.decode().partition("#")[0].split()
            if not fields:
                continue
            label, found = _label(fields[0]), _pairs(fields[1:])
        except UnicodeDecodeError as error:
            faults.add(row, not_text(row, error))
        except ValueError as error:
            faults.add(row, f"row {row}: {error}")
        else:
            places.append(row)
            labels.append(label)
            pairs.append(found)
        row += 1
    joined = list(chain.from_iterable(pairs))
    return _Rows(
        places,
        labels,
        [len(found) for found in pairs],
        np.array([index for index, _ in joined], dtype=np.int64),
        np.array([value for _, value in joined], dtype=np.float64),
    )


def _label(text: str) -> str:
    """The label as it is written once and for all: +1 and 1.0 are 1."""
    try:
        value = float(text)
        if not math.isfinite(value):
            raise ValueError
    except ValueError:
        raise ValueError(f"the label must be a number, got {text!r}") from None
    return str(int(value)) if value.is_integer() else text


def _pairs(fields: list[str]) -> list[tuple[int, float]]:
    found: list[tuple[int, float]] = []
    for field in fields:
        index, colon, value = field.partition(":")
        if not colon or not (index.isascii() and index.isdigit()) or "_" in value:
            raise ValueError(f"{field!r} is not index:value")
        place = int(index)
        if not 1 <= place <= _MOST_FEATURES:
            raise ValueError(f"the index must be from 1 to {_MOST_FEATURES:,}, got {field!r}")
        if found and place <= found[-1][0]:
            raise ValueError(f"indexes must rise, but {place} follows {found[-1][0]}")
        try:
            number = float(value)
        except ValueError:
            raise ValueError(f"{field!r} is not index:value") from None
        if np.isinf(number):
            raise ValueError(f"{field!r}: {number} cannot be learned; leave the pair out for 0")
        found.append((place, number))
    return found


def _texts(column: NDArray[np.float64]) -> Column:
    """Numbers as categories: 1 and not 1.0."""
    return objects([None if v != v else str(int(v)) if v.is_integer() else str(v) for v in column])
