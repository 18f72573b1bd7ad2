"""The drift detectors of the members of a forest: of the package, of River, or of the user."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, TypeAlias

from riparian import _core
from riparian.drift import ADWIN, Detector
from riparian.drift.own import OwnDetector, is_own_detector

__all__ = ["DetectorChoice", "calls_own_detector", "detector_of"]

DetectorChoice: TypeAlias = Detector | float | Callable[[], Any] | Any | None


def detector_of(name: str, axes: Mapping[str, Any]) -> _core.Detector | None:
    """Return a new detector for the core: one of the package, an ADWIN, or one of the user."""
    value = axes[name]
    if value is None:
        return None
    if isinstance(value, Real) and not isinstance(value, bool):
        if not (0.0 < float(value) < 1.0 and math.isfinite(float(value))):
            raise ValueError(
                f"{name} must be the delta of an ADWIN, between 0 and 1, got {value!r}"
            )
        value = ADWIN(delta=float(value))
    if isinstance(value, Detector):
        return value.clone()._native
    if isinstance(value, type) and issubclass(value, Detector):
        raise ValueError(
            f"{name} must be an instance of a detector, got the class {value.__name__}; use "
            f"{value.__name__}()"
        )
    if not _is_own(value):
        raise ValueError(
            f"{name} must be a detector of riparian.drift or of River, the delta of an ADWIN, an "
            f"object with update(x) and drift_detected, a function that makes one, or None, "
            f"got {value!r}"
        )
    if axes["max_bytes"] is not None:
        raise ValueError(
            f"max_bytes must be None with {name}={value!r}: the memory of an object of your own "
            "cannot be counted"
        )
    return _core.Detector.of_object(OwnDetector(name, value))


def calls_own_detector(axes: Mapping[str, Any]) -> bool:
    """Return whether a detector among the parameters of a forest is an object of the user."""
    return any(_is_own(axes.get(name)) for name in ("warning", "drift"))


def _is_own(value: object) -> bool:
    return not isinstance(value, Detector) and (is_own_detector(value) or callable(value))
