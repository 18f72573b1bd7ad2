"""JSON lines: one object a row, read in blocks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from typing import Any

import numpy as np

from riparian.streams.blocks import FileStream, PlacedBlock
from riparian.streams.columns import (
    MISSING,
    SAMPLE_ROWS,
    Column,
    Columns,
    Kind,
    Labels,
    Selection,
    check_finite,
    names_text,
    not_a_number,
    objects,
)
from riparian.streams.faults import Faults
from riparian.streams.source import Lines, Source, not_text

__all__ = ["JsonLinesStream"]


class JsonLinesStream(FileStream):
    """One JSON object a line; a key that a row lacks is a missing value, a new one a new feature.

    Numbers are numeric and everything else is text, also digits in quotes: the file says itself
    what its values are.
    """

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)
        self._lines = Lines(source.decompressed())
        self._kinds: dict[str, Kind] = {}
        self._labels: Labels | None = None
        self._look_ahead()

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        while lines := self._lines.take(size):
            places, rows = self._objects(lines, self._next_row, self._faults)
            yield self._block(places, rows)
        self._refuse_damage(self._lines.damage)

    def _look_ahead(self) -> None:
        """Learn the names and kinds from the first rows."""
        lines = self._lines.take(SAMPLE_ROWS)
        self._lines.put_back(lines)
        _, rows = self._objects(lines, 1, Faults(self._faults.skip))
        if not rows:
            self._refuse_damage(self._lines.damage)
        if not rows:
            raise ValueError(f"{self.name} is empty")
        self._selection.check(list(dict.fromkeys(chain.from_iterable(rows))))
        self._meet(rows)
        if self.target is not None:
            self._labels = Labels(self.target, self.target in self._selection.categorical)
            values = [_known(row.get(self.target)) for row in rows]
            if any(isinstance(value, str) for value in values):
                self._labels.as_text = True
            self._labels.decide(_text(value) for value in values if value is not None)

    def _meet(self, rows: list[dict[str, Any]]) -> None:
        """Take in the features that were not there before, in the order of the rows."""
        unknown = set[str]().union(*rows) - self._kinds.keys()
        new = set(filter(self._selection.has, unknown))
        if not new:
            return
        for name in dict.fromkeys(chain.from_iterable(rows)):
            if name in new:
                values = [_known(row.get(name)) for row in rows]
                numeric = all(value is None or _is_numeric(value) for value in values)
                self._kinds[name] = self._selection.forced(name) or (
                    "numeric" if numeric else "categorical"
                )
                self.names.append(name)

    def _objects(
        self, lines: list[bytes], first: int, faults: Faults
    ) -> tuple[Sequence[int], list[dict[str, Any]]]:
        """Give the rows and their numbers, without those that cannot be read."""
        rows: list[dict[str, Any]] = []
        places: list[int] = []
        row = first
        for line in lines:
            if not line.strip():
                continue
            try:
                found = json.loads(line.decode("utf-8-sig"))
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
        if self._labels is not None and self.target is not None and self.target not in row:
            keys = names_text(self.target, list(row))
            raise ValueError(f"the target {self.target!r} is not there; the keys are {keys}")

    def _block(self, places: Sequence[int], rows: list[dict[str, Any]]) -> PlacedBlock:
        faults = self._faults
        y: Column | None = None
        if self._labels is not None:
            assert self.target is not None
            targets = _scalars(self.target, [row[self.target] for row in rows], places, faults)
            y = self._labels.column(list(map(_text, targets)), places, faults)
        # A feature that only rows have that are left out is none.
        kept = faults.kept(places)
        self._meet(rows if kept is None else list(compress(rows, kept)))
        X: Columns = {}
        for name in self.names:
            values = [row.get(name) for row in rows]
            read = _numbers if self._kinds[name] == "numeric" else _categories
            X[name] = read(name, values, places, faults)
        return X, y, places


def _known(value: Any) -> Any:
    """Give None for the texts that mean a missing value, too."""
    return None if isinstance(value, str) and value.strip() in MISSING else value


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(name: str, values: list[Any], places: Sequence[int], faults: Faults) -> Column:
    column = np.empty(len(values))
    if set(map(type, values)) <= {float, type(None)}:
        column[:] = values
    else:
        scalars = _scalars(name, values, places, faults)
        column[:] = [_number(name, v, places[i], faults) for i, v in enumerate(scalars)]
    check_finite(name, column, places, faults)
    return column


def _number(name: str, value: Any, row: int, faults: Faults) -> float:
    value = _known(value)
    if value is None:
        return math.nan
    if not _is_numeric(value):
        faults.add(row, not_a_number(name, row, _text(value)))
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _categories(name: str, values: list[Any], places: Sequence[int], faults: Faults) -> Column:
    known = map(_known, _scalars(name, values, places, faults))
    return objects([None if value is None else _text(value) for value in known])


def _scalars(name: str, values: list[Any], places: Sequence[int], faults: Faults) -> list[Any]:
    """Refuse what is no single value; it is taken as missing where its row is left out."""
    found = list(values)
    for i, value in enumerate(values):
        if isinstance(value, dict | list):
            kind = "an object" if isinstance(value, dict) else "a list"
            faults.add(
                places[i],
                f"column {name!r}, row {places[i]}: {kind} cannot be learned; "
                f"leave the column out (--drop {name})",
            )
            found[i] = None
    return found


def _text(value: Any) -> str:
    """Spell a value as JSON does; nothing is the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
