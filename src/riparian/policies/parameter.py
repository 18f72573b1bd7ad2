"""One parameter of a policy or of a tree, as the core declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from riparian.errors import one_of

__all__ = ["Parameter", "number", "probability", "truth", "whole"]


@dataclass(frozen=True)
class Parameter:
    """What a parameter is called, what it may be and what it does.

    Attributes
    ----------
    name, help : str
        Its name, and one or two sentences.
    kind : {"number", "whole", "probability", "truth", "choice", "function"}
        What its values are.
    default : object
        The value that it has where none is given.
    least, most : float
        Range of a number.
    optional : bool
        Whether None is allowed.
    choices : tuple of str
        The names to choose from.
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
        """The parameter that the core declares."""
        return cls(**{**declared, "choices": tuple(declared["choices"])})

    def check(self, name: str, value: object) -> Any:
        """`value` as the core accepts it; a ValueError names the parameter, the rule and the value.

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
        """Its type, as a docstring writes it."""
        kinds = {"truth": "bool", "whole": "int", "function": "callable"}
        if self.kind == "choice":
            return "{" + ", ".join(f'"{name}"' for name in self.choices) + "}"
        return kinds.get(self.kind, "float") + (" or None" if self.optional else "")


def probability(name: str, value: object) -> float:
    """A probability whose logarithm is finite."""
    if isinstance(value, Real) and 1e-300 <= float(value) < 1.0:
        return float(value)
    raise ValueError(f"{name} must be a probability between 0 and 1, got {value!r}")


def truth(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number in a range."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number <= most:
            return number
    raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, got {value!r}")


def number(name: str, value: object, least: float, most: float) -> float:
    """A number in a range; NaN is in none."""
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if least <= number <= most:
            return number
    raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")
