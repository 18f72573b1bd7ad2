"""Models, detectors and values as they are written in a shell: ``VFDT(tau=0.1)``, ``drift=DDM``.

Nothing is evaluated: a value is a literal, a name that the package knows, or a text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from riparian.drift import DETECTORS
from riparian.errors import one_of
from riparian.models import MODELS
from riparian.options import read_costs, read_policy
from riparian.policies import AXES

__all__ = ["assigned", "model_of", "value_of", "with_parameters"]

_CALL = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_NAME = re.compile(r"[a-z]")  # a policy is written by its name, without quotes
_WORDS = {"true": True, "false": False, "none": None, "null": None}
#: Detectors under the names of their classes.
_DETECTORS = {cls.__name__: cls for cls in DETECTORS.values()}


def model_of(text: str) -> Any:
    """Give the model that a text names.

    Parameters
    ----------
    text : str
        A model's name; in brackets, its parameters as ``name=value``.

    Examples
    --------
    >>> model_of("VFDT(leaf=adaptive, grace_period=100)")
    VFDT(grace_period=100, leaf='adaptive')
    >>> model_of("AdaptiveRandomForest(estimator=VFDT(tau=0.1), drift=DDM)")
    AdaptiveRandomForest(drift=DDM(), estimator=VFDT(tau=0.1))
    >>> model_of("VFTD")
    Traceback (most recent call last):
    ...
    ValueError: a model must be one of 'HoeffdingTree', ..., got 'VFTD'; did you mean 'VFDT'?
    """
    match = _CALL.fullmatch(text)
    if match is None:
        raise ValueError(f"a model is written NAME or NAME(parameter=value, ...), got {text!r}")
    name, inside = match.groups()
    return _made(MODELS[one_of("a model", name, MODELS)], inside or "")


def assigned(
    name: str, known: Sequence[str], texts: Sequence[str], *, labels_as_text: bool = False
) -> dict[str, Any]:
    """Parameters of a model from texts such as ``n_estimators=5``.

    Parameters
    ----------
    name : str
        Whose they are, for errors.
    known : sequence of str
        The parameters that it has.
    texts : sequence of str
        One for each that is set; a hyphen is as good as an underscore.
    labels_as_text : bool, default=False
        Whether labels in costs are text even where all of them look like whole numbers.

    Examples
    --------
    >>> assigned("VFDT", ["tau", "leaf"], ["tau=0.1", "leaf=majority,linear-units(step=0.01)"])
    {'tau': 0.1, 'leaf': ('majority', LinearUnits(step=0.01))}
    >>> assigned("VFDT", ["tau", "leaf"], ["taw=1"])
    Traceback (most recent call last):
    ...
    ValueError: a parameter of VFDT must be one of 'tau', 'leaf', got 'taw'; did you mean 'tau'?
    """
    found: dict[str, Any] = {}
    for text in texts:
        parameter, equals, value = text.partition("=")
        parameter = parameter.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"{text.strip()!r} must be parameter=value, for {name}")
        axis = parameter.partition("__")[0]
        if axis == parameter or axis not in AXES or axis not in known:
            one_of(f"a parameter of {name}", parameter, known)
        if parameter in found:
            raise ValueError(f"{parameter} is given twice, for {name}")
        if parameter == "costs":
            found[parameter] = read_costs(value, as_text=labels_as_text)
        elif parameter in AXES and _NAME.match(value.strip()):
            found[parameter] = read_policy(parameter, value.strip())
        else:
            found[parameter] = value_of(value.strip())
    return found


def value_of(text: str) -> Any:
    """The value that a text means.

    Examples
    --------
    >>> value_of("0.6"), value_of("sqrt"), value_of("true"), value_of("[1, 2]")
    (0.6, 'sqrt', True, [1, 2])
    >>> value_of("DDM(warm_start=50)"), value_of("HAT")
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
    return _made(named[one_of("a model or detector", match[1], named)], match[2] or "")


def _made(cls: Callable[..., Any], inside: str) -> Any:
    known = list(cls().get_params() if cls in _DETECTORS.values() else cls().get_params(deep=False))
    return with_parameters(cls, assigned(cls.__name__, known, _parts(inside)))


def with_parameters(cls: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """A model with these parameters, of which some may be those of its policies.

    Examples
    --------
    >>> with_parameters(MODELS["CTree"], {"bound__c": 0.5, "tau": 0.1})
    CTree(bound=ConfidencePractical(c=0.5), tau=0.1)
    """
    nested = {name: value for name, value in parameters.items() if "__" in name}
    made = cls(**{name: value for name, value in parameters.items() if name not in nested})
    return made.set_params(**nested) if nested else made


def _parts(inside: str) -> list[str]:
    """Split at commas that are not within brackets or quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    for i, sign in enumerate(inside):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        depth += not quote and (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0 and not quote:
            parts.append(inside[start:i])
            start = i + 1
    parts.append(inside[start:])
    return [part for part in parts if part.strip()]
