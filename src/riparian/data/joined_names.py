"""Names that two parts of a stream met in another order: the codes of one become the other's."""

from __future__ import annotations

from typing import NamedTuple

from riparian.data.schema import Feature, Schema

__all__ = ["Codes", "begins_with", "join_names"]


class Codes(NamedTuple):
    """For each code of one schema the code of another.

    Attributes
    ----------
    features, classes : list of int
        The position of each feature, and the code of each class.
    categories : list of list of int
        The codes of the categories of each feature.
    """

    features: list[int]
    categories: list[list[int]]
    classes: list[int]


def join_names(here: Schema, there: Schema, part: str = "shard") -> tuple[Codes, list[bool]]:
    """Add the names of another schema to one, behind its own and in their order.

    Parameters
    ----------
    here : Schema
        The schema that grows.
    there : Schema
        The other one.
    part : str, default="shard"
        What each schema is of, for the error.

    Returns
    -------
    codes : Codes
        What the codes of the other one are here.
    added : list of bool
        The new features: whether each is categorical.

    Raises
    ------
    ValueError
        If a feature is of another kind there.
    """
    added: list[bool] = []
    places: list[int] = []
    categories: list[list[int]] = []
    for at, feature in enumerate(there.features):
        place = here.index.get(feature.name)
        if place is None:
            here.add_feature(Feature(feature.name, feature.kind, time=feature.time))
            added.append(feature.kind == "categorical")
            place = len(here.features) - 1
        mine = here.features[place]
        if (mine.kind, mine.time) != (feature.kind, feature.time):
            raise ValueError(
                f"feature {feature.label!r} is {mine.time or mine.kind} in one {part} and "
                f"{feature.time or feature.kind} in another one; declare its kind"
            )
        places.append(place)
        if there.left_out(at):
            categories.append(list(range(there.n_codes(at))))
        else:
            here.add_categories(mine, feature.codes)
            categories.append([mine.codes[value] for value in feature.codes])
    here.add_classes(there.classes)
    here.ignored += there.ignored
    classes = [here.class_codes[label] for label in there.classes]
    return Codes(places, categories, classes), added


def begins_with(schema: Schema, first: Schema) -> bool:
    """Whether the codes of a schema begin with those of another one."""
    pairs = list(zip(schema.features, first.features, strict=False))
    return (
        len(pairs) == len(first.features)
        and all(
            (a.name, a.kind, a.time) == (b.name, b.kind, b.time)
            and list(a.codes)[: len(b.codes)] == list(b.codes)
            for a, b in pairs
        )
        and schema.classes[: len(first.classes)] == first.classes
    )
