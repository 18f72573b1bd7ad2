"""What goes wrong by its own name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["ModelFileError", "one_of"]


class ModelFileError(ValueError):
    """A model file is damaged, or is not one."""


def one_of(parameter: str, value: object, allowed: Iterable[str]) -> str:
    """`value` if it is one of the `allowed` names, else a ValueError that names the nearest.

    Examples
    --------
    >>> one_of("bound", "hoefding", ["hoeffding"])
    Traceback (most recent call last):
    ...
    ValueError: bound must be 'hoeffding', got 'hoefding'; did you mean 'hoeffding'?
    """
    names = list(allowed)
    if isinstance(value, str) and value in names:
        return value
    listed = ", ".join(repr(name) for name in names)
    message = f"{parameter} must be {'one of ' if len(names) > 1 else ''}{listed}, got {value!r}"
    near = difflib.get_close_matches(str(value), names, n=1)
    if near:
        message += f"; did you mean {near[0]!r}?"
    raise ValueError(message)
