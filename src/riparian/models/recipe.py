"""Recipes: published algorithms, declared as choices of a free composition."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator

from riparian.errors import one_of
from riparian.policies import AXES, Policy, classes, resolve, shortest

__all__ = ["Recipe", "document", "initializer", "same_value"]


@dataclass(frozen=True)
class Recipe:
    """What a recipe fixes and what it leaves open.

    Attributes
    ----------
    fixes : mapping
        Parameters that the algorithm prescribes; the recipe does not accept them.
    defaults : mapping
        Parameters that it accepts with a default of its own.
    takes : sequence of str
        Further parameters that it accepts, with the defaults of the free composition.
    allows : mapping
        For an axis, the policies that the algorithm allows, each with the parameters that follow
        from it. The first one is the default. A name means the policy as it is written here.
    """

    fixes: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    takes: Iterable[str] = ()
    allows: Mapping[str, Mapping[Any, Mapping[str, Any]]] = field(default_factory=dict)

    def taken(self, free: Mapping[str, Any], always: Iterable[str]) -> dict[str, Any]:
        """Return the parameters that it accepts with their defaults, its own ones first.

        `free` has the defaults of the free composition, and `always` the names of parameters that
        every recipe accepts unless it fixes them.
        """
        firsts = {axis: _name(axis, next(iter(allowed))) for axis, allowed in self.allows.items()}
        found = {**firsts, **self.defaults}
        followed = {
            name for allowed in self.allows.values() for f in allowed.values() for name in f
        }
        for name in (*self.takes, *always):
            if name not in self.fixes and name not in followed:
                found.setdefault(name, free[name])
        return found

    def completed(self, owner: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given parameters with those that are fixed or follow from them."""
        found = {**self.fixes, **given}
        for axis, allowed in self.allows.items():
            policy = self._allowed(owner, axis, found[axis])
            found[axis] = policy
            found |= next(f for p, f in allowed.items() if _name(axis, p) == policy.name)
        return found

    def meant(self, axis: str, value: Any) -> Any:
        """Return what a user means by `value`: a name means the policy that the recipe allows."""
        if isinstance(value, str):
            own = (p for p in self.allows.get(axis, ()) if _name(axis, p) == value)
            return next(own, value)
        return value

    def shortest(self, axis: str, value: Any) -> Any:
        """Return a policy as a user of the recipe writes it; the inverse of :meth:`meant`."""
        own = self.meant(axis, value.name) if isinstance(value, Policy) else None
        if not isinstance(own, Policy):
            return shortest(value)
        return own.name if _typed(value) == _typed(own) else value

    def _allowed(self, owner: str, axis: str, value: Any) -> Policy:
        own = {_name(axis, p): p for p in self.allows[axis]}
        value = self.meant(axis, value)
        found = value if callable(value) else resolve(axis, value)
        name = found.name if isinstance(found, Policy) else repr(value)
        one_of(f"{axis} of {owner}", name, own)
        assert isinstance(found, Policy)
        return found


def _typed(policy: Policy) -> list[tuple[type, Any]]:
    """Return the values of a policy with their types: 1 and 1.0 differ."""
    return [(type(value), value) for value in policy.get_params().values()]


def _name(axis: str, policy: Any) -> str:
    return policy.name if isinstance(policy, Policy) else classes(axis)[policy].name


def same_value(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are equal; trees are if all their parameters are."""
    if isinstance(one, BaseEstimator) and isinstance(other, BaseEstimator):
        return type(one) is type(other) and bool(one._axes() == other._axes())
    return bool(one == other)


def initializer(cls: type, taken: Mapping[str, Any]) -> Callable[..., None]:
    """Return the ``__init__`` of a recipe with these parameters and defaults."""

    def init(self: Any, **given: Any) -> None:
        self.__dict__.update({**taken, **given})

    kind = inspect.Parameter
    own = [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in taken.items()]
    parameters = [kind("self", kind.POSITIONAL_OR_KEYWORD), *own]
    init.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__name__ = "__init__"
    return init


def document(doc: str, free: str, taken: Mapping[str, Any], recipe: Recipe) -> str:
    """Return `doc` with a section "Parameters" made of entries of the free composition's."""
    entries = _entries(free)
    described = ""
    for name, default in taken.items():
        head, _, text = entries[name].partition("\n")
        head = re.sub(r", default=.*", f", default={shortest(default)!r}", head)
        if name in recipe.allows:
            allowed = ", ".join(f'"{_name(name, p)}"' for p in recipe.allows[name])
            few = "One of" if len(recipe.allows[name]) > 1 else "Only"
            text = f"    {few} {allowed}; see :mod:`{AXES[name]}`.\n"
        described += f"{head}\n{text}"
    described = re.sub(r" \[\d+\]_", "", described)
    lines = "".join(f"    {line}\n" if line else "\n" for line in described.splitlines())
    about, notes, rest = doc.partition("\n    Notes\n")
    section = f"\n\n    Parameters\n    ----------\n{lines}"
    return f"{about.rstrip()}{section}{notes}{rest}"


def _entries(doc: str) -> dict[str, str]:
    """Return the entries of the section "Parameters" by the names of the parameters."""
    section = inspect.cleandoc(doc).partition("\nParameters\n")[2].partition("\nAttributes\n")[0]
    found: dict[str, str] = {}
    for entry in re.findall(r"^\w[^\n]* : (?:[^\n]+\n?)+?(?=^\w|\n|\Z)", section, re.MULTILINE):
        names, _, rest = entry.rstrip().partition(" : ")
        for name in names.split(", "):
            found[name] = f"{name} : {rest}\n"
    return found
