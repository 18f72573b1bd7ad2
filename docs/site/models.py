"""A page for each model: what it chooses on each axis, its docstring, and its methods.

A method that several models share is described once, on the page of the first that has it.
"""

from __future__ import annotations

import functools
import inspect
import re
from pathlib import Path
from typing import Any

import riparian as rp
from docs.site.policies import page_of
from docs.site.text import first_sentence, rst, summary_table, table, toctree
from riparian.models.registry import GROUPS, MODELS
from riparian.policies import AXES, Policy

__all__ = ["link_names", "write_pages"]

_ROW = re.compile(rf"^\| `({'|'.join(MODELS)})` \|", re.MULTILINE)


def link_names(text: str) -> str:
    """`text` in which each model that begins a row of a table leads to its page."""
    return _ROW.sub(r"| [`\1`](/recipes/\1.md) |", text)


def write_pages(target: Path) -> None:
    """Write the pages of all models, and put them into the menu."""
    folder = target / "recipes"
    folder.mkdir()
    for name in MODELS:
        (folder / f"{name}.md").write_text(_page(name), "utf-8")
    overview = target / "recipes.md"
    menu = "\n".join(
        toctree((f"recipes/{name}" for name in names), caption=f"{group[0].upper()}{group[1:]}")
        for group, names in GROUPS.items()
    )
    overview.write_text(f"{overview.read_text('utf-8')}\n{menu}", "utf-8")


@functools.cache
def _by_page() -> dict[str, type]:
    """The models in the order in which they describe their methods: the most general first."""
    first = ("HoeffdingTree", "Forest")
    return {name: MODELS[name] for name in dict.fromkeys((*first, *MODELS))}


def _choices(model: type) -> dict[str, list[Policy]]:
    """What a tree chooses on each axis by default."""
    found = model()._axes()
    return {
        axis: list(found[axis]) if isinstance(found[axis], tuple) else [found[axis]]
        for axis in AXES
    }


def _linked(chosen: list[Policy]) -> str:
    return ", ".join(f":doc:`{p.name} </{page_of(type(p))}>`" for p in chosen)


def _page(name: str) -> str:
    model = MODELS[name]
    parts = [f"# {name}\n"]
    if issubclass(model, rp.HoeffdingTree):
        accepted = inspect.signature(model).parameters
        rows = [
            (
                f":doc:`{axis} </policies/{axis}/index>`",
                _linked(chosen),
                "yes" if axis in accepted else "no",
            )
            for axis, chosen in _choices(model).items()
        ]
        parts.append(rst(table(("axis", "default", "can be changed"), rows)))
    parts.append(rst(f".. autoclass:: riparian.{name}"))
    rows, own = [], []
    for method, owner in _methods(model).items():
        thing = getattr(model, method)
        inherited = thing.__module__.startswith("sklearn.")
        link = f"``{method}``" if inherited else f":py:meth:`{method} <riparian.{owner}.{method}>`"
        rows.append((link, first_sentence(thing)))
        if owner == name and not inherited:
            own.append(f".. automethod:: riparian.{name}.{method}")
    parts.append("## Methods\n\n" + rst(summary_table(rows)))
    if own:
        parts.append(rst("\n".join(own)))
    return "\n".join(parts)


def _methods(model: type) -> dict[str, str]:
    """The methods of a model, and the model on whose page each is described."""
    found = {}
    for method, thing in inspect.getmembers(model, inspect.isroutine):
        if method.startswith("_") or method.endswith(("_request", "_routing")):
            continue  # what scikit-learn makes for its own use
        found[method] = next(n for n, m in _by_page().items() if _same(m, method, thing))
    return found


def _same(model: type, method: str, thing: Any) -> bool:
    there = getattr(model, method, None)
    return getattr(there, "__func__", there) is getattr(thing, "__func__", thing)
