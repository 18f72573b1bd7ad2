"""Sparse matrices of SciPy, as compressed rows that the core can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core

__all__ = ["SparseMatrix", "is_sparse", "read_sparse"]

_MOST_ROWS = 2**31 - 1


@dataclass(frozen=True)
class SparseMatrix:
    """Compressed rows. The columns of each row ascend, and none is there twice."""

    batch: _core.Batch
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]
    shape: tuple[int, int]

    def only(self, rows: NDArray[np.bool_]) -> SparseMatrix:
        """Return the rows of a mask."""
        return read_sparse(self._as_scipy()[np.flatnonzero(rows)])

    def ordered(self, places: list[int]) -> SparseMatrix:
        """Return the matrix with column i at place `places[i]`."""
        return read_sparse(self._as_scipy()[:, np.argsort(places)])

    def _as_scipy(self) -> Any:
        from scipy.sparse import csr_array

        return csr_array((self.values, self.columns, self.starts), shape=self.shape)


def is_sparse(X: Any) -> bool:
    """Return whether a value is a sparse matrix or array of SciPy."""
    return type(X).__module__.partition(".")[0] == "scipy" and hasattr(X, "tocsr")


def read_sparse(X: Any) -> SparseMatrix:
    """Read a sparse matrix of any format.

    `X` is not changed. Compressed rows (CSR) of floats in order are read without a copy of the
    values; other formats are converted to them.

    Raises
    ------
    TypeError, ValueError
        If `X` has another number of dimensions, holds other values than numbers, has too many
        rows or columns, or has indices that lead outside of it.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D sparse array instead.")
    rows, width = (int(n) for n in X.shape)
    if width > _core.MAX_FEATURES:
        raise ValueError(f"X has {width:,} features; at most {_core.MAX_FEATURES:,} are supported")
    if rows > _MOST_ROWS:
        raise ValueError(f"X has {rows:,} rows; a sparse matrix may have up to {_MOST_ROWS:,}")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X!r}\n")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"a sparse X must hold numbers, got values of type {X.dtype}")
    return _of_rows(_compressed_rows(X), (rows, width))


def _compressed_rows(X: Any) -> Any:
    """Convert to CSR. The conversions of SciPy trust the indices, so these are checked first."""
    if X.format == "csr":
        return X
    if X.format == "csc":
        _check_lengths(X, X.shape[1])
        starts, places = _indices(X, X.shape[0], "row")
        found = _core.Batch.of_sparse(starts, places, np.zeros(len(places)), X.shape[0])
        if isinstance(found, tuple) and found[0] != "unsorted":
            raise _fault(found, "column", "row", X.shape[0])
    elif X.format == "bsr":
        X = X.copy()
        X.check_format(full_check=True)
    elif X.format == "coo":
        for name, given, most in zip(("row", "column"), X.coords, X.shape, strict=True):
            if len(given) and not 0 <= int(given.min()) <= int(given.max()) < most:
                wrong = int(given.min()) if given.min() < 0 else int(given.max())
                raise ValueError(f"a sparse X of {most} {name}s has no {name} {wrong}")
    return X.tocsr()


def _of_rows(X: Any, shape: tuple[int, int]) -> SparseMatrix:
    _check_lengths(X, shape[0])
    starts, columns = _indices(X, shape[1], "column")
    values = _as_floats(X.data)
    batch = _core.Batch.of_sparse(starts, columns, values, shape[1])
    if isinstance(batch, tuple):
        if batch[0] != "unsorted":
            raise _fault(batch, "row", "column", shape[1])
        from scipy.sparse import csr_array

        ordered = csr_array((values, columns, starts), shape=shape, copy=True)
        ordered.has_canonical_format = False
        ordered.sum_duplicates()
        return _of_rows(ordered, shape)
    return SparseMatrix(batch, starts, columns, values, shape)


def _check_lengths(X: Any, n: int) -> None:
    if X.indptr.ndim != 1 or len(X.indptr) != n + 1 or len(X.indices) != len(X.data):
        raise ValueError(
            f"a sparse X of {n} {'rows' if X.format == 'csr' else 'columns'} needs {n + 1} entries "
            f"in indptr and as many indices as values, got {len(X.indptr)}, {len(X.indices)} and "
            f"{len(X.data)}"
        )


def _indices(X: Any, most: int, name: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return index pointers and indices in the types of the core."""
    for array in (X.indptr, X.indices):
        if array.dtype.kind not in "iu":
            raise TypeError(f"the indices of a sparse X must be integers, got {array.dtype}")
    indices = X.indices
    if indices.dtype != np.int32:
        wrong = indices[(indices < 0) | (indices >= most)]
        if len(wrong):
            raise ValueError(f"a sparse X of {most} {name}s has no {name} {int(wrong[0])}")
        indices = indices.astype(np.int32)
    starts = np.ascontiguousarray(X.indptr, dtype=np.int64)
    return starts, np.ascontiguousarray(indices)


def _fault(found: tuple[str, int, int], along: str, across: str, most: int) -> ValueError:
    kind, row, value = found
    if kind == "column":
        return ValueError(f"a sparse X, {along} {row}: there is no {across} {value} of {most}")
    return ValueError(
        f"a sparse X, {along} {row}: indptr must ascend from 0 to the number of values, got {value}"
    )


def _as_floats(values: NDArray[Any]) -> NDArray[Any]:
    values = np.asarray(values)
    if values.dtype in (np.float64, np.float32) and values.dtype.isnative:
        return np.ascontiguousarray(values)
    with np.errstate(over="ignore"):  # a number that is too large becomes inf, refused later
        return values.astype(np.float64)
