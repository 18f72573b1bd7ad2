"""Names in exported code: the user's names are unchanged, and generated names avoid them."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING

from riparian.data.formatting import exact_text

if TYPE_CHECKING:
    from riparian.data.schema import Feature

__all__ = ["column_names", "free_among", "free_names", "ignoring_case"]

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def ignoring_case(name: str) -> str:
    """Return a name in lower case, as SQL compares names: it ignores the case of ASCII letters."""
    return name.translate(_LOWER)


def _unchanged(name: str) -> str:
    return name


def free_names(
    wanted: Sequence[str], taken: Iterable[str], fold: Callable[[str], str] = _unchanged
) -> list[str]:
    """Return generated names that are not taken, with a common suffix if necessary.

    Parameters
    ----------
    wanted : sequence of str
        The preferred names, all different.
    taken : iterable of str
        The names of the user.
    fold : callable, optional
        Maps names that the target does not distinguish to the same text.

    Examples
    --------
    >>> free_names(["leaf", "prediction"], ["age", "Leaf"])
    ['leaf', 'prediction']
    >>> free_names(["leaf", "prediction"], ["age", "Leaf"], ignoring_case)
    ['leaf_2', 'prediction_2']
    """
    return free_among(wanted, {fold(name) for name in taken}, fold)


def free_among(
    wanted: Sequence[str], taken: set[str], fold: Callable[[str], str] = _unchanged
) -> list[str]:
    """Return the result of `free_names` for taken names that are already folded."""
    found = list(wanted)
    for number in count(2):
        if taken.isdisjoint(map(fold, found)):
            break
        found = [f"{name}_{number}" for name in wanted]
    return found


def column_names(features: Sequence[Feature], fold: Callable[[str], str] = _unchanged) -> list[str]:
    """Return the column names: the user's names, and ``x0`` and so on for positions.

    If a feature of the user already has the name of a position, the position gets a suffix:
    ``x0_2``.

    Examples
    --------
    >>> from riparian.data.schema import Feature
    >>> column_names([Feature(0, "numeric"), Feature("x0", "numeric"), Feature(1, "numeric")])
    ['x0_2', 'x0', 'x1']
    """
    taken = {fold(exact_text(f.name)) for f in features if isinstance(f.name, str)}
    found = []
    for feature in features:
        name = feature.label
        if not isinstance(feature.name, str):
            (name,) = free_among([name], taken, fold)
            taken.add(fold(name))
        found.append(name)
    return found
