"""Policies: the values of the axes, with their parameters."""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from riparian import _core
from riparian.errors import one_of
from riparian.policies.parameter import Parameter

__all__ = [
    "AXES",
    "Policy",
    "changed",
    "classes",
    "is_own_leaf",
    "make_policy",
    "names",
    "parse",
    "publish",
    "resolve",
    "shortest",
]

#: The axes, and the module of each.
AXES: dict[str, str] = {
    "statistics": "riparian.statistics",
    "cuts": "riparian.cuts",
    "impurity": "riparian.impurities",
    "bound": "riparian.bounds",
    "leaf": "riparian.leaves",
    "adaptation": "riparian.adaptation",
}

#: Axes that also accept a callable.
_ACCEPT_FUNCTIONS = ("impurity", "bound")


class Policy:
    """Base class of the policies: a value of an axis, with its parameters.

    Policies are immutable. Two policies are equal if their classes and parameters are. They print
    as the expression that creates them. A model also accepts the name of a policy,
    ``bound="hoeffding"``, which stands for its defaults.
    """

    axis: ClassVar[str]
    name: ClassVar[str]
    about: ClassVar[str]
    parameters: ClassVar[dict[str, Parameter]]
    #: The declaration of the core.
    declared: ClassVar[Mapping[str, Any]]

    def __init__(self, *positional: Any, **given: Any) -> None:
        if positional:
            kind, first = type(self).__name__, next(iter(self.parameters), None)
            raise TypeError(
                f"{kind}() accepts parameters by name only, such as {kind}({first}="
                f"{positional[0]!r})"
                if first
                else f"{kind}() has no parameters"
            )
        for name in given:
            if name not in self.parameters:
                near = difflib.get_close_matches(name, self.parameters, n=1)
                raise TypeError(
                    f"{type(self).__name__}() got an unexpected keyword argument {name!r}"
                    + (f"; did you mean {near[0]!r}?" if near else "")
                )
        values = {p.name: given.get(p.name, p.default) for p in self.parameters.values()}
        self.__dict__.update(values)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn's estimators do."""
        return dict(self.__dict__)

    def replace(self, **changes: Any) -> Self:
        """Return a copy of the policy with some parameters changed."""
        return type(self)(**{**self.__dict__, **changes})

    def as_dict(self) -> dict[str, Any]:
        """Return the name and all parameters as a dict."""
        return {"policy": self.name, "parameters": self.get_params()}

    def checked(self, axis: str) -> tuple[str, dict[str, Any]]:
        """Check all parameters, and return the name and the values for the core."""
        values = {
            p.name: p.check(f"{axis}__{p.name}", self.__dict__[p.name])
            for p in self.parameters.values()
        }
        return self.name, values

    @property
    def is_default(self) -> bool:
        """Whether all parameters have their defaults, so that the name is enough."""
        return all(
            type(self.__dict__[p.name]) is type(p.default) and self.__dict__[p.name] == p.default
            for p in self.parameters.values()
        )

    def __sklearn_clone__(self) -> Self:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise self._immutable(name)

    def __delattr__(self, name: str) -> None:
        raise self._immutable(name)

    def _immutable(self, name: str) -> AttributeError:
        return AttributeError(
            f"{type(self).__name__} cannot be changed; create another one, or set "
            f"{self.axis}__{name} of the model"
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        given = [
            f"{p.name}={self.__dict__[p.name]!r}"
            for p in self.parameters.values()
            if self.__dict__[p.name] != p.default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.axis, self.name, dict(self.__dict__))


def _unpickle(axis: str, name: str, values: Mapping[str, Any]) -> Policy:
    return classes(axis)[name](**values)


@functools.cache
def classes(axis: str) -> dict[str, type[Policy]]:
    """Return the policy classes of an axis by name."""
    return {d["name"]: _make_class(axis, d) for d in _core.policies()[axis]}


def names(axis: str) -> list[str]:
    """Return the names of the policies of an axis, in the order of the core."""
    return list(classes(axis))


def _make_class(axis: str, declared: Mapping[str, Any]) -> type[Policy]:
    parameters = {d["name"]: Parameter.of(d) for d in declared["parameters"]}
    kind = declared["type_name"] or "".join(w.title() for w in declared["name"].split("-"))
    described = "".join(
        f"    {p.name} : {p.type_text}, default={p.default!r}\n        {p.help}\n"
        for p in parameters.values()
    )
    signature = inspect.Signature(
        [
            inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default)
            for p in parameters.values()
        ]
    )
    doc = declared["about"] + (
        f"\n\n    Parameters\n    ----------\n{described}    " if described else ""
    )
    return type(
        kind,
        (Policy,),
        {
            "__module__": AXES[axis],
            "__doc__": doc,
            "__signature__": signature,
            "axis": axis,
            "name": declared["name"],
            "about": declared["about"],
            "parameters": parameters,
            "declared": declared,
        },
    )


def make_policy(axis: str, name: str, **parameters: Any) -> Policy:
    """Return the policy with a name and parameters.

    Examples
    --------
    >>> make_policy("leaf", "linear-units", step=0.003)
    LinearUnits(step=0.003)
    """
    return classes(axis)[one_of(axis, name, names(axis))](**parameters)


def publish(axis: str, module: dict[str, Any]) -> None:
    """Add the policy classes of an axis to the globals and the ``__all__`` of a module."""
    by_name = {cls.__name__: cls for cls in classes(axis).values()}
    module.update(by_name)
    module["__all__"] = sorted({*module.get("__all__", ()), *by_name})


def resolve(axis: str, value: Any) -> Any:
    """Return the policy for a value of an axis.

    Parameters
    ----------
    axis : str
        The axis, such as ``"bound"``.
    value : str, Policy or callable
        A name, a policy, or a callable if the axis accepts one. For ``"leaf"`` also an object of
        the user (:mod:`riparian.leaves`), or a sequence.

    Returns
    -------
    policy : Policy or callable
        The policy; a callable is returned unchanged. For ``"leaf"`` a tuple of policies.

    Examples
    --------
    >>> resolve("bound", "hoeffding")
    Hoeffding()
    >>> resolve("leaf", ["majority", "naive-bayes"])
    (Majority(), NaiveBayes())
    """
    if axis == "leaf":
        return _resolve_leaf(value)
    return _resolve_one(axis, value)


def _resolve_one(axis: str, value: Any) -> Any:
    if isinstance(value, Policy):
        if value.axis != axis:
            raise ValueError(f"{axis} must be a policy of {AXES[axis]}, got {value!r}")
        return value
    if isinstance(value, type) and issubclass(value, Policy):
        raise ValueError(
            f"{axis} must be an instance of a policy, got the class {value.__name__}; use "
            f"{value.__name__}()"
        )
    if axis in _ACCEPT_FUNCTIONS and callable(value):
        return value
    if axis == "leaf" and is_own_leaf(value):
        from riparian.policies.own_leaf import OwnLeaf

        return OwnLeaf(value)
    return classes(axis)[one_of(axis, value, names(axis))]()


def is_own_leaf(value: object) -> bool:
    """Return whether a value is a leaf predictor of a user, or a class of them.

    It has ``learn`` and ``predict_proba``.
    """
    return (
        not isinstance(value, Policy)
        and callable(getattr(value, "learn", None))
        and callable(getattr(value, "predict_proba", None))
    )


def _resolve_leaf(value: Any) -> tuple[Policy, ...]:
    if isinstance(value, str | Policy) or not isinstance(value, Sequence):
        return (_resolve_one("leaf", value),)
    if len(value) == 0:
        listed = ", ".join(map(repr, names("leaf")))
        raise ValueError(f"leaf must be one of {listed}, or several of them")
    found = tuple(_resolve_one("leaf", one) for one in value)
    given = [leaf.name for leaf in found]
    if len(given) > 1 and "adaptive" in given:
        raise ValueError(
            "'adaptive' cannot be combined with other leaf predictors; use 'majority' and "
            f"'naive-bayes' instead, got leaf={value!r}"
        )
    if len(set(given)) < len(given):
        raise ValueError(f"leaf must not contain a predictor twice, got {value!r}")
    return found


def shortest(value: Any) -> Any:
    """Return the shortest form of a policy: its name if it has the default parameters.

    Examples
    --------
    >>> shortest(resolve("bound", "hoeffding"))
    'hoeffding'
    >>> shortest(resolve("leaf", ["majority"]))
    'majority'
    """
    if isinstance(value, Policy):
        return value.name if value.is_default else value
    if isinstance(value, tuple) and value and all(isinstance(v, Policy) for v in value):
        return shortest(value[0]) if len(value) == 1 else tuple(map(shortest, value))
    return value


def changed(axis: str, value: Any, changes: Mapping[str, Any]) -> Any:
    """Return the value of an axis with some parameters of its policy changed.

    Examples
    --------
    >>> changed("bound", "confidence-practical", {"c": 0.05})
    ConfidencePractical(c=0.05)
    """
    found = resolve(axis, value)
    policies = found if isinstance(found, tuple) else (found,)
    for name in changes:
        if not any(isinstance(p, Policy) and name in p.parameters for p in policies):
            known = [n for p in policies if isinstance(p, Policy) for n in p.parameters]
            valid = (
                f"valid parameters are {', '.join(map(repr, known))}"
                if known
                else "it has no parameters"
            )
            raise ValueError(f"Invalid parameter {name!r} for {axis}={value!r}; {valid}")
    replaced = tuple(
        p.replace(**{k: v for k, v in changes.items() if k in p.parameters})
        if isinstance(p, Policy)
        else p
        for p in policies
    )
    return replaced if len(replaced) > 1 else replaced[0]


def parse(axis: str, text: str) -> Any:
    """Parse a policy from text: a name, with optional parameters in parentheses.

    Examples
    --------
    >>> parse("bound", "confidence-practical(c=0.05)")
    ConfidencePractical(c=0.05)
    >>> parse("leaf", "majority, linear-units(step=0.003)")
    ('majority', LinearUnits(step=0.003))
    """
    parts = re.findall(r"[^,()]+(?:\([^()]*\)\s*)?", text)
    if not parts or ",".join(parts) != text:
        raise ValueError(
            f"{axis} must be a name, or a name with parameters such as "
            f"'name(parameter=value)', got {text!r}"
        )
    found = tuple(_parse_one(axis, part.strip()) for part in parts)
    if len(found) > 1 and axis != "leaf":
        raise ValueError(f"{axis} must be one policy, got {text!r}")
    return found if len(found) > 1 else found[0]


def _parse_one(axis: str, text: str) -> Any:
    name, _, rest = text.partition("(")
    name = one_of(axis, name.strip(), names(axis))
    if not rest:
        return name
    kind = classes(axis)[name]
    given: dict[str, Any] = {}
    for pair in rest.rstrip().removesuffix(")").split(","):
        if not pair.strip():
            continue
        parameter, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(
                f"{axis} must have the form {name}(parameter=value), got {pair.strip()!r}"
            )
        known = one_of(f"{axis}: a parameter of {name}", parameter.strip(), kind.parameters)
        if known in given:
            raise ValueError(f"{axis}: parameter {known} of {name} is given twice")
        given[known] = _literal(value.strip())
    return kind(**given)


def _literal(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
