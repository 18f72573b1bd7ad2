"""Class labels as JSON."""

from __future__ import annotations

from typing import Any

__all__ = ["label_name", "plain_label"]


def plain_label(label: Any) -> Any:
    """Return a label as a value of JSON: text, number or truth value."""
    if label is None or isinstance(label, str | int):
        return label
    item = getattr(label, "item", None)
    if item is not None:
        label = item()
    return label if isinstance(label, str | int | float) else str(label)


def label_name(label: Any) -> str:
    """Return a label as the name of a member of a JSON object."""
    found = plain_label(label)
    if isinstance(found, bool):
        return "true" if found else "false"
    return found if isinstance(found, str) else str(found)
