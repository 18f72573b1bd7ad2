"""Whether the categories of a feature are text or numbers, where only one of them can be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from riparian.wording import exact_value, label_text

if TYPE_CHECKING:
    from riparian.schema import Feature

__all__ = ["is_text", "number_of_category"]


def is_text(feature: Feature, asked: str) -> bool:
    """Whether a feature has categories and they are text; False for numbers.

    Parameters
    ----------
    feature : Feature
        A column of the schema.
    asked : str
        What wants to know, for the error about categories of several types.
    """
    categories = feature.categories
    kinds = {isinstance(category, str) for category in categories}
    if any(isinstance(category, bytes) for category in categories) or len(kinds) == 2:
        raise ValueError(
            f"the categories of {label_text(feature.label)!r} are neither all text nor all "
            f"numbers, and {asked} has one type a column"
        )
    return feature.kind == "categorical" and False not in kinds


def number_of_category(feature: Feature, category: Any, asked: str, kind: type[Any]) -> float:
    """A category that is a number, if a type of floating point can hold it.

    Parameters
    ----------
    feature : Feature
        A column of the schema, whose categories are numbers.
    category : int, float or bool
        One of them.
    asked : str
        What wants to know, for the error.
    kind : {numpy.float64, numpy.float32}
        The type.
    """
    category = exact_value(category)
    try:
        with np.errstate(over="ignore"):
            number = float(kind(category))
    except OverflowError:
        number = math.inf
    if number != category or math.isinf(number):
        rule = "not finite" if number == category else f"not a {np.dtype(kind).name}"
        raise ValueError(
            f"the category {label_text(category)} of {label_text(feature.label)!r} is {rule}, "
            f"and {asked} has no other numbers here; to_code('python') accepts any"
        )
    return number
