"""The parameters of a tree, checked when learning starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from riparian import _core
from riparian.errors import one_of

__all__ = ["check_settings"]

_CHOICES = {
    "statistics": ["gaussian"],
    "categorical_cuts": ["multiway", "one-against-rest", "both"],
    "inherit_counts": ["none", "predict", "count"],
    "runner_up": ["attribute", "cut"],
}


def check_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's settings, or a ValueError that names parameter, rule and value."""
    settings: dict[str, Any] = {}
    _check_categorical_features(parameters["categorical_features"])
    for axis in ("impurity", "bound", "cuts", "leaf"):
        settings[axis] = one_of(axis, parameters[axis], _core.names(axis))
    for name, allowed in _CHOICES.items():
        settings[name] = one_of(name, parameters[name], allowed)
    settings["n_cuts"] = _whole("n_cuts", parameters["n_cuts"], 1, 10_000)
    settings["epsilons"] = _whole("epsilons", parameters["epsilons"], 1, 2)
    settings["grace_period"] = _number("grace_period", parameters["grace_period"], 0.0, 2.0**53)
    settings["tau"] = _number("tau", parameters["tau"], 0.0, 1e6)
    settings["min_gain"] = _number("min_gain", parameters["min_gain"], 0.0, 1e6)
    settings["min_branch_fraction"] = _number(
        "min_branch_fraction", parameters["min_branch_fraction"], 0.0, 0.5
    )
    delta = parameters["delta"]
    if not (isinstance(delta, Real) and 1e-300 <= float(delta) < 1.0):
        raise ValueError(f"delta must be a probability between 0 and 1, got {delta!r}")
    settings["delta"] = float(delta)
    if not isinstance(parameters["clip_to_range"], bool):
        raise ValueError(
            f"clip_to_range must be True or False, got {parameters['clip_to_range']!r}"
        )
    settings["clip_to_range"] = parameters["clip_to_range"]
    for name, least in (("max_depth", 0), ("max_leaves", 1)):
        value = parameters[name]
        settings[name] = None if value is None else _whole(name, value, least, 2**31)
    return settings


def _check_categorical_features(value: Any) -> None:
    if value is None or (isinstance(value, str) and value == "from_dtype"):
        return
    good = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    entries = [e.item() if isinstance(e, np.generic) else e for e in value] if good else []
    if not good or not all(isinstance(e, str | int) for e in entries):
        raise ValueError(
            "categorical_features must be 'from_dtype', names, indexes, a mask or None, "
            f"got {value!r}"
        )


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number <= most:
            return number
    raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, got {value!r}")


def _number(name: str, value: object, least: float, most: float) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if least <= number <= most:  # NaN is not
            return number
    raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")
