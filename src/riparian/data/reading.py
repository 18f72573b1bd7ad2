"""Read a batch as the numbers and codes of a schema, without changing the schema."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.columns import Codes, Column, Numbers
from riparian.data.encoding import (
    as_codes,
    as_numbers,
    check_kind,
    check_time,
    codes_of_numbers,
)
from riparian.data.identifiers import LEAST_CATEGORIES, Verdict, Watch
from riparian.data.naming import Coded, Limits, admit, size_of_feature
from riparian.data.reading_sparse import sparse_in_order
from riparian.data.schema import Feature, Kind, Schema
from riparian.data.sparse import SparseMatrix
from riparian.data.table import Table
from riparian.data.uncertain import Cells, set_cells
from riparian.data.values import OTHER, Name

__all__ = ["Reading", "read"]


@dataclass(frozen=True)
class Reading:
    """A batch as numbers and codes, and the names that it adds to the schema."""

    batch: _core.Batch
    n_rows: int
    new_features: list[Feature]
    new_categories: dict[int, list[Hashable]]
    #: What rows settle about possible identifiers, by row: position and verdict.
    verdicts: list[tuple[int, Verdict]] = field(default_factory=list)
    #: The codes of features that are watched, by position, with the number of codes before.
    watched: dict[int, Coded] = field(default_factory=dict)
    #: Known values of columns that are ignored because there are too many features, by row.
    ignored: NDArray[np.intp] | None = None
    #: Largest number of numbers that the distributions of a row need; 0 without distributions.
    uncertain: int = 0

    @property
    def left_out(self) -> dict[int, int]:
        """The rows from which on features are left out, by position."""
        return {
            place: verdict.row
            for place, verdict in self.verdicts
            if verdict.watch is not None and verdict.watch.left_out
        }


def read(
    schema: Schema,
    table: Table,
    *,
    grow: bool,
    categorical: Any = "from_dtype",
    limits: Limits = Limits(),  # noqa: B008  (a tuple)
    missing_from: Mapping[int, int] | None = None,
) -> Reading:
    """Return the columns of a table as numbers and codes, in the order of the features.

    Parameters
    ----------
    table : Table
        The rows.
    grow : bool
        Whether new names may be added.
    categorical : str or sequence
        The parameter `categorical_features`.
    limits : Limits
        The limits of new names.
    missing_from : mapping, optional
        Rows from which on a feature is left out, by position.
    """
    if table.sparse is not None:
        return _read_sparse(schema, table.sparse, categorical)
    if table.matrix is not None and _has_positions(schema, table):
        return Reading(_core.Batch.of_matrix(table.matrix), table.n_rows, [], {})
    places, ignored = _places(schema, table, grow=grow, limits=limits)
    if len(table.columns) > _core.MAX_FEATURES or max(places, default=0) >= _core.MAX_FEATURES:
        raise ValueError(f"at most {_core.MAX_FEATURES:,} features are supported")
    known = len(schema.features)
    new: dict[int, Feature] = {}
    if table.matrix is not None and places == list(range(len(table.columns))):
        numeric_before = all(f.kind == "numeric" for f in schema.features)
        declared = _declared(categorical, _names(schema, table), first=True) if not known else set()
        if numeric_before and not declared and len(table.columns) >= known:
            fresh = [Feature(n, "numeric") for n in _names(schema, table)[known:]]
            return Reading(_core.Batch.of_matrix(table.matrix), table.n_rows, fresh, {})
    n_features = max([known, *(place + 1 for place in places)])
    columns: list[NDArray[Any] | None] = [None] * n_features
    coded: dict[int, Coded] = {}
    coded_numbers: list[tuple[int, Feature, NDArray[Any]]] = []
    uncertain: dict[int, Cells] = {}
    names = _names(schema, table)
    declared = _declared(categorical, names, first=not known) if n_features > known else set()
    watches = dict(schema.watches)
    for name, place, column in zip(names, places, table.columns, strict=True):
        if place < 0 or schema.left_out(place):
            continue
        if place < known:
            feature = schema.features[place]
        else:
            by_type = _by_type(categorical) and not isinstance(column, Numbers)
            kind: Kind = "categorical" if by_type or name in declared else "numeric"
            times = column.times if isinstance(column, Numbers) else None
            feature = Feature(name, kind, time=None if times is None else times.kind)
            new[place] = feature
            if by_type and limits.max_categories >= LEAST_CATEGORIES:
                watches[place] = Watch(cut=not limits.watches)
        check_time(column, feature)
        cells = None if isinstance(column, Codes) else column.uncertain
        if cells:
            check_kind(cells, feature)
            uncertain[place] = cells
        if feature.kind == "numeric":
            columns[place] = as_numbers(column, feature)
        elif isinstance(column, Numbers):
            coded_numbers.append((place, feature, column.values))
        else:
            room = _room(feature, limits)
            coded[place] = as_codes(column, cells, feature, grow=grow, room=room)
    rooms = [_room(feature, limits) for _, feature, _ in coded_numbers]
    coded |= codes_of_numbers(coded_numbers, grow=grow, rooms=rooms)
    new_features = [new[place] for place in sorted(new)]
    _refuse_too_many(schema.features + new_features, coded)
    if grow:
        for place, found in coded.items():
            found.watch = watches.get(place)
            if place < known:
                found.other = schema.features[place].codes.get(OTHER, -1)
        admit(coded, schema.sizes_of_categories, limits)
    gone = missing_from or {p: c.leaves for p, c in coded.items() if c.leaves is not None}
    for place, found in coded.items():
        columns[place] = found.codes
        if place in gone:
            found.drop_from(gone[place])
            left = {r: cell for r, cell in uncertain.pop(place, {}).items() if r < gone[place]}
            if left:
                uncertain[place] = left
    batch = _core.Batch.of_columns(table.n_rows, columns)
    of_cells = {place: coded[place].cells.tolist() for place in uncertain if place in coded}
    numbers = set_cells(batch, uncertain, of_cells) if uncertain else 0
    verdicts = [(place, v) for place, found in coded.items() for v in found.verdicts]
    return Reading(
        batch,
        table.n_rows,
        new_features,
        {place: found.added for place, found in coded.items() if found.added},
        sorted(verdicts, key=lambda found: (found[1].row, found[0])),
        {place: found for place, found in coded.items() if found.watch is not None},
        _known_values([table.columns[i] for i in ignored], table.n_rows) if ignored else None,
        numbers,
    )


def _read_sparse(schema: Schema, matrix: SparseMatrix, categorical: Any) -> Reading:
    """Return a sparse matrix, whose columns have positions and are numeric.

    Its features are those of its first row, which no limit refuses.
    """
    n_rows, width = matrix.shape
    if schema.features:
        _check_width(schema, width)
    names: list[Name] = [] if schema.features else list(range(width))
    if len(names) > _core.MAX_FEATURES:
        raise ValueError(f"at most {_core.MAX_FEATURES:,} features are supported")
    matrix = sparse_in_order(schema, matrix, _declared(categorical, names, first=True))
    return Reading(matrix.batch, n_rows, [Feature(name, "numeric") for name in names], {})


def _has_positions(schema: Schema, table: Table) -> bool:
    """Whether the features are numeric, without names, and as many as the columns."""
    n = len(table.columns)
    return n > 0 and table.names is None and schema.has_plain_positions(n)


def _names(schema: Schema, table: Table) -> list[Name]:
    return list(range(len(table.columns))) if table.names is None else table.names


def _places(
    schema: Schema, table: Table, *, grow: bool, limits: Limits
) -> tuple[list[int], list[int]]:
    """Return the feature position of each column, or -1; and the columns that are too many."""
    names = _names(schema, table)
    if schema.features and not table.example:
        named = any(isinstance(name, str) for name in names)
        if named != schema.named:
            _check_width(schema, len(names))
            warnings.warn(
                "X has feature names, but the model learned without feature names"
                if named
                else "X does not have feature names, but the model learned with feature names",
                UserWarning,
                stacklevel=5,
            )
            return list(range(len(names))), []
        if table.names is None:
            _check_width(schema, len(names))
            known = [schema.index.get(name, -1) for name in names]
            # A member of a forest knows some positions of a wider stream.
            return (known if min(known) >= 0 else list(range(len(names)))), []
    elif not schema.features and table.names is None:
        return list(range(len(names))), []
    fresh = _fresh(schema, names, table.columns)
    present = set(names)
    absent = [f.name for f in schema.features if f.name not in present]
    if not grow:
        admitted = fresh
    else:
        columns = dict(zip(names, table.columns, strict=True))
        admitted = _admitted(schema, fresh, columns, limits)
    if admitted and absent and not table.example:
        raise ValueError(
            f"columns seem to be renamed: {_listed(admitted)} "
            f"{'is' if len(admitted) == 1 else 'are'} new and {_listed(absent)} "
            f"{'is' if len(absent) == 1 else 'are'} absent; "
            "a batch may add columns or omit columns, but not both"
        )
    places = dict(schema.index)
    if not grow:
        return [places.get(name, -1) for name in names], []
    places |= {name: len(schema.index) + i for i, name in enumerate(admitted)}
    too_many = set(fresh[len(admitted) :])
    ignored = [i for i, name in enumerate(names) if name in too_many]
    return [places.get(name, -1) for name in names], ignored


def _admitted(
    schema: Schema, fresh: list[Name], columns: Mapping[Name, Column], limits: Limits
) -> list[Name]:
    """Return the new features that the limits allow: the first ones.

    The features of the first row are always allowed.
    """
    allowed = 0
    if not schema.features:
        while allowed < len(fresh) and columns[fresh[allowed]].first == 0:
            allowed += 1
    share = limits.share
    used = sum(size_of_feature(f.name) for f in schema.features) if share is not None else 0
    used += sum(size_of_feature(name) for name in fresh[:allowed]) if share is not None else 0
    for name in fresh[allowed:]:
        if len(schema.features) + allowed >= limits.max_features:
            break
        if share is not None:
            used += size_of_feature(name)
            if used > share:
                break
        allowed += 1
    return fresh[:allowed]


def _fresh(schema: Schema, names: list[Name], columns: Sequence[Column]) -> list[Name]:
    """Return the new features in the order in which single rows would add them.

    A column of objects becomes a feature with its first known value, so that the order does
    not depend on the batches.
    """
    found = [
        (column.first, i, name)
        for i, (name, column) in enumerate(zip(names, columns, strict=True))
        if name not in schema.index and column.first is not None
    ]
    return [name for _, _, name in sorted(found, key=lambda entry: entry[:2])]


def _check_width(schema: Schema, n: int) -> None:
    known = len(schema.features)
    if n != known:
        raise ValueError(
            f"X has {n} features, but {schema.owner} is expecting {known} features as input"
        )


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


def _room(feature: Feature, limits: Limits) -> int:
    """Return how many new categories of a feature get names."""
    return max(0, limits.max_categories - len(feature.codes))


def _known_values(columns: Sequence[Column], n_rows: int) -> NDArray[np.intp]:
    """Return the number of known values in each row."""
    known = np.zeros(n_rows, dtype=np.intp)
    for column in columns:
        if isinstance(column, Codes):
            known += column.codes >= 0
        elif isinstance(column, Numbers):
            known += ~np.isnan(column.values)
        else:
            known += np.fromiter((value is not None for value in column.values), np.bool_)
    return known


def _refuse_too_many(features: list[Feature], coded: Mapping[int, Coded]) -> None:
    for place, column in coded.items():
        if column.known + len(column.added) > _core.MAX_CATEGORIES:
            raise ValueError(
                f"column {features[place].label!r}: "
                f"at most {_core.MAX_CATEGORIES:,} categories are supported"
            )
