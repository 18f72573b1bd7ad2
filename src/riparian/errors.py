"""Exceptions and error messages that several modules share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["NO_EXPERIMENTS", "ModelFileError", "one_of"]

#: The message if the experiments are not installed.
NO_EXPERIMENTS = (
    "the papers' experiments and data sets are not installed; in a clone of riparian, run "
    "'pip install ./experiments'"
)


class ModelFileError(ValueError):
    """Raised if a file is damaged or is not a model file."""


def one_of(parameter: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the allowed names.

    Parameters
    ----------
    parameter : str
        Name of the parameter, for the error message.
    value : object
        The value to check.
    allowed : iterable of str
        The allowed names.

    Raises
    ------
    ValueError
        If `value` is not allowed. The message suggests the most similar name.

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
