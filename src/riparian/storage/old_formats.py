"""Model files of older versions: parameters, values and a recipe that have other names now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riparian.policies import classes

__all__ = ["MOVED", "RENAMED_VALUES", "recipe_now", "translated", "with_renamed_values"]

#: Parameters of a tree that belong to a policy since format 5: the axis and the new name.
MOVED = {
    "n_intervals": ("statistics", "count"),
    "n_cuts": ("cuts", "count"),
    "equal_variance": ("cuts", "equal_variance"),
    "evaluator": ("impurity", "evaluator"),
    "holdout_examples": ("impurity", "holdout_examples"),
    "legacy_gain": ("impurity", "legacy_gain"),
    "confidence_c": ("bound", "c"),
    "confidence_form": ("bound", "form"),
    "pairing": ("bound", "pairing"),
    "idbd_theta": ("leaf", "meta_step"),
    "idbd_alpha": ("leaf", "step"),
    "drift_delta": ("adaptation", "drift_delta"),
    "switch_delta": ("adaptation", "switch_delta"),
    "switch_after": ("adaptation", "switch_after"),
    "bootstrap": ("adaptation", "bootstrap"),
    "reevaluate_every": ("adaptation", "every"),
    "option_delta": ("adaptation", "delta"),
    "max_options": ("adaptation", "max_paths"),
    "window": ("adaptation", "size"),
    "validity_period": ("adaptation", "validity_period"),
    "alt_test_period": ("adaptation", "test_period"),
    "alt_test_size": ("adaptation", "test_size"),
    "alt_prune_margin": ("adaptation", "prune_margin"),
    "archive_size": ("adaptation", "archive"),
    "dynamic_window": ("adaptation", "dynamic"),
    "max_window": ("adaptation", "max_size"),
    "window_hook": ("adaptation", "hook"),
}

_RENAMED = {"idbd": "linear-units"}

#: Values of parameters that had another name before the first release, in files of every format.
RENAMED_VALUES = {"runner_up": {"attribute": "feature"}}


def translated(parameters: Any) -> Any:
    """Return the same parameters, with those of a policy inside the policy.

    Examples
    --------
    >>> translated({"bound": "confidence-practical", "confidence_c": 0.5, "pairing": "paired"})
    {'bound': {'policy': 'confidence-practical', 'parameters': {'c': 0.5}}}
    """
    if not isinstance(parameters, dict):
        return parameters
    moved = {name: value for name, value in parameters.items() if name in MOVED}
    out = {name: value for name, value in parameters.items() if name not in MOVED}
    for name, value in out.items():
        if isinstance(value, dict) and set(value) == {"model", "parameters"}:
            out[name] = {**value, "parameters": translated(value["parameters"])}
    for axis in dict.fromkeys(axis for axis, _ in MOVED.values()):
        if axis in out:
            out[axis] = _with_own(axis, out[axis], moved)
    return out


def _with_own(axis: str, value: Any, moved: Mapping[str, Any]) -> Any:
    """Return a policy with those of the moved parameters that belong to it."""
    if isinstance(value, list):
        return [_with_own(axis, one, moved) for one in value]
    if not isinstance(value, str):  # a function
        return value
    name = _RENAMED.get(value, value)
    kind = classes(axis).get(name)
    own = {
        new: moved[old]
        for old, (place, new) in MOVED.items()
        if place == axis and old in moved and kind is not None and new in kind.parameters
    }
    return {"policy": name, "parameters": own} if own else name


def with_renamed_values(parameters: Any) -> Any:
    """Return the same parameters, with the names that their values have now.

    Examples
    --------
    >>> with_renamed_values({"runner_up": "attribute", "tau": 0.05})
    {'runner_up': 'feature', 'tau': 0.05}
    """
    if not isinstance(parameters, dict):
        return parameters
    out = dict(parameters)
    for name, value in out.items():
        if isinstance(value, dict) and set(value) == {"model", "parameters"}:
            out[name] = {**value, "parameters": with_renamed_values(value["parameters"])}
        elif isinstance(value, str):
            out[name] = RENAMED_VALUES.get(name, {}).get(value, value)
    return out


def recipe_now(recipe: str, parameters: Mapping[str, Any]) -> str:
    """Return the recipe that has these parameters now.

    Examples
    --------
    >>> recipe_now("StreamTree", {"runner_up": "feature"})
    'HoeffdingTree'
    >>> recipe_now("StreamForest", {"n_estimators": 10})
    'Forest'
    """
    # An earlier StreamTree compared the two best features.
    if recipe == "StreamTree" and parameters.get("runner_up") == "feature":
        return "HoeffdingTree"
    # In an earlier StreamForest all members were of one kind.
    if recipe == "StreamForest" and "last_member" not in parameters:
        return "Forest"
    return recipe
