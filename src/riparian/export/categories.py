"""Categories in exports whose columns have one type: either text or numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from riparian.data.formatting import exact_value, label_text
from riparian.data.values import OTHER

if TYPE_CHECKING:
    from riparian.data.schema import Feature

__all__ = ["is_text", "known_categories", "number_of_category", "other_of"]


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
    categories = [category for category in feature.categories if category is not OTHER]
    kinds = {isinstance(category, str) for category in categories}
    if any(isinstance(category, bytes) for category in categories) or len(kinds) == 2:
        raise ValueError(
            f"the categories of {label_text(feature.label)!r} must be all text or all numbers: "
            f"{asked} has one type per column"
        )
    if False in kinds and other_of(feature) is not None:
        raise ValueError(
            f"{label_text(feature.label)!r} has numbers as categories, and more of them than "
            f"max_categories: {asked} cannot express this; to_code('python') and to_code('sql') can"
        )
    return feature.kind == "categorical" and False not in kinds


def other_of(feature: Feature) -> int | None:
    """Return the code of the category that all unknown values share, or None."""
    return feature.codes.get(OTHER)


def known_categories(feature: Feature) -> list[Hashable]:
    """Return the categories of a feature that have names of their own."""
    return [category for category in feature.categories if category is not OTHER]


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
