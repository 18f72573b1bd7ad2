"""A declared parameter of a policy or of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np

from riparian.errors import one_of

__all__ = ["Parameter", "is_whole", "number", "probability", "truth", "whole"]


@dataclass(frozen=True)
class Parameter:
    """A parameter with its default and its allowed values.

    Attributes
    ----------
    name, help : str
        The name, and one or two sentences of help.
    kind : {"number", "whole", "probability", "truth", "choice", "function"}
        The kind of its values.
    default : object
        The default value.
    least, most : float
        The range of a number.
    optional : bool
        Whether None is allowed.
    choices : tuple of str
        The allowed names.
    """

    name: str
    help: str
    kind: str
    default: Any
    least: float
    most: float
    optional: bool
    choices: tuple[str, ...]

    @classmethod
    def of(cls, declared: Mapping[str, Any]) -> Parameter:
        """Create a parameter from a declaration of the core."""
        return cls(**{**declared, "choices": tuple(declared["choices"])})

    def check(self, name: str, value: object) -> Any:
        """Check a value, and return it in the form that the core accepts.

        Parameters
        ----------
        name : str
            Name of the parameter, for the error message.
        value : object
            The value.

        Raises
        ------
        ValueError
            If the value is not allowed.

        Examples
        --------
        >>> step = Parameter("step", "", "number", 0.05, 5e-05, 1.0, False, ())
        >>> step.check("leaf__step", 2)
        Traceback (most recent call last):
        ...
        ValueError: leaf__step must be a number from 5e-05 to 1, got 2
        """
        if value is None and self.optional:
            return None
        if self.kind == "truth":
            return truth(name, value)
        if self.kind == "choice":
            return one_of(name, value, self.choices)
        if self.kind == "probability":
            return probability(name, value)
        if self.kind == "whole":
            return whole(name, value, int(self.least), int(self.most))
        if self.kind == "number":
            return number(name, value, self.least, self.most)
        if not callable(value):
            raise ValueError(f"{name} must be callable or None, got {value!r}")
        return value

    @property
    def type_text(self) -> str:
        """The type, as in a docstring."""
        kinds = {"truth": "bool", "whole": "int", "function": "callable"}
        if self.kind == "choice":
            return "{" + ", ".join(f'"{name}"' for name in self.choices) + "}"
        return kinds.get(self.kind, "float") + (" or None" if self.optional else "")


def probability(name: str, value: object) -> float:
    """Return a probability whose logarithm is finite, and check it."""
    if isinstance(value, Real) and 1e-300 <= float(value) < 1.0:
        return float(value)
    raise ValueError(f"{name} must be a probability between 0 and 1, got {value!r}")


def truth(name: str, value: object) -> bool:
    """Return True or False, and check the type."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; True and False are none."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def whole(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number, and check its range."""
    if is_whole(value) and least <= value <= most:
        return int(value)
    raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, got {value!r}")


def number(name: str, value: object, least: float, most: float) -> float:
    """Return a number, and check its range. NaN is in no range."""
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if least <= number <= most:
            return number
    raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")
