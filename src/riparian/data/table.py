"""Read arrays, frames and dicts as tables of named columns.

A :class:`Table` is the common form of NumPy arrays, frames, mappings and single dicts: columns of
numbers, codes or objects. It does not depend on a model; :mod:`riparian.data.schema` assigns its
columns to features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block, Coded, Stored
from riparian.data.columns import (
    REFUSED,
    WAY_OUT,
    Codes,
    Column,
    Numbers,
    as_array,
    as_floats,
    column_of_array,
    column_of_objects,
    column_of_times,
    length_of,
    only_rows,
    unmasked,
)
from riparian.data.frames import frame_columns
from riparian.data.sparse import SparseMatrix, is_sparse, read_sparse
from riparian.data.times import Times, check_parts, part_names
from riparian.data.values import Name, name_of

__all__ = ["Table", "read_example", "read_table", "refuse_uncertain", "with_date_parts"]

_DOUBLE = np.dtype(np.float64)


class MatrixColumns(Sequence[Column]):
    """The columns of an array of numbers, each made when it is asked for."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self._matrix = matrix

    def __len__(self) -> int:
        return int(self._matrix.shape[1])

    def __iter__(self) -> Iterator[Column]:
        return map(Numbers, self._matrix.T)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[f] for f in range(*place.indices(len(self)))]
        return Numbers(self._matrix[:, place])


@dataclass(frozen=True)
class Table:
    """A table of columns. `names` is None if the columns have positions only."""

    n_rows: int
    columns: Sequence[Column]
    names: list[Name] | None = None
    #: All columns as one float64 or float32 array, if they are one.
    matrix: NDArray[Any] | None = field(default=None, repr=False)
    #: Whether this is a single dict, which may have any keys.
    example: bool = False
    #: All columns as a sparse matrix, if they are one; `columns` is then empty.
    sparse: SparseMatrix | None = field(default=None, repr=False)

    @property
    def n_columns(self) -> int:
        return len(self.columns) if self.sparse is None else self.sparse.shape[1]

    def only(self, rows: NDArray[np.bool_]) -> Table:
        """Return the table with the rows of a mask only."""
        if self.sparse is not None:
            return _of_sparse(self.sparse.only(rows))
        if self.matrix is not None:
            return _of_array(self.matrix[rows])
        return Table(
            int(rows.sum()),
            [only_rows(c, rows) for c in self.columns],
            self.names,
            None,
            self.example,
        )


def read_table(X: Any, *, sparse: bool = False) -> Table:
    """Read a table from an array, frame, mapping or nested lists.

    Parameters
    ----------
    X : array, frame, mapping or nested lists
        The data.
    sparse : bool, default=False
        Whether it may be a sparse matrix of SciPy.

    Raises
    ------
    TypeError, ValueError
        If `X` has an unsupported type. The message names the column.
    """
    if isinstance(X, Table):
        return X
    if isinstance(X, Block):
        return _of_block(X)
    if is_sparse(X):
        if sparse:
            return _of_sparse(read_sparse(X))
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. "
            "Use '.toarray()' to convert it to a dense NumPy array."
        )
    if isinstance(X, np.ndarray):
        return _of_array(unmasked(X))
    if (columns := frame_columns(X)) is not None:
        return Table(len(X), [c for _, c in columns], _distinct([name for name, _ in columns]))
    if isinstance(X, Mapping):
        return _of_mapping(X)
    return _of_array(as_array(X))


def read_example(x: Any) -> Table:
    """Read one example, a mapping of single values."""
    if not isinstance(x, Mapping):
        raise TypeError(f"an example must be a dict of values, got {type(x).__name__}")
    names: list[Name] = [name_of(name) for name in x]
    columns = [column_of_objects([v], str(n)) for n, v in zip(names, x.values(), strict=True)]
    return Table(1, columns, _distinct(names), example=True)


def _of_array(X: NDArray[Any]) -> Table:
    if X.ndim != 2:
        scalar = (
            f"scalar array instead:\narray={X}." if X.ndim == 0 else (f"{X.ndim}D array instead.")
        )
        raise ValueError(
            f"Expected 2D array, got {scalar}\n"
            "Reshape your data either using array.reshape(-1, 1) if it has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
    kind = X.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if kind in REFUSED:
        raise TypeError(f"X: {REFUSED[kind]} cannot be learned; {WAY_OUT}")
    if kind in "biuf":
        matrix = as_floats(X)
        return Table(X.shape[0], MatrixColumns(matrix), matrix=matrix)
    return Table(X.shape[0], [column_of_array(X[:, f], f"x{f}") for f in range(X.shape[1])])


def _of_sparse(matrix: SparseMatrix) -> Table:
    return Table(matrix.shape[0], [], sparse=matrix)


def _of_block(block: Block) -> Table:
    names: list[Name] = list(block)
    columns = [_of_stored(column, name) for name, column in block.stored.items()]
    return Table(block.n_rows, columns, names)


def _of_stored(column: Stored, label: str) -> Column:
    if isinstance(column, Times):
        return column_of_times(column)
    if isinstance(column, np.ndarray) and column.dtype is _DOUBLE and column.flags.c_contiguous:
        return Numbers(column)
    if not isinstance(column, Coded):
        return column_of_array(column, label)
    known = column.codes >= 0
    first = int(known.argmax()) if len(known) else 0
    if not len(known) or not known[first]:
        return Numbers(np.full(len(known), np.nan), None)
    return Codes(column.codes, column.values, first)


def _of_mapping(X: Mapping[Any, Any]) -> Table:
    names: list[Name] = [name_of(name) for name in X]
    columns = [
        column_of_objects([v], str(n)) if np.ndim(v) == 0 else column_of_array(as_array(v), str(n))
        for n, v in zip(names, X.values(), strict=True)
    ]
    lengths = {str(n): length_of(c) for n, c in zip(names, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{n!r} has {k}" for n, k in lengths.items())
        raise ValueError(f"columns must have the same length, but {listed}")
    return Table(next(iter(lengths.values()), 0), columns, _distinct(names))


def with_date_parts(table: Table, date_parts: Any) -> Table:
    """Return the table with a column for each part of each date, such as ``when.hour``."""
    parts = check_parts(date_parts)
    if not parts or table.matrix is not None:
        return table
    if not any(isinstance(c, Numbers) and c.times for c in table.columns):
        return table
    if table.names is None:
        raise ValueError("date_parts needs names of columns; pass a frame or a dict of columns")
    names: list[Name] = []
    columns: list[Column] = []
    for name, column in zip(table.names, table.columns, strict=True):
        names.append(name)
        columns.append(column)
        if isinstance(column, Numbers) and column.times is not None:
            for part in part_names(column.times.kind, parts):
                names.append(f"{name}.{part}")
                columns.append(Numbers(column.times.part(part), column.first))
    return Table(table.n_rows, columns, _distinct(names), None, table.example)


def refuse_uncertain(table: Table, what: str) -> None:
    """Raise a ValueError if a table has distributions, which `what` does not support."""
    names = range(len(table.columns)) if table.names is None else table.names
    for name, column in zip(names, table.columns, strict=True):
        if not isinstance(column, Codes) and column.uncertain:
            label = name if isinstance(name, str) else f"x{name}"
            row = min(column.uncertain)
            raise ValueError(
                f"column {label!r}, row {row}: {what} does not support uncertain values"
            )


def _distinct(names: list[Name]) -> list[Name]:
    seen: set[Name] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"column {name!r} appears twice")
        seen.add(name)
    return names
