"""What all detectors of drift have in common."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.errors import ModelFileError

__all__ = ["ERRORS", "NUMBERS", "SHARES", "Detector", "flag", "number", "whole"]

NUMBERS = "a finite number within 1e100 of 0"
SHARES = "a number from 0 to 1"
ERRORS = "0 (right) or 1 (wrong)"


class Detector:
    """Watches one number a row; see :mod:`riparian.drift` for the detectors.

    A detector that signals a drift starts anew with the next value, unless its own page says
    otherwise. It may be copied and pickled, and works wherever River takes a detector.
    """

    _name: ClassVar[str]
    _watches: ClassVar[str]

    def __init__(self, **parameters: object) -> None:
        self._parameters = parameters
        self._native = _core.Detector(self._name, parameters)

    def update(self, x: float) -> Self:
        """Learn one value; `drift_detected` and `warning_detected` then tell of it.

        Parameters
        ----------
        x : float
            The value. What the detector cannot watch is refused, and it stays as it was.
        """
        try:
            learned = self._native.update(x)
        except TypeError:
            kind = type(self).__name__
            raise TypeError(
                f"{kind}.update takes one number, got {x!r}; find(values) takes an array"
            ) from None
        if not learned:
            raise ValueError(f"x must be {self._watches} for {type(self).__name__}, got {x!r}")
        return self

    def signals(self, values: ArrayLike) -> NDArray[np.uint8]:
        """Learn all values in their order; give the signal at each.

        Parameters
        ----------
        values : array-like of shape (n,)
            All are looked at before the first is learned.

        Returns
        -------
        ndarray of shape (n,)
            0 for nothing, 1 for a warning, 2 for a drift.
        """
        array = np.ascontiguousarray(values, dtype=np.float64)
        if np.ndim(values) != 1:
            raise ValueError(f"values must have the shape (n,), got {np.shape(values)}")
        at = self._native.first_wrong(array)
        if at < len(array):
            raise ValueError(
                f"values must be {self._watches} for {type(self).__name__}, "
                f"got {array[at]} at position {at}"
            )
        return self._native.update_all(array)

    def find(self, values: ArrayLike) -> NDArray[np.intp]:
        """Learn all values in their order; give the positions at which a drift was detected.

        Parameters
        ----------
        values : array-like of shape (n,)
            As in `signals`.
        """
        return np.flatnonzero(self.signals(values) == 2)

    def reset(self) -> Self:
        """Forget all values."""
        self._native.reset()
        return self

    @property
    def drift_detected(self) -> bool:
        """Whether the last value was a drift."""
        return self._native.signal == 2

    @property
    def warning_detected(self) -> bool:
        """Whether the last value was a warning; never so for a detector that has none."""
        return self._native.signal == 1

    @property
    def estimate(self) -> float:
        """The mean of the present concept as the detector sees it; 0 before the first value."""
        return self._native.estimate

    @property
    def width(self) -> int:
        """How many of the last values the estimate is about."""
        return self._native.width

    @property
    def memory_bytes(self) -> int:
        """What the detector takes in memory, Python's object around it aside."""
        return self._native.bytes

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, by name; `deep` changes nothing, scikit-learn's clone gives it."""
        return dict(self._parameters)

    def clone(self, new_params: Mapping[str, Any] | None = None) -> Self:
        """A new detector with the same parameters, or with some others, and no values."""
        return type(self)(**{**self._parameters, **(new_params or {})})

    def get_state(self) -> dict[str, Any]:
        """The detector as plain data, fit for JSON; `riparian.drift.from_state` reads it."""
        return {
            "detector": self._name,
            "parameters": self.get_params(),
            "state": self._native.state(),
        }

    def __getstate__(self) -> dict[str, Any]:
        return self.get_state()

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        from riparian.drift import from_state

        made = from_state(state)
        if made._name != self._name:
            raise ModelFileError(f"the state of {made!r} is not one of {type(self).__name__}")
        self._parameters, self._native = made._parameters, made._native

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self._parameters.items()
            if value != defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def whole(parameter: str, value: object, most: int = 2**32 - 1) -> int:
    """`value` if it is a whole number that the core can hold."""
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= most:
        return int(value)
    raise ValueError(f"{parameter} must be a whole number from 0 to {most:,}, got {value!r}")


def number(parameter: str, value: object) -> float:
    """`value` if it is a number."""
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{parameter} must be a number, got {value!r}")


def flag(parameter: str, value: object) -> bool:
    """`value` if it is True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{parameter} must be True or False, got {value!r}")
