"""Every policy that the core declares, and values that its parameters may and may not have."""

from __future__ import annotations

import math
import re

import pytest

import riparian as rp
from riparian.impurities import Loss
from riparian.policies import AXES, classes

EVERY = [cls for axis in AXES for cls in classes(axis).values()]
WITH_PARAMETERS = [cls for cls in EVERY if cls.parameters]
PARAMETERS = [(cls, parameter) for cls in EVERY for parameter in cls.parameters.values()]
X, Y = [[0.0, 1.0], [1.0, 0.0]] * 5, [0, 1] * 5
COSTS = [[0.0, 1.0], [2.0, 0.0]]

every = pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
every_parameter = pytest.mark.parametrize(
    ("cls", "parameter"), PARAMETERS, ids=[f"{cls.__name__}-{p.name}" for cls, p in PARAMETERS]
)


def another(parameter):
    """A value that the parameter may have and that is not its default."""
    if parameter.kind == "truth":
        return not parameter.default
    if parameter.kind == "choice":
        return next(name for name in parameter.choices if name != parameter.default)
    if parameter.kind == "probability":
        return 0.25
    if parameter.kind == "function":
        return len
    if parameter.kind == "whole":
        return int(parameter.most) if parameter.default is None else parameter.default + 1
    return parameter.default + (parameter.most - parameter.default) / 1024


def variants(cls):
    """The policy with its defaults, with each parameter changed, and with all of them changed."""
    changed = {p.name: another(p) for p in cls.parameters.values()}
    return [cls(), *(cls(**{name: value}) for name, value in changed.items()), cls(**changed)]


def context(cls):
    """What else a tree needs to have this policy."""
    if cls is Loss:
        return {"costs": COSTS}
    serves = cls.declared["serves"]
    return {"impurity": "gini"} if serves and "entropy" not in serves else {}


def tree(policy, **parameters):
    return rp.HoeffdingTree(**context(type(policy)) | {policy.axis: policy} | parameters)


def refused(model, message):
    """Learning gives a ValueError that begins like this, and nothing was learned."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        model.partial_fit(X, Y)
    assert not model.__sklearn_is_fitted__()


def wrong_values(parameter):
    """Values that are just outside of what is declared, or of another type, with the rule."""
    least, most = parameter.least, parameter.most
    if parameter.kind == "number":
        rule = f"must be a number from {least:g} to {most:g}"
        outside = [math.nextafter(least, -math.inf), math.nextafter(most, math.inf)]
        yield from ((v, rule) for v in (*outside, math.nan, math.inf, -math.inf, "1", True))
    elif parameter.kind == "whole":
        rule = f"must be a whole number from {int(least):,} to {int(most):,}"
        yield from ((v, rule) for v in (int(least) - 1, int(most) + 1, least + 0.5, "1", True))
    elif parameter.kind == "probability":
        rule = "must be a probability between 0 and 1"
        yield from ((v, rule) for v in (0.0, 1.0, -0.1, 1e-301, math.nan, "0.1"))
    elif parameter.kind == "truth":
        yield from ((v, "must be True or False") for v in (0, 1, "true"))
    elif parameter.kind == "choice":
        listed = ", ".join(map(repr, parameter.choices))
        yield from ((v, f"must be one of {listed}") for v in ("", "nonsense", 1))
    else:
        yield from ((v, "must be callable or None") for v in (3, "len"))
    if not parameter.optional:
        yield None, "must be"
