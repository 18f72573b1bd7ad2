"""Convert the columns of a table to the numbers and codes of features."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.columns import Codes, Column, Numbers, Objects, in_cell
from riparian.data.naming import Coded
from riparian.data.times import kind_text
from riparian.data.uncertain import Cells
from riparian.data.values import OTHER, category_of, is_null

if TYPE_CHECKING:
    from riparian.data.schema import Feature

__all__ = ["as_codes", "as_numbers", "check_kind", "check_time", "codes_of_numbers"]

_NO_CODES = np.empty(0, dtype=np.int32)
_NO_ROWS = np.empty(0, dtype=np.intp)


def as_numbers(column: Column, feature: Feature) -> NDArray[Any]:
    """Return a column as numbers; an error names the row of a text."""
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


def as_codes(
    column: Codes | Objects, cells: Cells | None, feature: Feature, *, grow: bool, room: int
) -> Coded:
    """Return the codes of a categorical feature, and the new categories, `room` at most."""
    known = len(feature.codes)
    if isinstance(column, Objects):
        if cells:
            return _as_codes_with(column.values, cells, feature, grow=grow, room=room)
        codes, added = _encode(column.values, feature, lambda place: place, grow=grow, room=room)
        return Coded(codes, added, known, _NO_CODES, _NO_ROWS)
    used, values = _used_categories(column, feature)
    codes, added = _encode(
        values, feature, lambda place: _first_row(column, used[place]), grow=grow, room=room
    )
    table = np.full(len(column.values) + 1, -1, dtype=np.int32)
    table[used] = codes
    # Code -1 reads the last entry: missing.
    return Coded(table[column.codes], added, known, _NO_CODES, _NO_ROWS)


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
    values: list[Any], feature: Feature, row_of: Callable[[int], int], *, grow: bool, room: int
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Return the codes of the values, and the new values. `row_of` is for error messages."""
    codes, added = _core.encode_objects(values, feature.codes, grow, room)
    for code, value in enumerate(added, len(feature.codes)):
        if value is OTHER:
            continue
        try:
            category_of(value)
        except ValueError as error:
            row = row_of(int(np.argmax(codes == code)))
            raise in_cell(error, feature.label, row) from None
    return codes, added


def check_time(column: Column, feature: Feature) -> None:
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
    raise ValueError(f"{where} in a feature of {holds}; convert the column as you did before")


def check_kind(cells: Cells, feature: Feature) -> None:
    """Raise an error if the distributions of a column are not of the kind of its feature."""
    for row, cell in cells.items():
        if cell.numeric != (feature.kind == "numeric"):
            raise ValueError(
                f"column {feature.label!r}, row {row}: {cell!r} is not allowed in a "
                f"{feature.kind} column"
            )


def _as_codes_with(
    values: list[Any], cells: Cells, feature: Feature, *, grow: bool, room: int
) -> Coded:
    """Return the codes of the certain and of the uncertain values, and the new categories."""
    flat: list[Any] = []
    rows: list[int] = []
    for row, value in enumerate(values):
        flat += cells[row].points if row in cells else [value]
        rows += [row] * (len(flat) - len(rows))
    codes, added = _encode(flat, feature, rows.__getitem__, grow=grow, room=room)
    of_rows = np.asarray(rows, dtype=np.intp)
    uncertain = np.isin(of_rows, np.fromiter(cells, dtype=np.intp, count=len(cells)))
    certain = np.full(len(values), -1, dtype=np.int32)
    certain[of_rows[~uncertain]] = codes[~uncertain]
    known = len(feature.codes)
    return Coded(certain, added, known, codes[uncertain], of_rows[uncertain])


def codes_of_numbers(
    columns: list[tuple[int, Feature, NDArray[Any]]], *, grow: bool, rooms: list[int]
) -> Iterator[tuple[int, Coded]]:
    """Yield the codes and new categories of numeric columns that are categorical features."""
    if not columns:
        return
    n_rows = len(columns[0][2])
    batch = _core.Batch.of_columns(n_rows, [values for _, _, values in columns])
    codes, added, infinite = _core.encode_numbers(
        batch, [f.codes for _, f, _ in columns], grow, rooms
    )
    if infinite is not None:
        row, column = infinite
        raise ValueError(
            f"column {columns[column][1].label!r}, row {row}: inf cannot be learned; "
            "use NaN for a missing value"
        )
    for i, (place, feature, _) in enumerate(columns):
        new: list[Hashable] = [
            value if value is OTHER else category_of(value) for value in added[i]
        ]
        yield place, Coded(codes[:, i], new, len(feature.codes), _NO_CODES, _NO_ROWS)
