"""The reference of the public names, a page for each module.

What has a page of its own, a model or a policy, is listed with a link to it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import riparian as rp
from docs.site import policies
from docs.site.text import first_sentence, is_documented_function, rst, summary_table, toctree
from riparian.models.registry import MODELS
from riparian.policies import AXES, Policy

__all__ = ["write_pages"]

#: Public modules that are not attributes of ``riparian`` until they are imported.
_IMPORTED = ("riparian.export", "riparian.policies")


def write_pages(target: Path) -> None:
    """Write a page for ``riparian`` and each of its public modules, and one that lists them."""
    folder = target / "api"
    folder.mkdir()
    modules = {"riparian": rp}
    for name in sorted(rp.__all__):
        if inspect.ismodule(getattr(rp, name)):
            modules[f"riparian.{name}"] = getattr(rp, name)
    modules |= {name: importlib.import_module(name) for name in _IMPORTED}
    for name, module in modules.items():
        (folder / f"{name}.md").write_text(_page(name, module), "utf-8")
    rows = [(f":doc:`{name} </api/{name}>`", first_sentence(m)) for name, m in modules.items()]
    rows.append((":doc:`riparian on the command line </command-line>`", "What each command does."))
    listed = rst(summary_table(rows))
    text = f"# API reference\n\nThe public names, module by module.\n\n{listed}\n{toctree(modules)}"
    (folder / "index.md").write_text(text, "utf-8")


@functools.cache
def _elsewhere() -> frozenset[str]:
    """Full names of functions that are described on the page of a policy."""
    return frozenset(
        f"{AXES[axis]}.{function}"
        for axis in AXES
        for functions in policies.functions_on_pages(axis).values()
        for function in functions
    )


def _page(name: str, module: ModuleType) -> str:
    rows, described = [], []
    for member in sorted(module.__all__, key=str.lower):
        thing = getattr(module, member)
        if inspect.ismodule(thing) or member.startswith("__"):
            continue
        link, here = _place(name, member, thing)
        rows.append((link, first_sentence(thing) if callable(thing) else ""))
        if here:
            described.append(here)
    parts = [f"# {name}\n", rst(f".. automodule:: {name}", name)]
    if rows:
        parts.append("## Names\n\n" + rst(summary_table(rows), name))
    if described:
        parts.append("## Reference\n\n" + rst("\n\n".join(described), name))
    return "\n".join(parts)


def _place(module: str, member: str, thing: Any) -> tuple[str, str]:
    """The link to a name, and its description if it is to stand on this page."""
    full = f"{module}.{member}"
    if inspect.isclass(thing) and thing in MODELS.values():
        return f":py:class:`{member} <riparian.{thing.__name__}>`", ""
    if inspect.isclass(thing) and issubclass(thing, Policy) and thing is not Policy:
        return f":py:class:`{member} <{full}>`", ""
    if inspect.isclass(thing):
        members = "" if issubclass(thing, BaseException) else "\n   :members:"
        return f":py:class:`{member} <{full}>`", f".. autoclass:: {full}{members}"
    if is_documented_function(thing):
        here = "" if full in _elsewhere() else f".. autofunction:: {full}"
        return f":py:func:`{member} <{full}>`", here
    return f":py:data:`{member} <{full}>`", f".. autodata:: {full}\n   :no-value:"
