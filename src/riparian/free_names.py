"""Names in an export: those of the user as they are, ours wherever the user's leave room."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING

from riparian.wording import exact_text

if TYPE_CHECKING:
    from riparian.schema import Feature

__all__ = ["column_names", "free_among", "free_names", "ignoring_case"]

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def ignoring_case(name: str) -> str:
    """What two names have in common that SQL treats as one: it ignores the case of ASCII."""
    return name.translate(_LOWER)


def _as_it_is(name: str) -> str:
    return name


def free_names(
    wanted: Sequence[str], taken: Iterable[str], fold: Callable[[str], str] = _as_it_is
) -> list[str]:
    """Names that are not taken: the wanted ones, or all of them with the same tail.

    Parameters
    ----------
    wanted : sequence of str
        Names of ours, all different.
    taken : iterable of str
        Names of the user.
    fold : callable
        Gives the same text for names that the target does not distinguish.

    Examples
    --------
    >>> free_names(["leaf", "prediction"], ["age", "Leaf"])
    ['leaf', 'prediction']
    >>> free_names(["leaf", "prediction"], ["age", "Leaf"], ignoring_case)
    ['leaf_2', 'prediction_2']
    """
    return free_among(wanted, {fold(name) for name in taken}, fold)


def free_among(
    wanted: Sequence[str], taken: set[str], fold: Callable[[str], str] = _as_it_is
) -> list[str]:
    """As `free_names`, of names that are folded already, for those who ask many times."""
    found = list(wanted)
    for number in count(2):
        if taken.isdisjoint(map(fold, found)):
            break
        found = [f"{name}_{number}" for name in wanted]
    return found


def column_names(features: Sequence[Feature], fold: Callable[[str], str] = _as_it_is) -> list[str]:
    """The names of the columns: those of the user, and ``x0`` and so on for positions.

    A position whose name a feature of the user has gets another: ``x0_2``.

    Examples
    --------
    >>> from riparian.schema import Feature
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
