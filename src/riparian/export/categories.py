"""Whether the categories of a feature are text or numbers, where only one of them can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riparian.wording import label_text

if TYPE_CHECKING:
    from riparian.schema import Feature

__all__ = ["is_text"]


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
