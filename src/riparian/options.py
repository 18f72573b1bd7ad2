"""The options of ``riparian run`` that set a model's parameters: one table, no heavy imports."""

from __future__ import annotations

import csv
import functools
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

__all__ = [
    "MODEL_GROUPS",
    "given_parameters",
    "options",
    "read_costs",
    "read_policy",
    "with_options",
    "written",
]

#: The names in `riparian.models.MODELS`, known here without importing it; a test compares them.
MODEL_GROUPS: dict[str, tuple[str, ...]] = {
    "trees": (
        "StreamTree",
        "HoeffdingTree",
        "CTree",
        "CorrHTree",
        "CorrectedVFDT",
        "DsCART",
        "HoeffdingOptionTree",
        "HybridTree",
        "MDT",
        "McDiarmidTree",
        "MisclassificationTree",
        "NIP",
        "VFDT",
        "VFDTc",
    ),
    "trees that follow change": ("CVFDT", "EFDT", "HAT", "UCVFDT"),
    "forests": (
        "StreamForest",
        "Forest",
        "AccuracyWeightedEnsemble",
        "AdaptiveRandomForest",
        "LeveragingBagging",
        "OnlineBagging",
        "StreamingRandomPatches",
        "UFFT",
    ),
    "trees that restructure": ("ID3", "ID3Prime", "ID4", "ID5R", "ITI"),
    "a tree that learns by gradient": ("OADT",),
}

_TYPES = {"truth": bool, "whole": int, "number": float, "probability": float}

#: What the parameters of a tree that the core does not declare are for.
_OTHERS: dict[str, tuple[type, str]] = {
    "costs": (
        str,
        'What each error costs: a JSON file or JSON itself, {"predicted,true": cost} or a '
        "matrix [predicted][true] with the classes in the order they come. Predictions are the "
        "cheapest; splits count costs with impurity loss.",
    ),
    "random_state": (int, "Seed of the bootstrap and of leaf_features.  [default: 0]"),
    "leaf_features": (str, "How many features a leaf draws: 3, 0.6 of them or sqrt."),
    "max_bytes": (str, "Most memory of the model, such as 10MB or 512KiB."),
}

_ABOUT = {
    "statistics": "What a leaf keeps of numbers",
    "cuts": "Numeric cuts",
    "impurity": "Whose reduction is the gain",
    "bound": "How far a gain may be off",
    "leaf": "What a leaf predicts with; several with commas give the best of them",
    "adaptation": "How the tree follows change",
}


@functools.cache
def options() -> dict[str, tuple[type, str]]:
    """The options of a tree, with type and help, in the order of ``riparian run --help``.

    They come from what the core declares. A policy is a name, or a name with parameters.
    """
    from riparian import _core

    found: dict[str, tuple[type, str]] = {}
    policies = _core.policies()
    for axis, about in _ABOUT.items():
        names = ", ".join(written(policy) for policy in policies[axis])
        found[axis] = (str, f"{about}: {names}.")
    for parameter in _core.tree_parameters()["parameters"]:
        kind = _TYPES.get(parameter["kind"], str)
        choices = ", ".join(parameter["choices"])
        found[parameter["name"]] = (kind, parameter["help"] + (f" {choices}." if choices else ""))
    return found | _OTHERS


def written(policy: Mapping[str, Any]) -> str:
    """A policy with its parameters, as the command line reads it."""
    inside = ", ".join(
        f"{p['name']}={p['default']:g}"
        if isinstance(p["default"], float)
        else f"{p['name']}={p['default']}"
        for p in policy["parameters"]
        if p["kind"] != "function"
    )
    return f"{policy['name']}({inside})" if inside else str(policy["name"])


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` an option for each parameter, which it gets as ``**given``."""
    signature = inspect.signature(command)
    hints = typing.get_type_hints(command, include_extras=True)
    parameters = [
        p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for p in signature.parameters.values()
        if p.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    for name, (kind, text) in options().items():
        taken = Annotated[kind | None, typer.Option(help=text)]  # type: ignore[valid-type]
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=taken)
        )
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def given_parameters(given: dict[str, Any], *, labels_as_text: bool) -> dict[str, Any]:
    """The parameters that were given, as a library user would write them."""
    from riparian.policies import AXES

    found: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, float) and value.is_integer():
            found[name] = int(value)  # 200, as it was written
        elif name == "costs" and value is not None:
            found[name] = read_costs(value, as_text=labels_as_text)
        elif name in AXES and value is not None:
            found[name] = read_policy(name, value)
        elif name == "leaf_features" and value is not None:
            found[name] = _features(value)
        elif value is not None:
            found[name] = value
    return found


def read_policy(axis: str, text: str) -> Any:
    """A policy from text: a name, or a name with parameters; several for ``leaf``.

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


def _features(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_costs(text: str, *, as_text: bool = False) -> Any:
    """Costs from JSON or from a file of it.

    Parameters
    ----------
    text : str
        An object or a matrix in JSON, or the path of a file that holds one.
    as_text : bool
        Whether labels are text even where all of them look like whole numbers.

    Examples
    --------
    >>> read_costs('{"calm,flood": 20, "flood,calm": 1}')
    {('calm', 'flood'): 20, ('flood', 'calm'): 1}
    >>> read_costs('{"0,1": 5}'), read_costs("[[0, 5], [1, 0]]")
    ({(0, 1): 5}, [[0, 5], [1, 0]])
    """
    if not text.lstrip().startswith(("{", "[")):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"costs must be JSON: {error}") from None
    if not isinstance(found, dict):
        return found
    pairs = {key: next(csv.reader([key], skipinitialspace=True), []) for key in found}
    for key, pair in pairs.items():
        if len(pair) != 2:
            raise ValueError(
                f'costs must have keys "predicted,true", got {key!r}; a label with a comma '
                "stands in double quotes"
            )
    # As the readers of files do: whole numbers if all are such, else text.
    integers = not as_text and all(_is_integer(label) for pair in pairs.values() for label in pair)
    return {(int(a), int(b)) if integers else (a, b): found[key] for key, (a, b) in pairs.items()}


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(text)) == text
