"""One value of an axis, with its parameters."""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

from riparian import _core
from riparian.errors import one_of
from riparian.policies.parameter import Parameter

__all__ = [
    "AXES",
    "Choice",
    "Policy",
    "changed",
    "classes",
    "make_policy",
    "names",
    "parse",
    "publish",
    "resolve",
    "shortest",
]

#: The axes, and the module with the classes of each.
AXES: dict[str, str] = {
    "statistics": "riparian.statistics",
    "cuts": "riparian.cuts",
    "impurity": "riparian.impurities",
    "bound": "riparian.bounds",
    "leaf": "riparian.leaves",
    "adaptation": "riparian.adaptation",
}

#: Axes that also accept a function of the user.
_ACCEPT_FUNCTIONS = ("impurity", "bound")


class Policy:
    """One value of an axis, with its parameters.

    Policies do not change. They are equal if all their parameters are, and print as they are
    written. A model accepts a policy by its name, ``bound="hoeffding"``, for its defaults.
    """

    axis: ClassVar[str]
    name: ClassVar[str]
    about: ClassVar[str]
    parameters: ClassVar[dict[str, Parameter]]
    #: All that the core declares of it.
    declared: ClassVar[Mapping[str, Any]]

    def __init__(self, *positional: Any, **given: Any) -> None:
        if positional:
            kind, first = type(self).__name__, next(iter(self.parameters), None)
            raise TypeError(
                f"{kind}() takes its parameters by name, such as {kind}({first}={positional[0]!r})"
                if first
                else f"{kind}() takes no parameters"
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
        """The parameters by their names, as scikit-learn wants them."""
        return dict(self.__dict__)

    def replace(self, **changes: Any) -> Self:
        """The same policy with other values of some parameters."""
        return type(self)(**{**self.__dict__, **changes})

    def as_dict(self) -> dict[str, Any]:
        """The policy as plain data: its name and all its parameters."""
        return {"policy": self.name, "parameters": self.get_params()}

    def checked(self, axis: str) -> tuple[str, dict[str, Any]]:
        """What the core accepts: the name and the values, each of them checked."""
        values = {
            p.name: p.check(f"{axis}__{p.name}", self.__dict__[p.name])
            for p in self.parameters.values()
        }
        return self.name, values

    @property
    def is_default(self) -> bool:
        """Whether every parameter has its default, so that the name alone is enough."""
        return all(
            type(self.__dict__[p.name]) is type(p.default) and self.__dict__[p.name] == p.default
            for p in self.parameters.values()
        )

    def __sklearn_clone__(self) -> Self:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise self._unchangeable(name)

    def __delattr__(self, name: str) -> None:
        raise self._unchangeable(name)

    def _unchangeable(self, name: str) -> AttributeError:
        return AttributeError(
            f"{type(self).__name__} cannot be changed; make another one, or set "
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
        return _rebuilt, (self.axis, self.name, dict(self.__dict__))


#: What a user may write for an axis: a name, a policy, or a function where that is possible.
Choice: TypeAlias = str | Policy | Callable[..., Any]


def _rebuilt(axis: str, name: str, values: Mapping[str, Any]) -> Policy:
    return classes(axis)[name](**values)


@functools.cache
def classes(axis: str) -> dict[str, type[Policy]]:
    """The classes of an axis, by the names that users write."""
    return {d["name"]: _made(axis, d) for d in _core.policies()[axis]}


def names(axis: str) -> list[str]:
    """The names of an axis, in the order of the core's list."""
    return list(classes(axis))


def _made(axis: str, declared: Mapping[str, Any]) -> type[Policy]:
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
    """The policy of this name, with these parameters.

    Examples
    --------
    >>> make_policy("leaf", "linear-units", step=0.003)
    LinearUnits(step=0.003)
    """
    return classes(axis)[one_of(axis, name, names(axis))](**parameters)


def publish(axis: str, module: dict[str, Any]) -> None:
    """Put the classes of an axis among the public names of a module, given as its globals."""
    made = {cls.__name__: cls for cls in classes(axis).values()}
    module.update(made)
    module["__all__"] = sorted({*module.get("__all__", ()), *made})


def resolve(axis: str, value: Any) -> Any:
    """The policy that `value` names or is; a function of the user stays what it is.

    The value of ``leaf`` may be several, and gives a tuple.

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
            f"{axis} must be a policy and not its class: write {value.__name__}(), "
            f"got {value.__name__}"
        )
    if axis in _ACCEPT_FUNCTIONS and callable(value):
        return value
    return classes(axis)[one_of(axis, value, names(axis))]()


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
            "leaf must not have 'adaptive' among several, which are chosen from as it does; "
            f"write 'majority' and 'naive-bayes', got {value!r}"
        )
    if len(set(given)) < len(given):
        raise ValueError(f"leaf must not name a predictor twice, got {value!r}")
    return found


def shortest(value: Any) -> Any:
    """A policy as a user would write it: its name, where it has its defaults.

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
    """What an axis is after some parameters of its policy were set.

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
            has = f"it has {', '.join(map(repr, known))}" if known else "it has none"
            raise ValueError(f"Invalid parameter {name!r} for {axis}={value!r}; {has}")
    replaced = tuple(
        p.replace(**{k: v for k, v in changes.items() if k in p.parameters})
        if isinstance(p, Policy)
        else p
        for p in policies
    )
    return replaced if len(replaced) > 1 else replaced[0]


def parse(axis: str, text: str) -> Any:
    """A policy as the command line reads it: a name, and parameters in parentheses.

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
            raise ValueError(f"{axis}: write {name}(parameter=value), got {pair.strip()!r}")
        known = one_of(f"{axis}: a parameter of {name}", parameter.strip(), kind.parameters)
        if known in given:
            raise ValueError(f"{axis}: {known} is given twice, for {name}")
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
