"""The rows of a batch tree: where they come from, and their names."""

from __future__ import annotations

import glob
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.columns import Codes, Numbers
from riparian.data.labels import read_labels
from riparian.data.schema import Feature, Schema
from riparian.data.table import Table, read_table, refuse_uncertain
from riparian.data.values import Name
from riparian.models.hoeffding import HoeffdingTree
from riparian.streams.readers.formats import open_stream

__all__ = [
    "Coded",
    "Facts",
    "File",
    "Piece",
    "coded_as",
    "facts_of",
    "piece_of",
    "pieces_of",
    "read_piece",
    "schema_of",
    "table_and_labels",
]

#: The most rows of a piece of a table, and of a block of a file; and how many pieces a smaller
#: table has. The pieces do not depend on the number of workers.
_PIECE_ROWS = 1 << 18
_PIECES = 64


@dataclass(frozen=True)
class Coded:
    """Categories or labels as codes into a list of values; -1 is missing."""

    codes: NDArray[np.int32]
    values: list[Hashable]


@dataclass(frozen=True)
class Piece:
    """Some rows: a column is float64, NaN is missing, or it is coded."""

    names: list[Name]
    columns: list[NDArray[np.float64] | Coded]
    labels: Coded

    @property
    def n_rows(self) -> int:
        return len(self.labels.codes)


@dataclass(frozen=True)
class File:
    """A piece that a worker reads itself."""

    path: str
    target: str


@dataclass(frozen=True)
class Facts:
    """What the coordinator has to know about a piece."""

    n_rows: int
    names: list[Name]
    #: For each feature None if it is numeric, else its categories and how often each occurs.
    categories: list[list[tuple[Hashable, int]] | None]
    labels: list[Hashable]


def pieces_of(data: Any, target: Any) -> list[Piece | File]:
    """Divide the data into pieces, without looking at the number of workers."""
    paths = _paths(data)
    if paths is not None:
        if not isinstance(target, str):
            raise TypeError(f"target must name the column of the classes, got {target!r}")
        return [File(path, target) for path in paths]
    whole = piece_of(data, target)
    size = max(1, min(_PIECE_ROWS, -(-whole.n_rows // _PIECES)))
    return [_part(whole, slice(first, first + size)) for first in range(0, whole.n_rows, size)]


def piece_of(data: Any, target: Any) -> Piece:
    """Return the rows of a table as one piece."""
    data, target = table_and_labels(data, target)
    table = read_table(data)
    refuse_uncertain(table, "a batch tree")
    if table.n_rows == 0 or not table.columns:
        raise ValueError(
            f"a batch tree needs rows and features, got {table.n_rows} and {len(table.columns)}"
        )
    return _piece(table, target, 0)


def read_piece(piece: Piece | File) -> Piece:
    """Read a piece that is a file."""
    if isinstance(piece, Piece):
        return piece
    parts: list[Piece] = []
    n_rows = 0
    with open_stream(piece.path, target=piece.target) as stream:
        for columns, labels in stream.blocks(_PIECE_ROWS):
            table = read_table(columns)
            refuse_uncertain(table, "a batch tree")
            parts.append(_piece(table, labels, n_rows))
            n_rows += table.n_rows
    if not parts:
        raise ValueError(f"{piece.path} has no rows")
    return parts[0] if len(parts) == 1 else _joined(parts)


def facts_of(piece: Piece) -> Facts:
    """Return what is to be known about a piece."""
    return Facts(
        piece.n_rows,
        piece.names,
        [_counted(c) if isinstance(c, Coded) else None for c in piece.columns],
        [value for value, _ in _counted(piece.labels)],
    )


def schema_of(facts: Sequence[Facts], model: HoeffdingTree) -> Schema:
    """Name features, categories and classes in the order of their first appearance."""
    schema = Schema(type(model).__name__)
    for place, name in enumerate(facts[0].names):
        kinds = {_kind(own, name) for own in facts}
        if len(kinds) > 1:
            raise ValueError(
                f"column {name!r} is numeric in some files and categorical in others; write it in "
                "one way, for example as Parquet"
            )
        kind = kinds.pop()
        feature = Feature(name, kind)
        schema.add_feature(feature)
        if kind == "categorical":
            values = dict.fromkeys(
                value for own in facts for value, _ in own.categories[place] or []
            )
            if len(values) > model.max_categories:
                raise ValueError(
                    f"column {name!r} has {len(values):,} categories, but max_categories is "
                    f"{model.max_categories:,}; leave the column out if it is an identifier"
                )
            schema.add_categories(feature, values)
    for own in facts:
        if own.names != facts[0].names:
            raise ValueError("all files must have the same columns in the same order")
        schema.add_classes(own.labels)
    if len(schema.classes) > min(model.max_classes, 65_535):
        raise ValueError(
            f"there are {len(schema.classes):,} classes, but max_classes is {model.max_classes:,}"
        )
    return schema


def _kind(facts: Facts, name: Name) -> Any:
    if name not in facts.names:
        raise ValueError(f"column {name!r} is not in all files")
    return "numeric" if facts.categories[facts.names.index(name)] is None else "categorical"


def _paths(data: Any) -> list[str] | None:
    """The files that `data` names, or None if it is a table."""
    many = [data] if isinstance(data, str | os.PathLike) else data
    if not isinstance(many, list | tuple) or not many:
        return None
    if not all(isinstance(path, str | os.PathLike) for path in many):
        return None
    found: list[str] = []
    for path in map(os.fspath, many):
        names = sorted(glob.glob(path)) if glob.has_magic(path) else [path]
        if not names:
            raise FileNotFoundError(f"no file matches {path!r}")
        found += names
    return found


def table_and_labels(data: Any, target: Any) -> tuple[Any, Any]:
    """Return rows and labels; a text names the column that has the labels."""
    if not isinstance(target, str):
        return data, target
    if hasattr(data, "drop") and hasattr(data, "columns") and hasattr(data, "iloc"):  # pandas
        return data.drop(columns=[target]), data[target]
    if hasattr(data, "drop_columns"):  # pyarrow
        return data.drop_columns([target]), data.column(target)
    if hasattr(data, "drop") and hasattr(data, "get_column"):  # polars
        return data.drop(target), data.get_column(target)
    if isinstance(data, dict):
        return {name: c for name, c in data.items() if name != target}, data[target]
    raise TypeError(
        f"target={target!r} names a column, but the data have no named columns; give the classes "
        "as an array"
    )


def _piece(table: Table, target: Any, first: int) -> Piece:
    """Return the rows of a table, of which the first one has a number."""
    names: list[Name] = list(range(len(table.columns))) if table.names is None else table.names
    labels = read_labels(target, table.n_rows)
    columns = [_column(c, name, first) for c, name in zip(table.columns, names, strict=True)]
    return Piece(names, columns, _coded_array(labels))


def _column(column: Any, name: Name, first: int) -> NDArray[np.float64] | Coded:
    if isinstance(column, Numbers):
        values = np.asarray(column.values, dtype=np.float64)
        if np.isinf(values).any():
            row = first + int(np.argmax(np.isinf(values)))
            label = Feature(name, "numeric").label
            raise ValueError(
                f"column {label!r}, row {row}: inf cannot be learned; use NaN for a missing value"
            )
        return np.clip(values, -(2.0**450), 2.0**450)
    if isinstance(column, Codes):
        return Coded(column.codes, list(column.values))
    return _coded(column.values)


def _coded(values: Sequence[Any]) -> Coded:
    codes: dict[Hashable, int] = {}
    found = np.empty(len(values), np.int32)
    for row, value in enumerate(values):
        missing = value is None or value != value
        found[row] = -1 if missing else codes.setdefault(value, len(codes))
    return Coded(found, list(codes))


def _coded_array(values: NDArray[Any]) -> Coded:
    """Labels as codes in the order of their first appearance."""
    if values.dtype == object:
        return _coded(values.tolist())
    found, first, codes = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order))
    return Coded(places[codes], found[order].tolist())


def _counted(column: Coded) -> list[tuple[Hashable, int]]:
    """The values that occur, in the order of their first appearance, and how often."""
    known = column.codes[column.codes >= 0]
    used, first, counts = np.unique(known, return_index=True, return_counts=True)
    order = np.argsort(first)
    merged: dict[Hashable, int] = {}
    for code, count in zip(used[order].tolist(), counts[order].tolist(), strict=True):
        value = column.values[code]  # a value may be listed twice
        merged[value] = merged.get(value, 0) + count
    return list(merged.items())


def _part(whole: Piece, rows: slice) -> Piece:
    return Piece(
        whole.names,
        [
            Coded(c.codes[rows], c.values) if isinstance(c, Coded) else c[rows]
            for c in whole.columns
        ],
        Coded(whole.labels.codes[rows], whole.labels.values),
    )


def _joined(parts: list[Piece]) -> Piece:
    """Put blocks of a file together."""
    return Piece(
        parts[0].names,
        [_joined_columns(own) for own in zip(*(p.columns for p in parts), strict=True)],
        _joined_codes([p.labels for p in parts]),
    )


def _joined_columns(columns: Sequence[Any]) -> NDArray[np.float64] | Coded:
    if isinstance(columns[0], Coded):
        return _joined_codes(columns)
    return np.concatenate(columns)


def _joined_codes(columns: Sequence[Coded]) -> Coded:
    codes: dict[Hashable, int] = {}
    return Coded(np.concatenate([_recoded(c, codes) for c in columns]), list(codes))


def _recoded(column: Coded, codes: dict[Hashable, int]) -> NDArray[np.int32]:
    """The codes of a column in a common list, which grows."""
    to = [codes.setdefault(value, len(codes)) for value in column.values]
    return np.array([*to, -1], np.int32)[column.codes]


def coded_as(column: Coded, codes: Mapping[Hashable, int]) -> NDArray[np.int32]:
    """The codes of a column in the schema."""
    return np.array([*(codes.get(v, -1) for v in column.values), -1], np.int32)[column.codes]
