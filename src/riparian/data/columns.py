"""One column of a table: numbers, codes or objects, and how arrays and objects become one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.times import Times, is_time_type, times_of_array, times_of_objects
from riparian.data.uncertain import Cells, Uncertain
from riparian.data.values import built_in, category_of, is_null

__all__ = [
    "REFUSED",
    "WAY_OUT",
    "Codes",
    "Column",
    "Numbers",
    "Objects",
    "as_array",
    "as_floats",
    "as_objects",
    "column_of_array",
    "column_of_datetimes",
    "column_of_objects",
    "column_of_times",
    "in_cell",
    "length_of",
    "only_rows",
    "unmasked",
]

#: What cannot be learned, by the kind of its NumPy type, and what to do about it.
REFUSED = {"c": "complex numbers", "V": "records"}
WAY_OUT = "convert the column to numbers"


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


def length_of(column: Column) -> int:
    """Return the number of rows."""
    return len(column.codes if isinstance(column, Codes) else column.values)


def only_rows(column: Column, rows: NDArray[np.bool_]) -> Column:
    """Return the rows of a mask."""
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


def as_array(values: Any) -> NDArray[Any]:
    """Convert to an array as `numpy.asarray`, but keep types next to strings, and NULs in them."""
    array = unmasked(np.asanyarray(values))
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        exact = np.array(values, dtype=object)
        if exact.shape == array.shape:
            return exact
    return array


def as_objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return a 1-D array of objects."""
    return np.fromiter(values, dtype=object, count=len(values))


def unmasked(X: NDArray[Any]) -> NDArray[Any]:
    """Replace masked values by missing ones."""
    if isinstance(X, np.ma.MaskedArray):
        if not X.mask.any():
            return X.data
        nothing: Any = np.nan if X.dtype.kind in "biuf" else None
        return np.where(np.ma.getmaskarray(X), nothing, X.data)
    return np.asarray(X)


def column_of_array(values: NDArray[Any], label: str) -> Column:
    """Read one column of an array of any type."""
    kind = values.dtype.kind
    if kind in "biuf":
        return Numbers(as_floats(values))
    if kind in "Mm":
        return column_of_datetimes(values, label)
    if kind in REFUSED:
        raise TypeError(f"column {label!r}: {REFUSED[kind]} cannot be learned; {WAY_OUT}")
    return column_of_objects(values.tolist(), label)


def as_floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as float64, without a copy if the core can read them directly."""
    dtype = values.dtype
    readable = dtype in (np.float64, np.float32) and dtype.isnative and values.flags.aligned
    # The core needs strides that are multiples of the item size; packed records have others.
    if readable and not any(step % dtype.itemsize for step in values.strides):
        return values
    with np.errstate(over="ignore"):  # a number that is too large becomes inf, refused later
        return values.astype(np.float64)


def column_of_objects(values: list[Any], label: str) -> Column:
    """Read Python objects: numbers if all known values are numbers, else categories."""
    kinds = set(map(type, values))
    if str in kinds and kinds <= {str, type(None)}:  # the common case of files and frames
        return Objects(values, next(row for row, value in enumerate(values) if value is not None))
    if Uncertain in kinds:
        return _of_uncertain(values, label)
    if any(map(is_time_type, kinds)):
        times = times_of_objects(values, label)
        rows = np.flatnonzero(~np.isnan(times.seconds))
        return column_of_times(times, int(rows[0]) if rows.size else None)
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


def column_of_times(times: Times, first: int | None = 0) -> Column:
    """Return a column of seconds, which knows its times."""
    return Numbers(times.seconds, first, times=times)


def column_of_datetimes(
    values: NDArray[Any], label: str, zoned: NDArray[Any] | None = None
) -> Column:
    """Read dates, times or durations of NumPy."""
    try:
        return column_of_times(times_of_array(values, zoned))
    except ValueError as error:
        raise ValueError(f"column {label!r}: {error}") from None


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
    column = column_of_objects(known, label)
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


def _is_double(value: int | float) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    return True
