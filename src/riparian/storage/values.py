"""Labels and categories in the JSON of a model file."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from riparian.data.values import OTHER
from riparian.errors import ModelFileError

__all__ = ["value_from_json", "value_to_json"]


# Labels and categories are built-in values, as `riparian.data.values` makes them. They keep their
# types: 1, 1.5, "1" and b"1" differ. True and 1 are equal, so a list can hold only one of them.
def value_to_json(value: Hashable) -> Any:
    """Return a label or a category as JSON can hold it."""
    if isinstance(value, bool | str | int):
        return value
    if value is OTHER:
        return {"other": True}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    raise TypeError(f"{value!r} cannot be saved in a model file")


def value_from_json(value: Any) -> Hashable:
    """Return the label or category that :func:`value_to_json` wrote."""
    if isinstance(value, bool | str | int):
        return value
    if isinstance(value, dict) and len(value) == 1:
        (kind, text), *_ = value.items()
        if kind == "float" and isinstance(text, str):
            number = float.fromhex(text)
            if number == number:
                return number
        if kind == "bytes" and isinstance(text, str):
            return bytes.fromhex(text)
        if kind == "other" and text is True:
            return OTHER
    raise ModelFileError("the schema holds an impossible value")
