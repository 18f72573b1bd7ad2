"""The schema: features, categories and classes, and their codes.

The schema grows with the stream. Reading a batch does not change it: a :class:`Reading` has the
new names. The engine calls :meth:`Schema.grow` and adds them to its own tables in the same native
call, so that both know the same names even if an exception is raised.
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
from riparian.data.formatting import exact_value
from riparian.data.sparse import SparseMatrix
from riparian.data.table import Codes, Column, Numbers, Objects, Table, in_cell
from riparian.data.times import TimeKind, kind_text, time_text
from riparian.data.uncertain import Cells, set_cells
from riparian.data.values import Name, category_of, is_null

__all__ = ["Feature", "Kind", "Reading", "Schema"]

Kind = Literal["numeric", "categorical"]


@dataclass(slots=True)
class Feature:
    """A feature of the stream. An integer name is a position."""

    name: Name
    kind: Kind
    codes: dict[Hashable, int] = field(default_factory=dict)
    #: What its numbers are seconds of; None if they are plain numbers.
    time: TimeKind | None = None

    @property
    def label(self) -> str:
        name = exact_value(self.name)
        return name if isinstance(name, str) else f"x{name}"

    @property
    def categories(self) -> list[Hashable]:
        return list(self.codes)

    def number_text(self, value: float) -> str:
        """Return a value of a numeric feature as text, a date as a date."""
        return f"{value:.6g}" if self.time is None else time_text(self.time, value)


@dataclass(frozen=True)
class Reading:
    """A batch as numbers and codes, and the names that it adds to the schema."""

    batch: _core.Batch
    n_rows: int
    new_features: list[Feature]
    new_categories: dict[int, list[Hashable]]
    #: Largest number of numbers that the distributions of a row need; 0 without distributions.
    uncertain: int = 0


class Schema:
    """The ordered features and classes of one model."""

    # Without slots the size of the attribute dict would depend on the history of the program.
    __slots__ = ("class_codes", "classes", "codes", "features", "index", "owner")

    def __init__(self, owner: str = "the model") -> None:
        self.owner = owner  # the name of the model in error messages
        self.features: list[Feature] = []
        self.classes: list[Hashable] = []
        self.class_codes: dict[Hashable, int] = {}
        #: For single examples: name to position, and value to code (None: numeric).
        self.index: dict[Name, int] = {}
        self.codes: list[dict[Hashable, int] | None] = []

    @property
    def bytes(self) -> int:
        """Memory of the names in bytes; see `_memory`."""
        total = _memory(self) + sum(map(_memory, self.lists))
        for place, feature in enumerate(self.features):
            total += sum(map(_memory, (feature, feature.codes, feature.name, place)))
            total += sum(_memory(value) + _memory(code) for value, code in feature.codes.items())
        return total + sum(
            _memory(label) + _memory(code) for label, code in self.class_codes.items()
        )

    @property
    def lists(self) -> tuple[Any, ...]:
        """The lists that the engine truncates to the names it knows (``bindings/names.hpp``)."""
        return self.features, self.codes, self.index, self.classes, self.class_codes

    @property
    def n_names(self) -> int:
        """Number of features and categories. It is unchanged if no name was added."""
        return len(self.features) + sum(map(len, filter(None, self.codes)))

    @property
    def named(self) -> bool:
        """Whether the features have names, not just positions."""
        return any(isinstance(f.name, str) for f in self.features)

    # -- features ---------------------------------------------------------------------------

    def read(self, table: Table, *, grow: bool, categorical: Any = "from_dtype") -> Reading:
        """Return the columns of a table as numbers and codes, in the order of the features."""
        if table.sparse is not None:
            return self._read_sparse(table.sparse, categorical)
        places = self._places(table, grow=grow)
        if len(table.columns) > _core.MAX_FEATURES or max(places, default=0) >= _core.MAX_FEATURES:
            raise ValueError(f"at most {_core.MAX_FEATURES:,} features are supported")
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
                times = column.times if isinstance(column, Numbers) else None
                feature = Feature(name, kind, time=None if times is None else times.kind)
                new[place] = feature
            _check_time(column, feature)
            cells = None if isinstance(column, Codes) else column.uncertain
            if cells:
                _check_kind(cells, feature)
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

    def _read_sparse(self, matrix: SparseMatrix, categorical: Any) -> Reading:
        """Return a sparse matrix, whose columns have positions and are numeric."""
        n_rows, width = matrix.shape
        if not self.features:
            names: list[Name] = list(range(width))
            for name in sorted(_declared(categorical, names, first=True), key=str):
                raise ValueError(
                    f"column 'x{name}': a sparse X has numbers only, but categorical_features "
                    "lists it; pass X.toarray()"
                )
            return Reading(matrix.batch, n_rows, [Feature(n, "numeric") for n in names], {})
        self._check_width(width)
        if self.codes.count(None) < width:  # the fastest way to look at 50,000 features
            feature = next(f for f in self.features if f.kind == "categorical")
            raise ValueError(
                f"column {feature.label!r}: a sparse X has numbers only, but the feature is "
                "categorical; pass X.toarray()"
            )
        if list(self.index) == list(range(width)):
            return Reading(matrix.batch, n_rows, [], {})
        if self.named:
            warnings.warn(
                "X does not have feature names, but the model learned with feature names",
                UserWarning,
                stacklevel=5,
            )
            return Reading(matrix.batch, n_rows, [], {})
        # Single examples may have brought the positions in another order.
        places = [self.index.get(name, -1) for name in range(width)]
        if min(places) >= 0:
            matrix = matrix.ordered(places)
        return Reading(matrix.batch, n_rows, [], {})

    def grow(
        self, reading: Reading, declared: list[Hashable], added: list[Hashable], *, first: bool
    ) -> tuple[Any, ...]:
        """Add the new names of a batch.

        Parameters
        ----------
        reading : Reading
            The batch.
        declared : list
            The labels of `classes=`.
        added : list
            The new labels of the batch.
        first : bool
            Whether the engine has no names yet.

        Returns
        -------
        added : tuple
            The new names and their bytes, for ``bindings/names.hpp``.
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
        """Add a feature at the next position, and return its bytes."""
        lists = (self.features, self.codes, self.index)
        before = sum(map(_memory, lists))
        # The index is updated last: a reader in another thread must find the feature.
        self.features.append(feature)
        self.codes.append(feature.codes if feature.kind == "categorical" else None)
        self.index[feature.name] = place = len(self.features) - 1
        parts = (feature, feature.codes, feature.name, place)
        return _grown(before, sum(map(_memory, lists))) + sum(map(_memory, parts))

    def add_categories(self, feature: Feature, values: Iterable[Hashable]) -> list[int]:
        """Assign codes to the values, and return the bytes of each."""
        codes, sizes = feature.codes, []
        for value in values:
            before = _memory(codes)
            codes.setdefault(value, len(codes))
            sizes.append(_memory(value) + _memory(len(codes) - 1) + _grown(before, _memory(codes)))
        return sizes

    def label(self, place: int) -> str:
        return self.features[place].label if place < len(self.features) else f"x{place}"

    def _names(self, table: Table) -> list[Name]:
        return list(range(len(table.columns))) if table.names is None else table.names

    def _places(self, table: Table, *, grow: bool) -> list[int]:
        """Return the feature position of each column, or -1 for an ignored column."""
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
                    # A member of a forest knows some positions of a wider stream.
                    return list(range(len(names)))
        elif not self.features and table.names is None:
            return list(range(len(names)))
        fresh = self._fresh(names, table.columns)
        present = set(names)
        absent = [f.name for f in self.features if f.name not in present]
        if fresh and absent and not table.example:
            raise ValueError(
                f"columns seem to be renamed: {_listed(fresh)} "
                f"{'is' if len(fresh) == 1 else 'are'} new and {_listed(absent)} "
                f"{'is' if len(absent) == 1 else 'are'} absent; "
                "a batch may add columns or omit columns, but not both"
            )
        places = dict(self.index)
        if grow:
            places |= {name: len(self.index) + i for i, name in enumerate(fresh)}
        return [places.get(name, -1) for name in names]

    def _fresh(self, names: list[Name], columns: list[Column]) -> list[Name]:
        """Return the new features in the order in which single rows would add them.

        A column of objects becomes a feature with its first known value, so that the order does
        not depend on the batches.
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
        """Assign codes to the labels, and return the bytes of each new one."""
        sizes = []
        for label in labels:
            if label not in self.class_codes:
                before = _memory(self.classes) + _memory(self.class_codes)
                self.classes.append(label)
                self.class_codes[label] = code = len(self.classes) - 1
                after = _memory(self.classes) + _memory(self.class_codes)
                sizes.append(_memory(label) + _memory(code) + _grown(before, after))
        return sizes


def _memory(value: object) -> int:
    """Return the memory of a Python object, rounded up to 16 bytes as the allocators do.

    Small integers and booleans are shared and count as 0.
    """
    if isinstance(value, int) and -5 <= value <= 256:
        return 0
    size = sys.getsizeof(value)
    return (size + (8 if size > 512 else 0) + 15) // 16 * 16


def _grown(before: int, after: int) -> int:
    # A dict from which names were removed shrinks when the next name is added.
    return max(0, after - before)


def _listed(names: Sequence[Name]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _by_type(categorical: Any) -> bool:
    return isinstance(categorical, str) and categorical == "from_dtype"


def _declared(categorical: Any, names: list[Name], *, first: bool) -> set[Name]:
    """Return the names that `categorical_features` declares."""
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
        # The mask does not cover columns that are added later.
        return {name for name, use in zip(names, entries, strict=False) if use and first}
    declared: set[Name] = set()
    known = set(names)
    for entry in entries:
        if isinstance(entry, str | int) and entry in known:
            declared.add(entry)
        elif isinstance(entry, int) and not isinstance(entry, bool) and 0 <= entry < len(names):
            declared.add(names[entry])
        elif isinstance(entry, str):
            # The name may belong to a column that is added later.
            declared.add(entry)
        else:
            raise ValueError(
                f"categorical_features has the index {entry!r}, but there are {len(names)} features"
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
            "the column is numeric; use categorical_features to make it categorical"
        )
    return float("nan") if value is None else float(value)


def _as_codes(
    column: Codes | Objects, feature: Feature, *, grow: bool
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Return the codes of a categorical feature, and the new categories."""
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
    """Return the codes that occur in a column, and their categories (None is missing)."""
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
    """Return the codes of the values, and the new values. `row_of` is for error messages."""
    codes, added = _core.encode_objects(values, feature.codes, grow)
    for code, value in enumerate(added, len(feature.codes)):
        try:
            category_of(value)
        except ValueError as error:
            row = row_of(int(np.argmax(codes == code)))
            raise in_cell(error, feature.label, row) from None
    return codes, added


def _check_time(column: Column, feature: Feature) -> None:
    """Refuse dates in a feature of other values. Numbers in a feature of dates are seconds."""
    if not isinstance(column, Numbers) or column.times is None:
        return
    kind = column.times.kind
    if feature.kind == "numeric" and feature.time == kind:
        return
    known = ~np.isnan(column.values)
    if not known.any():
        return
    where = f"column {feature.label!r}, row {int(known.argmax())}: {kind_text(kind)}"
    if feature.kind == "categorical":
        raise ValueError(f"{where} cannot be categories; convert the column to numbers or text")
    holds = "numbers" if feature.time is None else kind_text(feature.time)
    raise ValueError(f"{where} in a feature of {holds}; convert the column as before")


def _check_kind(cells: Cells, feature: Feature) -> None:
    for row, cell in cells.items():
        if cell.numeric != (feature.kind == "numeric"):
            raise ValueError(
                f"column {feature.label!r}, row {row}: {cell!r} is not allowed in a "
                f"{feature.kind} column"
            )


def _as_codes_with(
    values: list[Any], cells: Cells, feature: Feature, *, grow: bool
) -> tuple[NDArray[np.int32], list[int], list[Hashable]]:
    """Return the codes of the certain and of the uncertain values, and the new categories."""
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
    """Yield the codes and new categories of numeric columns that are categorical features."""
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
                f"at most {_core.MAX_CATEGORIES:,} categories are supported"
            )
