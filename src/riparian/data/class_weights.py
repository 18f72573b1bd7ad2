"""Weights of classes: every row is learned with the weight of its class."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.values import Label, label_of

__all__ = ["check_class_weight", "class_weights", "row_weights"]


def check_class_weight(value: Any) -> None:
    """Raise a ValueError unless a value may be that of `class_weight`."""
    if value is not None:
        class_weights(value)


def class_weights(value: Any) -> dict[Label, float]:
    """Return the weights by normalized labels.

    Examples
    --------
    >>> class_weights({"rare": 10})
    {'rare': 10.0}
    """
    if isinstance(value, str) and value == "balanced":
        raise ValueError(
            "class_weight='balanced' needs the counts of all rows, which a stream does not have; "
            "give the weights: class_weight={label: weight}"
        )
    if not isinstance(value, Mapping):
        raise ValueError(f"class_weight must be a dict {{label: weight}} or None, got {value!r}")
    found: dict[Label, float] = {}
    for label, weight in value.items():
        try:
            number = float(weight)
        except (TypeError, ValueError):
            number = float("nan")
        if not 0.0 < number < 1e300:
            raise ValueError(
                f"class_weight[{label!r}] must be a finite number above 0, got {weight!r}"
            )
        try:
            found[label_of(label)] = number
        except ValueError as error:
            raise ValueError(f"class_weight[{label!r}]: {error}") from None
    return found


def row_weights(
    value: Any,
    classes: Sequence[Hashable],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return the weights of rows times those of their classes; a class that is not named has 1."""
    known = class_weights(value)
    factors = np.array([known.get(label, 1.0) for label in classes])[codes]  # type: ignore[call-overload]
    return factors if weights is None else factors * weights
