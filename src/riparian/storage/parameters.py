"""The recipe and the parameters of a model in the JSON of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from riparian.data.class_weights import class_weights
from riparian.data.costs import cost_pairs
from riparian.data.values import label_of
from riparian.drift import DETECTORS, Detector
from riparian.errors import ModelFileError
from riparian.policies import AXES, Policy, classes, is_own_leaf
from riparian.policies.callables import importable_name
from riparian.policies.objects import is_own_object
from riparian.policies.own_leaf import OwnLeaf
from riparian.storage.old_formats import recipe_now, with_renamed_values
from riparian.storage.values import value_from_json, value_to_json

if TYPE_CHECKING:
    from riparian.models.base import StreamClassifier

#: Parameters that are left out of a header if they have these values.
_LATER = {"class_weight": None, "last_member": None, "vote_memory": None, "vote_power": 1}

__all__ = ["functions_of", "model_from_json", "model_name", "parameters_to_json"]


def model_name(model: StreamClassifier[Any]) -> str:
    from riparian.models.registry import MODELS

    return next(cls.__name__ for cls in type(model).__mro__ if cls.__name__ in MODELS)


def parameters_to_json(parameters: Mapping[str, Any], below: str = "") -> dict[str, Any]:
    """Return the parameters of a header; `below` is the prefix of their names in messages."""
    return {
        name: _plain(f"{below}{name}", value)
        for name, value in sorted(parameters.items())
        # Files without these parameters are those of versions that did not have them.
        if name not in _LATER or value != _LATER[name]
    }


def _plain(name: str, value: Any) -> Any:
    """Return a parameter as JSON can hold it."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(name, v) for v in value]
    if isinstance(value, OwnLeaf):
        return {"policy": value.name, "parameters": {"predictor": _plain(name, value.predictor)}}
    if isinstance(value, Policy):
        values = {k: _plain(f"{name}__{k}", v) for k, v in sorted(value.__dict__.items())}
        return {"policy": value.name, "parameters": values}
    if isinstance(value, Detector):
        return {"detector": value._name, "parameters": value.get_params()}
    if isinstance(value, BaseEstimator):  # the estimator of a forest
        axes = value._axes()
        return {
            "model": model_name(value),
            "parameters": parameters_to_json(axes, f"{name}__"),
        }
    if isinstance(value, Mapping) and name == "class_weight":
        weights = class_weights(value).items()
        return {"weights": [[value_to_json(label), weight] for label, weight in weights]}
    if isinstance(value, Mapping):  # costs
        return {
            "pairs": [
                [value_to_json(predicted), value_to_json(true), cost]
                for (predicted, true), cost in cost_pairs(value).items()
            ]
        }
    if callable(value) or is_own_object(value):
        own = is_own_object(value)
        kind = "class" if own else "function"
        known = importable_name(type(value) if own else value)
        if known is None:
            raise TypeError(
                f"parameter {name}={value!r} cannot be saved: a model file holds the name of a "
                f"{kind}, and this one cannot be imported by its name; define it in a module"
            )
        return {"object" if own else "function": known}
    raise TypeError(f"parameter {name}={value!r} cannot be saved in a model file")


def model_from_json(
    recipe: Any, parameters: Any, functions: Mapping[str, Any], below: str = ""
) -> StreamClassifier[Any]:
    """Make the unfitted model of a header; `below` is the prefix of its functions' names."""
    from riparian.models.registry import MODELS

    if not isinstance(recipe, str) or recipe not in MODELS:
        raise ModelFileError(f"unknown recipe {recipe!r}")
    if not isinstance(parameters, dict):
        raise ModelFileError("unknown parameters")
    parameters = with_renamed_values(parameters)
    axes = _with_functions(_from_plain(parameters, functions, below), functions, below)
    return MODELS[recipe_now(recipe, parameters)]._from_axes(axes)


def _from_plain(
    parameters: Mapping[str, Any], functions: Mapping[str, Any], below: str
) -> dict[str, Any]:
    out = dict(parameters)
    for name, value in out.items():
        if not isinstance(value, dict):
            continue
        if set(value) == {"policy", "parameters"}:
            out[name] = _policy_from_plain(name, value, functions, below)
        elif set(value) == {"detector", "parameters"}:
            kind = DETECTORS.get(value["detector"])
            if kind is None or not isinstance(value["parameters"], dict):
                raise ModelFileError(f"unknown detector {value['detector']!r}")
            out[name] = kind(**value["parameters"])
        elif set(value) == {"model", "parameters"}:
            inner = value["parameters"]
            if isinstance(inner, dict) and inner.get("estimator") is not None:
                raise ModelFileError("a member of a forest cannot be a forest")
            out[name] = model_from_json(value["model"], inner, functions, f"{name}__")
    if isinstance(out.get("leaf"), list):
        out["leaf"] = tuple(
            _policy_from_plain("leaf", one, functions, below) if isinstance(one, dict) else one
            for one in out["leaf"]
        )
    weights = out.get("class_weight")
    if isinstance(weights, dict):
        out["class_weight"] = {
            label_of(value_from_json(label)): weight for label, weight in weights["weights"]
        }
    costs = out.get("costs")
    if isinstance(costs, dict):
        out["costs"] = {
            (label_of(value_from_json(predicted)), label_of(value_from_json(true))): cost
            for predicted, true, cost in costs["pairs"]
        }
    return out


def _policy_from_plain(
    axis: str, value: Mapping[str, Any], functions: Mapping[str, Any], below: str
) -> Policy:
    kinds = classes(axis) if axis in AXES else {}
    if axis == "leaf" and value.get("policy") == OwnLeaf.name:
        named = value.get("parameters")
        if not (isinstance(named, dict) and set(named) == {"predictor"}):
            raise ModelFileError("unknown parameters of a leaf predictor")
        found = _with_functions({"leaf": named["predictor"]}, functions, below)["leaf"]
        if not is_own_leaf(found):
            raise ModelFileError("a leaf predictor that has no name")
        return OwnLeaf(found)
    if value.get("policy") not in kinds or not isinstance(value.get("parameters"), dict):
        raise ModelFileError(f"unknown policy {value.get('policy')!r} for {axis}")
    kind = kinds[value["policy"]]
    if set(value["parameters"]) - set(kind.parameters):
        raise ModelFileError(f"unknown parameters of {kind.__name__}")
    values = dict(value["parameters"])
    return kind(**_with_functions(values, functions, f"{below}{axis}__"))


def _with_functions(
    parameters: dict[str, Any], functions: Mapping[str, Any], below: str
) -> dict[str, Any]:
    """Replace names of functions by the functions that the caller passed."""
    for name, value in parameters.items():
        if not (isinstance(value, dict) and set(value) in ({"function"}, {"object"})):
            continue
        key = below + name
        ((kind, known),) = value.items()
        if key not in functions:
            what = "this function" if kind == "function" else "such an object"
            raise ModelFileError(
                f"the model was made with {key}={known}; pass {what}: "
                f"load(path, functions={{{key!r}: ...}})"
            )
        if kind == "function" and not callable(functions[key]):
            raise ModelFileError(f"functions[{key!r}] must be callable")
        if kind == "object" and not is_own_object(functions[key]):
            raise ModelFileError(f"functions[{key!r}] must be an object of the class {known}")
        parameters[name] = functions[key]
    return parameters


def functions_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the functions among parameters, by the names that :func:`load` accepts."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, BaseEstimator):
            found |= {f"{name}__{k}": f for k, f in functions_of(value._axes()).items()}
        elif isinstance(value, Detector):
            continue
        elif callable(value) or is_own_object(value):
            found[name] = value
        elif isinstance(value, Policy | tuple):
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, OwnLeaf):
                    found[name] = one.predictor
                elif isinstance(one, Policy):
                    found |= {f"{name}__{k}": f for k, f in one.__dict__.items() if callable(f)}
    return found
