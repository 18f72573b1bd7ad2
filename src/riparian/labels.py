"""Labels and weights, checked and turned into numbers."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from riparian import _core
from riparian.schema import Schema
from riparian.table import as_array

__all__ = [
    "declared_labels",
    "encode_labels",
    "label_array",
    "read_labels",
    "read_weights",
    "sort_classes",
]

#: Counts of this size and more would no longer be exact.
_LARGEST_WEIGHT = 2.0**53


def read_labels(y: Any, n_rows: int) -> NDArray[Any]:
    """`y` as a 1-D array of integers, strings or objects, one a row."""
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
    if kind == "b" or (kind == "u" and labels.size and labels.max() > np.iinfo(np.int64).max):
        return labels.astype(object)
    if kind in "iu":
        return labels.astype(np.int64, copy=False)
    if kind == "f":
        return _whole_numbers(labels)
    if kind in "US":
        return labels
    if kind == "O":
        _check_objects(labels)
        return labels
    raise ValueError(f"Unknown label type: {labels.dtype}; labels are strings or integers")


def _to_array(y: Any) -> NDArray[Any]:
    if type(y).__module__.startswith("pyarrow"):
        return np.asarray(y.to_pylist(), dtype=object) if _is_text(y) else np.asarray(y.to_numpy())
    if hasattr(y, "to_numpy"):
        return as_array(y.to_numpy())
    return as_array(y)


def _is_text(y: Any) -> bool:
    return "string" in str(y.type) or "dictionary" in str(y.type)


def _whole_numbers(labels: NDArray[Any]) -> NDArray[Any]:
    bad = ~np.isfinite(labels)
    if bad.any():
        row = int(np.argmax(bad))
        what = "NaN" if np.isnan(labels[row]) else "infinity"
        raise ValueError(f"Input y contains {what}: row {row} has no label")
    inside = np.abs(labels) < 2.0**63
    whole = np.where(inside, labels, 0.0).astype(np.int64)
    if not np.array_equal(whole, labels):
        row = int(np.argmax(whole != labels))
        raise ValueError(
            f"Unknown label type: continuous. y, row {row}: {labels[row]} is not a class; "
            "labels are strings or whole numbers"
        )
    return whole


def _check_objects(labels: NDArray[Any]) -> None:
    values = labels.tolist()
    if set(map(type, values)) <= {str, int, bool, bytes}:
        return
    for row, label in enumerate(values):
        if label is None or type(label).__name__ == "NAType" or label != label:
            raise ValueError(f"Input y contains NaN: row {row} has no label")
        if not isinstance(label, str | int | float | bytes | np.generic):
            raise ValueError(
                f"Unknown label type: {type(label).__name__} in row {row} of y; "
                "labels are strings or whole numbers"
            )


def encode_labels(
    labels: NDArray[Any], schema: Schema, *, grow: bool, max_classes: int = _core.MAX_CLASSES
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Class codes of the labels, and the labels that are new, in order of appearance."""
    codes: NDArray[np.int32]
    added: list[Hashable]
    if labels.dtype.kind == "i":
        codes, added = _core.encode_integers(np.ascontiguousarray(labels), schema.class_codes, grow)
    else:
        values = labels.tolist()
        if any(issubclass(kind, np.generic) for kind in set(map(type, values))):
            values = [v.item() if isinstance(v, np.generic) else v for v in values]
        codes, added = _core.encode_objects(values, schema.class_codes, grow)
    n_classes = len(schema.classes) + len(added)
    if n_classes > max_classes:
        raise ValueError(
            f"y has {n_classes:,} classes; {schema.owner} supports at most {max_classes:,}"
        )
    return codes, added


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """One finite weight of at least 0 a row; None where all are 1."""
    if sample_weight is None:
        return None
    weights = np.asarray(
        sample_weight.to_numpy() if hasattr(sample_weight, "to_numpy") else sample_weight
    )
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array")
    if weights.shape[0] != n_rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    good = (weights >= 0.0) & (weights < _LARGEST_WEIGHT)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(
            f"sample_weight, row {row}: {weights[row]} is not a weight; "
            "weights are finite numbers from 0 to 2**53"
        )
    return weights


def sort_classes(
    codes: NDArray[np.int32], labels: list[Hashable]
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Gives the classes codes in sorted order; left as they came where they cannot be sorted."""
    try:
        order = sorted(range(len(labels)), key=labels.__getitem__)  # type: ignore[arg-type]
    except TypeError:
        return codes, labels
    rank = np.empty(len(labels) + 1, dtype=np.int32)
    rank[order] = np.arange(len(labels), dtype=np.int32)
    rank[-1] = -1  # code -1, a row that is not learned, stays
    return rank[codes], [labels[i] for i in order]


def declared_labels(classes: Any) -> list[Hashable]:
    """The `classes=` of scikit-learn's partial_fit, sorted as it has them."""
    return [v.item() if isinstance(v, np.generic) else v for v in np.unique(classes).tolist()]


def label_array(labels: list[Hashable]) -> NDArray[Any]:
    """Labels as an array of their own type; of objects where they have several."""
    kinds = {type(label) for label in labels}
    large = kinds == {int} and max(map(abs, labels)) >= 2**63  # type: ignore[arg-type]
    if len(kinds) == 1 and kinds <= {int, str, float, bool} and not large:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
