"""The rows of requests as a model has learned its features: the same names and kinds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from riparian.data.schema import Schema
from riparian.serve.http import Problem

__all__ = ["NUMBERS", "Columns", "bad_value", "schema_of"]


def bad_value(text: str, row: int | None, column: str | None) -> Problem:
    """Return the problem of a value that cannot be used."""
    return Problem(422, "bad_value", text, row=row, column=column)


#: The types of values that need no look.
NUMBERS = frozenset((float, int))
_OPTIONAL_NUMBERS = frozenset((float, int, type(None)))
#: The schema of models that have learned nothing.
_NO_SCHEMA = Schema()


def schema_of(model: Any) -> Schema:
    """Return the names that a model knows."""
    found: Schema = getattr(model, "_schema", _NO_SCHEMA)
    return found


class Columns:
    """The features of a model by the names that clients use.

    A feature without a name is ``x3`` or ``3`` for a client. Numbers may be given as text, and
    categories that are text may be given as numbers, as in messages that are learned.

    Parameters
    ----------
    model : StreamClassifier
        The model.
    """

    def __init__(self, model: Any) -> None:
        self._schema = schema_of(model)
        self._known = -1
        self.kinds: dict[str, str] = {}
        self.names: dict[str, Any] = {}
        #: Whether rows of `NUMBERS` are those of the model as they are.
        self.plain = False
        self._texts: dict[str, dict[str, Any]] = {}
        self._look()

    def is_of(self, model: Any) -> bool:
        """Return whether these are the columns of a model; they grow with it."""
        if schema_of(model) is not self._schema:
            return False
        if len(self._schema.features) != self._known:
            self._look()
        return True

    def _look(self) -> None:
        features = list(self._schema.features)
        self._known = len(features)
        kinds: dict[str, str] = {}
        names: dict[str, Any] = {}
        for feature in features:
            kind = "time" if feature.time else feature.kind
            keys = (feature.name,) if isinstance(feature.name, str) else ()
            for key in keys or (f"x{feature.name}", str(feature.name)):
                kinds.setdefault(key, kind)
                names.setdefault(key, feature.name)
        self.kinds, self.names = kinds, names
        self.plain = all(kind == "numeric" for kind in kinds.values()) and all(
            key is name for key, name in names.items()
        )

    def row(self, features: dict[str, Any]) -> dict[Any, Any]:
        """Return the values of one row by the names of the model."""
        return {
            self.names[name]: self._value(name, value, None)
            for name, value in features.items()
            if name in self.names
        }

    def table(self, rows: Sequence[Mapping[str, Any]]) -> dict[Any, Any]:
        """Return many rows as columns by the names of the model."""
        found: dict[Any, Any] = {}
        columns = _columns(rows)
        for name, own in self.names.items():
            values = columns.get(name)
            if values is None or own in found or values.count(None) == len(values):
                continue
            found[own] = self._column(name, values)
        if not found:
            # The rows count even if nothing is known about them.
            own = next(iter(self.names.values()), None)
            found = {} if own is None else {own: np.full(len(rows), np.nan)}
        return found

    def _column(self, name: str, values: Sequence[Any]) -> Any:
        if self.kinds[name] == "numeric" and _OPTIONAL_NUMBERS.issuperset(map(type, values)):
            try:
                return np.array(values, dtype=np.float64)
            except OverflowError:
                pass  # the row is found below
        read = [self._value(name, value, row) for row, value in enumerate(values)]
        if self.kinds[name] == "numeric":
            return np.array(read, dtype=np.float64)
        column = np.empty(len(read), dtype=object)
        column[:] = read
        return column

    def _value(self, name: str, value: Any, row: int | None) -> Any:
        if value is None:
            return None
        kind = self.kinds[name]
        if isinstance(value, dict | list):
            raise bad_value(f"{_where(name, row)}: a value must be a number or a text", row, name)
        if kind == "numeric":
            return _number(value, name, row)
        if kind == "categorical":
            return self._category(name, value)
        return value

    def _category(self, name: str, value: Any) -> Any:
        place = self._schema.index.get(self.names[name])
        codes = self._schema.codes[place] if place is not None else None
        if not codes or value in codes:
            return value
        texts = self._texts.get(name)
        if texts is None or len(texts) != len(codes):
            texts = self._texts[name] = {_text(category): category for category in list(codes)}
        return texts.get(_text(value), value)


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return rows as columns; what a row does not have is None there."""
    names = list(rows[0]) if rows else []
    if all(list(row) == names for row in rows):
        return dict(zip(names, zip(*(row.values() for row in rows), strict=True), strict=True))
    every = dict.fromkeys(name for row in rows for name in row)
    return {name: tuple([row.get(name) for row in rows]) for name in every}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Any, name: str, row: int | None) -> float:
    try:
        found = float(value)
    except (ValueError, OverflowError):
        shown = str(value)[:50]
        text = f"{_where(name, row)}: {shown!r} is no number that a model can use"
        raise bad_value(text, row, name) from None
    if math.isinf(found):
        text = f"{_where(name, row)}: infinity cannot be used; leave the value out, or send null"
        raise bad_value(text, row, name)
    return found


def _where(name: str, row: int | None) -> str:
    return f"column {name[:100]!r}" + ("" if row is None else f", row {row}")
