"""``riparian export``: a model as a program, an ONNX model, text or a drawing."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from riparian.commands.reading import ModelFile
from riparian.commands.telling import say

__all__ = ["export"]

#: What it writes, and the options of each.
_EXPORTS = {
    "sql": ("leaf", "table", "proba"),
    "python": ("leaf",),
    "c": ("leaf", "name"),
    "onnx": ("leaf", "dtype"),
    "text": ("depth",),
    "dot": ("depth",),
}


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(help="sql, python, c, onnx, text or dot.")],
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here.  [default: standard output]")
    ] = None,
    leaf: Annotated[
        str | None,
        typer.Option(
            help="majority: read the leaves of any model so, where only such leaves can be written."
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="For sql: the table to read.  [default: examples]")
    ] = None,
    proba: Annotated[
        bool | None, typer.Option(help="For sql: whether to give probabilities.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="For c: what all names begin with.  [default: tree]")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(help="For onnx: float64 or float32, the type of numbers."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="For text and dot: deepest level to write.")
    ] = None,
) -> None:
    """Write a tree as a program, an ONNX model, text or a drawing.

    Programs and ONNX models answer as the model does, without riparian.
    """
    import riparian
    from riparian.errors import one_of
    from riparian.modelfile import write
    from riparian.writing import check_writable, whole_file

    given = {"leaf": leaf, "table": table, "proba": proba, "name": name, "dtype": dtype}
    options = {key: value for key, value in (given | {"depth": depth}).items() if value is not None}
    try:
        one_of("--to", to, _EXPORTS)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--to") from None
    for option in options:
        if option not in _EXPORTS[to]:
            users = [target for target in _EXPORTS if option in _EXPORTS[target]]
            raise typer.BadParameter(f"is for --to {' or '.join(users)}", param_hint=f"--{option}")
    if to == "onnx" and out is None:
        raise typer.BadParameter("an ONNX model is no text: name a file", param_hint="--out")
    check_writable("--out", out)
    learned = riparian.load(model)
    if to == "onnx":
        assert out is not None
        write(out, learned.to_onnx(**options).SerializeToString())
    else:
        if "depth" in options:
            options["max_depth"] = options.pop("depth")
        if to == "text":
            text = learned.export_text(**options) + "\n"
        elif to == "dot":
            text = learned.export_graphviz(**options) + "\n"
        else:
            text = learned.to_code(to, **options)
        if out is None:
            sys.stdout.write(text)
            return
        with whole_file(out) as file:
            file.write(text)
    say(f"wrote {out}")
