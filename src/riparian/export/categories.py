"""Categories in exports whose columns have one type: either text or numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from riparian.data.formatting import exact_value, label_text

if TYPE_CHECKING:
    from riparian.data.schema import Feature

__all__ = ["is_text", "number_of_category"]


def is_text(feature: Feature, asked: str) -> bool:
    """Return whether the categories of a feature are text.

    Parameters
    ----------
    feature : Feature
        A feature of the schema.
    asked : str
        Name of the format, for the error message.

    Raises
    ------
    ValueError
        If the feature has both text and numbers, or bytes.
    """
    categories = feature.categories
    kinds = {isinstance(category, str) for category in categories}
    if any(isinstance(category, bytes) for category in categories) or len(kinds) == 2:
        raise ValueError(
            f"the categories of {label_text(feature.label)!r} must be all text or all numbers: "
            f"{asked} has one type per column"
        )
    return feature.kind == "categorical" and False not in kinds


def number_of_category(feature: Feature, category: Any, asked: str, kind: type[Any]) -> float:
    """Return a numeric category as a float, and check that the conversion is exact.

    Parameters
    ----------
    feature : Feature
        A feature with numeric categories.
    category : int, float or bool
        A category.
    asked : str
        Name of the format, for the error message.
    kind : {numpy.float64, numpy.float32}
        The floating-point type.
    """
    category = exact_value(category)
    try:
        with np.errstate(over="ignore"):
            number = float(kind(category))
    except OverflowError:
        number = math.inf
    if number != category or math.isinf(number):
        rule = "is not finite" if number == category else f"is not exact as {np.dtype(kind).name}"
        raise ValueError(
            f"the category {label_text(category)} of {label_text(feature.label)!r} {rule}, which "
            f"{asked} requires; to_code('python') supports any category"
        )
    return number
