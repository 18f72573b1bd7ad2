"""JSON lines: one object a row, read in blocks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

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
    objects,
    refuse_number,
)
from riparian.streams.source import FileStream, Source, not_text, read_lines

__all__ = ["JsonLinesStream"]


class JsonLinesStream(FileStream):
    """One JSON object a line; a key that a row lacks is a missing value, a new one a new feature.

    Numbers are numeric and everything else is text, also digits in quotes: the file says itself
    what its values are.
    """

    def __init__(self, source: Source, selection: Selection) -> None:
        super().__init__(source, selection)
        self._lines: Iterator[bytes] = iter(source.decompressed())
        self._kinds: dict[str, Kind] = {}
        self._labels: Labels | None = None
        self._look_ahead()

    def _blocks(self, size: int) -> Iterator[tuple[Columns, Column | None]]:
        while lines := read_lines(self._lines, size, self.row + 1):
            rows = self._objects(lines, self.row + 1)
            if rows:
                yield self._block(rows, self.row + 1)

    def _look_ahead(self) -> None:
        """Learn the names and kinds from the first rows."""
        lines = read_lines(self._lines, SAMPLE_ROWS, 1)
        self._lines = chain(lines, self._lines)
        rows = self._objects(lines, 1)
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

    def _objects(self, lines: list[bytes], first: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        try:
            for line in lines:
                if line.strip():
                    row = json.loads(line.decode("utf-8-sig"))
                    if not isinstance(row, dict):
                        raise ValueError('a row must be an object such as {"age": 31}')
                    rows.append(row)
        except UnicodeDecodeError as error:
            raise not_text(first + len(rows), error) from None
        except json.JSONDecodeError as error:
            problem = f"{error.msg} at character {error.colno}"
            raise ValueError(f"row {first + len(rows)}: this is not JSON: {problem}") from None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"row {first + len(rows)}: {error}") from None
        return rows

    def _block(self, rows: list[dict[str, Any]], first: int) -> tuple[Columns, Column | None]:
        self._meet(rows)
        X: Columns = {}
        for name in self.names:
            values = [row.get(name) for row in rows]
            read = _numbers if self._kinds[name] == "numeric" else _categories
            X[name] = read(name, values, first)
        if self._labels is None:
            return X, None
        return X, self._labels.column(self._targets(rows, first), first)

    def _targets(self, rows: list[dict[str, Any]], first: int) -> list[str]:
        assert self.target is not None
        texts = []
        for i, row in enumerate(rows):
            value = row.get(self.target)
            if self.target not in row:
                raise ValueError(
                    f"row {first + i}: the target {self.target!r} is not there; "
                    f"the keys are {names_text(self.target, list(row))}"
                )
            texts.append(_text(_scalar(self.target, value, first + i)))
        return texts


def _known(value: Any) -> Any:
    """Give None for the texts that mean a missing value, too."""
    return None if isinstance(value, str) and value.strip() in MISSING else value


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(name: str, values: list[Any], first: int) -> Column:
    column = np.empty(len(values))
    if set(map(type, values)) <= {float, type(None)}:
        column[:] = values
    else:
        column[:] = [_number(name, value, first + i) for i, value in enumerate(values)]
    check_finite(name, first, column)
    return column


def _number(name: str, value: Any, row: int) -> float:
    value = _known(_scalar(name, value, row))
    if value is None:
        return math.nan
    if not _is_numeric(value):
        refuse_number(name, row, _text(value))
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _categories(name: str, values: list[Any], first: int) -> Column:
    return objects(
        [
            None if (known := _known(_scalar(name, value, first + i))) is None else _text(known)
            for i, value in enumerate(values)
        ]
    )


def _scalar(name: str, value: Any, row: int) -> Any:
    if isinstance(value, dict | list):
        kind = "an object" if isinstance(value, dict) else "a list"
        raise ValueError(
            f"column {name!r}, row {row}: {kind} cannot be learned; "
            f"leave the column out (--drop {name})"
        )
    return value


def _text(value: Any) -> str:
    """Spell a value as JSON does; nothing is the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
