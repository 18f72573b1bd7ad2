"""Uncertain values in columns of structs, lists and maps, as Arrow has them.

=====================================  =============================================
type of the column                     value
=====================================  =============================================
struct of ``lo``, ``hi``               an interval
struct of ``mean``, ``sd``             a normal distribution; with ``lo`` and ``hi``
                                       truncated to them
list of structs ``value``, ``weight``  one of these numbers, or of these categories
map of text to a number                one of these categories
=====================================  =============================================

These types mean nothing else to a tree, so they are recognised without being asked for. Where
the value is null, or all fields of a struct are, it is missing. A weight of 0 is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.uncertain import Uncertain

__all__ = ["is_uncertain_type", "structs_to_uncertain"]

_STRUCTS = ({"lo", "hi"}, {"mean", "sd"}, {"mean", "sd", "lo", "hi"})


def is_uncertain_type(kind: Any) -> bool:
    """Whether a type of pyarrow or polars is one of those above."""
    name = str(kind).lower()
    fields = _fields(kind)
    if name.startswith("struct"):
        return fields in _STRUCTS
    if name.startswith(("list", "large_list")):
        inner = getattr(kind, "value_type", None) or getattr(kind, "inner", None)
        return _fields(inner) == {"value", "weight"}
    return name.startswith("map<string,")


def structs_to_uncertain(
    values: Iterable[Any], wrong: Callable[[int, str], None]
) -> NDArray[np.object_]:
    """Distributions of the Python values of such a column; `wrong` gets what is not one."""
    listed = list(values)
    out = np.full(len(listed), None, dtype=object)
    for row, value in enumerate(listed):
        try:
            out[row] = _distribution(value)
        except (TypeError, ValueError) as error:
            wrong(row, str(error))
    return out


def _fields(kind: Any) -> set[str]:
    """The names of the fields of a struct type."""
    fields = getattr(kind, "fields", None)  # a list in polars and newer pyarrow
    if isinstance(fields, list):
        return {field.name for field in fields}
    n = getattr(kind, "num_fields", 0)
    return {kind.field(i).name for i in range(n)} if n else set()


def _distribution(value: Any) -> Uncertain | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        known = {field: x for field, x in value.items() if x is not None and x == x}
        if not known:
            return None
        if "mean" in value:
            _demand(known, ("mean", "sd"))
            return Uncertain.normal(**known)
        _demand(known, ("lo", "hi"))
        return Uncertain.interval(**known)
    pairs = [
        (item["value"], item["weight"]) if isinstance(item, Mapping) else tuple(item)
        for item in value
    ]
    pairs = [(point, weight) for point, weight in pairs if weight != 0]
    if not pairs:
        raise ValueError("there must be at least one value with a weight above 0")
    if isinstance(pairs[0][0], str):
        shares: dict[Any, Any] = {}
        for point, weight in pairs:
            if point in shares:
                raise ValueError(f"category {point!r} is there twice")
            shares[point] = weight
        return Uncertain.categories(shares)
    return Uncertain.values([p for p, _ in pairs], [w for _, w in pairs])


def _demand(known: Mapping[str, Any], fields: tuple[str, ...]) -> None:
    for field in fields:
        if field not in known:
            raise ValueError(f"{field} is missing")
