"""The base class of all drift detectors."""

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

_INPUTS = {
    "numbers": "a finite number within 1e100 of 0",
    "shares": "a number from 0 to 1",
    "errors": "0 (right) or 1 (wrong)",
}


class Detector:
    """Base class of the drift detectors, which monitor one number per row.

    After a drift a detector starts again with the next value, unless its documentation says
    otherwise. Detectors can be copied and pickled, and can be used wherever River accepts a drift
    detector. See :mod:`riparian.drift` for the list.
    """

    _name: ClassVar[str]
    _input: ClassVar[str]
    _declared: ClassVar[dict[str, Parameter]]

    def __init_subclass__(cls, *, name: str) -> None:
        """Read the name and the parameters of the detector from the declaration of the core."""
        super().__init_subclass__()
        declared = declarations()[name]
        cls._name, cls._input = name, _INPUTS[declared["input"]]
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
        """Process one value, and set `drift_detected` and `warning_detected`.

        Parameters
        ----------
        x : float
            The value.

        Returns
        -------
        self : Detector
            The detector.

        Raises
        ------
        ValueError
            If the detector does not accept the value. The detector is unchanged.
        """
        try:
            learned = self._native.update(x)
        except TypeError:
            kind = type(self).__name__
            raise TypeError(
                f"{kind}.update needs one number, got {x!r}; find(values) accepts an array"
            ) from None
        if not learned:
            raise ValueError(f"x must be {self._input} for {type(self).__name__}, got {x!r}")
        return self

    def signals(self, values: ArrayLike) -> NDArray[np.uint8]:
        """Process all values in order, and return the signal at each.

        Parameters
        ----------
        values : array-like of shape (n,)
            The values. All are checked before the first is processed.

        Returns
        -------
        signals : ndarray of shape (n,)
            0 for no signal, 1 for a warning, 2 for a drift.
        """
        array = np.ascontiguousarray(values, dtype=np.float64)
        if np.ndim(values) != 1:
            raise ValueError(f"values must have the shape (n,), got {np.shape(values)}")
        at = self._native.first_wrong(array)
        if at < len(array):
            raise ValueError(
                f"values must be {self._input} for {type(self).__name__}, "
                f"got {array[at]} at position {at}"
            )
        return self._native.update_all(array)

    def find(self, values: ArrayLike) -> NDArray[np.intp]:
        """Process all values in order, and return the positions of the drifts.

        Parameters
        ----------
        values : array-like of shape (n,)
            The values. All are checked before the first is processed.

        Returns
        -------
        positions : ndarray of int
            The positions at which a drift was detected.
        """
        return np.flatnonzero(self.signals(values) == 2)

    def reset(self) -> Self:
        """Forget all values, and return the detector."""
        self._native.reset()
        return self

    @property
    def drift_detected(self) -> bool:
        """Whether a drift was detected at the last value."""
        return self._native.signal == 2

    @property
    def warning_detected(self) -> bool:
        """Whether there was a warning at the last value. Not all detectors have warnings."""
        return self._native.signal == 1

    @property
    def estimate(self) -> float:
        """Estimated mean of the current concept; 0 before the first value."""
        return self._native.estimate

    @property
    def width(self) -> int:
        """Number of recent values that `estimate` is based on."""
        return self._native.width

    @property
    def memory_bytes(self) -> int:
        """Memory of the detector in bytes, without the Python object."""
        return self._native.bytes

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name. `deep` has no effect; scikit-learn's clone passes it."""
        return dict(self._parameters)

    def clone(self, new_params: Mapping[str, Any] | None = None) -> Self:
        """Return a new detector without values, with the same parameters except `new_params`."""
        return type(self)(**{**self._parameters, **(new_params or {})})

    def get_state(self) -> dict[str, Any]:
        """Return the detector as JSON values, for `riparian.drift.from_state`."""
        return {
            "detector": self._name,
            "parameters": self.get_params(),
            "state": self._native.state(),
        }

    def __getstate__(self) -> dict[str, Any]:
        return self.get_state()

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        from riparian.drift import from_state

        other = from_state(state)
        if other._name != self._name:
            raise ModelFileError(f"the state of {other!r} is not a state of {type(self).__name__}")
        self._parameters, self._native = other._parameters, other._native

    def __repr__(self) -> str:
        changed = [
            f"{name}={value!r}"
            for name, value in self._parameters.items()
            if value != self._declared[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def detector_class(name: str) -> type[Detector]:
    """Return a class for a detector that has no module of its own."""
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
    """Return the core's declaration of each detector, by name."""
    return {d["name"]: d for d in _core.policies()["drift"]}
