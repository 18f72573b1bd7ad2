"""What a model says about a parameter that it does not have."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any

from riparian.models.other_names import NOT_NEEDED, PARAMETERS
from riparian.models.river import announce_to_river

__all__ = ["explaining", "hint"]


def explaining(init: Callable[..., None]) -> Callable[..., None]:
    """Return an ``__init__`` whose error explains a parameter that it does not have."""
    names = set(inspect.signature(init).parameters) - {"self"}

    @functools.wraps(init)
    def explained(self: Any, *positional: Any, **given: Any) -> None:
        for name, value in given.items():
            if name not in names:
                text = f"{type(self).__name__} has no parameter {name!r}"
                raise TypeError(text + hint(type(self), name, value))
        init(self, *positional, **given)
        announce_to_river()

    return explained


def hint(cls: Any, name: str, value: Any) -> str:
    """Return what to write instead of a parameter that a model does not have.

    Examples
    --------
    >>> from riparian import HoeffdingTree, StreamTree
    >>> hint(HoeffdingTree, "split_criterion", "gini")
    "; River's split_criterion='gini' is impurity='gini' here"
    >>> hint(StreamTree, "epsilons", 2)
    '; HoeffdingTree has it'
    """
    if name in NOT_NEEDED:
        return f"; it is not needed: {NOT_NEEDED[name]}"
    ours, written, about = name, f"{name}={value!r}", ""
    if name in PARAMETERS:
        other = PARAMETERS[name]
        text = other.written(value)
        ours, written = other.name, f"{other.name}={'...' if text is None else text}"
        given = name if text is None else f"{name}={value!r}"
        about = f"; {other.library}'s {given} is {other.name if text is None else written} here"
    if about and ours in cls._get_param_names():
        return about
    place = _place(cls, ours, written)
    return about + (place or f"; {cls.__name__} has no {ours}") if about else place


def _place(cls: Any, name: str, written: str) -> str:
    """Return which other model has a parameter of ours, or which name is similar."""
    from riparian.models.hoeffding import HoeffdingTree

    known, free = cls._get_param_names(), cls._free_defaults()
    if "estimator" in free and name in HoeffdingTree._get_param_names():
        trees = f"estimator=rp.HoeffdingTree({written})"
        if "estimator" in known:
            return f"; it is a parameter of the trees: {trees}"
        return f"; its trees are fixed, those of rp.{cls._free.__name__}({trees}) are not"
    if name in free:
        return f"; {cls._free.__name__} has it"
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
