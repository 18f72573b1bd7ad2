"""Arrow columns as the arrays and codes that a model reads, without a copy where it can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from riparian.data.block import Coded

__all__ = ["as_doubles", "coded", "finite", "numbers"]


def numbers(column: Any) -> NDArray[np.float64] | None:
    """Give a column of doubles, NaN where it is missing; None where one is infinite."""
    values = as_doubles(column)
    return values if finite(values) else None


def as_doubles(column: Any) -> NDArray[np.float64]:
    """Give a column as doubles, NaN where it is missing."""
    array = _one_array(column)
    if array.type != pa.float64():
        array = array.cast(pa.float64(), safe=False)
    if array.null_count:
        array = pyarrow.compute.fill_null(array, float("nan"))
    values: NDArray[np.float64] = array.to_numpy(zero_copy_only=True)
    return values


def finite(values: NDArray[np.float64]) -> bool:
    """Return whether no value is infinite; NaN is allowed."""
    # A sum is finite where all values are, which costs less than to look at each of them.
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(values.sum())) or not bool(np.isinf(values).any())


def coded(column: Any) -> Coded:
    """Give a column as codes into its distinct values; -1 is missing."""
    array = _one_array(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    indices = array.indices.cast(pa.int32())
    if indices.null_count:
        indices = pyarrow.compute.fill_null(indices, -1)
    codes = indices.to_numpy(zero_copy_only=True)
    values = array.dictionary.to_pylist()
    if None in values:
        nothing = [code for code, value in enumerate(values) if value is None]
        codes = np.where(np.isin(codes, nothing), np.int32(-1), codes)
    return Coded(codes, values)


def _one_array(column: Any) -> Any:
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return column.combine_chunks() if column.num_chunks else pa.array([], column.type)
