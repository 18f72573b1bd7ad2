"""The parameters of a tree, checked when learning starts."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from riparian import _core
from riparian.data.class_weights import check_class_weight
from riparian.data.costs import check_costs
from riparian.data.naming import Limits
from riparian.data.times import check_parts
from riparian.policies import AXES, Parameter, Policy, resolve
from riparian.policies.callables import check_bound, check_impurity, check_window
from riparian.policies.own_leaf import OwnLeaf
from riparian.policies.parameter import is_whole, whole
from riparian.policies.rules import check_certain, check_rules, check_sparse

__all__ = [
    "byte_count",
    "check_categorical_features",
    "check_features",
    "check_names",
    "check_seed",
    "check_settings",
    "class_limit",
    "name_limits",
    "refuse_sparse",
    "refuse_uncertain",
    "resolved",
    "tree_parameters",
]

_ASK = {"impurity": check_impurity, "bound": check_bound}


@functools.cache
def _declared() -> dict[str, Any]:
    return _core.tree_parameters()


@functools.cache
def tree_parameters() -> dict[str, Parameter]:
    """Return the parameters of a tree that belong to no policy, as the core declares them."""
    return {d["name"]: Parameter.of(d) for d in _declared()["parameters"]}


def resolved(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same parameters with policies in place of names."""
    return {k: resolve(k, v) if k in AXES else v for k, v in parameters.items()}


def check_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the engine's settings; a ValueError names parameter, rule and value."""
    parameters = resolved(parameters)
    check_categorical_features(parameters["categorical_features"])
    check_parts(parameters["date_parts"])
    settings: dict[str, Any] = {axis: _checked(axis, parameters[axis]) for axis in AXES}
    for name, parameter in tree_parameters().items():
        settings[name] = parameter.check(name, parameters[name])
    settings["leaf_features"] = check_features("leaf_features", parameters["leaf_features"])
    settings["random_state"] = check_seed(parameters["random_state"])
    settings["max_bytes"] = byte_count("max_bytes", parameters["max_bytes"])
    if parameters["costs"] is not None:
        check_costs(parameters["costs"])
    check_class_weight(parameters["class_weight"])
    check_rules(parameters, _declared())
    return settings


def refuse_uncertain(parameters: Mapping[str, Any]) -> None:
    """Raise a ValueError if a tree of these parameters cannot learn uncertain values."""
    check_certain(resolved(parameters), _declared())


def refuse_sparse(parameters: Mapping[str, Any]) -> None:
    """Raise a ValueError if a tree of these parameters cannot learn sparse rows."""
    check_sparse(resolved(parameters), _declared())


def _checked(axis: str, value: Any) -> Any:
    """Return a policy as the core accepts it: name and values, or a function of the user."""
    if isinstance(value, tuple):
        return [_checked(axis, one) for one in value]
    if not isinstance(value, Policy):
        return _ASK[axis](value)
    if isinstance(value, OwnLeaf):
        return value.adapter()
    name, values = value.checked(axis)
    for parameter in value.parameters.values():
        if parameter.kind == "function" and values[parameter.name] is not None:
            values[parameter.name] = check_window(values[parameter.name])
    return name, values


def check_seed(value: object) -> int:
    """Return the seed for a value of `random_state`; None is 0."""
    return 0 if value is None else whole("random_state", value, 0, 2**32 - 1)


def check_features(name: str, value: object) -> tuple[str, float] | None:
    """Return how many features to draw, as the core accepts it; None is all of them.

    Examples
    --------
    >>> check_features("leaf_features", 3), check_features("leaf_features", 0.6)
    (('count', 3.0), ('share', 0.6))
    """
    if value is None:
        return None
    if isinstance(value, str) and value == "sqrt":
        return "root", 0.0
    if is_whole(value):
        if 1 <= value <= 2**31:
            return "count", float(value)
    elif isinstance(value, Real) and 0.0 < float(value) <= 1.0 and not isinstance(value, bool):
        return "share", float(value)
    raise ValueError(
        f"{name} must be a whole number of at least 1, a share above 0 and up to 1, 'sqrt' or "
        f"None, got {value!r}"
    )


_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", 1):
    _UNITS |= {f"{_letter}b": 1000**_power, f"{_letter}ib": 1024**_power}


def byte_count(name: str, value: object) -> int | None:
    """Return a number of bytes that is given as a number or with a unit; None stays None.

    Examples
    --------
    >>> byte_count("max_bytes", "10MB"), byte_count("max_bytes", "1.5 KiB")
    (10000000, 1536)
    """
    if value is None:
        return None
    count: float | None = None
    if is_whole(value):
        count = int(value)
    elif isinstance(value, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", value.lower())
        if found and found[2] in _UNITS:
            count = int(float(found[1]) * _UNITS[found[2]])
    if count is None or not 1 <= count < 2**62:
        raise ValueError(
            f"{name} must be a number of bytes, or a text such as '10MB' or '512KiB', got {value!r}"
        )
    return int(count)


def name_limits(parameters: Mapping[str, Any], max_bytes: Any) -> Limits:
    """Return the limits of names; a ValueError names parameter, rule and value."""
    most = parameters["max_features"]
    if not is_whole(most):
        raise ValueError(
            "max_features must be a whole number, the largest number of features of the stream, "
            f"got {most!r}; max_features of River and scikit-learn is leaf_features here"
        )
    # One more code is that of "other".
    return Limits(
        whole("max_categories", parameters["max_categories"], 1, _core.MAX_CATEGORIES - 1),
        whole("max_features", most, 1, _core.MAX_FEATURES),
        byte_count("max_bytes", max_bytes),
    )


def class_limit(parameters: Mapping[str, Any]) -> int:
    """Return `max_classes`; a ValueError names parameter, rule and value."""
    return whole("max_classes", parameters["max_classes"], 1, _core.MAX_CLASSES)


def check_names(parameters: Mapping[str, Any]) -> None:
    """Raise a ValueError unless the limits of names and classes are allowed."""
    name_limits(parameters, parameters.get("max_bytes"))
    class_limit(parameters)


def check_categorical_features(value: Any) -> None:
    """Raise a ValueError unless a value may be that of `categorical_features`."""
    if value is None or (isinstance(value, str) and value == "from_dtype"):
        return
    good = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    entries = [e.item() if isinstance(e, np.generic) else e for e in value] if good else []
    if not good or not all(isinstance(e, str | int) for e in entries):
        raise ValueError(
            "categorical_features must be 'from_dtype', names, indexes, a mask or None, "
            f"got {value!r}"
        )
