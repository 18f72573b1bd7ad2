"""``riparian models``: what there is for ``--recipe``, and the parameters of each."""

from __future__ import annotations

import inspect
import re
from typing import Annotated

import typer

__all__ = ["models"]


def models(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Describe this one.")] = None,
) -> None:
    """List the models, or describe one and its parameters."""
    from riparian.errors import one_of
    from riparian.models import MODELS
    from riparian.options import MODEL_GROUPS
    from riparian.summary import console

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
    for i, (what, of) in enumerate(MODEL_GROUPS.items()):
        if i:
            out.print()
        out.print(f"{what[0].upper()}{what[1:]}", style="bold")
        for each in of:
            about = _text(MODELS[each]).partition("\n\n")[0]
            out.print(f"  {each:<{width}}  {' '.join(about.split())}")


def _text(model: type) -> str:
    """What a class is, without the marks of reStructuredText."""
    return re.sub(r"(?::[\w:]+:)?`+~?([^`]*)`+_?", r"\1", inspect.getdoc(model) or "")
