"""Parse models and parameters from the command line: ``VFDT(tau=0.1)``, ``drift=DDM``.

No code is evaluated. A value is a literal, the name of a model or detector, or text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from riparian.cli.model_options import read_class_weight, read_costs, read_policy
from riparian.drift import DETECTORS
from riparian.errors import one_of
from riparian.models.other_names import CLASSES, NOT_NEEDED, PARAMETERS, nearest
from riparian.models.registry import MODELS
from riparian.models.unknown_parameters import hint
from riparian.policies import AXES

__all__ = ["make_model", "parse_assignments", "parse_model", "parse_value"]

_CALL = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_NAME = re.compile(r"[a-z]")  # the name of a policy, without quotes
_WORDS = {"true": True, "false": False, "none": None, "null": None}
#: The drift detectors by class name.
_DETECTORS = {cls.__name__: cls for cls in DETECTORS.values()}


def parse_model(text: str) -> Any:
    """Return the model that a text describes.

    Parameters
    ----------
    text : str
        The name of a model, with optional parameters in brackets: ``"VFDT(tau=0.1)"``.

    Returns
    -------
    model : StreamClassifier
        An unfitted model.

    Examples
    --------
    >>> parse_model("VFDT(leaf=adaptive, grace_period=100)")
    VFDT(grace_period=100, leaf='adaptive')
    >>> parse_model("AdaptiveRandomForest(estimator=VFDT(tau=0.1), drift=DDM)")
    AdaptiveRandomForest(drift=DDM(), estimator=VFDT(tau=0.1))
    >>> parse_model("VFTD")
    Traceback (most recent call last):
    ...
    ValueError: a model must be one of ..., got 'VFTD'; did you mean 'VFDT'?
    """
    match = _CALL.fullmatch(text)
    if match is None:
        raise ValueError(f"a model must be NAME or NAME(parameter=value, ...), got {text!r}")
    name, arguments = match.groups()
    if name in CLASSES:
        raise ValueError(f"there is no model {name}; {nearest(name)}")
    return _make(MODELS[one_of("a model", name, MODELS)], arguments or "")


def parse_assignments(
    name: str, known: Sequence[str], texts: Sequence[str], *, labels_as_text: bool = False
) -> dict[str, Any]:
    """Return the parameters that texts such as ``n_estimators=5`` set.

    Parameters
    ----------
    name : str
        Name of the model or detector, for error messages.
    known : sequence of str
        The parameters that it accepts.
    texts : sequence of str
        One assignment each. Hyphens in a parameter's name count as underscores.
    labels_as_text : bool, default=False
        Whether labels in costs are text even if all of them look like whole numbers.

    Examples
    --------
    >>> known = ["tau", "leaf"]
    >>> parse_assignments("VFDT", known, ["tau=0.1", "leaf=majority,linear-units(step=0.01)"])
    {'tau': 0.1, 'leaf': ('majority', LinearUnits(step=0.01))}
    >>> parse_assignments("VFDT", known, ["taw=1"])
    Traceback (most recent call last):
    ...
    ValueError: a parameter of VFDT must be one of 'tau', 'leaf', got 'taw'; did you mean 'tau'?
    """
    found: dict[str, Any] = {}
    for text in texts:
        parameter, equals, value = text.partition("=")
        parameter = parameter.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"a parameter of {name} must be name=value, got {text.strip()!r}")
        axis = parameter.partition("__")[0]
        if axis == parameter or axis not in AXES or axis not in known:
            if name in MODELS and (parameter in PARAMETERS or parameter in NOT_NEEDED):
                instead = hint(MODELS[name], parameter, parse_value(value.strip()))
                raise ValueError(f"{name} has no parameter {parameter!r}{instead}")
            one_of(f"a parameter of {name}", parameter, known)
        if parameter in found:
            raise ValueError(f"parameter {parameter} of {name} is given twice")
        if parameter == "costs":
            found[parameter] = read_costs(value, as_text=labels_as_text)
        elif parameter == "class_weight":
            found[parameter] = read_class_weight(value, as_text=labels_as_text)
        elif parameter in AXES and _NAME.match(value.strip()):
            found[parameter] = read_policy(parameter, value.strip())
        else:
            found[parameter] = parse_value(value.strip())
    return found


def parse_value(text: str) -> Any:
    """Return the literal, model or detector that a text describes, or else the text itself.

    Examples
    --------
    >>> parse_value("0.6"), parse_value("sqrt"), parse_value("true"), parse_value("[1, 2]")
    (0.6, 'sqrt', True, [1, 2])
    >>> parse_value("DDM(warm_start=50)"), parse_value("HAT")
    (DDM(warm_start=50), HAT())
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    named: dict[str, Callable[..., Any]] = {**MODELS, **_DETECTORS}
    match = _CALL.fullmatch(text)
    if match is None or (match[1] not in named and match[2] is None):
        return text
    return _make(named[one_of("a model or detector", match[1], named)], match[2] or "")


def _make(cls: Callable[..., Any], arguments: str) -> Any:
    known = list(cls().get_params() if cls in _DETECTORS.values() else cls().get_params(deep=False))
    return make_model(cls, parse_assignments(cls.__name__, known, _split_arguments(arguments)))


def make_model(cls: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """Return a model with parameters of its own and of its policies (``bound__c``).

    Examples
    --------
    >>> make_model(MODELS["CTree"], {"bound__c": 0.5, "tau": 0.1})
    CTree(bound=ConfidencePractical(c=0.5), tau=0.1)
    """
    nested = {name: value for name, value in parameters.items() if "__" in name}
    model = cls(**{name: value for name, value in parameters.items() if name not in nested})
    return model.set_params(**nested) if nested else model


def _split_arguments(text: str) -> list[str]:
    """Split at commas that are not within brackets or quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    for i, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        depth += not quote and (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0 and not quote:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
