"""What all detectors of drift have in common."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.errors import ModelFileError
from riparian.policies.parameter import Parameter

__all__ = ["Detector", "declarations", "detector_class"]

_WATCHED = {
    "numbers": "a finite number within 1e100 of 0",
    "shares": "a number from 0 to 1",
    "errors": "0 (right) or 1 (wrong)",
}


class Detector:
    """Monitors one number per row; see :mod:`riparian.drift` for the detectors.

    A detector that signals a drift starts over with the next value, unless its own page says
    otherwise. It may be copied and pickled, and works wherever River accepts a detector.
    """

    _name: ClassVar[str]
    _watches: ClassVar[str]
    _declared: ClassVar[dict[str, Parameter]]

    def __init_subclass__(cls, *, name: str) -> None:
        """Take name, parameters and checks from what the core declares of this detector."""
        super().__init_subclass__()
        declared = declarations()[name]
        cls._name, cls._watches = name, _WATCHED[declared["watches"]]
        cls._declared = {d["name"]: Parameter.of(d) for d in declared["parameters"]}
        kind = inspect.Parameter
        cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [kind(p.name, kind.KEYWORD_ONLY, default=p.default) for p in cls._declared.values()]
        )

    def __init__(self, **parameters: Any) -> None:
        for name in parameters:
            if name not in self._declared:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}"
                )
        self._parameters = {
            p.name: p.check(p.name, parameters.get(p.name, p.default))
            for p in self._declared.values()
        }
        self._native = _core.Detector(self._name, self._parameters)

    def update(self, x: float) -> Self:
        """Learn one value; `drift_detected` and `warning_detected` then describe it.

        Parameters
        ----------
        x : float
            The value. What the detector cannot use is refused, and it stays as it was.
        """
        try:
            learned = self._native.update(x)
        except TypeError:
            kind = type(self).__name__
            raise TypeError(
                f"{kind}.update needs one number, got {x!r}; find(values) accepts an array"
            ) from None
        if not learned:
            raise ValueError(f"x must be {self._watches} for {type(self).__name__}, got {x!r}")
        return self

    def signals(self, values: ArrayLike) -> NDArray[np.uint8]:
        """Learn all values in their order; give the signal at each.

        Parameters
        ----------
        values : array-like of shape (n,)
            All are checked before the first is learned.

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
        """The memory of the detector, without Python's object around it."""
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
        changed = [
            f"{name}={value!r}"
            for name, value in self._parameters.items()
            if value != self._declared[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def detector_class(name: str) -> type[Detector]:
    """The class of a detector that has no module of its own."""
    declared = declarations()[name]
    parameters = [Parameter.of(d) for d in declared["parameters"]]
    described = "".join(
        f"{p.name} : {p.type_text}, default={p.default!r}\n    {p.help}\n" for p in parameters
    )
    doc = f"{declared['about']}\n\nParameters\n----------\n{described}"
    namespace = {"__module__": "riparian.drift", "__doc__": doc}
    return types.new_class(
        declared["type_name"], (Detector,), {"name": name}, lambda ns: ns.update(namespace)
    )


@functools.cache
def declarations() -> dict[str, dict[str, Any]]:
    """What the core declares of each detector, by its name."""
    return {d["name"]: d for d in _core.policies()["drift"]}
