"""Small pieces of pages: tables, first sentences, blocks of reStructuredText in Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from textwrap import indent
from typing import Any

__all__ = [
    "first_sentence",
    "is_documented_function",
    "rst",
    "snake_case",
    "summary_table",
    "table",
    "toctree",
]


def rst(text: str, module: str = "riparian") -> str:
    """A block of reStructuredText in a page of Markdown; its short names are those of `module`."""
    return f"````{{eval-rst}}\n.. currentmodule:: {module}\n\n{text.strip()}\n````\n"


def first_sentence(thing: Any) -> str:
    """What the docstring says first, without its links."""
    about = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return re.sub(r":(?!math)[\w:]+:(`[^`]*`)", r"`\1`", about)


def is_documented_function(thing: Any) -> bool:
    """Whether it is a function, and not a class, a module or a value."""
    return inspect.isroutine(thing)


def summary_table(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and what they are, in reStructuredText."""
    return table(("", ""), rows, header=False, widths="30 70")


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, header: bool = True, widths: str = "auto"
) -> str:
    """A table in reStructuredText."""
    lines = [".. list-table::", "   :align: left", f"   :widths: {widths}"]
    if header:
        lines.append("   :header-rows: 1")
    lines.append("")
    for row in [head, *rows] if header else rows:
        cells = [indent(cell or " ", "       ").strip() for cell in row]
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(cells)]
    return "\n".join(lines) + "\n"


def toctree(names: Iterable[str], caption: str = "") -> str:
    """The pages below this one, for the menu alone."""
    listed = "\n".join(names)
    title = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{title}\n{listed}\n```\n"


def snake_case(name: str) -> str:
    """A name that users write, such as ``"delta-method"``, as a name of Python."""
    return re.sub(r"\W", "_", name)
