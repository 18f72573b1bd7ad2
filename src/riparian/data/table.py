"""Read arrays, frames and dicts as tables of named columns.

A :class:`Table` is the common form of NumPy arrays, frames, mappings and single dicts: columns of
numbers, codes or objects. It does not depend on a model; :mod:`riparian.data.schema` assigns its
columns to features.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.block import Block, Coded, Stored
from riparian.data.sparse import SparseMatrix, is_sparse, read_sparse
from riparian.data.times import (
    Times,
    check_parts,
    is_time_type,
    part_names,
    times_of_array,
    times_of_arrow,
    times_of_objects,
)
from riparian.data.uncertain import Cells, Uncertain
from riparian.data.uncertain_structs import is_uncertain_type, structs_to_uncertain
from riparian.data.values import Name, built_in, category_of, is_null, name_of

__all__ = [
    "Codes",
    "Column",
    "Name",
    "Numbers",
    "Objects",
    "Table",
    "as_array",
    "as_objects",
    "in_cell",
    "read_example",
    "read_table",
    "refuse_uncertain",
    "with_date_parts",
]


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: float64 or float32; NaN is missing."""

    values: NDArray[Any]
    #: The first row whose value determines the kind of the column. It is 0 if the type does, and
    #: None for a column of missing values, which may be of any kind.
    first: int | None = 0
    #: Distributions by row; they are NaN in `values`.
    uncertain: Cells | None = None
    #: The dates, times of day or durations whose seconds are `values`.
    times: Times | None = None


@dataclass(frozen=True)
class Codes:
    """A column of codes into a list of distinct values; -1 is missing."""

    codes: NDArray[np.int32]
    values: Sequence[Hashable]
    first: int = 0


@dataclass(frozen=True)
class Objects:
    """A column of categories (:mod:`riparian.data.values`); None or NaN is missing."""

    values: list[Any]
    first: int = 0
    #: Distributions by row; they are None in `values`.
    uncertain: Cells | None = None


Column: TypeAlias = Numbers | Codes | Objects


class MatrixColumns(Sequence[Column]):
    """The columns of an array of numbers, each made when it is asked for."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self._matrix = matrix

    def __len__(self) -> int:
        return int(self._matrix.shape[1])

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
            int(rows.sum()), [_only(c, rows) for c in self.columns], self.names, None, self.example
        )


def _only(column: Column, rows: NDArray[np.bool_]) -> Column:
    if isinstance(column, Codes):
        return Codes(column.codes[rows], column.values)
    cells = None
    if column.uncertain:
        places = np.cumsum(rows) - 1
        cells = {int(places[r]): cell for r, cell in column.uncertain.items() if rows[r]}
    if isinstance(column, Numbers):
        times = None if column.times is None else column.times[rows]
        return Numbers(column.values[rows], column.first, cells, times)
    known = [v for v, keep in zip(column.values, rows.tolist(), strict=True) if keep]
    return Objects(known, uncertain=cells)


_DOUBLE = np.dtype(np.float64)
_REFUSED = {"c": "complex numbers", "V": "records"}
_WAY_OUT = "convert the column to numbers"


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
    module = type(X).__module__.partition(".")[0]
    if isinstance(X, np.ndarray):
        return _of_array(_unmasked(X))
    if module == "pandas" and hasattr(X, "columns"):
        return _of_pandas(X)
    if special := _special_columns(X):
        return _of_special(X, special)
    if hasattr(X, "__arrow_c_stream__") and _has_columns(X):
        return _of_arrow(_core.read_arrow(X.__arrow_c_stream__()), len(X))
    if hasattr(X, "__arrow_c_array__") and _has_columns(X):
        return _of_arrow(_core.read_arrow_array(*X.__arrow_c_array__()), len(X))
    if isinstance(X, Mapping):
        return _of_mapping(X)
    return _of_array(as_array(X))


def read_example(x: Any) -> Table:
    """Read one example, a mapping of single values."""
    if not isinstance(x, Mapping):
        raise TypeError(f"an example must be a dict of values, got {type(x).__name__}")
    names: list[Name] = [name_of(name) for name in x]
    columns = [_of_objects([v], str(n)) for n, v in zip(names, x.values(), strict=True)]
    return Table(1, columns, _distinct(names), example=True)


def as_array(values: Any) -> NDArray[Any]:
    """Convert to an array as `numpy.asarray`, but keep types next to strings, and NULs in them."""
    array = _unmasked(np.asanyarray(values))
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        exact = np.array(values, dtype=object)
        if exact.shape == array.shape:
            return exact
    return array


def as_objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return a 1-D array of objects."""
    return np.fromiter(values, dtype=object, count=len(values))


def _unmasked(X: NDArray[Any]) -> NDArray[Any]:
    """Replace masked values by missing ones."""
    if isinstance(X, np.ma.MaskedArray):
        if not X.mask.any():
            return X.data
        nothing: Any = np.nan if X.dtype.kind in "biuf" else None
        return np.where(np.ma.getmaskarray(X), nothing, X.data)
    return np.asarray(X)


def _has_columns(X: Any) -> bool:
    return hasattr(X, "columns") or hasattr(X, "column_names") or hasattr(X, "schema")


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
    if kind in _REFUSED:
        raise TypeError(f"X: {_REFUSED[kind]} cannot be learned; {_WAY_OUT}")
    if kind in "biuf":
        matrix = _as_floats(X)
        return Table(X.shape[0], MatrixColumns(matrix), matrix=matrix)
    return Table(X.shape[0], [_of_values(X[:, f], f"x{f}") for f in range(X.shape[1])])


def _of_sparse(matrix: SparseMatrix) -> Table:
    return Table(matrix.shape[0], [], sparse=matrix)


def _of_values(values: NDArray[Any], label: str) -> Column:
    """Read one column of an array of any type."""
    kind = values.dtype.kind
    if kind in "biuf":
        return Numbers(_as_floats(values))
    if kind in "Mm":
        return _of_datetimes(values, label)
    if kind in _REFUSED:
        raise TypeError(f"column {label!r}: {_REFUSED[kind]} cannot be learned; {_WAY_OUT}")
    return _of_objects(values.tolist(), label)


def _as_floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as float64, without a copy if the core can read them directly."""
    dtype = values.dtype
    readable = dtype in (np.float64, np.float32) and dtype.isnative and values.flags.aligned
    # The core needs strides that are multiples of the item size; packed records have others.
    if readable and not any(step % dtype.itemsize for step in values.strides):
        return values
    with np.errstate(over="ignore"):  # a number that is too large becomes inf, refused later
        return values.astype(np.float64)


def _of_objects(values: list[Any], label: str) -> Column:
    """Read Python objects: numbers if all known values are numbers, else categories."""
    kinds = set(map(type, values))
    if str in kinds and kinds <= {str, type(None)}:  # the common case of files and frames
        return Objects(values, next(row for row, value in enumerate(values) if value is not None))
    if Uncertain in kinds:
        return _of_uncertain(values, label)
    if any(map(is_time_type, kinds)):
        times = times_of_objects(values, label)
        rows = np.flatnonzero(~np.isnan(times.seconds))
        return _of_times(times, int(rows[0]) if rows.size else None)
    if any(issubclass(kind, str | bytes) for kind in kinds):
        known = [_category(value, row, label) for row, value in enumerate(values)]
        return Objects(known, next(row for row, value in enumerate(known) if value is not None))
    if not kinds <= {int, float, bool, type(None)}:
        values = [_number(value, row, label) for row, value in enumerate(values)]
    try:
        numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except OverflowError:
        row = next(r for r, v in enumerate(values) if v is not None and not _is_double(v))
        raise ValueError(
            f"column {label!r}, row {row}: an integer of {values[row].bit_length():,} bits is too "
            "large for a float"
        ) from None
    first = next((row for row, v in enumerate(values) if v is not None and v == v), None)
    return Numbers(numbers, first)


def _of_times(times: Times, first: int | None = 0) -> Column:
    return Numbers(times.seconds, first, times=times)


def _of_datetimes(values: NDArray[Any], label: str, zoned: NDArray[Any] | None = None) -> Column:
    try:
        return _of_times(times_of_array(values, zoned))
    except ValueError as error:
        raise ValueError(f"column {label!r}: {error}") from None


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


def _category(value: Any, row: int, label: str) -> Any:
    if type(value) is str:  # the schema checks new categories
        return value
    if is_null(value):
        return None
    try:
        return category_of(value)
    except (TypeError, ValueError) as error:
        raise in_cell(error, label, row) from None


def _number(value: Any, row: int, label: str) -> Any:
    if is_null(value):
        return None
    plain = built_in(value)
    return _category(value, row, label) if plain is None else plain


def in_cell(error: Exception, label: str, row: int) -> Exception:
    """Return the error with column and row in front of its message."""
    return type(error)(f"column {label!r}, row {row}: {error}")


def _of_uncertain(values: list[Any], label: str) -> Column:
    """Read Python objects, some of which are distributions."""
    cells = {row: v for row, v in enumerate(values) if isinstance(v, Uncertain)}
    known = [v.certain if isinstance(v, Uncertain) else v for v in values]
    column = _of_objects(known, label)
    cells = {row: cell for row, cell in cells.items() if known[row] is None}
    if not cells:
        return column
    numeric = {cell.numeric for cell in cells.values()}
    if column.first is not None:
        numeric.add(isinstance(column, Numbers))
    if len(numeric) > 1:
        row = next(r for r, c in cells.items() if c.numeric is not isinstance(column, Numbers))
        raise ValueError(
            f"column {label!r}, row {row}: {cells[row]!r} is not allowed in a column of "
            f"{'numbers' if isinstance(column, Numbers) else 'categories'}"
        )
    first = min(row for row in (column.first, *cells) if row is not None)
    if isinstance(column, Numbers) and numeric == {True}:
        return Numbers(column.values, first, cells)
    return Objects([None] * len(values) if isinstance(column, Numbers) else known, first, cells)


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


def _is_double(value: int | float) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _of_pandas(frame: Any) -> Table:
    names: list[Name] = [name_of(name) for name in frame.columns]
    columns = [_of_series(frame.iloc[:, i], str(name)) for i, name in enumerate(names)]
    return Table(len(frame), columns, _distinct(names))


def _of_series(series: Any, label: str) -> Column:
    dtype = series.dtype
    if hasattr(series, "cat"):
        values = series.cat.categories
        if getattr(values.dtype, "kind", "O") in "Mm":
            return _of_series(series.astype(values.dtype), label)
        return Codes(np.ascontiguousarray(series.cat.codes, dtype=np.int32), values.tolist())
    kind = getattr(dtype, "kind", "O")
    if kind == "M" and getattr(dtype, "tz", None) is not None:
        in_utc = series.dt.tz_convert("UTC").dt.tz_localize(None)
        zoned = series.dt.tz_localize(None).to_numpy()
        return _of_datetimes(in_utc.to_numpy(), label, zoned)
    if hasattr(dtype, "pyarrow_dtype"):
        times = times_of_arrow(series.array.__arrow_array__())
        if times is not None:
            return _of_times(times)
    if kind in _REFUSED or type(dtype).__name__ in ("PeriodDtype", "IntervalDtype"):
        what = _REFUSED.get(kind, f"values of type {dtype}")
        raise TypeError(f"column {label!r}: {what} cannot be learned; {_WAY_OUT}")
    if isinstance(dtype, np.dtype):
        return _of_values(series.to_numpy(), label)
    if kind in "biuf":
        return Numbers(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if is_uncertain_type(getattr(dtype, "pyarrow_dtype", None)):
        values = series.astype(object).tolist()
        return _of_struct_values([None if is_null(v) else v for v in values], label)
    column = _of_objects(series.astype(object).tolist(), label)
    if kind == "O" and "str" in str(dtype):  # a string type, even if all values are missing
        return Objects([None if v != v else v for v in column.values])
    return column


def _special_columns(X: Any) -> dict[str, bool]:
    """Return the columns of a pyarrow or polars frame that the core does not read.

    They hold dates, times or durations (True), or structs of uncertain values (False).
    """
    schema: Any = getattr(X, "schema", None)
    if isinstance(schema, Mapping):  # polars
        types = list(schema.items())
    elif hasattr(X, "column_names") and hasattr(schema, "types"):
        types = list(zip(schema.names, schema.types, strict=True))
    else:
        return {}
    found: dict[str, bool] = {}
    for name, kind in types:
        # pyarrow's and polars' names of these types begin in the same way.
        if str(kind).lower().startswith(("date", "time", "duration")):
            found[name] = True
        elif is_uncertain_type(kind):
            found[name] = False
    return found


def _of_special(X: Any, special: dict[str, bool]) -> Table:
    names: list[Name] = list(getattr(X, "column_names", None) or X.columns)
    rest = [name for name in names if name not in special]
    plain = read_table(X.select(rest)) if rest else Table(len(X), [], [])
    found = dict(zip(plain.names or (), plain.columns, strict=True))
    for name, dated in special.items():
        column = X[name]
        if dated:
            times = times_of_arrow(column.to_arrow() if hasattr(column, "to_arrow") else column)
            assert times is not None
            found[name] = _of_times(times)
        else:
            values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
            found[name] = _of_struct_values(values, name)
    return Table(len(X), [found[name] for name in _distinct(names)], names)


def _of_struct_values(values: list[Any], label: str) -> Column:
    def wrong(row: int, message: str) -> None:
        raise ValueError(f"column {label!r}, row {row}: {message}")

    return _of_objects(structs_to_uncertain(values, wrong).tolist(), label)


def _of_arrow(columns: list[tuple[str, str, Any, list[Any]]], n_rows: int) -> Table:
    names: list[Name] = [name for name, *_ in columns]
    read: list[Column] = [
        Codes(array, values)
        if kind == "categorical"
        else Numbers(array, 0 if kind == "numeric" else None)
        for _, kind, array, values in columns
    ]
    return Table(n_rows, read, _distinct(names))


def _of_block(block: Block) -> Table:
    names: list[Name] = list(block)
    columns = [_of_stored(column, name) for name, column in block.stored.items()]
    return Table(block.n_rows, columns, names)


def _of_stored(column: Stored, label: str) -> Column:
    if isinstance(column, Times):
        return _of_times(column)
    if isinstance(column, np.ndarray) and column.dtype is _DOUBLE and column.flags.c_contiguous:
        return Numbers(column)
    if not isinstance(column, Coded):
        return _of_values(column, label)
    known = column.codes >= 0
    first = int(known.argmax()) if len(known) else 0
    if not len(known) or not known[first]:
        return Numbers(np.full(len(known), np.nan), None)
    return Codes(column.codes, column.values, first)


def _of_mapping(X: Mapping[Any, Any]) -> Table:
    names: list[Name] = [name_of(name) for name in X]
    columns = [
        _of_objects([v], str(n)) if np.ndim(v) == 0 else _of_values(as_array(v), str(n))
        for n, v in zip(names, X.values(), strict=True)
    ]
    lengths = {str(n): _length(c) for n, c in zip(names, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{n!r} has {k}" for n, k in lengths.items())
        raise ValueError(f"columns must have the same length, but {listed}")
    return Table(next(iter(lengths.values()), 0), columns, _distinct(names))


def _length(column: Column) -> int:
    return len(column.codes if isinstance(column, Codes) else column.values)


def _distinct(names: list[Name]) -> list[Name]:
    seen: set[Name] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"column {name!r} appears twice")
        seen.add(name)
    return names
