"""``riparian models``: the models that ``--recipe`` accepts, and their parameters."""

from __future__ import annotations

import inspect
import re
from typing import Annotated

import typer

__all__ = ["models"]


def models(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The model to describe.")
    ] = None,
) -> None:
    """List the models, or describe one model and its parameters."""
    from riparian.errors import one_of
    from riparian.models.registry import GROUPS, MODELS
    from riparian.show.summary import console

    out = console()
    if name is not None:
        model = MODELS[one_of("a model", name, MODELS)]
        out.print(name, style="bold")
        for parameter, value in inspect.signature(model).parameters.items():
            out.print(f"  {parameter}={value.default!r}")
        out.print()
        out.print(_text(model).partition("\n\nExamples\n")[0])
        return
    width = max(map(len, MODELS))
    for i, (title, group) in enumerate(GROUPS.items()):
        if i:
            out.print()
        out.print(f"{title[0].upper()}{title[1:]}", style="bold")
        for member in group:
            summary = _text(MODELS[member]).partition("\n\n")[0]
            out.print(f"  {member:<{width}}  {' '.join(summary.split())}")


def _text(model: type) -> str:
    """Return the docstring of a class without the markup of reStructuredText."""
    return re.sub(r"(?::[\w:]+:)?`+~?([^`]*)`+_?", r"\1", inspect.getdoc(model) or "")
