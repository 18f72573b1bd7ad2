"""The options of ``riparian run`` that set the parameters of a model."""

from __future__ import annotations

import csv
import functools
import inspect
import json
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer

__all__ = [
    "options",
    "parse_parameters",
    "policy_names",
    "policy_text",
    "read_class_weight",
    "read_costs",
    "read_policy",
    "with_options",
]

_TYPES = {"truth": bool, "whole": int, "number": float, "probability": float}

#: Parameters of a tree that the core does not declare: type and help.
_OTHERS: dict[str, tuple[type, str]] = {
    "costs": (
        str,
        'Misclassification costs, as JSON or a JSON file: {"predicted,true": cost}, or a matrix '
        "[predicted][true] with the classes in order of appearance. The model predicts the class "
        "with the lowest expected cost. Splits use the costs only with impurity loss.",
    ),
    "class_weight": (
        str,
        'Weights of classes, as JSON or a JSON file: {"class": weight}. Other classes have weight '
        "1.",
    ),
    "random_state": (int, "Seed of the bootstrap and of leaf_features.  [default: 0]"),
    "leaf_features": (
        str,
        "Number of features that a leaf draws: a whole number, a fraction such as 0.6, or sqrt.",
    ),
    "max_bytes": (str, "Memory limit of the model, such as 10MB or 512KiB."),
    "date_parts": (
        str,
        "Parts of dates that become features too, comma-separated: year, month, day, weekday, "
        "dayofyear, hour, minute, second. The column when gives when.hour. Dates themselves are "
        "learned as seconds.",
    ),
    "max_categories": (
        int,
        "Largest number of categories of a feature; later ones share one.  [default: 1000]",
    ),
    "max_features": (
        int,
        "Largest number of features; later ones are ignored.  [default: 10000]",
    ),
    "max_classes": (int, "Largest number of classes; more are an error.  [default: 1000]"),
}

_AXIS_HELP = {
    "statistics": "Statistics of numeric features",
    "cuts": "Candidate cuts of numeric features",
    "impurity": "Impurity; the gain of a cut is its reduction",
    "bound": "Bound on the error of an estimated gain",
    "leaf": "Leaf predictor; of several, separated by commas, each leaf uses the best",
    "adaptation": "How the tree adapts to change",
}


@functools.cache
def options() -> dict[str, tuple[type, str]]:
    """Return the options of a tree, with type and help, in the order of ``riparian run --help``.

    The core declares them.
    """
    from riparian import _core

    table: dict[str, tuple[type, str]] = {
        axis: (str, f"{text}: {policy_names(axis)}.") for axis, text in _AXIS_HELP.items()
    }
    for parameter in _core.tree_parameters()["parameters"]:
        kind = _TYPES.get(parameter["kind"], str)
        choices = ", ".join(parameter["choices"])
        table[parameter["name"]] = (kind, parameter["help"] + (f" {choices}." if choices else ""))
    return table | _OTHERS


def policy_names(axis: str) -> str:
    """Return the policies of an axis with their parameters, separated by commas.

    Examples
    --------
    >>> policy_names("statistics")
    'gaussian, exhaustive, intervals(count=100), histogram(n_bins=64)'
    """
    from riparian import _core

    return ", ".join(policy_text(policy) for policy in _core.policies()[axis])


def policy_text(policy: Mapping[str, Any]) -> str:
    """Return a declared policy with its default parameters, as the command line accepts it."""
    parameters = ", ".join(
        f"{p['name']}={p['default']:g}"
        if isinstance(p["default"], float)
        else f"{p['name']}={p['default']}"
        for p in policy["parameters"]
        if p["kind"] != "function"
    )
    return f"{policy['name']}({parameters})" if parameters else str(policy["name"])


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each parameter of a tree to `command`, which gets them as ``**given``."""
    signature = inspect.signature(command)
    hints = typing.get_type_hints(command, include_extras=True)
    parameters = [
        p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for p in signature.parameters.values()
        if p.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    for name, (kind, text) in options().items():
        option = Annotated[kind | None, typer.Option(help=text)]  # type: ignore[valid-type]
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        )
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def parse_parameters(given: dict[str, Any], *, labels_as_text: bool) -> dict[str, Any]:
    """Return the options that were given as parameters of a model."""
    from riparian.policies import AXES

    parameters: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, float) and value.is_integer():
            parameters[name] = int(value)  # print 200, not 200.0
        elif name == "costs" and value is not None:
            parameters[name] = read_costs(value, as_text=labels_as_text)
        elif name == "class_weight" and value is not None:
            parameters[name] = read_class_weight(value, as_text=labels_as_text)
        elif name in AXES and value is not None:
            parameters[name] = read_policy(name, value)
        elif name == "date_parts" and value is not None:
            parameters[name] = [part.strip() for part in value.split(",") if part.strip()]
        elif name == "leaf_features" and value is not None:
            parameters[name] = _parse_leaf_features(value)
        elif value is not None:
            parameters[name] = value
    return parameters


def read_policy(axis: str, text: str) -> Any:
    """Return the policy that a text describes.

    Parameters
    ----------
    axis : str
        The axis, such as ``"bound"``.
    text : str
        A name, or a name with parameters in brackets. For ``"leaf"`` also several names, separated
        by commas.

    Examples
    --------
    >>> read_policy("leaf", "majority,naive-bayes")
    ('majority', 'naive-bayes')
    >>> read_policy("bound", "confidence-practical(c=0.05)")
    ConfidencePractical(c=0.05)
    """
    from riparian.policies import parse

    if "(" in text:
        return parse(axis, text)
    if axis == "leaf" and "," in text:
        return tuple(part.strip() for part in text.split(","))
    return text


def _parse_leaf_features(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_costs(text: str, *, as_text: bool = False) -> Any:
    """Read misclassification costs from JSON or from a JSON file.

    Parameters
    ----------
    text : str
        A JSON object or matrix, or the path of a file with one.
    as_text : bool, default=False
        Whether labels are text even if all of them look like whole numbers.

    Examples
    --------
    >>> read_costs('{"calm,flood": 20, "flood,calm": 1}')
    {('calm', 'flood'): 20, ('flood', 'calm'): 1}
    >>> read_costs('{"0,1": 5}'), read_costs("[[0, 5], [1, 0]]")
    ({(0, 1): 5}, [[0, 5], [1, 0]])
    """
    costs = _read_json("costs", text)
    if not isinstance(costs, dict):
        return costs
    pairs = {key: next(csv.reader([key], skipinitialspace=True), []) for key in costs}
    for key, pair in pairs.items():
        if len(pair) != 2:
            raise ValueError(
                f'costs must have keys "predicted,true", got {key!r}; put a label with a comma in '
                "double quotes"
            )
    integers = _are_numbers((one for pair in pairs.values() for one in pair), as_text=as_text)
    return {(int(a), int(b)) if integers else (a, b): costs[key] for key, (a, b) in pairs.items()}


def read_class_weight(text: str, *, as_text: bool = False) -> Any:
    """Read weights of classes from JSON or from a JSON file.

    Parameters
    ----------
    text : str
        A JSON object, or the path of a file with one.
    as_text : bool, default=False
        Whether labels are text even if all of them look like whole numbers.

    Examples
    --------
    >>> read_class_weight('{"flood": 20}'), read_class_weight('{"1": 5}')
    ({'flood': 20}, {1: 5})
    """
    weights = _read_json("class_weight", text)
    if not isinstance(weights, dict) or not _are_numbers(weights, as_text=as_text):
        return weights
    return {int(label): weight for label, weight in weights.items()}


def _read_json(name: str, text: str) -> Any:
    """Return the value of JSON, or of a JSON file."""
    if not text.lstrip().startswith(("{", "[")):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} must be JSON: {error}") from None


def _are_numbers(labels: Iterable[str], *, as_text: bool) -> bool:
    """Whether labels are whole numbers, by the rule for the labels of a file: if all are such."""
    from riparian.data.values import is_whole_number

    return not as_text and all(map(is_whole_number, labels))
