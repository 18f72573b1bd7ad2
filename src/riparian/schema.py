"""Names to numbers: which features there are, their categories, and the classes.

The schema grows with the stream. Reading a batch never changes it: a
:class:`Reading` holds what would be new. :meth:`Schema.grow` adds it, called by the
engine, which learns of it in the same native call: both know the same names, whatever
is raised meanwhile.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.table import Codes, Column, Numbers, Objects, Table, in_cell
from riparian.uncertain import Cells, set_cells
from riparian.values import Name, category_of, is_null
from riparian.wording import exact_value

__all__ = ["Feature", "Kind", "Reading", "Schema"]

Kind = Literal["numeric", "categorical"]


@dataclass(slots=True)
class Feature:
    """A column of the stream. An integer name is a position."""

    name: Name
    kind: Kind
    codes: dict[Hashable, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        name = exact_value(self.name)
        return name if isinstance(name, str) else f"x{name}"

    @property
    def categories(self) -> list[Hashable]:
        return list(self.codes)


@dataclass(frozen=True)
class Reading:
    """A batch in the schema's terms, and what it would add to the schema."""

    batch: _core.Batch
    n_rows: int
    new_features: list[Feature]
    new_categories: dict[int, list[Hashable]]
    #: Of the distributions among the values of a row: at most so many numbers; 0: there are none.
    uncertain: int = 0


class Schema:
    """The ordered features and classes of one model."""

    # A dict of attributes takes more or less, by what the program did before.
    __slots__ = ("class_codes", "classes", "codes", "features", "index", "owner")

    def __init__(self, owner: str = "the model") -> None:
        self.owner = owner  # what errors call it
        self.features: list[Feature] = []
        self.classes: list[Hashable] = []
        self.class_codes: dict[Hashable, int] = {}
        #: For the one-example path: name to place, and value to code (None: numeric).
        self.index: dict[Name, int] = {}
        self.codes: list[dict[Hashable, int] | None] = []

    @property
    def bytes(self) -> int:
        """What the names hold; see `_held`."""
        held = _held(self) + sum(map(_held, self.lists))
        for place, feature in enumerate(self.features):
            held += sum(map(_held, (feature, feature.codes, feature.name, place)))
            held += sum(_held(value) + _held(code) for value, code in feature.codes.items())
        return held + sum(_held(label) + _held(code) for label, code in self.class_codes.items())

    @property
    def lists(self) -> tuple[Any, ...]:
        """What the engine cuts back to the names that it knows (``bindings/names.hpp``)."""
        return self.features, self.codes, self.index, self.classes, self.class_codes

    @property
    def n_names(self) -> int:
        """Features and categories. Where it is the same again, no name has come in between."""
        return len(self.features) + sum(map(len, filter(None, self.codes)))

    @property
    def named(self) -> bool:
        """Features have names of their own, not just positions."""
        return any(isinstance(f.name, str) for f in self.features)

    # -- features ---------------------------------------------------------------------------

    def read(self, table: Table, *, grow: bool, categorical: Any = "from_dtype") -> Reading:
        """The table's columns in the order of the features, as numbers and codes."""
        places = self._places(table, grow=grow)
        if len(table.columns) > _core.MAX_FEATURES or max(places, default=0) >= _core.MAX_FEATURES:
            raise ValueError(f"at most {_core.MAX_FEATURES:,} features can be learned")
        known = len(self.features)
        new: dict[int, Feature] = {}
        new_categories: dict[int, list[Hashable]] = {}
        if table.matrix is not None and places == list(range(len(table.columns))):
            numeric_before = all(f.kind == "numeric" for f in self.features)
            declared = (
                _declared(categorical, self._names(table), first=True) if not known else set()
            )
            if numeric_before and not declared and len(table.columns) >= known:
                fresh = [Feature(n, "numeric") for n in self._names(table)[known:]]
                return Reading(_core.Batch.of_matrix(table.matrix), table.n_rows, fresh, {})
        n_features = max([known, *(place + 1 for place in places)])
        columns: list[NDArray[Any] | None] = [None] * n_features
        coded_numbers: list[tuple[int, Feature, NDArray[Any]]] = []
        uncertain: dict[int, Cells] = {}
        uncertain_codes: dict[int, list[int]] = {}
        names = self._names(table)
        declared = _declared(categorical, names, first=not known) if n_features > known else set()
        for name, place, column in zip(names, places, table.columns, strict=True):
            if place < 0:
                continue
            if place < known:
                feature = self.features[place]
            else:
                by_type = _by_type(categorical) and not isinstance(column, Numbers)
                kind: Kind = "categorical" if by_type or name in declared else "numeric"
                feature = new[place] = Feature(name, kind)
            cells = None if isinstance(column, Codes) else column.uncertain
            if cells:
                _demand_kind(cells, feature)
                uncertain[place] = cells
            if feature.kind == "numeric":
                columns[place] = _as_numbers(column, feature)
            elif cells and isinstance(column, Objects):
                columns[place], uncertain_codes[place], added = _as_codes_with(
                    column.values, cells, feature, grow=grow
                )
                if added:
                    new_categories[place] = added
            elif isinstance(column, Numbers):
                coded_numbers.append((place, feature, column.values))
            else:
                columns[place], added = _as_codes(column, feature, grow=grow)
                if added:
                    new_categories[place] = added
        for place, codes, added in _codes_of_numbers(coded_numbers, grow=grow):
            columns[place] = codes
            if added:
                new_categories[place] = added
        new_features = [new[place] for place in sorted(new)]
        _refuse_too_many(self.features + new_features, new_categories)
        batch = _core.Batch.of_columns(table.n_rows, columns)
        numbers = set_cells(batch, uncertain, uncertain_codes) if uncertain else 0
        return Reading(batch, table.n_rows, new_features, new_categories, numbers)

    def grow(
        self, reading: Reading, declared: list[Hashable], added: list[Hashable], *, first: bool
    ) -> tuple[Any, ...]:
        """Adds what a batch brings; returns it in bytes, as ``bindings/names.hpp`` reads it.

        Parameters
        ----------
        reading : Reading
            The batch.
        declared : list
            The labels that `classes=` names.
        added : list
            The labels that are new in the batch.
        first : bool
            Whether the engine knows nothing yet.
        """
        names = self.bytes if first else 0
        names += sum(self.add_feature(feature) for feature in reading.new_features)
        categories = [
            (place, self.add_categories(self.features[place], values))
            for place, values in reading.new_categories.items()
        ]
        declares = bool(declared) and not self.classes
        of_declared = self.add_classes(declared) if declares else []
        n_declared = len(self.classes) if declares else 0
        kinds = [feature.kind == "categorical" for feature in reading.new_features]
        return names, kinds, categories, of_declared, self.add_classes(added), n_declared, None

    def add_feature(self, feature: Feature) -> int:
        """Gives the feature the next place, and says what it holds."""
        lists = (self.features, self.codes, self.index)
        before = sum(map(_held, lists))
        # The name comes last: a reader in another thread must find what it leads to.
        self.features.append(feature)
        self.codes.append(feature.codes if feature.kind == "categorical" else None)
        self.index[feature.name] = place = len(self.features) - 1
        parts = (feature, feature.codes, feature.name, place)
        return _grown(before, sum(map(_held, lists))) + sum(map(_held, parts))

    def add_categories(self, feature: Feature, values: Iterable[Hashable]) -> list[int]:
        """Gives the values their codes, and says what each of them holds."""
        codes, held = feature.codes, []
        for value in values:
            before = _held(codes)
            codes.setdefault(value, len(codes))
            held.append(_held(value) + _held(len(codes) - 1) + _grown(before, _held(codes)))
        return held

    def label(self, place: int) -> str:
        return self.features[place].label if place < len(self.features) else f"x{place}"

    def _names(self, table: Table) -> list[Name]:
        return list(range(len(table.columns))) if table.names is None else table.names

    def _places(self, table: Table, *, grow: bool) -> list[int]:
        """For each column of the table its feature; -1 for a column that is left out."""
        names = self._names(table)
        if self.features and not table.example:
            named = any(isinstance(name, str) for name in names)
            if named != self.named:
                self._check_width(len(names))
                warnings.warn(
                    "X has feature names, but the model learned without feature names"
                    if named
                    else "X does not have feature names, but the model learned with feature names",
                    UserWarning,
                    stacklevel=5,
                )
                return list(range(len(names)))
            if table.names is None:
                self._check_width(len(names))
                if any(name not in self.index for name in names):
                    # Some positions of a wider stream, as the members of a forest see them.
                    return list(range(len(names)))
        elif not self.features and table.names is None:
            return list(range(len(names)))  # a position is a place, whatever is known of it
        fresh = self._fresh(names, table.columns)
        present = set(names)
        absent = [f.name for f in self.features if f.name not in present]
        if fresh and absent and not table.example:
            raise ValueError(
                f"columns seem to be renamed: {_listed(fresh)} "
                f"{'is' if len(fresh) == 1 else 'are'} new and {_listed(absent)} "
                f"{'is' if len(absent) == 1 else 'are'} absent; "
                "a batch may add columns or lack columns, but not both at once"
            )
        places = dict(self.index)
        if grow:
            places |= {name: len(self.index) + i for i, name in enumerate(fresh)}
        return [places.get(name, -1) for name in names]

    def _fresh(self, names: list[Name], columns: list[Column]) -> list[Name]:
        """New features, in the order in which single rows would bring them.

        A column of objects is a feature from its first known value on, so that the
        order does not depend on how rows are batched.
        """
        found = [
            (column.first, i, name)
            for i, (name, column) in enumerate(zip(names, columns, strict=True))
            if name not in self.index and column.first is not None
        ]
        return [name for _, _, name in sorted(found, key=lambda entry: entry[:2])]

    def _check_width(self, n: int) -> None:
        known = len(self.features)
        if n != known:
            raise ValueError(
                f"X has {n} features, but {self.owner} is expecting {known} features as input"
            )

    # -- classes ----------------------------------------------------------------------------

    def add_classes(self, labels: Iterable[Hashable]) -> list[int]:
        """Gives the labels their codes, and says what each new one holds."""
        held = []
        for label in labels:
            if label not in self.class_codes:
                before = _held(self.classes) + _held(self.class_codes)
                self.classes.append(label)
                self.class_codes[label] = code = len(self.classes) - 1
                after = _held(self.classes) + _held(self.class_codes)
                held.append(_held(label) + _held(code) + _grown(before, after))
        return held


def _held(value: object) -> int:
    """What an object takes of Python's memory: its size in steps of 16, as the allocators
    have it. Small integers and truth values are there once for all."""
    if isinstance(value, int) and -5 <= value <= 256:
        return 0
    size = sys.getsizeof(value)
    return (size + (8 if size > 512 else 0) + 15) // 16 * 16


def _grown(before: int, after: int) -> int:
    # A dict from which names were cut off is made smaller when the next one comes.
    return max(0, after - before)


def _listed(names: Sequence[Name]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _by_type(categorical: Any) -> bool:
    return isinstance(categorical, str) and categorical == "from_dtype"


def _declared(categorical: Any, names: list[Name], *, first: bool) -> set[Name]:
    """The names that `categorical_features` declares."""
    if categorical is None or _by_type(categorical):
        return set()
    if isinstance(categorical, str) and categorical == "all":
        return set(names)
    entries = [e.item() if isinstance(e, np.generic) else e for e in categorical]
    if entries and all(isinstance(e, bool) for e in entries):
        if first and len(entries) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(entries)} values for {len(names)} features"
            )
        # Later columns are beyond the mask.
        return {name for name, use in zip(names, entries, strict=False) if use and first}
    declared: set[Name] = set()
    known = set(names)
    for entry in entries:
        if isinstance(entry, str | int) and entry in known:
            declared.add(entry)
        elif isinstance(entry, int) and not isinstance(entry, bool) and 0 <= entry < len(names):
            declared.add(names[entry])
        elif isinstance(entry, str):
            # A name may belong to a column that has not come yet.
            declared.add(entry)
        else:
            raise ValueError(
                f"categorical_features names the index {entry!r}, "
                f"but there are {len(names)} features"
            )
    return declared


def _as_numbers(column: Column, feature: Feature) -> NDArray[Any]:
    if isinstance(column, Numbers):
        return column.values
    if isinstance(column, Objects):
        found = [_number(value, row, feature) for row, value in enumerate(column.values)]
        return np.array(found, dtype=np.float64)
    numbers = np.full(len(column.values) + 1, np.nan)
    for code, value in zip(*_used_categories(column, feature), strict=True):
        numbers[code] = _number(value, _first_row(column, code), feature)
    return numbers[column.codes]  # code -1 reads the last entry: missing


def _number(value: Any, row: int, feature: Feature) -> float:
    if isinstance(value, str | bytes):
        raise ValueError(
            f"column {feature.label!r}, row {row}: could not convert {value!r} to a number; "
            "the column is read as numeric (categorical_features= declares it otherwise)"
        )
    return float("nan") if value is None else float(value)


def _as_codes(
    column: Codes | Objects, feature: Feature, *, grow: bool
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Codes of a categorical feature, and the categories that are new."""
    if isinstance(column, Objects):
        return _encode(column.values, feature, lambda place: place, grow=grow)
    used, values = _used_categories(column, feature)
    codes, added = _encode(
        values, feature, lambda place: _first_row(column, used[place]), grow=grow
    )
    table = np.full(len(column.values) + 1, -1, dtype=np.int32)
    table[used] = codes
    return table[column.codes], added  # code -1 reads the last entry: missing


def _used_categories(column: Codes, feature: Feature) -> tuple[list[int], list[Any]]:
    """The codes that occur in a column and their categories; None for one that is missing."""
    used = _core.first_seen(np.ascontiguousarray(column.codes), len(column.values)).tolist()
    values: list[Any] = [column.values[code] for code in used]
    if set(map(type, values)) <= {str}:
        return used, values
    for i, value in enumerate(values):
        try:
            values[i] = None if is_null(value) else category_of(value)
        except (TypeError, ValueError) as error:
            raise in_cell(error, feature.label, _first_row(column, used[i])) from None
    return used, values


def _first_row(column: Codes, code: int) -> int:
    return int(np.argmax(column.codes == code))


def _encode(
    values: list[Any], feature: Feature, row_of: Callable[[int], int], *, grow: bool
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Codes of the values, and the values that are new; the place of a value has a row."""
    codes, added = _core.encode_objects(values, feature.codes, grow)
    for code, value in enumerate(added, len(feature.codes)):
        try:
            category_of(value)
        except ValueError as error:
            row = row_of(int(np.argmax(codes == code)))
            raise in_cell(error, feature.label, row) from None
    return codes, added


def _demand_kind(cells: Cells, feature: Feature) -> None:
    for row, cell in cells.items():
        if cell.numeric != (feature.kind == "numeric"):
            raise ValueError(
                f"column {feature.label!r}, row {row}: {cell!r} in a column that is {feature.kind}"
            )


def _as_codes_with(
    values: list[Any], cells: Cells, feature: Feature, *, grow: bool
) -> tuple[NDArray[np.int32], list[int], list[Hashable]]:
    """Codes of the certain values, those of the uncertain ones, and what is new, row by row."""
    flat: list[Any] = []
    rows: list[int] = []
    for row, value in enumerate(values):
        flat += cells[row].points if row in cells else [value]
        rows += [row] * (len(flat) - len(rows))
    codes, added = _encode(flat, feature, rows.__getitem__, grow=grow)
    of_rows = np.full(len(values), -1, dtype=np.int32)
    of_cells: list[int] = []
    at = 0
    for row in range(len(values)):
        if row in cells:
            end = at + len(cells[row].points)
            of_cells += codes[at:end].tolist()
        else:
            end = at + 1
            of_rows[row] = codes[at]
        at = end
    return of_rows, of_cells, added


def _codes_of_numbers(
    columns: list[tuple[int, Feature, NDArray[Any]]], *, grow: bool
) -> Iterator[tuple[int, NDArray[np.int32], list[Hashable]]]:
    """Codes and new categories of columns of numbers that are categories."""
    if not columns:
        return
    n_rows = len(columns[0][2])
    batch = _core.Batch.of_columns(n_rows, [values for _, _, values in columns])
    codes, added, infinite = _core.encode_numbers(batch, [f.codes for _, f, _ in columns], grow)
    if infinite is not None:
        row, column = infinite
        raise ValueError(
            f"column {columns[column][1].label!r}, row {row}: inf cannot be learned; "
            "use NaN for a missing value"
        )
    for i, (place, _, _) in enumerate(columns):
        yield place, codes[:, i], [category_of(value) for value in added[i]]


def _refuse_too_many(features: list[Feature], added: dict[int, list[Hashable]]) -> None:
    for place, values in added.items():
        if len(features[place].codes) + len(values) > _core.MAX_CATEGORIES:
            raise ValueError(
                f"column {features[place].label!r}: "
                f"at most {_core.MAX_CATEGORIES:,} categories can be learned"
            )
