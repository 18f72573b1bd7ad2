"""What every recipe takes besides its own parameters."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, TypeVar, get_args, get_type_hints

from riparian.tree import HoeffdingTree

__all__ = ["Composed", "Shared", "another_name", "recipe"]


class Shared(TypedDict, total=False):
    """Parameters of every recipe: they say how to go about it, and no paper's rule hangs on them.

    Defaults and descriptions are those of :class:`riparian.HoeffdingTree`.
    """

    idbd_theta: float
    idbd_alpha: float
    adaptive_grace: bool
    drop_poor_features: bool
    short_memory: int
    short_memory_in_bound: bool
    max_depth: int | None
    max_leaves: int | None
    max_bytes: int | str | None
    categorical_features: Any


class Composed(Shared, total=False):
    """What a recipe takes besides whose paper leaves the test of a split and the leaves open."""

    impurity: Any
    bound: Any
    leaf: str | Sequence[str]
    costs: Any
    grace_period: float
    delta: float
    tau: float


Recipe = TypeVar("Recipe", bound=type[HoeffdingTree])


def recipe(cls: Recipe) -> Recipe:
    """Write the shared parameters into the signature and the docstring of a recipe.

    Its ``__init__`` ends in ``**shared: Unpack[Shared]``, or ``Unpack[Composed]``, and passes them
    on. Type checkers read that; everything that asks at run time (scikit-learn's `get_params`,
    `help`) finds names.

    Examples
    --------
    >>> from riparian import VFDT
    >>> VFDT(adaptive_grace=True, max_bytes="10MB")
    VFDT(adaptive_grace=True, max_bytes='10MB')
    """
    own: Callable[..., None] = cls.__init__
    free = inspect.signature(HoeffdingTree.__init__).parameters
    signature = inspect.signature(own)
    kept = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    names = [p.name for p in kept]
    (taken,) = get_args(get_type_hints(own, include_extras=True)["shared"])
    # A recipe may have a default of its own.
    shared = [free[name] for name in taken.__annotations__ if name not in names]

    @functools.wraps(own)
    def init(self: HoeffdingTree, **given: Any) -> None:
        for name in given:
            if name not in names and name not in taken.__annotations__:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}"
                )
        own(self, **given)

    init.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*kept, *shared]
    )
    cls.__init__ = init  # type: ignore[method-assign]
    if cls.__doc__:  # which python -OO leaves out
        parameters, notes, rest = cls.__doc__.partition("\n    Notes\n")
        told = _descriptions(tuple(p.name for p in shared))
        cls.__doc__ = f"{parameters.rstrip()}\n{told}{notes}{rest}"
    return cls


def another_name(cls: Recipe) -> Recipe:
    """Write the parameters of the recipe that `cls` is derived from into its docstring."""
    told = (cls.__base__.__doc__ or "").partition("\n    Parameters\n")[2]
    if cls.__doc__ and told:  # which python -OO leaves out
        about, notes, rest = cls.__doc__.partition("\n    Notes\n")
        own = told.partition("\n    Notes\n")[0]
        cls.__doc__ = f"{about.rstrip()}\n\n    Parameters\n{own}{notes}{rest}"
    return cls


@functools.cache
def _descriptions(names: tuple[str, ...]) -> str:
    """The entries of these parameters in the docstring of the free composition."""
    section = inspect.cleandoc(HoeffdingTree.__doc__ or "")
    section = section.partition("\nParameters\n")[2].partition("\nAttributes\n")[0]
    entries = re.findall(r"^\w[^\n]* : (?:[^\n]+\n?)+?(?=^\w|\n|\Z)", section, re.MULTILINE)
    wanted = [e for e in entries if e.split(" : ")[0].split(", ")[0] in names]
    text = re.sub(r" \[\d+\]_", "", "".join(f"{e.rstrip()}\n" for e in wanted))
    return "".join(f"    {line}\n" for line in text.splitlines())
