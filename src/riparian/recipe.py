"""Recipes: published algorithms, declared as choices of the free composition."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from riparian.errors import one_of
from riparian.policies import AXES, Policy, classes, resolve, shortest

__all__ = ["ALWAYS_TAKEN", "Recipe", "document", "signature"]

#: What every recipe accepts unless it fixes it: no rule of a paper depends on these.
ALWAYS_TAKEN = (
    "leaf",
    "costs",
    "grace_period",
    "delta",
    "tau",
    "adaptive_grace",
    "drop_poor_features",
    "short_memory",
    "short_memory_in_bound",
    "max_depth",
    "max_leaves",
    "max_bytes",
    "categorical_features",
)


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
        For an axis, the policies that the algorithm allows, and for each the parameters that follow
        from it. The first one is the default. A name stands for the policy as it is written here.
    """

    fixes: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    takes: Iterable[str] = ()
    allows: Mapping[str, Mapping[Any, Mapping[str, Any]]] = field(default_factory=dict)

    def taken(self, free: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that it accepts with their defaults, its own ones first.

        `free` has the defaults of the free composition.
        """
        firsts = {axis: _name(axis, next(iter(allowed))) for axis, allowed in self.allows.items()}
        found = {**firsts, **self.defaults}
        followed = {
            name for allowed in self.allows.values() for f in allowed.values() for name in f
        }
        for name in (*self.takes, *ALWAYS_TAKEN):
            if name not in self.fixes and name not in followed:
                found.setdefault(name, free[name])
        return found

    def completed(self, owner: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """What was given, with what follows from it."""
        found = {**self.fixes, **given}
        for axis, allowed in self.allows.items():
            policy = self._allowed(owner, axis, found[axis])
            found[axis] = policy
            found |= next(f for p, f in allowed.items() if _name(axis, p) == policy.name)
        return found

    def meant(self, axis: str, value: Any) -> Any:
        """What a user means by `value`: a name stands for the policy as the recipe writes it."""
        if isinstance(value, str):
            own = (p for p in self.allows.get(axis, ()) if _name(axis, p) == value)
            return next(own, value)
        return value

    def shortest(self, axis: str, value: Any) -> Any:
        """A policy as a user of the recipe would write it; the inverse of :meth:`meant`."""
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
    """The values of a policy; 1 and 1.0 differ."""
    return [(type(value), value) for value in policy.get_params().values()]


def _name(axis: str, policy: Any) -> str:
    return policy.name if isinstance(policy, Policy) else classes(axis)[policy].name


def signature(taken: Mapping[str, Any]) -> inspect.Signature:
    """The signature of the ``__init__`` of a recipe."""
    kind = inspect.Parameter
    own = [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in taken.items()]
    return inspect.Signature([kind("self", kind.POSITIONAL_OR_KEYWORD), *own])


def document(doc: str, free: str, taken: Mapping[str, Any], recipe: Recipe) -> str:
    """`doc` with the section "Parameters", whose entries come from the free composition's."""
    entries = _entries(free)
    described = ""
    for name, default in taken.items():
        head, _, text = entries[name].partition("\n")
        head = re.sub(r", default=.*", f", default={shortest(default)!r}", head)
        if name in recipe.allows:
            allowed = ", ".join(f'"{_name(name, p)}"' for p in recipe.allows[name])
            text = f"    One of {allowed}; see :mod:`{AXES[name]}`.\n"
        described += f"{head}\n{text}"
    described = re.sub(r" \[\d+\]_", "", described)
    lines = "".join(f"    {line}\n" if line else "\n" for line in described.splitlines())
    about, notes, rest = doc.partition("\n    Notes\n")
    section = f"\n\n    Parameters\n    ----------\n{lines}"
    return f"{about.rstrip()}{section}{notes}{rest}"


def _entries(doc: str) -> dict[str, str]:
    """The entries of the section "Parameters", each with its first name as the key."""
    section = inspect.cleandoc(doc).partition("\nParameters\n")[2].partition("\nAttributes\n")[0]
    found: dict[str, str] = {}
    for entry in re.findall(r"^\w[^\n]* : (?:[^\n]+\n?)+?(?=^\w|\n|\Z)", section, re.MULTILINE):
        names, _, rest = entry.rstrip().partition(" : ")
        for name in names.split(", "):
            found[name] = f"{name} : {rest}\n"
    return found
