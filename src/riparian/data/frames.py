"""The columns of frames: pandas, polars and pyarrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from riparian import _core
from riparian.data.columns import (
    REFUSED,
    WAY_OUT,
    Codes,
    Column,
    Numbers,
    Objects,
    column_of_array,
    column_of_datetimes,
    column_of_objects,
    column_of_times,
)
from riparian.data.times import times_of_arrow
from riparian.data.uncertain_structs import is_uncertain_type, structs_to_uncertain
from riparian.data.values import Name, is_null, name_of

__all__ = ["frame_columns"]


def frame_columns(X: Any) -> list[tuple[Name, Column]] | None:
    """Return the names and the columns of a frame; None if `X` is no frame."""
    module = type(X).__module__.partition(".")[0]
    if module == "pandas" and hasattr(X, "columns"):
        names = [name_of(name) for name in X.columns]
        return [(name, _of_series(X.iloc[:, i], str(name))) for i, name in enumerate(names)]
    if special := _special_columns(X):
        return _with_special(X, special)
    return _of_arrow(X)


def _of_arrow(X: Any) -> list[tuple[Name, Column]] | None:
    if not (hasattr(X, "columns") or hasattr(X, "column_names") or hasattr(X, "schema")):
        return None
    if hasattr(X, "__arrow_c_stream__"):
        return [_named(*column) for column in _core.read_arrow(X.__arrow_c_stream__())]
    if hasattr(X, "__arrow_c_array__"):
        return [_named(*column) for column in _core.read_arrow_array(*X.__arrow_c_array__())]
    return None


def _named(name: str, kind: str, array: Any, values: list[Any]) -> tuple[Name, Column]:
    if kind == "categorical":
        return name, Codes(array, values)
    return name, Numbers(array, 0 if kind == "numeric" else None)


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
        return column_of_datetimes(in_utc.to_numpy(), label, zoned)
    if hasattr(dtype, "pyarrow_dtype"):
        times = times_of_arrow(series.array.__arrow_array__())
        if times is not None:
            return column_of_times(times)
    if kind in REFUSED or type(dtype).__name__ in ("PeriodDtype", "IntervalDtype"):
        what = REFUSED.get(kind, f"values of type {dtype}")
        raise TypeError(f"column {label!r}: {what} cannot be learned; {WAY_OUT}")
    if isinstance(dtype, np.dtype):
        return column_of_array(series.to_numpy(), label)
    if kind in "biuf":
        return Numbers(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if is_uncertain_type(getattr(dtype, "pyarrow_dtype", None)):
        values = series.astype(object).tolist()
        return _of_struct_values([None if is_null(v) else v for v in values], label)
    column = column_of_objects(series.astype(object).tolist(), label)
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


def _with_special(X: Any, special: dict[str, bool]) -> list[tuple[Name, Column]]:
    names: list[Name] = list(getattr(X, "column_names", None) or X.columns)
    rest = [name for name in names if name not in special]
    found = dict((_of_arrow(X.select(rest)) or []) if rest else [])
    for name, dated in special.items():
        column = X[name]
        if dated:
            times = times_of_arrow(column.to_arrow() if hasattr(column, "to_arrow") else column)
            assert times is not None
            found[name] = column_of_times(times)
        else:
            values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
            found[name] = _of_struct_values(values, name)
    return [(name, found[name]) for name in names]


def _of_struct_values(values: list[Any], label: str) -> Column:
    def wrong(row: int, message: str) -> None:
        raise ValueError(f"column {label!r}, row {row}: {message}")

    return column_of_objects(structs_to_uncertain(values, wrong).tolist(), label)
