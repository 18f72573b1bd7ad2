"""The members of a forest apart: the arrays of some of them, and the whole again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["all_members", "some_members"]

Arrays = Mapping[str, NDArray[Any]]

#: How many entries of an array belong to a member or to a tree.
_OF_MEMBER = {
    **dict.fromkeys(("right", "answered", "generations", "warnings", "drifts"), 1),
    **dict.fromkeys(("has_tree", "has_back", "is_last"), 1),
    "detector_sizes": 2,
}
_OF_TREE = ("generation", "share", "left_out")
_TREE = re.compile(r"tree(\d+)\.(.+)", re.DOTALL)


def some_members(arrays: Arrays, first: int, end: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a forest that has only the members from `first` up to `end`."""
    trees = np.concatenate([[0], np.cumsum(arrays["has_tree"] + arrays["has_back"], dtype=int)])
    start, stop = int(trees[first]), int(trees[end])
    sizes = np.concatenate([[0], np.cumsum(arrays["detector_sizes"], dtype=int)])
    found = {}
    for name, values in arrays.items():
        if match := _TREE.fullmatch(name):
            number = int(match[1])
            if start <= number < stop:
                found[f"tree{number - start}.{match[2]}"] = values
        elif name in _OF_MEMBER:
            found[name] = values[first * _OF_MEMBER[name] : end * _OF_MEMBER[name]]
        elif name in _OF_TREE:
            each = len(values) // max(1, int(trees[-1]))
            found[name] = values[start * each : stop * each]
        elif name == "detectors":
            found[name] = values[sizes[2 * first] : sizes[2 * end]]
        else:
            found[name] = values
    return found


def all_members(parts: Sequence[Arrays]) -> dict[str, NDArray[Any]]:
    """Return the arrays of the forest whose members are in these parts, in their order."""
    found: dict[str, NDArray[Any]] = {}
    for name, values in parts[0].items():
        if _TREE.fullmatch(name):
            continue
        joined = name in _OF_MEMBER or name in (*_OF_TREE, "detectors")
        found[name] = np.concatenate([part[name] for part in parts]) if joined else values
    first = 0
    for part in parts:
        for name, values in part.items():
            if match := _TREE.fullmatch(name):
                found[f"tree{first + int(match[1])}.{match[2]}"] = values
        first += int(part["has_tree"].sum(dtype=int) + part["has_back"].sum(dtype=int))
    return found
