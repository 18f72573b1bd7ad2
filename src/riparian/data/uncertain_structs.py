"""Uncertain values from Arrow columns of structs, lists and maps.

=====================================  =============================================
type of the column                     value
=====================================  =============================================
struct of ``lo``, ``hi``               an interval
struct of ``mean``, ``sd``             a normal distribution; with ``lo`` and ``hi``
                                       truncated to them
list of structs ``value``, ``weight``  a distribution over numbers or categories
map of text to a number                a distribution over categories
=====================================  =============================================

These types have no other meaning, so they are recognised without an option. A null, or a struct
whose fields are all null, is a missing value. Entries with weight 0 are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.uncertain import Uncertain

__all__ = ["is_uncertain_type", "structs_to_uncertain"]

_STRUCTS = ({"lo", "hi"}, {"mean", "sd"}, {"mean", "sd", "lo", "hi"})


def is_uncertain_type(kind: Any) -> bool:
    """Return whether a pyarrow or polars type is one of those above."""
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
    """Convert the Python values of such a column to distributions.

    `wrong` is called with the row and a message if a value is not a distribution.
    """
    listed = list(values)
    out = np.full(len(listed), None, dtype=object)
    for row, value in enumerate(listed):
        try:
            out[row] = _distribution(value)
        except (TypeError, ValueError) as error:
            wrong(row, str(error))
    return out


def _fields(kind: Any) -> set[str]:
    """Return the field names of a struct type."""
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
            _check_fields(known, ("mean", "sd"))
            return Uncertain.normal(**known)
        _check_fields(known, ("lo", "hi"))
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
                raise ValueError(f"category {point!r} is given twice")
            shares[point] = weight
        return Uncertain.categories(shares)
    return Uncertain.values([p for p, _ in pairs], [w for _, w in pairs])


def _check_fields(known: Mapping[str, Any], fields: tuple[str, ...]) -> None:
    for field in fields:
        if field not in known:
            raise ValueError(f"{field} is missing")
