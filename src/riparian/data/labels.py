"""Check labels and weights, and convert them to numbers."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Hashable, Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from riparian import _core
from riparian.data.columns import as_array, as_objects
from riparian.data.schema import Schema
from riparian.data.values import (
    EXACT_LABELS,
    LABELS,
    Label,
    built_in,
    is_null,
    label_of,
    unwritable,
)

__all__ = [
    "declared_labels",
    "encode_labels",
    "label_array",
    "read_label",
    "read_labels",
    "read_weights",
    "sort_classes",
    "sorted_labels",
]

#: Kinds of NumPy arrays that are accepted as labels: numbers, text and objects.
_LABEL_KINDS = "biufUSTO"

#: Counts from this size on would not be exact.
_LARGEST_WEIGHT = 2.0**53
_WEIGHTS = "weights must be finite, at least 0 and below 2**53"


def read_labels(y: Any, n_rows: int) -> NDArray[Any]:
    """Return the labels as a 1-D array of int64, strings, bytes or built-in objects."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    labels = _to_array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. "
            "Please change the shape of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if labels.shape[0] != n_rows:
        raise ValueError(f"y has {labels.shape[0]} labels for {n_rows} rows of X")
    kind = labels.dtype.kind
    if kind == "i" or (kind == "u" and not (labels > np.iinfo(np.int64).max).any()):
        return np.require(labels, np.int64, ["C", "A"])
    if kind == "f":
        return _whole_numbers(labels)
    if kind in "US":
        return labels
    if kind == "b":
        return labels.astype(object)
    if kind not in _LABEL_KINDS:
        raise ValueError(f"Unknown label type: {labels.dtype}; {LABELS}")
    values = labels.tolist()
    # An array of built-in objects, as the readers of files give it, needs no copy.
    return labels if kind == "O" and _are_built_in(values) else _built_in_labels(values)


def read_label(y: Any, row: int = 0) -> Label:
    """Return the normalized label of one row. An error names the row."""
    try:
        return label_of(y)
    except ValueError as error:
        reason = str(error)
    # scikit-learn's checks look for the beginnings of these messages.
    plain = built_in(y)
    if is_null(y):
        raise ValueError(f"Input y contains NaN: row {row} has no label")
    if plain in (float("inf"), float("-inf")):
        raise ValueError(f"Input y contains infinity: row {row} has no valid label")
    if type(plain) is float and not plain.is_integer():
        raise ValueError(f"Unknown label type: continuous. y, row {row}: {reason}")
    if plain is None:
        raise ValueError(f"Unknown label type: {type(y).__name__}. y, row {row}: {reason}")
    raise ValueError(f"y, row {row}: {reason}")


def _to_array(values: Any) -> NDArray[Any]:
    """Return labels or weights as an array without changing the values."""
    if type(values).__module__.startswith("pyarrow") and hasattr(values, "to_pylist"):
        if values.null_count or not _is_number(values.type):
            return as_objects(values.to_pylist())
        return np.asarray(values.to_numpy())
    if hasattr(values, "to_numpy"):
        return as_array(values.to_numpy())
    array = as_array(values)
    floats = isinstance(values, list | tuple) and array.dtype.kind == "f" and array.ndim == 1
    floats = floats and array.dtype.itemsize >= 8  # shorter floats hold no such integers
    # NumPy rounds integers of this size if the list also has a float or a negative integer.
    return as_objects(values) if floats and (np.abs(array) >= 2.0**53).any() else array


def _is_number(kind: Any) -> bool:
    """Return whether a pyarrow type is an integer or a float."""
    return str(kind).startswith(("int", "uint", "float", "double", "halffloat"))


def _whole_numbers(labels: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        labels = labels.astype(np.float64)
    bad = ~np.isfinite(labels) | (labels != np.floor(labels))
    if bad.any():
        row = int(np.argmax(bad))
        read_label(labels[row], row)
    if (np.abs(labels) < 2.0**63).all():
        return labels.astype(np.int64)
    return _built_in_labels(labels.tolist())


def _built_in_labels(values: list[Any]) -> NDArray[Any]:
    if not _are_built_in(values):
        values = [read_label(value, row) for row, value in enumerate(values)]
    return as_objects(values)


def _are_built_in(values: list[Any]) -> bool:
    return set(map(type, values)) <= EXACT_LABELS


def encode_labels(
    labels: NDArray[Any], schema: Schema, *, grow: bool, max_classes: int = _core.MAX_CLASSES
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Return the class codes of the labels, and the new labels in order of appearance."""
    codes: NDArray[np.int32]
    added: list[Hashable]
    if labels.dtype.kind == "i":
        codes, added = _core.encode_integers(labels, schema.class_codes, grow)
    else:
        codes, added = _core.encode_objects(labels.tolist(), schema.class_codes, grow)
        for code, label in enumerate(added, len(schema.classes)):
            if unwritable(label):
                read_label(label, int(np.argmax(codes == code)))
    n_classes = len(schema.classes) + len(added)
    if n_classes > max_classes:
        raise ValueError(
            f"y has {n_classes:,} classes; {schema.owner} supports at most {max_classes:,}"
            + ("; see max_classes" if max_classes < _core.MAX_CLASSES else "")
        )
    return codes, added


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return one checked weight per row, or None if all weights are 1."""
    if sample_weight is None:
        return None
    given = _to_array(sample_weight)
    if given.ndim == 0:
        given = np.full(n_rows, given)
    if given.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {given.ndim}D array")
    if given.shape[0] != n_rows:
        raise ValueError(f"sample_weight.shape == {given.shape}, expected {(n_rows,)}!")
    if given.dtype.kind not in "biuf":
        given = np.array([_weight(value, row) for row, value in enumerate(given)])
    with np.errstate(over="ignore"):
        weights = np.require(given, np.float64, ["C", "A"])
    good = (weights >= 0.0) & (weights < _LARGEST_WEIGHT)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"sample_weight, row {row}: {weights[row]} is not a weight; {_WEIGHTS}")
    return weights


def _weight(value: Any, row: int) -> float:
    """Convert one weight of an array of objects."""
    if is_null(value):
        return float("nan")
    if isinstance(value, Real | Decimal | np.bool_) and not isinstance(value, np.timedelta64):
        try:
            return float(value)
        except (OverflowError, ValueError):
            return float("inf")
    raise ValueError(
        f"sample_weight, row {row}: could not convert a {type(value).__name__} to a weight; "
        f"{_WEIGHTS}"
    )


def sort_classes(
    codes: NDArray[np.int32], labels: list[Hashable]
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Sort the labels and adapt the codes. Labels that cannot be sorted keep their order."""
    try:
        order = sorted(range(len(labels)), key=labels.__getitem__)  # type: ignore[arg-type]
    except TypeError:
        return codes, labels
    rank = np.empty(len(labels) + 1, dtype=np.int32)
    rank[order] = np.arange(len(labels), dtype=np.int32)
    rank[-1] = -1  # code -1, a row that is not learned, is kept
    return rank[codes], [labels[i] for i in order]


def declared_labels(classes: Any) -> list[Hashable]:
    """Return the distinct labels of partial_fit's `classes`, sorted if they can be sorted."""
    given = _to_array(classes)
    if given.ndim != 1:
        raise ValueError(f"classes should be a 1d array, got an array of shape {given.shape}")
    if given.dtype.kind not in _LABEL_KINDS:
        raise ValueError(f"classes: {given.dtype} cannot be labels; {LABELS}")
    labels: dict[Hashable, None] = {}
    for place, value in enumerate(given.tolist()):
        try:
            labels[label_of(value)] = None
        except ValueError as error:
            raise ValueError(f"classes, entry {place}: {error}") from None
    try:
        return sorted(labels)  # type: ignore[type-var]
    except TypeError:
        return list(labels)


def label_array(labels: list[Hashable]) -> NDArray[Any]:
    """Return labels as an array of their own type, or of objects if there is no such type."""
    kinds = set(map(type, labels))
    has_type = kinds == {bool}
    if kinds == {int}:
        has_type = max(labels) < 2**63 and min(labels) >= -(2**63)  # type: ignore[type-var, operator]
    elif kinds == {str}:
        has_type = "\0" not in "".join(labels)  # type: ignore[arg-type]  # NumPy drops NULs at the end
    return np.array(labels) if has_type else as_objects(labels)


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Return the labels sorted, or in their order of appearance if they cannot be sorted."""
    found = list(labels)
    with contextlib.suppress(TypeError):
        found.sort()
    return found
